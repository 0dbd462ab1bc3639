"""The table of where the time of a run went: the steps that decided when it ended, and what each did meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils.translation import gettext_lazy as _

from scheduling.dag.path import PathPiece, Spent, by_step

MOST_ROWS = 30
COLUMNS = {
    Spent.QUEUED: _("Waited in its queue"),
    Spent.RETRY: _("Waited for its next try"),
    Spent.HELD: _("Was held back"),
    Spent.WORKED: _("Worked"),
    Spent.AWAITED: _("Awaited its time, rows or query"),
    Spent.OTHERWISE: _("Waited for a person"),
}


@dataclass(frozen=True)
class PathRow:
    """One step of the chain: milliseconds by what it did, all of them together, and per cent of the run."""

    step: str
    spent: tuple[tuple[str, int | None], ...]
    took: int
    share: int


@dataclass(frozen=True)
class PathTable:
    """The steps of the chain in their order; of a long one those that took longest, the others together as one."""

    columns: tuple[str, ...] = ()
    rows: tuple[PathRow, ...] = ()
    took: int = 0
    left_out: int = 0
    left_took: int = 0


def path_table(path: Sequence[PathPiece]) -> PathTable:
    """Return the chain as a table; columns that no step has anything in are left out."""
    if not path:
        return PathTable()
    steps, whole = by_step(path), path[-1].end - path[0].start
    used = [what for what in COLUMNS if what in {piece.what for piece in path}]
    longest = sorted(steps, key=lambda step: _sum(steps[step]), reverse=True)[:MOST_ROWS]
    left = [step for step in steps if step not in set(longest)]
    rows = tuple(
        PathRow(
            step,
            tuple((str(COLUMNS[what]), _milliseconds(spent.get(what))) for what in used),
            _milliseconds(_sum(spent)) or 0,
            round(100 * (_sum(spent) / whole)),
        )
        for step, spent in steps.items()
        if step not in left
    )
    left_took = sum((_sum(steps[step]) for step in left), timedelta())
    words = tuple(str(COLUMNS[what]) for what in used)
    return PathTable(words, rows, _milliseconds(whole) or 0, len(left), _milliseconds(left_took) or 0)


def _sum(spent: dict[Spent, timedelta]) -> timedelta:
    return sum(spent.values(), timedelta())


def _milliseconds(length: timedelta | None) -> int | None:
    return None if length is None else round(length.total_seconds() * 1000)
