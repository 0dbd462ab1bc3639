"""What landed in the staging tables of many entities, and what became of it: few statements for thousands of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from django.db import DatabaseError, connection

from staging.identifiers import quote
from staging.models import Entity
from staging.sql.dialect import dialect, from_database
from staging.states import ImportStatus
from staging.tables.columns import WITH_REJECTED, PendingRows, Tabled, of_each, savepoint, selection

T = TypeVar("T")


class Landings(NamedTuple):
    """When the last row landed, whatever became of it, and since when the oldest pending one waits; None for none."""

    newest: datetime | None
    oldest_pending: datetime | None


# As text: to take an instant apart costs more than all else, and most were read before.
_CREATED = f"SELECT CAST(s.{quote('created_at')} AS text) FROM {{table}} s"
_PENDING = f"s.{quote('import_status')} = {ImportStatus.PENDING.value}"
_NEWEST = f"({_CREATED} ORDER BY s.{quote('id')} DESC LIMIT 1)"
# Not min(): PostgreSQL takes twice as long to plan it.
_OLDEST = f"({_CREATED} WHERE {_PENDING} ORDER BY s.{quote('created_at')} LIMIT 1)"


def landed(entities: Iterable[Entity | Tabled]) -> dict[int, Landings]:
    """Return what landed for each entity by its pk; nothing, where its table cannot be read.

    The indexes of each table answer it. Raises DatabaseError when the database itself is gone.
    """
    broken = Landings(None, None)
    return _of_all(entities, f"{_NEWEST}, {_OLDEST}", None, _landed, lambda error: broken, of_a_page=False)


@lru_cache(maxsize=50_000)
def _landed(newest: Any, oldest: Any) -> Landings:
    return Landings(newest and known_instant(newest), oldest and known_instant(oldest))


@lru_cache(maxsize=50_000)
def known_instant(value: Any) -> datetime:
    """Return what raw SQL gave as an instant in UTC, read once for each; raises ValueError for what is none."""
    instant = from_database(value)
    assert instant is not None
    return instant


def rejected_counts(entities: Iterable[Entity | Tabled]) -> dict[int, int | None]:
    """Return the number of rejected rows of each entity by its pk; None where a broken table cannot be counted.

    Raises DatabaseError when the database itself is gone.
    """
    rejected = "count(*)", ImportStatus.REJECTED
    return _of_all(entities, *rejected, lambda count: count, lambda error: None, of_a_page=True)


def pending_in_all(entities: Iterable[Entity | Tabled]) -> dict[int, PendingRows]:
    """Return the pending rows of each entity by its pk, and how many were rejected: `pending_statistics` of all.

    Who asks of others each time asks that. Raises DatabaseError when the database itself is gone.
    """
    asked = WITH_REJECTED, ImportStatus.PENDING
    return _of_all(entities, *asked, PendingRows.told, PendingRows.untold, of_a_page=True)


def _of_all(
    entities: Iterable[Entity | Tabled],
    what: str,
    status: ImportStatus | None,
    read: Callable[..., T],
    broken: Callable[[Exception], T],
    *,
    of_a_page: bool,
) -> dict[int, T]:
    """Return what is read of the rows with this status, by entity; only when a table is broken in smaller parts."""
    size = dialect().tables_at_once
    known = sorted((int(entity.pk), entity.code) for entity in entities)  # the same statements whoever asks
    parts = [tuple(known[start : start + size]) for start in range(0, len(known), size)]
    try:
        with savepoint() if parts else nullcontext():
            rows = dialect().rows_of_each([selection(part, what, status) for part in parts], of_a_page=of_a_page)
            return {pk: read(*values) for pk, *values in rows}
    except (DatabaseError, ValueError):
        if not connection.is_usable():
            raise
    return of_each((Tabled(*one) for one in known), what, status, "", read, broken)
