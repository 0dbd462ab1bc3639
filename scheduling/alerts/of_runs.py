"""Conditions of single runs, and the last runs of what no schedule tells of: enqueued jobs, jobs by hand, ordered work.

What no schedule tells of is asked by the few that can be meant: what ended badly lately, and what was wrong already.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
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
from scheduling.alerts.of_slots import again_of_slots, side_by_side
from scheduling.models import Job, JobSchedule, Plan, Run, SchedulerLog, Task
from scheduling.models.attempt import IS_TRIED_AGAIN
from scheduling.plans.categories import in_one_of
from scheduling.schedules.deadlines import late_runs
from scheduling.statements import digest_of, digest_of_texts, prepared
from scheduling.states import EventType, RunKind, RunStatus, TaskStatus
from staging.models import Entity
from staging.wording import Later, later

_AT_LEAST = timedelta(minutes=5)  # nothing that is shorter is long
_ALIKE = ("kind", "entity", "title")
FirstOf = Callable[[Mapping[int, int]], Mapping[int, int]]


class Live(NamedTuple):
    """A run under way."""

    pk: int
    began: datetime
    kind: str
    entity: int | None
    title: str
    usual: timedelta | None = None  # how long it usually takes, of one that takes longer than that


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
    runs = _beside_schedules(target_id__in=jobs).exclude(run__in=side_by_side().values("run"))
    completed = runs.filter(
        target_id=OuterRef("target_id"), status=TaskStatus.COMPLETED, finished_at__gt=OuterRef("finished_at")
    )
    failed = runs.filter(~Exists(completed), status=TaskStatus.FAILED).order_by("target_id").values_list("target_id")
    for pk, number, run in failed.annotate(Count("pk"), Max("run")):
        yield Seen(UNSCHEDULED, pk, pk, "", jobs[pk], number, run)


def _warned_jobs(asked: Round) -> Iterator[Seen]:
    runs = _warned_lately(asked, RunKind.JOB)
    lately = Task.objects.filter(run__in=runs, workload=RunKind.JOB).values_list("target_id", flat=True) if runs else ()
    jobs = _jobs(lately, asked)
    if not jobs:
        return
    ended = _beside_schedules(target_id=OuterRef("pk"), finished_at__isnull=False).order_by("-finished_at", "-pk")
    ended = ended.exclude(run__in=side_by_side().values("run")).exclude(run__in=again_of_slots(jobs))
    last = Job.objects.filter(pk__in=jobs).annotate(last=Subquery(ended.values("pk")[:1])).values("last")
    warned = Task.objects.filter(pk__in=last, status=TaskStatus.COMPLETED, warnings__gt=0).order_by("target_id")
    for job, warnings, run in warned.values_list("target_id", "warnings", "run"):
        pk = job or 0
        yield Seen(UNSCHEDULED, pk, pk, "", jobs[pk], warnings, run)


def _failed_orders(asked: Round) -> Iterator[Seen]:
    runs = _orders([run for job, run in _failures(asked) if job is None], asked)
    if runs is None:
        return
    completed = runs.filter(title=OuterRef("title"), status=RunStatus.COMPLETED, pk__gt=OuterRef("pk"))
    failed = runs.filter(~Exists(completed), status=RunStatus.FAILED).order_by("title").values_list("title")
    for title, number, run in failed.annotate(Count("pk"), Max("pk")):
        yield Seen(ORDERED, run, run, title, "", number, run)


def _warned_orders(asked: Round) -> Iterator[Seen]:
    runs = _orders(_warned_lately(asked, RunKind.ORDERED), asked)
    if runs is None:
        return
    last = runs.filter(finished_at__isnull=False).order_by().values("title").annotate(last=Max("pk")).values("last")
    warned = Run.objects.filter(pk__in=last, status=RunStatus.COMPLETED, warnings__gt=0).order_by("title")
    for title, run, warnings in warned.values_list("title", "pk", "warnings"):
        yield Seen(ORDERED, run, run, title, "", warnings, run)


def _failures(asked: Round) -> list[tuple[Any, ...]]:
    """Return the runs that failed lately, of neither an entity nor a plan; each with its job if it has one."""

    def lately(since: datetime) -> QuerySet[Any, Any]:
        errors = SchedulerLog.objects.filter(event_type=EventType.ERROR, event_time__gt=since, run_id__isnull=False)
        errors = errors.filter(entity__isnull=True, plan__isnull=True)
        return errors.order_by().values_list("job", "run_id").distinct()

    return asked.once("failures", lambda: prepared("failures", lately, since=asked.now - LATELY))


def _warned_lately(asked: Round, kind: RunKind) -> list[int]:
    """Return the keys of the runs of a kind that ended lately with warnings."""

    def lately(since: datetime) -> QuerySet[Any, Any]:
        runs = Run.objects.filter(warnings__gt=0, finished_at__gt=since, kind__in=(RunKind.JOB, RunKind.ORDERED))
        return runs.order_by().values_list("kind", "pk")

    found = asked.once("warned lately", lambda: prepared("warned lately", lately, since=asked.now - LATELY))
    return [pk for of, pk in found if of == kind]


def _jobs(ended: Iterable[int | None], asked: Round) -> dict[int, str]:
    """Return the category of each of these jobs that the code still declares, and of those that were wrong already."""
    keys = {*ended} - {None} | {int(job) for job, _ in asked.wrong_already(UNSCHEDULED)}
    if not keys:
        return {}
    return dict(Job.objects.filter(pk__in=keys, removed_at__isnull=True).values_list("pk", "category"))


def _beside_schedules(**chosen: Any) -> QuerySet[Task]:
    """Return the tasks of jobs that no schedule tells of."""
    runs = Task.objects.filter(workload=RunKind.JOB, run__kind=RunKind.JOB, **chosen)
    return runs.filter(Q(side_by_side=True) | ~Q(target_id__in=_scheduled()))


def _scheduled() -> QuerySet[Any, Any]:
    """Return the keys of the jobs that have a schedule."""
    return JobSchedule.objects.filter(removed_at__isnull=True).values("job")


def _orders(runs: Collection[int], asked: Round) -> QuerySet[Run] | None:
    """Return all ordered work that has the title of one of these runs, or of one that was wrong already; None: none."""
    pages = (page.partition(":")[2] for _, page in asked.wrong_already(ORDERED))
    keys = {*runs} | {int(key) for key in pages if key}
    if not keys:
        return None
    chosen = Run.objects.filter(pk__in=keys, kind=RunKind.ORDERED)
    titles = set(chosen.order_by().values_list("title", flat=True))
    return Run.objects.filter(kind=RunKind.ORDERED, title__in=titles)


def long(watch: Watch) -> Breaches:
    """Runs that take longer than the rule allows; without a limit, than three times the usual, and five minutes."""
    if watch.rule.minutes:
        said = gettext_noop("{run} runs since {at}: {more}.")
        return _of_runs(watch, "long", _running, watch.before, said, {"more": later("longer than the rule allows")})
    found = _over(watch)
    said = gettext_noop("{run} runs since {at}; it usually takes {usual}.")
    return _told(said, {}, lambda: found, [one.pk for one in found])


def past_deadline(watch: Watch) -> Breaches:
    """Runs that have not ended and are late by what their plans say, or of which a step is."""

    def late(at: datetime) -> QuerySet[Run]:
        # By indexes: of all runs ever, few have not ended or are tried again.
        runs = Run.objects.order_by().values("pk")
        may_be = runs.filter(finished_at__isnull=True).union(runs.filter(IS_TRIED_AGAIN), all=True)
        return Run.objects.filter(late_runs(at), pk__in=may_be)

    said = gettext_noop("{run}, which runs since {at}, is late.")
    return _of_runs(watch, "late", late, watch.now, said, first_of=_first_attempts)


def _running(at: datetime) -> QuerySet[Run]:
    """Return the runs at work that began before a moment; by their end an index finds them among all runs ever."""
    return Run.objects.filter(status=RunStatus.RUNNING, finished_at__isnull=True, started_at__lt=at)


def _of_runs(
    watch: Watch, key: str, rows: Callable[[datetime], QuerySet[Run]], at: datetime, said: str,
    more: Mapping[str, object] | None = None, first_of: FirstOf = dict,
) -> Breaches:  # fmt: skip
    """Return a breach for each of these runs, all of which are meant; they are read only when they are told."""
    if not watch.is_about_all:
        found = _live(_watched(rows(at), watch))
        return _told(said, more or {}, lambda: found, [one.pk for one in found], first_of=first_of)

    @cache
    def known() -> list[Live]:
        return _live(rows(at))

    digest = digest_of(key, rows, "pk", at=at)
    return _told(said, more or {}, known, digest, lambda: digest_of_texts(str(one.pk) for one in known()), first_of)


def _told(
    said: str, more: Mapping[str, object], found: Callable[[], Sequence[Live]], marks: object,
    marks_told: Callable[[], object] | None = None, first_of: FirstOf = dict,
) -> Breaches:  # fmt: skip
    """Return a breach for each of these runs; the names of their entities are read only when they are told.

    `first_of` names the run under which one is known whose alert goes on from run to run.
    """

    def told() -> Iterator[Breach]:
        runs = found()
        firsts = first_of({one.pk: one.pk for one in runs})
        names = dict(Entity.objects.filter(pk__in={one.entity for one in runs}).values_list("pk", "name"))
        for one in runs:
            name = names.get(one.entity or 0) if one.kind == RunKind.BATCH else None
            usual = {} if one.usual is None else {"usual": _lasts(one.usual)}
            words = later(said, run=name or one.title or str(Run(pk=one.pk)), at=one.began, **more, **usual)
            yield Breach(f"run:{firsts[one.pk]}", words, one.entity, f"run:{one.pk}")

    return Breaches(marks=[said, marks], told=told, marks_told=(lambda: [said, marks_told()]) if marks_told else None)


def _lasts(usual: timedelta) -> timedelta | Later:
    return usual if usual >= timedelta(seconds=1) else later("less than a second")


def _first_attempts(runs: Mapping[int, int]) -> dict[int, int]:
    """Return the first attempt of the plan of each of these runs, all of which have its deadline; mostly one statement.

    What was late stays so when the next attempt begins: it is told once.
    """
    found = dict(runs)
    while left := set(found.values()):
        later_ones = Run.objects.filter(pk__in=left, attempt_number__gt=1, restart_of__isnull=False)
        before = dict(later_ones.values_list("pk", "restart_of"))
        if not before:
            break
        found = {run: before.get(first) or first for run, first in found.items()}
    return found


def _live(rows: QuerySet[Run]) -> list[Live]:
    began = Coalesce("started_at", "created_at")
    return [Live(*row) for row in rows.order_by("pk").values_list("pk", began, *_ALIKE)]


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


class LongOnes(NamedTuple):
    """What was at work, and which of it took long, from a moment on until the next one would."""

    at_work: str
    since: datetime
    until: datetime
    found: list[Live]


_judged: dict[str, LongOnes] = {}  # the last one of this process


def _over(watch: Watch) -> list[Live]:
    """Return the runs that take longer than is usual: the same until one begins, ends, or is the next to take long."""
    at = watch.now - _AT_LEAST
    if not watch.is_about_all:
        return _judge("", _live(_watched(_running(at), watch)), watch.now).found
    at_work = digest_of("usual", _running, "pk", "started_at", "entity", "title", at=at)
    last = _judged.get("all")
    if last is None or at_work != last.at_work or not last.since <= watch.now <= last.until:
        last = _judged["all"] = _judge(at_work, _live(_running(at)), watch.now)
    return last.found


def _judge(at_work: str, runs: Sequence[Live], now: datetime) -> LongOnes:
    known = _with_usual(runs)
    ends = [(one.began + max(TIMES * one.usual, _AT_LEAST), one) for one in known if one.usual is not None]
    found = [one for end, one in ends if end < now]
    until = min((end for end, _ in ends if end >= now), default=datetime.max.replace(tzinfo=UTC))
    if len(ends) < len(runs):  # where nothing is usual yet, the next run that ends may say what is
        until = datetime.min.replace(tzinfo=UTC)
    return LongOnes(at_work, now, until, found)


def _with_usual(runs: Sequence[Live]) -> list[Live]:
    """Return these runs, each with how long it usually takes; without it where nothing is usual yet."""
    if len(_known) > _MOST:
        _known.clear()
    usual = {one: _known.get(one) for one in runs}  # another thread may clear them while we look
    if new := [one for one, lasts in usual.items() if lasts is None]:
        found = Run.objects.filter(_like(new)).usual_of_each(*_ALIKE, of_each=USUAL_OF, at_least=ENOUGH)
        for one in new:
            if (lasts := found.get((one.kind, one.entity, one.title))) is not None:
                usual[one] = _known[one] = lasts
    return [one._replace(usual=lasts) for one, lasts in usual.items()]


def _like(runs: Iterable[Live]) -> Q:
    """Return the condition of the runs of the same entities, and of the same titles."""
    return Q(entity__in={one.entity for one in runs if one.entity is not None}) | Q(
        entity__isnull=True, title__in={one.title for one in runs if one.entity is None}
    )
