"""Pages through a big table by position, not by number: any page costs the same and nothing is counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from django.db import models
from django.db.models import Q

PAGE_SIZE = 50
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_Row = TypeVar("_Row", bound=models.Model)


@dataclass(frozen=True)
class Position:
    """A place in a list ordered by (time, id), or by id alone when there is no time."""

    pk: int
    instant: datetime | None = None

    @classmethod
    def parse(cls, text: str) -> Position | None:
        """Return the position written by `str()`; None for anything else, so a mangled link shows the newest page."""
        micros, dash, pk = text.rpartition("-")
        try:
            instant = _EPOCH + timedelta(microseconds=int(micros)) if dash else None
            number = int(pk)
        except (ValueError, OverflowError):
            return None
        return cls(number, instant) if 0 <= number < 2**63 else None

    def __str__(self) -> str:
        if self.instant is None:
            return str(self.pk)
        return f"{(self.instant - _EPOCH) // timedelta(microseconds=1)}-{self.pk}"


OLDEST = Position(0, _EPOCH)  # before everything: `newer` than this is the page of the oldest rows


@dataclass(frozen=True)
class Page(Generic[_Row]):
    """One page, newest first, and where its neighbours begin; None where there is none."""

    rows: list[_Row]
    newer: str | None
    older: str | None


def read_page(
    queryset: models.QuerySet[Any],
    params: Mapping[str, str],
    *,
    time_field: str = "",
    size: int = PAGE_SIZE,
    fits: Callable[[Sequence[Any]], int] = len,
) -> Page[Any]:
    """Return the page that `older=` or `newer=` in `params` asks for, else the newest. One query, no count.

    The order is (time, id) downwards, or id alone without `time_field`; both need an index of that shape. `fits` tells
    how many of at most `size` rows, the nearest first, are one page: a page may show several rows in one line.
    """
    newer = Position.parse(params.get("newer", ""))
    older = None if newer else Position.parse(params.get("older", ""))
    start = newer or older
    if start is not None:
        queryset = queryset.filter(_beyond(start, time_field, upwards=newer is not None))
    sign = "" if newer else "-"
    order = [f"{sign}{name}" for name in (time_field, "id") if name]
    rows = list(queryset.order_by(*order)[: size + 1])
    fitting = fits(rows[:size])
    more, rows = len(rows) > fitting, rows[:fitting]
    if newer:
        rows.reverse()
    from_oldest = newer is not None and newer == OLDEST
    return Page(
        rows,
        newer=_position(rows[0], time_field) if rows and (older or (newer and more)) else None,
        older=_position(rows[-1], time_field) if rows and not from_oldest and (newer or more) else None,
    )


def link(params: Mapping[str, str], **changes: str | None) -> str:
    """Return the query string of `params` with `changes`; None or "" leaves a name out."""
    merged = {name: value for name, value in {**params, **changes}.items() if value}
    return "?" + urlencode(merged)


def _beyond(start: Position, time_field: str, *, upwards: bool) -> Q:
    """Return what lies after `start`; written so that both databases walk the (time, id) index."""
    step = "gt" if upwards else "lt"
    if not time_field or start.instant is None:
        return Q(**{f"id__{step}": start.pk})
    beyond = Q(**{f"{time_field}__{step}": start.instant}) | Q(**{f"id__{step}": start.pk})
    return Q(**{f"{time_field}__{step}e": start.instant}) & beyond


def _position(row: models.Model, time_field: str) -> str:
    """Return a row's own position."""
    return str(Position(row.pk, getattr(row, time_field) if time_field else None))
