"""The start page: what failed, what runs, what was rejected, what comes next; each with the link to look further."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Sum
from django.http import HttpRequest

from scheduling.models import Run, SchedulerConfiguration
from scheduling.schedules.sentence import describe
from scheduling.states import ProcessingMode, RunStatus
from staging.models import Batch

_DAY = timedelta(hours=24)
_LATEST_BATCHES = 500  # the rejected-rows card looks no further back, so the page costs the same on any installation
_NEXT_RUNS = 10


@dataclass(frozen=True)
class Home:
    """The figures of the start page; None where the person may not see the thing."""

    failed_runs: int | None = None
    running: list[Run] | None = None
    rejected_rows: int | None = None
    rejected_entities: int = 0
    next_runs: list[tuple[SchedulerConfiguration, str]] | None = None
    configurations: int = 0


def home_for(request: HttpRequest, now: datetime) -> Home:
    """Return the start page's figures for this person; at most five queries, each with an index or a limit."""
    may = request.user.has_perm
    sees_runs = may("scheduling.view_run")
    sees_schedules = may("scheduling.view_schedulerconfiguration")
    rejected, entities = _rejected(now) if may("staging.view_batch") else (None, 0)
    return Home(
        failed_runs=_failed(now) if sees_runs else None,
        running=_running() if sees_runs else None,
        rejected_rows=rejected,
        rejected_entities=entities,
        next_runs=_next_runs() if sees_schedules else None,
        configurations=SchedulerConfiguration.objects.count() if sees_schedules else 0,
    )


def _failed(now: datetime) -> int:
    """Return how many runs failed in the last 24 hours."""
    return Run.objects.filter(finished_at__gte=now - _DAY, status=RunStatus.FAILED).count()


def _running() -> list[Run]:
    """Return the first runs that have not ended."""
    live = Run.objects.exclude(status__in=RunStatus.final()).select_related("entity")
    return list(live.order_by("-id")[:_NEXT_RUNS])


def _rejected(now: datetime) -> tuple[int, int]:
    """Return rejected rows and entities concerned, of the latest batches that ended in the last 24 hours."""
    latest = Batch.objects.order_by("-id").values("pk")[:_LATEST_BATCHES]
    found = Batch.objects.filter(pk__in=latest, finished_at__gte=now - _DAY, rejected__gt=0).aggregate(
        rows=Sum("rejected"), entities=Count("entity", distinct=True)
    )
    return found["rows"] or 0, found["entities"]


def _next_runs() -> list[tuple[SchedulerConfiguration, str]]:
    """Return the configurations whose cadence fires next, with their sentences."""
    planned = SchedulerConfiguration.objects.automatic().filter(
        processing_mode=ProcessingMode.SCHEDULED, next_scheduled_run__isnull=False
    )
    first = planned.select_related("entity").order_by("next_scheduled_run")[:_NEXT_RUNS]
    return [(configuration, describe(configuration)) for configuration in first]
