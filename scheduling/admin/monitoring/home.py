"""The start page: what failed, what runs, what was rejected, what comes next; each with the link to look further."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Sum
from django.http import HttpRequest

from scheduling.admin.schedules.finding import name_of, place_of
from scheduling.models import Run, Schedule, SchedulerConfiguration
from scheduling.models.schedule import all_schedules
from scheduling.schedules.sentence import describe
from scheduling.states import RunStatus
from staging.models import Batch
from staging.states import BatchStatus

_DAY = timedelta(hours=24)
_NEXT_RUNS = 10


@dataclass(frozen=True)
class NextRun:
    """One schedule with its next run: its name, the address of its page (empty when it has none), its sentence."""

    schedule: Schedule
    name: str
    url: str
    sentence: str


@dataclass(frozen=True)
class Home:
    """The figures of the start page; None where the person may not see the thing."""

    failed_runs: int | None = None
    running: list[Run] | None = None
    rejected_rows: int | None = None
    rejected_entities: int = 0
    held_batches: int | None = None
    next_runs: list[NextRun] | None = None
    configurations: int = 0


def home_for(request: HttpRequest, now: datetime) -> Home:
    """Return the start page's figures for this person; few queries, each with an index or a limit."""
    may = request.user.has_perm
    sees_runs = may("scheduling.view_run")
    sees_schedules = may("scheduling.view_schedulerconfiguration")
    rejected, entities = _rejected(now) if may("staging.view_batch") else (None, 0)
    return Home(
        failed_runs=_failed(now) if sees_runs else None,
        running=_running() if sees_runs else None,
        rejected_rows=rejected,
        rejected_entities=entities,
        held_batches=_held() if may("staging.view_batch") else None,
        next_runs=_next_runs(request) if sees_schedules else None,
        configurations=SchedulerConfiguration.objects.count() if sees_schedules else 0,
    )


def _failed(now: datetime) -> int:
    """Return how many runs failed in the last 24 hours and were not made good by a restart."""
    failed = Run.objects.filter(status=RunStatus.FAILED, made_good_by__isnull=True)
    return failed.filter(finished_at__gte=now - _DAY).count()


def _running() -> list[Run]:
    """Return the first runs that have not ended."""
    live = Run.objects.exclude(status__in=RunStatus.final()).select_related("entity")
    return list(live.order_by("-id")[:_NEXT_RUNS])


def _rejected(now: datetime) -> tuple[int, int]:
    """Return rejected rows and entities concerned, of all batches that ended in the last 24 hours."""
    found = Batch.objects.filter(finished_at__gte=now - _DAY, rejected__gt=0).aggregate(
        rows=Sum("rejected"), entities=Count("entity", distinct=True)
    )
    return found["rows"] or 0, found["entities"]


def _held() -> int:
    """Return how many batches wait for a person's decision; there is an index of just these."""
    return Batch.objects.filter(status=BatchStatus.HELD).count()


def _next_runs(request: HttpRequest) -> list[NextRun]:
    """Return what fires next of the schedules that this person may see, soonest first; one statement a kind."""
    found: list[Schedule] = []
    for schedules in all_schedules():
        if request.user.has_perm(f"scheduling.view_{schedules.model._meta.model_name}"):
            planned = schedules.automatic().unpaused().filter(next_scheduled_run__isnull=False)
            found += planned.readable().order_by("next_scheduled_run")[:_NEXT_RUNS]
    first = sorted(found, key=lambda schedule: (schedule.next_scheduled_run, name_of(schedule)))[:_NEXT_RUNS]
    return [NextRun(each, each.label, place_of(each), describe(each)) for each in first]
