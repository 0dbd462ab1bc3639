"""Counts what waits in staging and what was rejected, for any number of entities in a few statements."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.db import DatabaseError, connection

from staging.errors import StagingError
from staging.identifiers import quote, staging_table
from staging.models import Entity
from staging.sql.dialect import from_database
from staging.states import ImportStatus
from staging.tables.columns import named_problems, savepoint

_CHUNK = 200  # SQLite allows 500 parts of a UNION; long statements also plan slowly.
_MOST_PARTS = 500  # of short parts: each of these counts by an index


@dataclass(frozen=True)
class PendingRows:
    """What waits for the next batch of one entity; `error` says why it could not be counted."""

    count: int = 0
    oldest_at: datetime | None = None
    newest_at: datetime | None = None
    error: str = ""


def pending_statistics(entities: Iterable[Entity], tag: str = "") -> dict[int, PendingRows]:
    """Return the pending rows of each entity by its pk; with `tag`, only rows with that batch tag.

    One statement for 200 entities. When one fails, its entities are asked one by one, so that only a broken entity
    carries `error`. Raises DatabaseError when the database itself is gone.
    """
    rest, found = iter(entities), {}
    while chunk := list(islice(rest, _CHUNK)):
        found.update(_count(chunk, tag))
    return found


def _count(entities: Sequence[Entity], tag: str) -> dict[int, PendingRows]:
    try:
        return {pk: PendingRows(*values) for pk, values in _select(entities, tag).items()}
    except (DatabaseError, StagingError, ValueError) as error:
        if not connection.is_usable():
            raise
        if len(entities) == 1:
            return {entities[0].pk: PendingRows(error=_reason(error))}
    return {pk: found for entity in entities for pk, found in _count([entity], tag).items()}


def has_tag(entity: Entity, tag: str) -> bool:
    """Return whether any staged row of an entity has this batch tag, whatever became of it.

    Raises TableMismatch when the table is not as defined.
    """
    statement = f"SELECT EXISTS (SELECT 1 FROM {quote(staging_table(entity.code))} s WHERE s.{quote('batch_tag')} = %s)"
    with named_problems(entity), connection.cursor() as cursor:
        cursor.execute(statement, [tag])
        return bool(cursor.fetchone()[0])


def _select(entities: Sequence[Entity], tag: str) -> dict[int, tuple[int, datetime | None, datetime | None]]:
    statement = " UNION ALL ".join(_one(entity, tag) for entity in entities)
    with named_problems(entities[0]) if len(entities) == 1 else savepoint(), connection.cursor() as cursor:
        cursor.execute(statement, [tag] * len(entities) if tag else [])
        rows = cursor.fetchall()
    return {pk: (count, from_database(oldest), from_database(newest)) for pk, count, oldest, newest in rows}


def _one(entity: Entity, tag: str) -> str:
    """Return one entity's part. Columns are qualified: SQLite reads an unknown quoted name alone as a string."""
    created_at = f"s.{quote('created_at')}"
    with_tag = f" AND s.{quote('batch_tag')} = %s" if tag else ""
    return (
        f"SELECT {int(entity.pk)}, count(*), min({created_at}), max({created_at})"
        f" FROM {quote(staging_table(entity.code))} s"
        f" WHERE s.{quote('import_status')} = {ImportStatus.PENDING.value}{with_tag}"
    )


def _reason(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def rejected_counts(entities: Sequence[Entity]) -> dict[int, int | None]:
    """Return the number of rejected rows of each entity by its pk; None where a broken table cannot be counted.

    One statement for 500 entities; when one fails, its entities are asked one by one.
    """
    counts: dict[int, int | None] = {}
    for start in range(0, len(entities), _MOST_PARTS):
        counts.update(_rejected_of(entities[start : start + _MOST_PARTS]))
    return counts


def _rejected_of(entities: Sequence[Entity]) -> dict[int, int | None]:
    try:
        with savepoint(), connection.cursor() as cursor:
            cursor.execute(" UNION ALL ".join(_rejected_part(entity) for entity in entities))
            return dict(cursor.fetchall())
    except (DatabaseError, StagingError):
        if len(entities) == 1:
            return {entities[0].pk: None}
    return {pk: count for entity in entities for pk, count in _rejected_of([entity]).items()}


def _rejected_part(entity: Entity) -> str:
    return (
        f"SELECT {int(entity.pk)}, count(*) FROM {quote(staging_table(entity.code))} s"
        f" WHERE s.{quote('import_status')} = {ImportStatus.REJECTED.value}"
    )
