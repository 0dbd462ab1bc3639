"""What each condition of an alert rule means: a few statements that find everything for which it holds now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import datetime, time, timedelta
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Max, Q
from django.utils.translation import gettext_noop

from scheduling import broker, conf
from scheduling.alerts.findings import LATELY, Breach, Breaches, Round, Watch
from scheduling.cadence.quiet import day_of
from scheduling.models import AlertRule, Heartbeat, Job, Run, SchedulerConfiguration, SchedulerLog, SchedulerState
from scheduling.states import AlertCondition, EventType, RunKind, RunStatus
from staging.models import Batch, Entity
from staging.states import BatchStatus
from staging.tables.columns import pending_statistics
from staging.wording import Later, later

_USUAL_OF = 20  # the last ones that say what is usual
_ENOUGH = 5  # fewer say nothing
_TIMES = 3  # so many times the usual is far from it
_AT_LEAST = timedelta(minutes=5)  # nothing that is shorter is long


def find(rule: AlertRule, asked: Round) -> Breaches:
    """Return for what the condition of a rule holds at the moment of the round."""
    return _FIND[AlertCondition(rule.condition)](Watch(rule, asked))


def _of_schedule(schedule: Any, mark: object, said: Later) -> Breach:
    subject = f"{schedule.KIND}:{schedule.pk}"
    return Breach(subject, said, getattr(schedule, "entity_id", None), subject, mark)


def _of_schedules(schedules: Iterable[Any], template: str, name: str, value: Callable[[Any], Any]) -> Breaches:
    """Return a breach for each, with a sentence of what it is called and of one value."""
    return Breaches(
        tuple(
            _of_schedule(one, value(one), later(template, what=_named(one), **{name: value(one)})) for one in schedules
        )
    )


def _named(schedule: Any) -> str:
    """Return what people call it: of a schedule of a job which one it is, too."""
    return f"{schedule.label} ({schedule.own_name})" if schedule.own_name else schedule.label


def _failed(watch: Watch) -> Breaches:
    """Schedules whose last run failed, so many times in a row."""
    failing = watch.schedules("failed", lambda rows: rows.filter(last_result=RunStatus.FAILED))
    enough = [one for one in failing if one.consecutive_failures >= (watch.rule.number or 1)]
    once, more = gettext_noop("{what} failed."), gettext_noop("{what} failed {times:,} times in a row.")
    return Breaches(
        tuple(
            _of_schedule(
                one,
                one.consecutive_failures,
                later(once, what=_named(one))
                if one.consecutive_failures == 1
                else later(more, what=_named(one), times=one.consecutive_failures),
            )
            for one in enough
        )
    )


def _missed(watch: Watch) -> Breaches:
    """Schedules with slots that were missed in the last 24 hours, until the next run completes."""
    missed = SchedulerLog.objects.filter(event_type=EventType.MISSED, event_time__gt=watch.now - LATELY)
    newest: dict[tuple[str, int], datetime] = {}
    for entity, plan, job, at in missed.order_by().values_list("entity", "plan", "job").annotate(at=Max("event_time")):
        newest[("entity_id", entity) if entity else ("plan_id", plan) if plan else ("job_id", job)] = at
    if not newest:
        return Breaches(())

    def missed_at(schedule: Any) -> datetime | None:
        at = newest.get(next(iter(schedule.subject.items())))
        is_over = at is None or (schedule.last_completed_at is not None and schedule.last_completed_at >= at)
        return None if is_over else at

    late = [one for one in watch.schedules("all", lambda rows: rows) if missed_at(one)]
    return _of_schedules(late, gettext_noop("{what} missed its run of {at} or before."), "at", missed_at)


def _late(watch: Watch) -> Breaches:
    """Schedules whose next run should have started so long ago, and has not."""
    if SchedulerState.current().paused_at is not None:
        return Breaches(())
    before = watch.now - conf.cycle_silence()
    waiting = watch.schedules(
        "late", lambda rows: rows.automatic().unpaused().filter(next_scheduled_run__lt=before, is_running=False)
    )
    late = [one for one in waiting if one.next_scheduled_run < watch.before]
    template = gettext_noop("{what} should have started at {at}.")
    return _of_schedules(late, template, "at", lambda one: one.next_scheduled_run)


def _nothing_completed(watch: Watch) -> Breaches:
    """Schedules that completed nothing for so long, and are switched on at least that long."""
    before = watch.before
    old = Q(last_completed_at__lt=before) | Q(last_completed_at__isnull=True, armed_from__lt=before)
    idle = watch.schedules(("idle", watch.rule.minutes), lambda rows: rows.automatic().unpaused().filter(old))
    since, never = gettext_noop("{what} completed nothing since {at}."), gettext_noop("{what} completed nothing yet.")
    return Breaches(
        tuple(
            _of_schedule(
                one,
                one.last_completed_at,
                later(since, what=_named(one), at=one.last_completed_at)
                if one.last_completed_at
                else later(never, what=_named(one)),
            )
            for one in idle
        )
    )


def _not_delivered(watch: Watch) -> Breaches:
    """Entities to which no rows came today until a time of day, by the clocks and the calendar of their schedule."""
    asked = SchedulerConfiguration.objects.filter(entity__is_cancelled=False).readable()
    late = []
    for one in watch.of_entities(asked):
        begin, by = day_of(watch.now, ZoneInfo(one.timezone), watch.rule.at or time())
        blackout = one.calendar.blackout() if one.calendar else None
        if by <= watch.now and not (blackout and blackout.covers(by)):
            late.append((one, begin, by))
    delivered = _delivered({one.entity_id: begin for one, begin, _ in late})
    waiting = pending_statistics([one.entity for one, _, _ in late if one.entity_id not in delivered])
    return Breaches(
        tuple(
            _of_schedule(
                one, by, later("No rows came for {what} today; they are expected by {at}.", what=_named(one), at=by)
            )
            for one, begin, by in late
            if one.entity_id not in delivered and not _came_since(waiting[one.entity_id].newest_at, begin)
        )
    )


def _delivered(begins: dict[int, datetime]) -> set[int]:
    """Return the entities that had a batch with rows since these instants."""
    if not begins:
        return set()
    batches = Batch.objects.filter(entity__in=begins, created_at__gte=min(begins.values()), rows_total__gt=0)
    return {entity for entity, at in batches.order_by().values_list("entity", "created_at") if at >= begins[entity]}


def _came_since(newest: datetime | None, begin: datetime) -> bool:
    return newest is not None and newest >= begin


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
    return _of_batches(batches, is_too_much, lambda one: later(said, rejected=one.rejected, **_told(one)))


def _volume(watch: Watch) -> Breaches:
    """Entities whose last batch has far more or fewer rows than the median of those before it."""
    batches = _last_ended(watch)
    before = Batch.objects.newest_of_each({batch.entity_id for batch in batches}, _USUAL_OF + 1)
    usual: dict[int, float] = {}
    for batch in batches:
        rows = [one.rows_total for one in before.get(batch.entity_id, ()) if one.pk < batch.pk and one.rows_total]
        if len(rows) >= _ENOUGH:
            usual[batch.pk] = median(rows)

    def is_far(batch: Batch) -> bool:
        rows, known = batch.rows_total or 0, usual.get(batch.pk)
        return known is not None and not known <= rows * _TIMES <= known * _TIMES**2

    said = gettext_noop("{entity} brought {rows:,} rows in batch {batch}; usual are {usual:,}.")
    return _of_batches(batches, is_far, lambda one: later(said, usual=round(usual[one.pk]), **_told(one)))


def _last_ended(watch: Watch) -> list[Batch]:
    """Return the last batch of each watched entity that ended since the rule looked, with its entity."""
    ended = Batch.objects.filter(finished_at__gt=watch.since, status=BatchStatus.COMPLETED, undoes__isnull=True)
    last = watch.of_entities(ended).order_by().values("entity").annotate(last=Max("pk")).values("last")
    return list(Batch.objects.filter(pk__in=last).select_related("entity"))


def _told(batch: Batch) -> dict[str, Any]:
    return {"entity": batch.entity.name, "rows": batch.rows_total or 0, "batch": batch.pk}


def _of_batches(batches: Collection[Batch], holds: Callable[[Batch], bool], said: Callable[[Batch], Later]) -> Breaches:
    found = (
        Breach(f"entity:{batch.entity_id}", said(batch), batch.entity_id, f"batch:{batch.pk}")
        for batch in batches
        if holds(batch)
    )
    return Breaches(tuple(found), frozenset(f"entity:{batch.entity_id}" for batch in batches))


def _held(watch: Watch) -> Breaches:
    """Batches that wait so long for a person's decision."""
    held = Batch.objects.filter(status=BatchStatus.HELD, created_at__lte=watch.before).select_related("entity")
    said = gettext_noop("Batch {batch} of {entity} waits for approval since {at}.")
    return Breaches(
        tuple(
            Breach(
                f"batch:{one.pk}", later(said, batch=one.pk, entity=one.entity.name, at=one.created_at), one.entity_id,
                f"batch:{one.pk}",
            )
            for one in watch.of_entities(held)
        )
    )  # fmt: skip


