"""What asks for a person's attention, counted for the start page and listed by what its cards open: one rule for both.

Each rule here is a query of rows; a card counts it, and the page behind the card lists the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar, cast

from django.db.models import Case, Count, Exists, F, Model, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce, Concat, NullIf
from django.http import HttpRequest

from scheduling import conf
from scheduling.alerts.broken import broken_channels
from scheduling.models import Alert, AlertChannel, Job, Run, SchedulerConfiguration, SchedulerLog, SiteFacts, Task
from scheduling.models.run import HELD
from scheduling.models.schedule import ScheduleQuerySet, schedule_models
from scheduling.schedules.deadlines import late_runs
from scheduling.schedules.responsibility import only_mine
from scheduling.statements import prepared
from scheduling.states import TaskStatus
from staging.models import Batch, Entity
from staging.pages import seen, sight
from staging.rights import common, is_limited, reach, visible
from staging.states import BatchStatus
from staging.tables.columns import Tabled
from staging.tables.landed import rejected_counts

E = TypeVar("E", Entity, Tabled)

DAY = timedelta(hours=24)
SEES_ROWS = "staging.view_rows"
TOTALS = ("lane", "keyed", "called", "state", "number", "bad")  # the columns of every total
_NUMBER = "number"  # the lane of what is no lane
STEPS = "steps"  # the lane of live runs with their steps
_LIVE_SHOWN = 10
_FOR_EVER = datetime.max.replace(tzinfo=UTC)


def is_mine(request: HttpRequest) -> bool:
    """Return whether only what is the reader's own was asked for."""
    return request.GET.get("mine") == "yes"


def failed_runs(request: HttpRequest, now: datetime) -> QuerySet[Run]:
    """Return the runs that failed in the last 24 hours, were not made good by a restart, and are not tried again."""
    return those_asked(seen(Run.objects.still_failed().filter(finished_at__gte=now - DAY), request), request)


def live_runs(request: HttpRequest) -> QuerySet[Run]:
    """Return the runs that go on: they have not ended, or wait for the next attempt of their plan."""
    return those_asked(seen(Run.objects.going_on(), request), request)


def holding_runs(request: HttpRequest) -> QuerySet[Run]:
    """Return the runs of which a person holds a step."""
    return those_asked(seen(Run.objects.with_a_held_step(), request), request)


def steps_of_live_runs(request: HttpRequest) -> list[QuerySet[Any]]:
    """Return a query of how far the oldest live runs are, in the columns of TOTALS; none for who may not see runs.

    Each is told by its key, its name and its state, with the number of its steps and how many of them have ended. The
    state of one with a held step says so behind a blank; one that failed and is tried again waits.
    """
    if not _may_see(request, Run):
        return []
    oldest = live_runs(request).order_by("pk").values("pk")[:_LIVE_SHOWN]
    name = Coalesce(NullIf("run__title", Value("")), "run__entity__name", "run__kind")
    held = Exists(Task.objects.held().filter(run=OuterRef("run_id")))
    state = Case(
        When(run__next_attempt_at__isnull=False, then=Value(TaskStatus.WAITING)),
        When(held, then=Concat("run__status", Value(f" {HELD}"))),
        default="run__status",
    )
    found = Task.objects.filter(run__in=oldest).order_by()
    return [
        found.annotate(lane=Value(STEPS), keyed=F("run_id"), called=name, state=state)
        .values(*TOTALS[:4])
        .annotate(number=Count("pk"), bad=Count("pk", filter=Q(status__in=TaskStatus.final())))
        .values_list(*TOTALS)
    ]


def runs_that_are_late(request: HttpRequest, now: datetime) -> QuerySet[Run]:
    """Return the runs that have not ended and are late, or of which a step is."""
    return those_asked(seen(Run.objects.filter(late_runs(now)), request), request)


def held_batches(request: HttpRequest) -> QuerySet[Batch]:
    """Return the batches that wait for a person's decision; there is an index of just these."""
    return those_asked(seen(Batch.objects.filter(status=BatchStatus.HELD), request), request)


