"""Finds members of many entities by their codes, exactly and by how they begin, through the index of each table."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.db import DatabaseError, OperationalError, connection

from staging.errors import gave_up_waiting
from staging.identifiers import production_table, quote
from staging.models import Entity
from staging.sql.compose import Sql, join
from staging.sql.dialect import dialect
from staging.tables.columns import real_columns_of, savepoint

SHORTEST_BEGINNING = 3  # a shorter text is a whole code: too much begins with it
_FEW = 3  # of each table
_SECONDS = 2


@dataclass(frozen=True)
class FoundMember:
    """A member, and the entity that it is of."""

    entity_id: int
    id: int
    code: str
    name: str


def members_by_code(entities: Sequence[Entity], text: str) -> list[FoundMember]:
    """Return members with this code, then a few of each entity whose codes begin with it; else so in upper case.

    In each table a few steps in the index of codes for either spelling; one message for hundreds of tables. The order
    of a language may put others between those that begin alike, so what begins is looked for among the next codes only.
    Entities whose tables are not as they should be are left out. Raises DatabaseError when the database cannot answer
    in time.
    """
    try:
        return _found(entities, text)
    except DatabaseError as error:
        if not connection.is_usable() or (isinstance(error, OperationalError) and gave_up_waiting(error)):
            raise
    return _found(_with_tables(entities), text)


def _found(entities: Sequence[Entity], text: str) -> list[FoundMember]:
    """Return what all of these have, the very code first."""
    spellings = [*dict.fromkeys([text, text.upper()])]
    signs = tuple(">=" if len(spelling) >= SHORTEST_BEGINNING else "=" for spelling in spellings)
    known = sorted((int(entity.pk), entity.code) for entity in entities)  # the same statements whoever asks
    size = dialect().tables_at_once
    asked = [_next_codes(tuple(known[start : start + size]), signs) for start in range(0, len(known), size)]
    values = {f"code_{number}": spelling for number, spelling in enumerate(spellings)}
    with savepoint(), dialect().at_most(_SECONDS):
        rows = dialect().rows_of_each(asked, values, of_a_page=True)
    for spelling in spellings:
        found = {FoundMember(of, key, code, label or "") for of, key, code, label in rows if code.startswith(spelling)}
        if found:
            return sorted(found, key=lambda each: (each.code != spelling, each.code, each.entity_id))
    return []


@lru_cache(maxsize=1000)
def _next_codes(entities: tuple[tuple[int, str], ...], signs: tuple[str, ...]) -> str:
    """Return what asks these tables for the next few codes from each spelling on, itself first; for `=` only itself.

    Of an entity the parts are put together by themselves: so there are as many as entities.
    """
    return " UNION ALL ".join(_of_one(pk, quote(production_table(code)), signs) for pk, code in entities)


def _of_one(pk: int, table: str, signs: tuple[str, ...]) -> str:
    part = dialect().part
    parts = [
        part(
            Sql(
                f"SELECT {pk}, p.id, p.code, p.name FROM {table} p WHERE p.code {sign} %(code_{number})s"  # noqa: S608
                f" ORDER BY p.code LIMIT {_FEW}"
            )
        )
        for number, sign in enumerate(signs)
    ]
    return (parts[0] if len(parts) == 1 else part(join(" UNION ALL ", parts))).text


def _with_tables(entities: Sequence[Entity]) -> list[Entity]:
    """Return the entities whose production tables have what is read of them."""
    columns = real_columns_of([production_table(entity.code) for entity in entities])
    return [each for each in entities if {"id", "code", "name"} <= set(columns[production_table(each.code)])]
