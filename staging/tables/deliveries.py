"""Reads what those who deliver rows ask for: the codes they may refer to, and what was wrong with their last ones."""

from dataclasses import dataclass
from datetime import datetime

from staging.identifiers import production_table, staging_table
from staging.models import Entity
from staging.sql.compose import Sql, fetch, name, sql
from staging.sql.dialect import dialect, from_database
from staging.states import ErrorBit, ImportStatus, error_meaning
from staging.tables.columns import named_problems

# Rejected rows that are looked at, newest first: with millions of them the page must not wait.
_NEWEST = 10_000


@dataclass(frozen=True)
class Rejections:
    """Rejected rows of one batch tag with the same errors; `example` is the text of the newest of them."""

    batch_tag: str
    error_code: int
    meanings: tuple[str, ...]
    rows: int
    newest_at: datetime | None
    example: str


def active_codes(entity: Entity, most: int) -> tuple[list[str], bool]:
    """Return the first codes of the active members in their order, and whether there are more."""
    query = "SELECT m.code FROM {table} m WHERE m.is_active ORDER BY m.code LIMIT {limit}"
    with named_problems(entity):
        found = [code for (code,) in fetch(sql(query, table=name(production_table(entity.code)), limit=most + 1))]
    return found[:most], len(found) > most


def rejections_by_tag(entity: Entity, most: int) -> list[Rejections]:
    """Return the rejected rows grouped by batch tag and errors, the group with the newest row first.

    Looks at the newest 10,000 rejected rows.
    """
    table = name(staging_table(entity.code))
    groups = sql(
        "SELECT r.batch_tag, r.error_code, count(*), max(r.id) FROM"
        " (SELECT s.id, s.batch_tag, s.error_code FROM {table} s WHERE s.import_status = {rejected}"
        " ORDER BY s.id DESC LIMIT {newest}) r GROUP BY r.batch_tag, r.error_code ORDER BY max(r.id) DESC LIMIT {most}",
        table=table,
        rejected=Sql(str(ImportStatus.REJECTED.value)),
        newest=_NEWEST,
        most=most,
    )
    with named_problems(entity):
        found = fetch(groups)
        among = dialect().among(Sql("s.id"), [last for *_, last in found])
        told = {
            row_id: (message, landed)
            for row_id, message, landed in fetch(
                sql("SELECT s.id, s.error_message, s.created_at FROM {table} s WHERE {among}", table=table, among=among)
            )
        }
    return [_group(tag, code, rows, *told.get(last, (None, None))) for tag, code, rows, last in found]


def _group(tag: str | None, code: int, rows: int, message: str | None, landed: object) -> Rejections:
    meanings = tuple(error_meaning(bit) for bit in ErrorBit if code & bit)
    return Rejections(tag or "", code, meanings, rows, from_database(landed), message or "")