def overdue_before(now: datetime) -> datetime:
    """Return the instant before which what was planned is overdue: a cycle or two late is none."""
    return now - conf.cycle_silence()


def rests_until(request: HttpRequest) -> datetime | None:
    """Return until when everything is paused; the end of time when nobody said, None when it is not."""
    state = SiteFacts.of(request).state
    return None if state.paused_at is None else state.paused_until or _FOR_EVER


def overdue(request: HttpRequest, now: datetime) -> list[ScheduleQuerySet]:
    """Return what should have fired and did not, a query for each kind of schedule that this person sees.

    Of what is paused nothing should, everything included.
    """
    if rests_until(request):
        return []
    before = overdue_before(now)
    late = [
        rows.automatic().unpaused().filter(next_scheduled_run__lt=before, is_running=False) for rows in _kinds(request)
    ]
    return [those_asked(seen(rows, request), request) for rows in late]


def paused(request: HttpRequest) -> list[QuerySet[Any]]:
    """Return what a person paused by itself, a query for each kind that this person sees, jobs included."""
    jobs = [Job.objects.filter(removed_at__isnull=True)] if _may_see(request, Job) else []
    return [
        those_asked(seen(rows.filter(paused_at__isnull=False), request), request) for rows in [*_listed(request), *jobs]
    ]


def rejecting(request: HttpRequest) -> list[tuple[Entity, int | None]]:
    """Return the entities whose rows this person sees, each with its number of rejected rows, None if unknown."""
    return rejecting_of(_with_rows(request).only("code", "name").order_by("name"), request)


def rejected_in_each(request: HttpRequest) -> list[int | None]:
    """Return the numbers of the same entities: of hundreds of them a card needs nothing else."""
    entities = _with_rows(request).order_by().values_list("pk", "code")
    return list(rejected_counts(Tabled(*entity) for entity in entities).values())


def _with_rows(request: HttpRequest) -> QuerySet[Entity]:
    """Return the entities whose rows this person sees, or those of them that are the reader's own."""
    ids = common([sight(Entity, request), reach(request.user, SEES_ROWS)])
    entities: QuerySet[Entity] = those_asked(visible(Entity.objects.all(), ids), request)
    return entities


def rejecting_of(entities: Iterable[E], request: HttpRequest) -> list[tuple[E, int | None]]:
    """Return the same of these entities, which are read already: a few statements for all of them."""
    ids = common([sight(Entity, request), reach(request.user, SEES_ROWS)])
    known = [entity for entity in entities if ids is None or entity.pk in ids]
    counts = rejected_counts(known)
    return [(entity, counts[entity.pk]) for entity in known]


@dataclass(frozen=True)
class Counts:
    """How many there are of each; None where the person may not see the thing."""

    failed: int | None = None
    live: int | None = None
    holding: int | None = None
    late: int | None = None
    held: int | None = None
    overdue: int | None = None
    paused: int | None = None
    alerts: int | None = None
    channels: int | None = None
    entities: int = 0
    configured: int = 0
    ran: int = 0


Asked = Mapping[str, Callable[[datetime], Sequence[QuerySet[Any]]]]


