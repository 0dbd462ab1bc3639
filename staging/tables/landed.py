"""What landed in the staging tables of many entities, and what became of it: few statements for thousands of tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from django.db import DatabaseError, connection

from staging.identifiers import quote, staging_table
from staging.models import Entity
from staging.sql.dialect import dialect, from_database
from staging.states import ImportStatus
from staging.tables.columns import WITH_REJECTED, PendingRows, Tabled, of_each, savepoint, selection

T = TypeVar("T")
Part = tuple[tuple[int, str], ...]  # entities by key and code, of which one statement asks


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


def in_parts(entities: Iterable[Entity | Tabled]) -> list[Part]:
    """Return entities as statements ask of them: the same statements whoever asks."""
    size, known = dialect().tables_at_once, sorted((int(entity.pk), entity.code) for entity in entities)
    return [tuple(known[start : start + size]) for start in range(0, len(known), size)]


def landed(parts: Sequence[Part]) -> dict[int, Landings]:
    """Return what landed for each of these entities by its pk; nothing, where its table cannot be read.

    The indexes of each table answer it. Raises DatabaseError when the database itself is gone.
    """

    def together(parts: Sequence[Part]) -> dict[int, Landings]:
        texts = dict(dialect().rows_of_each([_listed(part) for part in parts], of_a_page=False))
        return {pk: one for part in parts for pk, one in _read(part, texts[part[0][0]]).items()}

    def alone(known: Iterable[Tabled]) -> dict[int, Landings]:
        return of_each(known, f"{_NEWEST}, {_OLDEST}", None, "", _landed, lambda error: Landings(None, None))

    return _of_all(parts, together, alone)


@lru_cache(maxsize=1000)  # the alerts ask it each minute
def _listed(part: Part) -> str:
    """Return the statement that tells of these tables in one text, after the key of the first."""
    tables = (quote(staging_table(code)) for _, code in part)
    what = ", ".join(each.format(table=table) for table in tables for each in (_NEWEST, _OLDEST))
    return f"SELECT {part[0][0]}, {dialect().listed.format(what)}"


@lru_cache(maxsize=500)
def _read(part: Part, text: str) -> dict[int, Landings]:
    """Return what such a text tells; taken apart once, for as long as it is the same."""
    found = json.loads(text)
    return {pk: _landed(*both) for (pk, _), *both in zip(part, found[::2], found[1::2], strict=True)}


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
    return _in_rows(entities, "count(*)", ImportStatus.REJECTED, lambda count: count, lambda error: None)


def pending_in_all(entities: Iterable[Entity | Tabled]) -> dict[int, PendingRows]:
    """Return the pending rows of each entity by its pk, and how many were rejected: `pending_statistics` of all.

    Who asks of others each time asks that. Raises DatabaseError when the database itself is gone.
    """
    return _in_rows(entities, WITH_REJECTED, ImportStatus.PENDING, PendingRows.told, PendingRows.untold)


def _in_rows(
    entities: Iterable[Entity | Tabled],
    what: str,
    status: ImportStatus,
    read: Callable[..., T],
    broken: Callable[[Exception], T],
) -> dict[int, T]:
    """Return what is read of the rows with this status, by entity."""

    def together(parts: Sequence[Part]) -> dict[int, T]:
        rows = dialect().rows_of_each([selection(part, what, status) for part in parts], of_a_page=True)
        return {pk: read(*values) for pk, *values in rows}

    def alone(known: Iterable[Tabled]) -> dict[int, T]:
        return of_each(known, what, status, "", read, broken)

    return _of_all(in_parts(entities), together, alone)


def _of_all(
    parts: Sequence[Part],
    together: Callable[[Sequence[Part]], dict[int, T]],
    alone: Callable[[Iterable[Tabled]], dict[int, T]],
) -> dict[int, T]:
    """Return what is read of each entity, of many in one statement; only when a table is broken in smaller parts."""
    try:
        with savepoint() if parts else nullcontext():
            return together(parts)
    except (DatabaseError, ValueError):
        if not connection.is_usable():
            raise
    return alone(Tabled(*one) for part in parts for one in part)
