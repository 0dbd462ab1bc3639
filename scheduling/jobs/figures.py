"""How jobs fared lately: runs, successes and durations of the last 24 hours and 7 days."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Avg, Count, DurationField, ExpressionWrapper, F, Max, Q

from scheduling.models import Task
from scheduling.states import RunKind, TaskStatus

DAY, WEEK = timedelta(hours=24), timedelta(days=7)
_PERIODS = {"day": DAY, "week": WEEK}


@dataclass(frozen=True)
class Figures:
    """What ended within a period, whoever started it. Durations are those of last attempts that completed."""

    completed: int = 0
    failed: int = 0
    cancelled: int = 0
    average: timedelta | None = None
    longest: timedelta | None = None

    @property
    def runs(self) -> int:
        """Return how many ended."""
        return self.completed + self.failed + self.cancelled

    @property
    def success_rate(self) -> int | None:
        """Return completed of completed and failed in whole per cent, cut; None when there is neither."""
        judged = self.completed + self.failed
        return self.completed * 100 // judged if judged else None


@dataclass(frozen=True)
class Lately:
    """The figures of one job."""

    day: Figures = Figures()
    week: Figures = Figures()


def figures_of(job_ids: Collection[int], now: datetime) -> dict[int, Lately]:
    """Return the figures of each job; one statement for all of them."""
    took = ExpressionWrapper(F("finished_at") - F("started_at"), output_field=DurationField())
    ended = Task.objects.filter(
        workload=RunKind.JOB, target_id__in=list(job_ids), finished_at__gt=now - WEEK, finished_at__lte=now
    )
    columns: dict[str, Any] = {}
    for period, length in _PERIODS.items():
        within = Q(finished_at__gt=now - length)
        well = within & Q(status=TaskStatus.COMPLETED)
        columns |= {f"{period}_{status}": Count("pk", filter=within & Q(status=status)) for status in _COUNTED}
        columns |= {f"{period}_average": Avg(took, filter=well), f"{period}_longest": Max(took, filter=well)}
    rows = ended.order_by().values("target_id").annotate(**columns)
    found = {row["target_id"]: Lately(_figures("day", row), _figures("week", row)) for row in rows}
    return {job_id: found.get(job_id, Lately()) for job_id in job_ids}


_COUNTED = (TaskStatus.COMPLETED.value, TaskStatus.FAILED.value, TaskStatus.CANCELLED.value)


def _figures(period: str, row: dict[str, object]) -> Figures:
    names = (*_COUNTED, "average", "longest")
    return Figures(**{name: row[f"{period}_{name}"] for name in names})  # type: ignore[arg-type]
