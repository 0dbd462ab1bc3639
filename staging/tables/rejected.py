"""Counts the rejected rows of many entities in a few statements, for lists that show where people are needed."""

from collections.abc import Sequence

from django.db import DatabaseError, connection

from staging.errors import StagingError
from staging.identifiers import quote, staging_table
from staging.models import Entity
from staging.states import ImportStatus
from staging.tables.guard import savepoint

_CHUNK = 200  # SQLite allows 500 parts of a UNION


def rejected_counts(entities: Sequence[Entity]) -> dict[int, int | None]:
    """Return the number of rejected rows of each entity by its pk; None where a broken table cannot be counted.

    One statement for 200 entities; when one fails, its entities are asked one by one.
    """
    counts: dict[int, int | None] = {}
    for start in range(0, len(entities), _CHUNK):
        counts.update(_count(entities[start : start + _CHUNK]))
    return counts


def _count(entities: Sequence[Entity]) -> dict[int, int | None]:
    try:
        with savepoint(), connection.cursor() as cursor:
            cursor.execute(" UNION ALL ".join(_one(entity) for entity in entities))
            return dict(cursor.fetchall())
    except (DatabaseError, StagingError):
        if len(entities) == 1:
            return {entities[0].pk: None}
    return {pk: count for entity in entities for pk, count in _count([entity]).items()}


def _one(entity: Entity) -> str:
    return (
        f"SELECT {int(entity.pk)}, count(*) FROM {quote(staging_table(entity.code))} s"
        f" WHERE s.{quote('import_status')} = {ImportStatus.REJECTED.value}"
    )