def asked_for(request: HttpRequest, naming: Sequence[AlertChannel]) -> Asked:
    """Return how the rows of which each number is the count are found, of what this person may see.

    `naming`: the channels that name only people.
    """
    asked: dict[str, Callable[[datetime], Sequence[QuerySet[Any]]]] = {}
    if kinds := [model for model in schedule_models() if _may_see(request, model)]:
        asked["overdue"] = lambda now: overdue(request, now)
    if kinds or _may_see(request, Job):
        asked["paused"] = lambda now: paused(request)
    if _may_see(request, Run):
        asked["failed"] = lambda now: [failed_runs(request, now)]
        asked["live"] = lambda now: [live_runs(request)]
        asked["holding"] = lambda now: [holding_runs(request)]
        asked["late"] = lambda now: [runs_that_are_late(request, now)]
    if _may_see(request, Batch):
        asked["held"] = lambda now: [held_batches(request)]
    if _may_see(request, Alert):
        asked["alerts"] = lambda now: [those_asked(seen(Alert.objects.open(), request), request)]
    if _may_see(request, AlertChannel):
        asked["channels"] = lambda now: [broken_channels(now, naming)]
    if _may_see(request, Entity):
        asked["entities"] = lambda now: [seen(Entity.objects.filter(is_cancelled=False), request)]
    if _may_see(request, SchedulerConfiguration):
        in_force = SchedulerConfiguration.IN_FORCE
        asked["configured"] = lambda now: [seen(SchedulerConfiguration.objects.filter(in_force), request)]
        # Runs tell nothing of entities: our own jobs have some from the first hour on.
        asked["ran"] = lambda now: [SchedulerConfiguration.objects.exclude(last_result="")]
    return asked


def counted_beside(
    asked: Asked, others: Callable[[datetime], Sequence[QuerySet[Any]]], now: datetime, key: Hashable = None
) -> tuple[Counts, list[tuple[Any, ...]]]:
    """Return the numbers, and the rows of other totals: lane, keyed, name, state, number, further. One statement.

    It is built once for a `key` that tells all it depends on but `now`; without one each time.
    """

    def every(now: datetime) -> QuerySet[Any]:
        parts = [_number(name, rows) for name, several in asked.items() for rows in several(now)]
        first, *further = [*parts, *others(now)] or [Run.objects.none().values_list("pk")]
        return first.union(*further, all=True)

    found, rest = dict.fromkeys(asked, 0), []
    for row in every(now) if key is None else prepared(("numbers", key), every, now=now):
        if row[0] == _NUMBER:
            found[row[2]] += row[4]
        else:
            rest.append(row)
    return Counts(**found), rest


def _number(name: str, rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return the query of how many rows there are, in the columns of TOTALS."""
    return (
        rows.order_by()
        .annotate(lane=Value(_NUMBER), keyed=Value(0), called=Value(name), state=Value(""), bad=Value(0))
        .values(*TOTALS[:4], "bad")
        .annotate(number=Count("pk"))
        .values_list(*TOTALS)
    )


def as_seen(request: HttpRequest) -> Hashable:
    """Return what queries of what this person may see depend on; None for who is limited, or asks for his own.

    Then they name entities, groups and plans, which change.
    """
    if is_mine(request) or is_limited(request.user):
        return None
    models: list[type[Model]] = [Alert, AlertChannel, Batch, Entity, Job, Run, SchedulerLog, *schedule_models()]
    may = [
        request.user.has_perm(f"{model._meta.app_label}.{verb}_{model._meta.model_name}")
        for model in models
        for verb in ("view", "change")
    ]
    return tuple(may)


def those_asked(rows: Any, request: HttpRequest) -> Any:
    """Return all of these rows, or those that are the reader's own, as the address of the page says."""
    return only_mine(rows, request.user) if is_mine(request) else rows


def _may_see(request: HttpRequest, model: type[Model]) -> bool:
    return any(
        request.user.has_perm(f"{model._meta.app_label}.{verb}_{model._meta.model_name}") for verb in ("view", "change")
    )


def _kinds(request: HttpRequest) -> list[ScheduleQuerySet]:
    """Return the schedules of each kind that this person may see something of."""
    return [
        cast(ScheduleQuerySet, model._default_manager.all()) for model in schedule_models() if _may_see(request, model)
    ]


def _listed(request: HttpRequest) -> list[ScheduleQuerySet]:
    """Return the schedules that lists show: what is cancelled or gone stays paused for ever and asks for nobody."""
    gone = {
        "SchedulerConfiguration": {"entity__is_cancelled": False},
        "Plan": {"is_cancelled": False},
        "JobSchedule": {"removed_at__isnull": True},
    }
    return [rows.filter(**gone.get(rows.model.__name__, {})) for rows in _kinds(request)]
