"""Reads and settles the rows that a batch holds; every change is guarded by the status and the batch it believes in."""

from collections.abc import Sequence

from staging.identifiers import staging_table
from staging.models import Entity, Handling
from staging.phrases import beginning_of_tokens
from staging.sql.compose import Sql, fetch, name, run, sql
from staging.sql.dialect import dialect
from staging.states import ImportStatus
from staging.tables.columns import named_problems


def held_rows(entity: Entity, batch_id: int) -> int:
    """Return how many rows a batch holds."""
    with named_problems(entity):
        return int(fetch(sql("SELECT count(*) FROM {staging} s WHERE {held}", **_parts(entity, batch_id)))[0][0])


def is_any_held(entity: Entity, batch_id: int) -> bool:
    """Return whether a batch still holds a row."""
    with named_problems(entity):
        return bool(fetch(sql("SELECT 1 FROM {staging} s WHERE {held} LIMIT 1", **_parts(entity, batch_id))))


def newest_row(entity: Entity) -> int:
    """Return the highest id among the staged rows, 0 without any: what comes later has a higher one."""
    with named_problems(entity):
        query = "SELECT COALESCE(max(s.id), 0) FROM {staging} s"
        return int(fetch(sql(query, staging=name(staging_table(entity.code))))[0][0])


def is_handled_by(entity: Entity, batch_id: int, person: str, *, ids: Sequence[int] | None = None) -> bool:
    """Return whether a person, also by a token, uploaded or mended any of the rows (all, or these) of a held batch."""
    by_token = beginning_of_tokens(person)
    with named_problems(entity):
        return bool(
            fetch(
                sql(
                    "SELECT 1 FROM {handling} h WHERE h.entity_id = {entity}"
                    " AND (h.handled_by = {person} OR substr(h.handled_by, 1, {length}) = {by_token}) AND EXISTS"
                    " (SELECT 1 FROM {staging} s WHERE {held}{chosen} AND s.id BETWEEN h.first_id AND h.last_id)"
                    " LIMIT 1",
                    handling=name(Handling._meta.db_table),
                    entity=entity.pk,
                    person=person,
                    length=len(by_token),
                    by_token=by_token,
                    chosen=_among(ids),
                    **_parts(entity, batch_id),
                )
            )
        )


def reject_held(entity: Entity, batch_id: int, message: str, *, ids: Sequence[int] | None = None, limit: int) -> int:
    """Reject at most `limit` of the rows that a batch holds, with this message; return how many.

    `ids` keeps to these rows. Call again until it returns 0.
    """
    with named_problems(entity):
        return run(
            sql(
                "UPDATE {staging} SET import_status = {rejected}, error_code = 0, error_message = {message},"
                " import_outcome = 'rejected'"
                " WHERE id IN (SELECT s.id FROM {staging} s WHERE {held}{chosen} ORDER BY s.id LIMIT {limit})"
                " AND import_status = {status}",
                rejected=ImportStatus.REJECTED.value,
                message=message,
                chosen=_among(ids),
                limit=limit,
                status=ImportStatus.HELD.value,
                **_parts(entity, batch_id),
            )
        )


def _among(ids: Sequence[int] | None) -> Sql:
    return Sql("") if ids is None else sql(" AND {these}", these=dialect().among(Sql("s.id"), ids))


def _parts(entity: Entity, batch_id: int) -> dict[str, Sql]:
    """Return what every statement here speaks of; the status stands in the text, so that the index is used."""
    held = f"s.import_status = {ImportStatus.HELD.value} AND s.batch_id = {{batch}}"
    return {"staging": name(staging_table(entity.code)), "held": sql(held, batch=batch_id)}
