"""The start page: what failed, what runs, what was rejected, what comes next; each with the link to look further."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, QuerySet, Sum
from django.http import HttpRequest

from scheduling.admin.schedules.chosen import first_few
from scheduling.admin.schedules.finding import name_of, place_of
from scheduling.models import Run, Schedule, SchedulerConfiguration
from scheduling.models.schedule import all_schedules
from scheduling.schedules.sentence import describe
from scheduling.states import RunStatus
from staging.models import Batch, Entity
from staging.pages import seen, sight
from staging.states import BatchStatus
from staging.wording import say

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
    of: str = ""  # the entities that this person is limited to, empty for all


def home_for(request: HttpRequest, now: datetime) -> Home:
    """Return the start page's figures for this person; few queries, each with an index or a limit."""
    may = request.user.has_perm
    sees_runs, sees_batches = may("scheduling.view_run"), may("staging.view_batch")
    sees_schedules = may("scheduling.view_schedulerconfiguration")
    runs, batches = seen(Run.objects.all(), request), seen(Batch.objects.all(), request)
    rejected, entities = _rejected(batches, now) if sees_batches else (None, 0)
    return Home(
        failed_runs=_failed(runs, now) if sees_runs else None,
        running=_running(runs) if sees_runs else None,
        rejected_rows=rejected,
        rejected_entities=entities,
        held_batches=_held(batches) if sees_batches else None,
        next_runs=_next_runs(request) if sees_schedules else None,
        of=_limits(request),
        configurations=seen(SchedulerConfiguration.objects.all(), request).count() if sees_schedules else 0,
    )


def _limits(request: HttpRequest) -> str:
    """Return the names of the entities that this person sees, empty when these are all."""
    ids = sight(Entity, request)
    names = Entity.objects.filter(pk__in=ids or ()).order_by("name").values_list("name", flat=True)
    return "" if ids is None else first_few(list(names)) or say("no entity")


def _failed(runs: QuerySet[Run], now: datetime) -> int:
    """Return how many runs failed in the last 24 hours and were not made good by a restart."""
    failed = runs.filter(status=RunStatus.FAILED, made_good_by__isnull=True)
    return failed.filter(finished_at__gte=now - _DAY).count()


def _running(runs: QuerySet[Run]) -> list[Run]:
    """Return the first runs that have not ended."""
    live = runs.exclude(status__in=RunStatus.final()).select_related("entity")
    return list(live.order_by("-id")[:_NEXT_RUNS])


def _rejected(batches: QuerySet[Batch], now: datetime) -> tuple[int, int]:
    """Return rejected rows and entities concerned, of batches that ended in the last 24 hours."""
    found = batches.filter(finished_at__gte=now - _DAY, rejected__gt=0).aggregate(
        rows=Sum("rejected"), entities=Count("entity", distinct=True)
    )
    return found["rows"] or 0, found["entities"]


def _held(batches: QuerySet[Batch]) -> int:
    """Return how many batches wait for a person's decision; there is an index of just these."""
    return batches.filter(status=BatchStatus.HELD).count()


def _next_runs(request: HttpRequest) -> list[NextRun]:
    """Return what fires next of the schedules that this person may see, soonest first; one statement a kind."""
    found: list[Schedule] = []
    for schedules in all_schedules():
        if request.user.has_perm(f"scheduling.view_{schedules.model._meta.model_name}"):
            planned = seen(schedules, request).automatic().unpaused().filter(next_scheduled_run__isnull=False)
            found += planned.readable().order_by("next_scheduled_run")[:_NEXT_RUNS]
    first = sorted(found, key=lambda schedule: (schedule.next_scheduled_run, name_of(schedule)))[:_NEXT_RUNS]
    return [NextRun(each, each.label, place_of(each), describe(each)) for each in first]
