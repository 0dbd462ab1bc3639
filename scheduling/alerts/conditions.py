"""What each condition of an alert rule means: a few statements that find everything for which it holds now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, time, timedelta
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Max, Q, QuerySet
from django.utils.translation import gettext_noop

from scheduling import broker, conf
from scheduling.alerts.findings import LATELY, Breach, Breaches, Narrow, Round, Seen, Watch
from scheduling.cadence.quiet import day_of
from scheduling.models import (
    AlertRule,
    Heartbeat,
    Job,
    Plan,
    Run,
    SchedulerConfiguration,
    SchedulerLog,
    SchedulerState,
    Task,
)
from scheduling.models.schedule import ScheduleQuerySet
from scheduling.plans.categories import in_one_of
from scheduling.schedules.deadlines import late_runs
from scheduling.states import AlertCondition, EventType, RunKind, RunStatus
from staging.models import Batch, Entity
from staging.states import BatchStatus
from staging.tables.columns import newest_landed, pending_statistics
from staging.wording import Later, later

_USUAL_OF = 20  # the last ones that say what is usual
_ENOUGH = 5  # fewer say nothing
_TIMES = 3  # so many times the usual is far from it
_AT_LEAST = timedelta(minutes=5)  # nothing that is shorter is long


def find(rule: AlertRule, asked: Round) -> Breaches:
    """Return for what the condition of a rule holds at the moment of the round; rules that ask the same share it."""
    watch, condition = Watch(rule, asked), AlertCondition(rule.condition)
    if condition in _OF_BATCHES:
        return _FIND[condition](watch)
    if watch.asks not in asked.answers:
        asked.answers[watch.asks] = _FIND[condition](watch)
    return asked.answers[watch.asks]


def _of_schedules(
    watch: Watch, narrow: Narrow, found: Sequence[tuple[Seen, object]], say_of: Callable[[Any, Any], Later],
    leads_to: Callable[[], Mapping[tuple[str, int], str]] = dict,
) -> Breaches:  # fmt: skip
    """Return a breach for each of these schedules with its value; they are read themselves only when they are told."""

    def told() -> Iterator[Breach]:
        schedules = watch.round.schedules(narrow) | watch.round.jobs(one for one, _ in found)
        pages = leads_to()
        for one, value in found:
            if (schedule := schedules.get((one.kind, one.pk))) is not None:
                subject, entity_id = f"{one.kind}:{one.pk}", getattr(schedule, "entity_id", None)
                page = pages.get((one.kind, one.owner), subject)
                yield Breach(subject, say_of(_named(schedule), value), entity_id, page, value)

    return Breaches(marks=[(one.kind, one.pk, value) for one, value in found], told=told)


def _named(schedule: Any) -> str:
    """Return what people call it: of a schedule of a job which one it is, too."""
    if isinstance(schedule, Job):
        return schedule.what
    return f"{schedule.label} ({schedule.own_name})" if schedule.own_name else schedule.label


def _failed(watch: Watch) -> Breaches:
    """Schedules, and jobs by their runs without one, whose last run failed, so many times in a row."""

    def failing(rows: ScheduleQuerySet) -> ScheduleQuerySet:
        return rows.filter(last_result=RunStatus.FAILED)

    number = watch.rule.number or 1
    last = [*watch.seen("failed", failing), *watch.unscheduled()]
    found = [(one, one.failures) for one in last if one.failures >= number]
    once, more = gettext_noop("{what} failed."), gettext_noop("{what} failed {times:,} times in a row.")
    return _of_schedules(
        watch, failing, found,
        lambda what, times: later(once, what=what) if times == 1 else later(more, what=what, times=times),
        lambda: _failed_runs(watch.round),
    )  # fmt: skip


def _warned(watch: Watch) -> Breaches:
    """Schedules whose last run completed with so many warnings."""
    number = watch.rule.number or 1

    def warning(rows: ScheduleQuerySet) -> ScheduleQuerySet:
        return rows.warned(number)

    found = [(one, one.warnings) for one in watch.seen(("warned", number), warning)]
    once = gettext_noop("{what} completed with a warning.")
    more = gettext_noop("{what} completed with {number:,} warnings.")
    return _of_schedules(
        watch, warning, found,
        lambda what, number: later(once, what=what) if number == 1 else later(more, what=what, number=number),
    )  # fmt: skip


def _failed_runs(asked: Round) -> dict[tuple[str, int], str]:
    """Return the last run that failed lately, by kind and key of its entity, its plan or its job.

    Of a job that is the last which its schedules tell of: neither a step of a plan, nor what code enqueued beside them.
    """
    failures = SchedulerLog.objects.filter(event_type=EventType.ERROR, event_time__gt=asked.now - LATELY)
    failures = failures.filter(run_id__isnull=False)
    of_jobs = Task.objects.filter(run__in=failures.filter(job__isnull=False).values("run_id"), run__kind=RunKind.JOB)
    own = of_jobs.filter(side_by_side=False).order_by().values_list("target_id").annotate(Max("run"))
    found = dict(_newest(failures.filter(job__isnull=True), "run_id")) | {("job", job): run for job, run in own}
    found |= {(one.kind, one.pk): run for one, run in asked.unscheduled.values()}
    return {subject: f"run:{run}" for subject, run in found.items()}


def _newest(events: QuerySet[SchedulerLog], column: str, *more: str) -> Iterator[tuple[Any, Any]]:
    """Yield the greatest value of a column by kind and key of the entity, plan or job of the events, and by more."""
    for entity, plan, job, *rest, value in (
        events.order_by().values_list("entity", "plan", "job", *more).annotate(newest=Max(column))
    ):
        kind, key = ("configuration", entity) if entity else ("plan", plan) if plan else ("job", job)
        yield (kind, key, *rest), value


def _missed(watch: Watch) -> Breaches:
    """Schedules with slots that were missed in the last 24 hours, until the next run completes."""
    events = SchedulerLog.objects.filter(event_type=EventType.MISSED, event_time__gt=watch.now - LATELY)
    newest = dict(_newest(events, "event_time", "details__schedule"))

    def missed_at(one: Seen) -> datetime | None:
        subject = (one.kind, one.owner)
        at = newest.get((*subject, one.name or None)) or newest.get((*subject, None))
        return None if at is None or (one.completed_at is not None and one.completed_at >= at) else at

    found = [(one, at) for one in (watch.seen("all", _all) if newest else ()) if (at := missed_at(one))]
    said = gettext_noop("{what} missed its run of {at} or before.")
    return _of_schedules(watch, _all, found, lambda what, at: later(said, what=what, at=at))


def _all(rows: ScheduleQuerySet) -> ScheduleQuerySet:
    return rows


def _late(watch: Watch) -> Breaches:
    """Schedules whose next run should have started so long ago, and has not."""
    if SchedulerState.current().paused_at is not None:
        return Breaches()
    before = watch.now - conf.cycle_silence()

    def waiting(rows: ScheduleQuerySet) -> ScheduleQuerySet:
        return rows.automatic().unpaused().filter(next_scheduled_run__lt=before, is_running=False)

    late = ((one, one.planned_at) for one in watch.seen("late", waiting))
    found = [(one, at) for one, at in late if at is not None and at < watch.before]
    said = gettext_noop("{what} should have started at {at}.")
    return _of_schedules(watch, waiting, found, lambda what, at: later(said, what=what, at=at))


def _nothing_completed(watch: Watch) -> Breaches:
    """Schedules that completed nothing for so long, and are switched on at least that long."""
    before = watch.before
    old = Q(last_completed_at__lt=before) | Q(last_completed_at__isnull=True, armed_from__lt=before)

    def idle(rows: ScheduleQuerySet) -> ScheduleQuerySet:
        return rows.automatic().unpaused().filter(old)

    found = [(one, one.completed_at) for one in watch.seen(("idle", watch.rule.minutes), idle)]
    since, never = gettext_noop("{what} completed nothing since {at}."), gettext_noop("{what} completed nothing yet.")
    return _of_schedules(
        watch, idle, found,
        lambda what, at: later(since, what=what, at=at) if at is not None else later(never, what=what),
    )  # fmt: skip


def _not_delivered(watch: Watch) -> Breaches:
    """Entities to which no rows came today until a time of day, by the clocks and the calendar of their schedule."""
    asked = SchedulerConfiguration.objects.filter(entity__is_cancelled=False).readable()
    late = []
    for one in watch.of_entities(asked):
        begin, by = day_of(watch.now, ZoneInfo(one.timezone), watch.rule.at or time())
        blackout = one.calendar.blackout() if one.calendar else None
        if by <= watch.now and not (blackout and blackout.covers(by)):
            late.append((one, begin, by))
    landed = newest_landed([one.entity for one, _, _ in late])
    said = gettext_noop("No rows came for {what} today; they are expected by {at}.")
    return Breaches(
        Breach(f"{one.KIND}:{one.pk}", later(said, what=_named(one), at=by), one.entity_id, f"{one.KIND}:{one.pk}", by)
        for one, begin, by in late
        if (at := landed[one.entity_id]) is None or at < begin
    )


def _rejected(watch: Watch) -> Breaches:
    """Entities whose last batch rejected more rows, or a greater part of them, than the rule allows."""
    number, percent = watch.rule.number, watch.rule.percent

    def is_too_much(batch: Batch) -> bool:
        if number is None and percent is None:
            return batch.rejected > 0
        too_many = number is not None and batch.rejected > number
        return too_many or (percent is not None and batch.rejected * 100 > percent * (batch.rows_total or 0))

    batches = _last_ended(watch)
    said = gettext_noop("{entity} rejected {rejected:,} of {rows:,} rows in batch {batch}.")
    return _of_batches(watch, batches, is_too_much, lambda one: later(said, rejected=one.rejected, **_told(one)))


def _volume(watch: Watch) -> Breaches:
    """Entities whose last batch has far more or fewer rows than the median of those before it."""
    batches = _last_ended(watch)
    before = _deliveries().newest_of_each({batch.entity_id for batch in batches}, _USUAL_OF + 1)
    usual: dict[int, float] = {}
    for batch in batches:
        rows = [one.rows_total or 0 for one in before.get(batch.entity_id, ()) if one.pk < batch.pk]
        if len(rows) >= _ENOUGH:
            usual[batch.pk] = median(rows)

    def is_far(batch: Batch) -> bool:
        rows, known = batch.rows_total or 0, usual.get(batch.pk)
        return known is not None and not known <= rows * _TIMES <= known * _TIMES**2

    said = gettext_noop("{entity} brought {rows:,} rows in batch {batch}; usual are {usual:,}.")
    return _of_batches(watch, batches, is_far, lambda one: later(said, usual=round(usual[one.pk]), **_told(one)))


def _deliveries() -> Any:
    """Return the batches that say something about deliveries: a schedule makes one also when nothing was delivered."""
    return Batch.objects.filter(status=BatchStatus.COMPLETED, undoes__isnull=True, rows_total__gt=0)


def _last_ended(watch: Watch) -> list[Batch]:
    """Return the last delivery of each watched entity that ended since the rule looked, with its entity."""
    ended = watch.of_entities(_deliveries().filter(finished_at__gt=watch.since))
    last = ended.order_by().values("entity").annotate(last=Max("pk")).values("last")
    return list(Batch.objects.filter(pk__in=last).select_related("entity"))


def _told(batch: Batch) -> dict[str, Any]:
    return {"entity": batch.entity.name, "rows": batch.rows_total or 0, "batch": batch.pk}


def _of_batches(
    watch: Watch, batches: Collection[Batch], holds: Callable[[Batch], bool], said: Callable[[Batch], Later]
) -> Breaches:
    found = (
        Breach(f"entity:{batch.entity_id}", said(batch), batch.entity_id, f"batch:{batch.pk}")
        for batch in batches
        if holds(batch)
    )
    judged = frozenset(f"entity:{batch.entity_id}" for batch in batches)
    return Breaches(found, judged, _not_watched(watch))


def _not_watched(watch: Watch) -> frozenset[str]:
    """Return what is wrong by the rule, and of no entity any more that it watches and that is in use."""
    known = watch.rule.alerts.filter(ended_at__isnull=True)
    entities = Entity.objects.filter(is_cancelled=False)
    if not watch.is_about_all:
        entities = entities.filter(pk__in=watch.entities)
    still = known.filter(entity__in=entities, subject__startswith="entity:")
    return frozenset(known.exclude(pk__in=still.values("pk")).values_list("subject", flat=True))


def _held(watch: Watch) -> Breaches:
    """Batches that wait so long for a person's decision."""
    held = Batch.objects.filter(status=BatchStatus.HELD, entity__is_cancelled=False).select_related("entity")
    said = gettext_noop("Batch {batch} of {entity} waits for approval since {at}.")
    return Breaches(
        Breach(f"batch:{one.pk}", later(said, batch=one.pk, entity=one.entity.name, at=at), one.entity_id,
               f"batch:{one.pk}", at)
        for one in watch.of_entities(held)
        if (at := one.held_since) <= watch.before
    )  # fmt: skip


