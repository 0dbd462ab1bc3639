"""Says for which codes rejected rows wait, so that nobody mends what will come home by itself."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from staging.identifiers import production_table, quote, staging_table
from staging.models import Attribute, Entity
from staging.sql.compose import Sql, column, fetch, name, sql
from staging.sql.dialect import BLANKS, dialect
from staging.states import WAITING_ERRORS, OnError
from staging.tables.columns import named_problems
from staging.tables.create import live_attributes, waits_for_a_code


@dataclass(frozen=True)
class WaitedCode:
    """A code that rejected rows refer to and that no active member has; `target` is the entity it belongs to."""

    target: Entity
    code: str
    count: int


def waited_codes(entity: Entity, limit: int = 10) -> list[WaitedCode]:
    """Return the codes that most rejected rows of an entity wait for, at most `limit` for each reference."""
    found: dict[tuple[int, str], WaitedCode] = {}
    with named_problems(entity):
        for attribute in _references(entity):
            for code, count in fetch(_missing(entity, attribute, limit)):
                key = (attribute.reference_id or 0, code)
                before = found[key].count if key in found else 0
                found[key] = WaitedCode(_target(attribute), code, before + count)
    return sorted(found.values(), key=lambda waited: (-waited.count, waited.target.name, waited.code))


def waits_for(entity: Entity, rows: Iterable[Mapping[str, Any]]) -> dict[int, list[tuple[Entity, str]]]:
    """Return for each of these staged rows that waits, by its id, the entities and codes it waits for."""
    waiting = [row for row in rows if row["error_code"] in WAITING_ERRORS]
    found: dict[int, list[tuple[Entity, str]]] = {}
    for attribute in _references(entity) if waiting else []:
        codes = {row["id"]: code for row in waiting if (code := _code(entity, row[attribute.name]))}
        here = _active(_target(attribute), sorted(set(codes.values())))
        for row_id, code in codes.items():
            wanted = (_target(attribute), code)
            if code not in here and wanted not in found.setdefault(row_id, []):
                found[row_id].append(wanted)
    return {row_id: wanted for row_id, wanted in found.items() if wanted}


def _references(entity: Entity) -> list[Attribute]:
    return [a for a in live_attributes(entity) if a.reference and a.on_error == OnError.REJECT_ROW]


def _target(attribute: Attribute) -> Entity:
    assert attribute.reference is not None
    return attribute.reference


def _missing(entity: Entity, attribute: Attribute, limit: int) -> Sql:
    return sql(
        "SELECT w.code, count(*) FROM (SELECT {text} AS code FROM {staging} s WHERE {waits}) w"
        " WHERE w.code IS NOT NULL AND w.code <> {clears} AND NOT EXISTS"
        " (SELECT 1 FROM {target} p WHERE p.code = w.code AND p.is_active)"
        " GROUP BY w.code ORDER BY 2 DESC, 1 LIMIT {limit}",
        text=dialect().trim(column("s", attribute.name)),
        staging=name(staging_table(entity.code)),
        waits=Sql(waits_for_a_code("s")),
        clears=entity.sentinel_text,
        target=name(production_table(_target(attribute).code)),
        limit=limit,
    )


def _code(entity: Entity, staged: Any) -> str:
    text = str(staged or "").strip(BLANKS)
    return "" if text == entity.sentinel_text else text


def _active(entity: Entity, codes: Sequence[str]) -> set[str]:
    if not codes:
        return set()
    marks = ", ".join(["%s"] * len(codes))
    with named_problems(entity), connection.cursor() as cursor:
        cursor.execute(
            f"SELECT p.code FROM {quote(production_table(entity.code))} p WHERE p.is_active AND p.code IN ({marks})",
            list(codes),
        )
        return {code for (code,) in cursor.fetchall()}