def _long(watch: Watch) -> Breaches:
    """Runs that take longer than the rule allows; without a limit, than three times the usual, and five minutes."""
    live = Run.objects.filter(status=RunStatus.RUNNING, started_at__lt=watch.now - _AT_LEAST).select_related("entity")
    if not watch.is_about_all:
        names = [plan.run_title for plan in watch.rule.plans.all()]
        names += Job.objects.filter(Q(pk__in=watch.jobs) | Q(category__in=watch.rule.categories)).values_list(
            "name", flat=True
        )
        live = live.filter(Q(entity__in=watch.entities) | Q(title__in=names, entity__isnull=True))
    found = []
    for run in live:
        limit = _limit(watch.rule, run)
        if limit is not None and run.started_at is not None and watch.now - run.started_at > limit:
            more = (
                later("longer than the rule allows") if watch.rule.minutes else later("three times the usual is over")
            )
            said = later("{run} runs since {at}: {more}.", run=_name_of(run), at=run.started_at, more=more)
            found.append(Breach(f"run:{run.pk}", said, run.entity_id, f"run:{run.pk}"))
    return Breaches(tuple(found))


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
    return Breaches(
        tuple(
            Breach(
                f"entity:{one.pk}", later("Rows of {entity} wait since {at}.", entity=one.name, at=oldest), one.pk,
                f"entity:{one.pk}",
            )
            for one in known
            if (oldest := rows[one.pk].oldest_at) is not None and oldest < watch.before
        )
    )  # fmt: skip


def _silent(watch: Watch) -> Breaches:
    """The parts of the installation that give no sign of life, of those that once did."""
    return Breaches(tuple(_silent_parts(watch.now)))


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


_FIND: dict[AlertCondition, Callable[[Watch], Breaches]] = {
    AlertCondition.FAILED: _failed,
    AlertCondition.MISSED: _missed,
    AlertCondition.LATE: _late,
    AlertCondition.NOTHING_COMPLETED: _nothing_completed,
    AlertCondition.NOT_DELIVERED: _not_delivered,
    AlertCondition.REJECTED: _rejected,
    AlertCondition.HELD: _held,
    AlertCondition.LONG: _long,
    AlertCondition.WAITING: _waiting,
    AlertCondition.VOLUME: _volume,
    AlertCondition.SILENT: _silent,
}