def _long(watch: Watch) -> Breaches:
    """Runs that take longer than the rule allows; without a limit, than three times the usual, and five minutes."""
    shortest = timedelta(minutes=watch.rule.minutes) if watch.rule.minutes else _AT_LEAST
    live = Run.objects.filter(status=RunStatus.RUNNING, started_at__lt=watch.now - shortest).select_related("entity")
    found = []
    for run in _watched(watch, live):
        limit = _limit(watch.rule, run)
        if limit is not None and run.started_at is not None and watch.now - run.started_at > limit:
            more = (
                later("longer than the rule allows") if watch.rule.minutes else later("three times the usual is over")
            )
            said = later("{run} runs since {at}: {more}.", run=_name_of(run), at=run.started_at, more=more)
            found.append(Breach(f"run:{run.pk}", said, run.entity_id, f"run:{run.pk}"))
    return Breaches(found)


def _watched(watch: Watch, live: QuerySet[Run]) -> QuerySet[Run]:
    """Return those of the runs that the rule is about."""
    if watch.is_about_all:
        return live
    names = [plan.run_title for plan in watch.rule.plans.all()]
    if watch.rule.categories:
        names += [plan.run_title for plan in Plan.objects.filter(in_one_of(watch.rule.categories)).only("name")]
    jobs = Job.objects.filter(Q(pk__in=watch.jobs) | Q(category__in=watch.rule.categories))
    names += jobs.values_list("name", flat=True)
    return live.filter(Q(entity__in=watch.entities) | Q(title__in=names, entity__isnull=True))


