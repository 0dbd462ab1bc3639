"""Conditions of single runs, and the last runs of what no schedule tells of: enqueued jobs, jobs by hand, ordered work.

What no schedule tells of is asked by the few that can be meant: what ended badly lately, and what was wrong already.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_noop

from scheduling.alerts.findings import (
    ENOUGH,
    LATELY,
    ORDERED,
    TIMES,
    UNSCHEDULED,
    USUAL_OF,
    Breach,
    Breaches,
    Round,
    Seen,
    Watch,
)
from scheduling.models import Alert, Job, JobSchedule, Plan, Run, SchedulerLog, Task
from scheduling.plans.categories import in_one_of
from scheduling.schedules.deadlines import late_runs
from scheduling.states import EventType, RunKind, RunStatus, TaskStatus
from staging.models import Entity
from staging.wording import later

_AT_LEAST = timedelta(minutes=5)  # nothing that is shorter is long
_ALIKE = ("kind", "entity", "title")


class Live(NamedTuple):
    """A run under way."""

    pk: int
    started_at: datetime | None
    kind: str
    entity: int | None
    title: str


def failed_unscheduled(asked: Round) -> list[Seen]:
    """Return the jobs whose last runs without a schedule failed, and ordered work, with how many times in a row."""
    return asked.once("failed unscheduled", lambda: [*_failed_jobs(asked), *_failed_orders(asked)])


def warned_unscheduled(asked: Round) -> list[Seen]:
    """Return the jobs whose last run without a schedule completed with warnings, and ordered work."""
    return asked.once("warned unscheduled", lambda: [*_warned_jobs(asked), *_warned_orders(asked)])


def idle_jobs(watch: Watch) -> list[Seen]:
    """Return the jobs without a schedule that a rule names, and that completed nothing for so long."""
    named = Job.objects.filter(Q(pk__in=watch.jobs) | Q(category__in=watch.rule.categories), removed_at__isnull=True)
    named = named.filter(~Q(pk__in=_scheduled()), paused_at__isnull=True).order_by("pk")
    completed = _beside_schedules(target_id=OuterRef("pk"), status=TaskStatus.COMPLETED).order_by("-finished_at")
    last = named.annotate(last=Subquery(completed.values("finished_at")[:1])).filter(last__lt=watch.before)
    return [
        Seen(UNSCHEDULED, pk, pk, "", category, at) for pk, category, at in last.values_list("pk", "category", "last")
    ]


def _failed_jobs(asked: Round) -> Iterator[Seen]:
    """Code enqueues runs side by side with those of schedules, and a job may have no schedule at all."""
    jobs = _jobs([job for job, _ in _failures(asked)], asked)
    if not jobs:
        return
    runs = _beside_schedules(target_id__in=jobs)
    completed = runs.filter(
        target_id=OuterRef("target_id"), status=TaskStatus.COMPLETED, finished_at__gt=OuterRef("finished_at")
    )
    failed = runs.filter(~Exists(completed), status=TaskStatus.FAILED).order_by("target_id").values_list("target_id")
    for pk, number, run in failed.annotate(Count("pk"), Max("run")):
        yield Seen(UNSCHEDULED, pk, pk, "", jobs[pk], number, run)


def _warned_jobs(asked: Round) -> Iterator[Seen]:
    lately = Task.objects.filter(run__in=_warned_lately(asked, RunKind.JOB), workload=RunKind.JOB)
    jobs = _jobs(lately.values_list("target_id", flat=True), asked)
    if not jobs:
        return
    ended = _beside_schedules(target_id=OuterRef("pk"), finished_at__isnull=False).order_by("-finished_at", "-pk")
    last = Job.objects.filter(pk__in=jobs).annotate(last=Subquery(ended.values("pk")[:1])).values("last")
    warned = Task.objects.filter(pk__in=last, status=TaskStatus.COMPLETED, warnings__gt=0).order_by("target_id")
    for job, warnings, run in warned.values_list("target_id", "warnings", "run"):
        pk = job or 0
        yield Seen(UNSCHEDULED, pk, pk, "", jobs[pk], warnings, run)


def _failed_orders(asked: Round) -> Iterator[Seen]:
    runs = _orders([run for job, run in _failures(asked) if job is None], asked)
    completed = runs.filter(title=OuterRef("title"), status=RunStatus.COMPLETED, pk__gt=OuterRef("pk"))
    failed = runs.filter(~Exists(completed), status=RunStatus.FAILED).order_by("title").values_list("title")
    for title, number, run in failed.annotate(Count("pk"), Max("pk")):
        yield Seen(ORDERED, run, run, title, "", number, run)


def _warned_orders(asked: Round) -> Iterator[Seen]:
    runs = _orders(_warned_lately(asked, RunKind.ORDERED), asked)
    last = runs.filter(finished_at__isnull=False).order_by().values("title").annotate(last=Max("pk")).values("last")
    warned = Run.objects.filter(pk__in=last, status=RunStatus.COMPLETED, warnings__gt=0).order_by("title")
    for title, run, warnings in warned.values_list("title", "pk", "warnings"):
        yield Seen(ORDERED, run, run, title, "", warnings, run)


def _failures(asked: Round) -> list[tuple[Any, Any]]:
    """Return the runs that failed lately, of neither an entity nor a plan; each with its job if it has one."""
    errors = SchedulerLog.objects.filter(event_type=EventType.ERROR, event_time__gt=asked.now - LATELY)
    errors = errors.filter(entity__isnull=True, plan__isnull=True, run_id__isnull=False).order_by()
    return asked.once("failures", lambda: list(errors.values_list("job", "run_id").distinct()))


def _warned_lately(asked: Round, kind: RunKind) -> QuerySet[Any, Any]:
    """Return the keys of the runs of a kind that ended lately with warnings."""
    lately = Run.objects.filter(warnings__gt=0, finished_at__gt=asked.now - LATELY, kind=kind)
    return lately.order_by().values("pk")


def _wrong_already(asked: Round) -> list[tuple[str, str]]:
    """Return what is wrong, by whatever rule, of what has no schedule: what alerts call it, and where they lead to."""
    # Those of no entity first, of which an index knows: thousands may be open, nearly all of them of entities.
    of_these = Q(subject__startswith=f"{UNSCHEDULED}:") | Q(subject__startswith=f"{ORDERED}:")
    wrong = Alert.objects.open().filter(of_these, entity__isnull=True).order_by()
    return asked.once("wrong already", lambda: list(wrong.values_list("subject", "leads_to")))


def _jobs(ended: Iterable[int | None], asked: Round) -> dict[int, str]:
    """Return the category of each of these jobs that the code still declares, and of those that were wrong already."""
    wrong = (subject.partition(":") for subject, _ in _wrong_already(asked))
    keys = {*ended} - {None} | {int(key) for kind, _, key in wrong if kind == UNSCHEDULED}
    jobs = Job.objects.filter(pk__in=keys, removed_at__isnull=True)
    return dict(jobs.values_list("pk", "category")) if keys else {}


def _beside_schedules(**chosen: Any) -> QuerySet[Task]:
    """Return the tasks of jobs that no schedule tells of."""
    runs = Task.objects.filter(workload=RunKind.JOB, run__kind=RunKind.JOB, **chosen)
    return runs.filter(Q(side_by_side=True) | ~Q(target_id__in=_scheduled()))


def _scheduled() -> QuerySet[Any, Any]:
    """Return the keys of the jobs that have a schedule."""
    return JobSchedule.objects.filter(removed_at__isnull=True).values("job")


def _orders(runs: Collection[int] | QuerySet[Any, Any], asked: Round) -> QuerySet[Run]:
    """Return all ordered work that has the title of one of these runs, or of one that was wrong already."""
    wrong = (page.partition(":")[2] for subject, page in _wrong_already(asked) if subject.startswith(ORDERED))
    chosen = Run.objects.filter(Q(pk__in=runs) | Q(pk__in=[int(key) for key in wrong if key]), kind=RunKind.ORDERED)
    titles = set(chosen.order_by().values_list("title", flat=True))
    return Run.objects.filter(kind=RunKind.ORDERED, title__in=titles)


def long(watch: Watch) -> Breaches:
    """Runs that take longer than the rule allows; without a limit, than three times the usual, and five minutes."""
    fixed = timedelta(minutes=watch.rule.minutes) if watch.rule.minutes else None
    live = Run.objects.filter(status=RunStatus.RUNNING, started_at__lt=watch.now - (fixed or _AT_LEAST))
    runs = [Live(*row) for row in _watched(live, watch).order_by("pk").values_list("pk", "started_at", *_ALIKE)]
    limits = dict.fromkeys((one.pk for one in runs), fixed) if fixed else _limits(runs)
    found = [
        one
        for one in runs
        if (limit := limits[one.pk]) is not None and one.started_at is not None and watch.now - one.started_at > limit
    ]
    more = later("longer than the rule allows") if fixed else later("three times the usual is over")
    return _of_runs(found, gettext_noop("{run} runs since {at}: {more}."), more=more)


def past_deadline(watch: Watch) -> Breaches:
    """Runs that have not ended and are late by what their plans say, or of which a step is."""
    late = _watched(Run.objects.filter(late_runs(watch.now)), watch).order_by("pk")
    began = Coalesce("started_at", "created_at")
    found = [Live(*row) for row in late.values_list("pk", began, *_ALIKE)]
    return _of_runs(found, gettext_noop("{run}, which runs since {at}, is late."))


def _of_runs(found: Sequence[Live], said: str, **more: object) -> Breaches:
    """Return a breach for each of these runs; the names of their entities are read only when they are told."""

    def told() -> Iterator[Breach]:
        names = dict(Entity.objects.filter(pk__in={one.entity for one in found}).values_list("pk", "name"))
        for one in found:
            name = names.get(one.entity or 0) if one.kind == RunKind.BATCH else None
            words = later(said, run=name or one.title or str(Run(pk=one.pk)), at=one.started_at, **more)
            yield Breach(f"run:{one.pk}", words, one.entity, f"run:{one.pk}")

    return Breaches(marks=[said, *(one.pk for one in found)], told=told)


def _watched(live: QuerySet[Run], watch: Watch) -> QuerySet[Run]:
    if watch.is_about_all:
        return live
    names = [plan.run_title for plan in watch.rule.plans.all()]
    if watch.rule.categories:
        names += [plan.run_title for plan in Plan.objects.filter(in_one_of(watch.rule.categories)).only("name")]
    jobs = Job.objects.filter(Q(pk__in=watch.jobs) | Q(category__in=watch.rule.categories))
    names += jobs.values_list("name", flat=True)
    return live.filter(Q(entity__in=watch.entities) | Q(title__in=names, entity__isnull=True))


# What is usual for a run under way was so when it was first looked at; it does not change while the run goes on.
_known: dict[Live, timedelta] = {}
_MOST = 20_000  # of them; most of those have ended long ago


def _limits(runs: Sequence[Live]) -> dict[int, timedelta | None]:
    """Return how long each of these may take by what is usual, by its key; None where nothing is usual yet."""
    if len(_known) > _MOST:
        _known.clear()
    limits = {one: _known.get(one) for one in runs}  # another thread may clear them while we look
    if new := [one for one, limit in limits.items() if limit is None]:
        usual = Run.objects.filter(_like(new)).usual_of_each(*_ALIKE, of_each=USUAL_OF, at_least=ENOUGH)
        for one in new:
            if (lasts := usual.get((one.kind, one.entity, one.title))) is not None:
                limits[one] = _known[one] = max(TIMES * lasts, _AT_LEAST)
    return {one.pk: limit for one, limit in limits.items()}


def _like(runs: Iterable[Live]) -> Q:
    """Return the condition of the runs of the same entities, and of the same titles."""
    return Q(entity__in={one.entity for one in runs if one.entity is not None}) | Q(
        entity__isnull=True, title__in={one.title for one in runs if one.entity is None}
    )
