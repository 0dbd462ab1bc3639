"""How jobs, plans and entities fared in the last 24 hours, 7 days and 30 days: rolled-up hours, and live what is newer.

A period rarely begins at a full hour, so the rest of its first hour is counted live, too; where retention may have
deleted runs of that hour, the whole hour counts, which makes the period at most an hour longer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import CharField, Count, Max, Q, QuerySet, Sum
from django.db.models.functions import Cast

from scheduling.figures.count import COUNTED, HOUR, TOOK, add, ended_plans, ended_tasks, full_hour
from scheduling.models import FiguresMark, HourOfFigures
from scheduling.states import RunKind, TaskStatus

DAY, WEEK, MONTH = timedelta(hours=24), timedelta(days=7), timedelta(days=30)
PERIODS = {"day": DAY, "week": WEEK, "month": MONTH}
_INSTANT = timedelta(microseconds=1)
_Span = tuple[datetime, datetime]


@dataclass
class Figures:
    """What ended within a period, whoever started it. Durations are those of last attempts that completed."""

    completed: int = 0
    failed: int = 0
    cancelled: int = 0
    took: timedelta = timedelta()
    longest: timedelta = timedelta()

    @property
    def runs(self) -> int:
        """Return how many ended."""
        return self.completed + self.failed + self.cancelled

    @property
    def success_rate(self) -> int | None:
        """Return completed of completed and failed in whole per cent, cut; None when there is neither."""
        judged = self.completed + self.failed
        return self.completed * 100 // judged if judged else None

    @property
    def average(self) -> timedelta | None:
        """Return how long one took on average; None when none completed."""
        return self.took / self.completed if self.completed else None


@dataclass
class Lately:
    """The figures of one job, plan or entity."""

    day: Figures = field(default_factory=Figures)
    week: Figures = field(default_factory=Figures)
    month: Figures = field(default_factory=Figures)

    def include(self, row: Mapping[str, Any]) -> None:
        """Add what one statement found for each period; where it found nothing stands None."""
        for period in PERIODS:
            figures, nothing = getattr(self, period), Figures()
            for name in (*COUNTED, "took"):
                more = row[f"{period}_{name}"] or getattr(nothing, name)
                setattr(figures, name, getattr(figures, name) + more)
            figures.longest = max(figures.longest, row[f"{period}_longest"] or nothing.longest)


@dataclass(frozen=True)
class _Period:
    """One period as spans of time, each from its first moment until before its second."""

    live: tuple[_Span, ...]
    rolled: _Span

    @classmethod
    def of(cls, length: timedelta, now: datetime, mark: FiguresMark) -> _Period:
        """Return what of the last `length` before `now` is read live, and which hours are read rolled up."""
        begin, end = now - length + _INSTANT, now + _INSTANT
        first = full_hour(begin)
        if mark.rolled_before is None or mark.rolled_before <= first:
            return cls(live=((begin, end),), rolled=(first, first))
        newest = (mark.rolled_before, end)
        if mark.is_deleted(first):
            return cls(live=(newest,), rolled=(first, mark.rolled_before))
        return cls(live=((begin, first + HOUR), newest), rolled=(first + HOUR, mark.rolled_before))

    def has(self, moment: datetime) -> bool:
        """Return whether what ended then is read live."""
        return any(begin <= moment < end for begin, end in self.live)


def figures_of(
    kind: RunKind, subjects: Collection[int | str], now: datetime, mark: FiguresMark | None = None
) -> dict[int | str, Lately]:
    """Return the figures of each job or entity by its id, or of each plan by its name; few statements for all.

    `mark`: where that was read before.
    """
    mark = FiguresMark.current() if mark is None else mark
    periods = {name: _Period.of(length, now, mark) for name, length in PERIODS.items()}
    found = {str(subject): Lately() for subject in subjects}
    rows = _rolled(found, kind, periods)
    if kind == RunKind.PLAN:
        _add_plans(found, kind, periods)
    else:
        rows = rows.union(_tasks(found, kind, periods), all=True)
    for row in rows:
        found[row["subject"]].include(row)
    return {subject: found[str(subject)] for subject in subjects}


def _rolled(found: Mapping[str, Lately], kind: RunKind, periods: Mapping[str, _Period]) -> QuerySet[Any, Any]:
    columns: dict[str, Any] = {}
    for name, period in periods.items():
        within = _within("hour", period.rolled)
        columns |= {f"{name}_{column}": Sum(column, filter=within) for column in (*COUNTED, "took")}
        columns[f"{name}_longest"] = Max("longest", filter=within)
    hours = HourOfFigures.objects.filter(_within("hour", *(period.rolled for period in periods.values())))
    hours = hours.filter(kind=kind, subject__in=list(found)).order_by()
    return hours.values("subject").annotate(**columns)


def _tasks(found: Mapping[str, Lately], kind: RunKind, periods: Mapping[str, _Period]) -> QuerySet[Any, Any]:
    """Return what is counted live of tasks, in the columns of what is rolled up."""
    columns: dict[str, Any] = {}
    for name, period in periods.items():
        within = _within("finished_at", *period.live)
        well = within & Q(status=TaskStatus.COMPLETED)
        columns |= {f"{name}_{status}": Count("pk", filter=within & Q(status=status)) for status in COUNTED}
        columns |= {f"{name}_took": Sum(TOOK, filter=well)}
        columns[f"{name}_longest"] = Max(TOOK, filter=well)
    tasks = ended_tasks((kind.value,)).filter(target_id__in=[int(subject) for subject in found])
    spans = {span for period in periods.values() for span in period.live}
    live = tasks.filter(_within("finished_at", *spans)).annotate(subject=Cast("target_id", CharField()))
    return live.values("subject").annotate(**columns)


def _add_plans(found: Mapping[str, Lately], kind: RunKind, periods: Mapping[str, _Period]) -> None:
    """Count runs of plans one by one: they are few, and one may be of several plans."""
    spans = {span for period in periods.values() for span in period.live}
    runs = ended_plans().filter(_within("finished_at", *spans))
    for run in runs.only("plans", "status", "started_at", "finished_at"):
        for plan, period in ((plan, period) for plan in run.plans if plan in found for period in periods):
            if run.finished_at is not None and periods[period].has(run.finished_at):
                add(getattr(found[plan], period), run)


def _within(column: str, *spans: _Span) -> Q:
    """Return the condition that a column lies in one of the spans."""
    conditions = (Q(**{f"{column}__gte": begin, f"{column}__lt": end}) for begin, end in sorted(spans))
    return reduce(or_, conditions)