def _past_deadline(watch: Watch) -> Breaches:
    """Runs that have not ended and are late by what their plans say, or of which a step is."""
    late = Run.objects.filter(late_runs(watch.now)).select_related("entity")
    said = gettext_noop("{run}, which runs since {at}, is late.")
    return Breaches(
        Breach(f"run:{run.pk}", later(said, run=_name_of(run), at=run.started_at or run.created_at), run.entity_id,
               f"run:{run.pk}")
        for run in _watched(watch, late)
    )  # fmt: skip


def _limit(rule: AlertRule, run: Run) -> timedelta | None:
    """Return how long a run may take: what the rule says, or three times the usual; None where nothing is usual yet."""
    if rule.minutes:
        return timedelta(minutes=rule.minutes)
    same = Run.objects.filter(kind=run.kind, entity=run.entity_id, title=run.title, status=RunStatus.COMPLETED)
    ended = same.filter(started_at__isnull=False, finished_at__isnull=False).order_by("-pk")
    times = ended.values_list("started_at", "finished_at")[:_USUAL_OF]
    lasted = [(end - begin).total_seconds() for begin, end in times if begin and end]
    return max(timedelta(seconds=_TIMES * median(lasted)), _AT_LEAST) if len(lasted) >= _ENOUGH else None


def _name_of(run: Run) -> str:
    return run.entity.name if run.kind == RunKind.BATCH and run.entity else run.title or str(run)


