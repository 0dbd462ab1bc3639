"""Conditions of what has a schedule: entities, plans and schedules of jobs, told one by one when they have changed.

And, where they are about how runs end, of what no schedule tells of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Max, Q, QuerySet, Transform
from django.db.models.fields.json import KT
from django.utils.text import capfirst
from django.utils.translation import gettext_noop

from scheduling import conf
from scheduling.alerts.findings import BACKFILLED, LATELY, ORDERED, Breach, Breaches, Holding, Round, Seen, Watch
from scheduling.alerts.of_runs import failed_unscheduled, idle_jobs, warned_unscheduled
from scheduling.alerts.of_slots import Warned, failed_slots, warned_slots
from scheduling.models import Job, JobSchedule, Plan, SchedulerConfiguration, SchedulerLog, SchedulerState, Task
from scheduling.models.schedule import ScheduleQuerySet
from scheduling.statements import digest_of, prepared
from scheduling.states import EventType, RunKind, RunStatus
from staging.wording import Later, later

# The column by which a schedule is of what its events are about.
_OWNER = {SchedulerConfiguration.KIND: "entity", Plan.KIND: "pk", JobSchedule.KIND: "job"}

_BY_TITLE = (ORDERED, BACKFILLED)

Pages = Callable[[], Mapping[tuple[str, int], str]]


def _of_schedules(
    watch: Watch, asked: Sequence[Holding], say_of: Callable[[Any, Any], Later], pages: Pages = dict,
    beside: Sequence[Seen] = (),
) -> Breaches:  # fmt: skip
    """Return a breach for each of the schedules for which this holds, and for what stands beside them."""
    others = [(*one[:4], one.value, one.run) for one in beside]

    def found() -> list[Seen]:
        return [*(one for each in asked for one in watch.seen(each)), *beside]

    if not watch.is_about_all:
        marks = [*((one.subject, one.value) for each in asked for one in watch.seen(each)), *others]
        return _told(watch, asked, found, say_of, pages, marks)
    return _told(
        watch, asked, found, say_of, pages, [*map(watch.round.digest, asked), *others],
        lambda: [*map(watch.round.digest_of_seen, asked), *others],
    )  # fmt: skip


def _told(
    watch: Watch, asked: Sequence[Holding], found: Callable[[], Sequence[Seen]], say_of: Callable[[Any, Any], Later],
    pages: Pages, marks: object, marks_told: Callable[[], object] | None = None,
) -> Breaches:  # fmt: skip
    """Return a breach for each of what is found; schedules are read themselves only when they are told."""

    def told() -> Iterator[Breach]:
        known = found()
        schedules, leads_to = watch.round.jobs(known), pages()
        for each in asked:
            schedules |= watch.round.schedules(each)
        schedules |= watch.round.left_out(known, schedules)
        for one in known:
            schedule = schedules.get((one.kind, one.pk))
            if (what := one.name if one.kind in _BY_TITLE else _named(schedule)) is not None:
                page = f"run:{one.run}" if one.run else leads_to.get((one.kind, one.owner), one.subject)
                entity_id = getattr(schedule, "entity_id", None)
                yield Breach(one.subject, say_of(what, one.value), entity_id, page, one.value)

    return Breaches(marks=marks, told=told, marks_told=marks_told)


def _named(schedule: Any) -> str | None:
    """Return how a sentence about it begins: of a schedule of a job which one it is, too; None for what is gone."""
    if schedule is None:
        return None
    if isinstance(schedule, Job):
        return capfirst(schedule.what)
    label = schedule.label if isinstance(schedule, SchedulerConfiguration) else capfirst(schedule.label)
    return f"{label} ({schedule.own_name})" if schedule.own_name else label


def failed(watch: Watch) -> Breaches:
    """Schedules, and what has none, whose last run failed, so many times in a row; and slots that were filled in."""

    number = watch.rule.number or 1

    def failing(rows: ScheduleQuerySet, _at: datetime) -> ScheduleQuerySet:
        return rows.filter(last_result=RunStatus.FAILED, consecutive_failures__gte=number)

    beside = [one for one in watch.watched(failed_unscheduled(watch.round)) if one.value >= number]
    beside += watch.watched(failed_slots(watch.round)) if number == 1 else []  # none is in a row with others
    return _of_schedules(
        watch, [Holding(("failed", number), failing, "consecutive_failures", watch.now)], _failed_words,
        lambda: _failed_runs(watch.round), beside,
    )  # fmt: skip


def _failed_words(what: Any, value: Any) -> Later:
    """Return the sentence of a failure: how many times in a row, or the slot that was to be filled in."""
    if isinstance(value, datetime):
        return later("{what} failed for its slot of {at}.", what=what, at=value)
    if value == 1:
        return later("{what} failed.", what=what)
    return later("{what} failed {times:,} times in a row.", what=what, times=value)


def warned(watch: Watch) -> Breaches:
    """Schedules, and what has none, whose last run completed with so many warnings; and slots that were filled in."""
    number = watch.rule.number or 1

    def warning(rows: ScheduleQuerySet, _at: datetime) -> ScheduleQuerySet:
        return rows.warned(number)

    beside = [one for one in watch.watched(warned_unscheduled(watch.round)) if one.value >= number]
    beside += [one for one in watch.watched(warned_slots(watch.round)) if one.value.warnings >= number]
    return _of_schedules(
        watch, [Holding(("warned", number), warning, "last_warnings", watch.now)], _warned_words, beside=beside
    )


def _warned_words(what: Any, value: Any) -> Later:
    """Return the sentence of warnings: how many, and the slot that was filled in."""
    if not isinstance(value, Warned):
        if value == 1:
            return later("{what} completed with a warning.", what=what)
        return later("{what} completed with {number:,} warnings.", what=what, number=value)
    if value.warnings == 1:
        return later("{what} completed with a warning for its slot of {at}.", what=what, at=value.slot)
    more = gettext_noop("{what} completed with {number:,} warnings for its slot of {at}.")
    return later(more, what=what, number=value.warnings, at=value.slot)


def _failed_runs(asked: Round) -> dict[tuple[str, int], str]:
    """Return the last run that failed lately, by kind and key of its entity, its plan or its job.

    Of a job that is the last which its schedules tell of: neither a step of a plan, nor what code enqueued beside them.
    """
    failures = SchedulerLog.objects.filter(event_type=EventType.ERROR, event_time__gt=asked.now - LATELY)
    failures = failures.filter(run_id__isnull=False)
    of_jobs = Task.objects.filter(run__in=failures.filter(job__isnull=False).values("run_id"), run__kind=RunKind.JOB)
    own = of_jobs.filter(side_by_side=False).order_by().values_list("target_id").annotate(Max("run"))
    found = dict(_newest(failures.filter(job__isnull=True), "run_id")) | {("job", job): run for job, run in own}
    return {subject: f"run:{run}" for subject, run in found.items()}


def _newest(events: QuerySet[SchedulerLog], column: str | Transform, *more: str) -> Iterator[tuple[Any, Any]]:
    """Yield the greatest value of a column by kind and key of the entity, plan or job of the events, and by more."""
    for entity, plan, job, *rest, value in (
        events.order_by().values_list("entity", "plan", "job", *more).annotate(newest=Max(column))
    ):
        kind, key = ("configuration", entity) if entity else ("plan", plan) if plan else ("job", job)
        yield (kind, key, *rest), value


def missed(watch: Watch) -> Breaches:
    """Schedules with slots that were missed in the last 24 hours, until the next run completes."""

    def of_these(rows: ScheduleQuerySet, at: datetime) -> ScheduleQuerySet:
        owner = _OWNER[rows.model.KIND]
        column = owner if owner != "pk" else "plan"
        return rows.filter(**{f"{owner}__in": _missed(at).filter(**{f"{column}__isnull": False}).values(column)})

    asked = Holding("missed", of_these, "last_completed_at", watch.now - LATELY)

    def found() -> list[Seen]:
        told, slots = watch.round.once("missed", lambda: _newest_missed(asked.at))
        return [
            one._replace(value=_of(one, slots) or at)
            for one in watch.seen(asked)
            if (at := _of(one, told)) is not None and (one.value is None or one.value < at)
        ]

    said = gettext_noop("{what} missed its run of {at}.")

    def say_of(what: Any, at: Any) -> Later:
        return later(said, what=what, at=at)

    if not watch.is_about_all:
        return _told(watch, [asked], found, say_of, dict, [(one.kind, one.pk, one.value) for one in found()])
    # Read before what tells of them: of a slot that is missed meanwhile the next look knows.
    slots = watch.round.once("missed slots", lambda: digest_of("missed slots", _missed, "pk", since=asked.at))
    return _told(
        watch, [asked], found, say_of, dict, [slots, *watch.round.digest(asked)],
        lambda: [slots, *watch.round.digest_of_seen(asked)],
    )  # fmt: skip


def _missed(since: datetime) -> QuerySet[SchedulerLog]:
    return SchedulerLog.objects.filter(event_type=EventType.MISSED, event_time__gt=since)


_Instants = dict[tuple[Any, ...], datetime]  # by kind and key of the owner, and by the name of a schedule of a job


def _newest_missed(since: datetime) -> tuple[_Instants, _Instants]:
    """Return when it was told last that slots were missed, and the last of these slots."""
    rows, of = _missed(since), "details__schedule"
    last = dict(_newest(rows, KT("details__last"), of))
    slots = {one: datetime.fromisoformat(slot) for one, slot in last.items() if slot}
    return dict(_newest(rows, "event_time", of)), slots


def _of(one: Seen, instants: _Instants) -> datetime | None:
    """Return the instant of a schedule; of one of a job that has no name in the log, that of all of them."""
    subject = (one.kind, one.owner)
    return instants.get((*subject, one.name or None)) or instants.get((*subject, None))


def late(watch: Watch) -> Breaches:
    """Schedules whose next run should have started so long ago, and has not."""
    if prepared("is paused", lambda: SchedulerState.objects.filter(paused_at__isnull=False).values_list("pk")):
        return Breaches()
    before = min(watch.now - conf.cycle_silence(), watch.before)

    def waiting(rows: ScheduleQuerySet, at: datetime) -> ScheduleQuerySet:
        return rows.automatic().unpaused().filter(next_scheduled_run__lt=at, is_running=False)

    said = gettext_noop("{what} should have started at {at}.")
    asked = Holding(("late", watch.rule.minutes), waiting, "next_scheduled_run", before)
    return _of_schedules(watch, [asked], lambda what, at: later(said, what=what, at=at))


def nothing_completed(watch: Watch) -> Breaches:
    """Schedules that completed nothing for so long, and are switched on at least that long.

    Of what people or code start, only what the rule names, from its first completion on: nobody else expects anything.
    """

    def idle(rows: ScheduleQuerySet, at: datetime) -> ScheduleQuerySet:
        old = Q(last_completed_at__lt=at) | Q(last_completed_at__isnull=True, armed_from__lt=at)
        return rows.automatic().unpaused().filter(old)

    def unused(rows: ScheduleQuerySet, at: datetime) -> ScheduleQuerySet:
        return rows.by_hand().unpaused().filter(last_completed_at__lt=at)

    asked = [Holding(("idle", watch.rule.minutes), idle, "last_completed_at", watch.before)]
    if not watch.is_about_all:
        asked.append(Holding(("unused", watch.rule.minutes), unused, "last_completed_at", watch.before))
    since, never = gettext_noop("{what} completed nothing since {at}."), gettext_noop("{what} completed nothing yet.")
    return _of_schedules(
        watch, asked,
        lambda what, at: later(since, what=what, at=at) if at is not None else later(never, what=what),
        beside=[] if watch.is_about_all else idle_jobs(watch),
    )  # fmt: skip
