"""Counts what ended in a stretch of time, by job, entity or plan and hour; the runs themselves are the truth."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from django.db.models import Count, DurationField, ExpressionWrapper, F, Max, Q, QuerySet, Sum
from django.db.models.functions import TruncHour

from scheduling.models import HourOfFigures, Run, Task
from scheduling.states import RunKind, TaskStatus

HOUR = timedelta(hours=1)
COUNTED = (TaskStatus.COMPLETED.value, TaskStatus.FAILED.value, TaskStatus.CANCELLED.value)
OF_TASKS = (RunKind.JOB.value, RunKind.BATCH.value)
TOOK = ExpressionWrapper(F("finished_at") - F("started_at"), output_field=DurationField())
_NO_TIME = timedelta()


def full_hour(moment: datetime) -> datetime:
    """Return the beginning of the hour, UTC, that a moment lies in."""
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def ended_tasks(kinds: tuple[str, ...] = OF_TASKS) -> QuerySet[Task]:
    """Return the ended tasks that count, of jobs and entities; what a person marked as succeeded was no work."""
    ended = Task.objects.filter(workload__in=kinds, target_id__isnull=False, status__in=COUNTED).order_by()
    return ended.exclude(status=TaskStatus.COMPLETED, started_at__isnull=True)


def ended_plans() -> QuerySet[Run]:
    """Return the ended runs of plans."""
    return Run.objects.filter(kind=RunKind.PLAN, status__in=COUNTED).order_by()


def first_end() -> datetime | None:
    """Return when the first of all that counts ended, None when nothing ever did."""
    ends = (ended_tasks().order_by("finished_at"), ended_plans().order_by("finished_at"))
    found = (query.values_list("finished_at", flat=True).first() for query in ends)
    return min((end for end in found if end is not None), default=None)


def count_hours(begin: datetime, stop: datetime) -> dict[tuple[str, str, datetime], HourOfFigures]:
    """Return unsaved hours of everything that ended from `begin` until before `stop`, by kind, subject and hour."""
    within = {"finished_at__gte": begin, "finished_at__lt": stop}
    found: dict[tuple[str, str, datetime], HourOfFigures] = {}
    for row in _rows(ended_tasks().filter(**within)):
        each = HourOfFigures(**row)
        found[each.kind, each.subject, each.hour] = each
    for run in ended_plans().filter(**within).only("plans", "status", "started_at", "finished_at"):
        for name in run.plans:
            key = (RunKind.PLAN.value, name, full_hour(run.finished_at or begin))
            add(found.setdefault(key, HourOfFigures(kind=key[0], subject=key[1], hour=key[2])), run)
    return found


class _Countable(Protocol):
    """What has the columns of an hour of figures."""

    took: timedelta
    longest: timedelta


def add(figures: _Countable, run: Run) -> None:
    """Count one ended run."""
    setattr(figures, run.status, getattr(figures, run.status) + 1)
    if run.status == TaskStatus.COMPLETED and run.started_at is not None and run.finished_at is not None:
        length = run.finished_at - run.started_at
        figures.took, figures.longest = figures.took + length, max(figures.longest, length)


def _rows(tasks: QuerySet[Task]) -> Iterator[dict[str, Any]]:
    well = Q(status=TaskStatus.COMPLETED)
    columns: dict[str, Any] = {status: Count("pk", filter=Q(status=status)) for status in COUNTED}
    columns |= {"took": Sum(TOOK, filter=well), "longest": Max(TOOK, filter=well)}
    by_hour = tasks.annotate(hour=TruncHour("finished_at", tzinfo=UTC)).values("workload", "target_id", "hour")
    for row in by_hour.annotate(**columns):
        times = {name: row[name] or _NO_TIME for name in ("took", "longest")}
        counts = {status: row[status] for status in COUNTED}
        yield {"kind": row["workload"], "subject": str(row["target_id"]), "hour": row["hour"], **counts, **times}