def _waiting(watch: Watch) -> Breaches:
    """Entities with rows that wait so long for a batch."""
    entities = Entity.objects.filter(is_cancelled=False)
    if not watch.is_about_all:
        entities = entities.filter(pk__in=watch.entities)
    known = list(entities)
    rows = pending_statistics(known)
    said = gettext_noop("Rows of {entity} wait since {at}.")
    return Breaches(
        Breach(f"entity:{one.pk}", later(said, entity=one.name, at=oldest), one.pk, f"entity:{one.pk}", oldest)
        for one in known
        if (oldest := rows[one.pk].oldest_at) is not None and oldest < watch.before
    )


def _silent(watch: Watch) -> Breaches:
    """The parts of the installation that give no sign of life, of those that once did."""
    return Breaches(_silent_parts(watch.now))


def _silent_parts(now: datetime) -> Iterable[Breach]:
    seen = dict(Heartbeat.objects.order_by().values_list("kind").annotate(Max("seen_at")))
    cycle, work = seen.get(Heartbeat.DISPATCHER), seen.get(Heartbeat.WORKER)
    if cycle is not None and cycle < now - conf.cycle_silence():
        yield Breach(
            "scheduler",
            later("The scheduler is silent since {at}: nothing starts by itself.", at=cycle),
            leads_to="workers",
        )
    if work is not None and work < now - conf.worker_silence():
        yield Breach(
            "workers", later("All workers are silent since {at}: what is queued waits.", at=work), leads_to="workers"
        )
    if trouble := broker.trouble():
        yield Breach("broker", later("{trouble}", trouble=trouble), leads_to="workers")


_OF_BATCHES = (AlertCondition.REJECTED, AlertCondition.VOLUME)  # found or not since the rule looked, which is its own
_FIND: dict[AlertCondition, Callable[[Watch], Breaches]] = {
    AlertCondition.FAILED: _failed,
    AlertCondition.WARNED: _warned,
    AlertCondition.MISSED: _missed,
    AlertCondition.LATE: _late,
    AlertCondition.NOTHING_COMPLETED: _nothing_completed,
    AlertCondition.NOT_DELIVERED: _not_delivered,
    AlertCondition.REJECTED: _rejected,
    AlertCondition.HELD: _held,
    AlertCondition.LONG: _long,
    AlertCondition.PAST_DEADLINE: _past_deadline,
    AlertCondition.WAITING: _waiting,
    AlertCondition.VOLUME: _volume,
    AlertCondition.SILENT: _silent,
}
