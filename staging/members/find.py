"""Finds members of many entities by their codes, exactly and by how they begin, through the index of each table."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import DatabaseError, connection

from staging.identifiers import production_table
from staging.models import Entity
from staging.sql.compose import Sql, fetch, join, name, sql
from staging.sql.dialect import dialect
from staging.tables.columns import real_columns_of, savepoint

SHORTEST_BEGINNING = 3  # a shorter text is a whole code: too much begins with it
_AT_ONCE = 500  # as many parts as SQLite puts together
_FEW = Sql("3")  # of each table
_AT_LEAST, _EQUAL = Sql(">="), Sql("=")
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

    One statement for 500 entities: in each table a few steps in the index of codes for either spelling. The order of
    a language may put others between those that begin alike, so what begins is looked for among the next codes only.
    Entities whose tables are not as they should be are left out. Raises DatabaseError when the database cannot answer
    in time.
    """
    try:
        return _found(entities, text)
    except DatabaseError:
        whole = _with_tables(entities) if connection.is_usable() else entities
        if len(whole) == len(entities):
            raise
        return _found(whole, text)


def _found(entities: Sequence[Entity], text: str) -> list[FoundMember]:
    """Return what all of these have, the very code first."""
    spellings = [*dict.fromkeys([text, text.upper()])]
    with savepoint(), dialect().at_most(_SECONDS):
        rows = [row for start in range(0, len(entities), _AT_ONCE) for row in _asked(entities, start, spellings)]
    for spelling in spellings:
        found = {FoundMember(of, key, code, label or "") for of, key, code, label in rows if code.startswith(spelling)}
        if found:
            return sorted(found, key=lambda each: (each.code != spelling, each.code, each.entity_id))
    return []


def _asked(entities: Sequence[Entity], start: int, spellings: Sequence[str]) -> list[tuple[int, int, str, str | None]]:
    parts = [_part(entity, spellings) for entity in entities[start : start + _AT_ONCE]]
    return fetch(join(" UNION ALL ", parts))


def _part(entity: Entity, spellings: Sequence[str]) -> Sql:
    """Return the next few codes of a table from each text on, itself first; of a short text only itself.

    Of an entity the parts are put together by themselves: so there are as many as entities.
    """
    asked, production = Sql(str(int(entity.pk))), name(production_table(entity.code))
    parts = [
        dialect().part(
            sql(
                "SELECT {entity}, p.id, p.code, p.name FROM {production} p WHERE p.code {sign} {code}"
                " ORDER BY p.code LIMIT {few}",
                entity=asked,
                production=production,
                sign=_AT_LEAST if len(spelling) >= SHORTEST_BEGINNING else _EQUAL,
                code=spelling,
                few=_FEW,
            )
        )
        for spelling in spellings
    ]
    return parts[0] if len(parts) == 1 else dialect().part(join(" UNION ALL ", parts))


def _with_tables(entities: Sequence[Entity]) -> list[Entity]:
    """Return the entities whose production tables have what is read of them."""
    columns = real_columns_of([production_table(entity.code) for entity in entities])
    return [each for each in entities if {"id", "code", "name"} <= set(columns[production_table(each.code)])]
