"""Lets the slots of a range run after the event: begun, and moved on slot by slot until none is left.

What is still to come stands in the database. A run and the note that its slot was taken are one transaction, so that
whatever dies, no slot is lost and none runs twice; the end of each run, and each cycle, moves a backfill on.
"""

import logging
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from scheduling.errors import AlreadyRunning, CannotBackfill, FiredBefore, InvalidPlan, SchedulingError
from scheduling.lifecycle.backfills import end_backfill, lock_backfill, take_slot, tell_backfill
from scheduling.models import Backfill, BackfillSlot, Plan, Run, Schedule, SchedulerState
from scheduling.runs.fire import Cause, Fire, job_fire, refuse_without_right, scheduled_plans, slot_key
from scheduling.runs.foresee import BackfillOutlook, Range, fate_of, foresee, refuse_gone, runs_by_slot
from scheduling.runs.start import raise_if_lost, start
from scheduling.states import EventType, RunStatus, SlotFate
from staging.rights import Person
from staging.wording import Said, counted, say

logger = logging.getLogger(__name__)

_TOGETHER = 10  # runs that start in one transaction
_NOT_DONE = (RunStatus.FAILED, RunStatus.CANCELLED)


def start_backfill(
    schedule: Schedule, wanted: Range, *, started_by: str, person: Person | None = None, now: datetime
) -> Backfill:
    """Begin a backfill, start the first of its runs, and return it; what cannot start now starts by the next cycle.

    Raises what `foresee` does, CannotBackfill when no slot would run or nothing of it can start, NotAllowed when
    `person`, who asked, may not start something of it, and AlreadyRunning while another backfill of it is under way.
    """
    foreseen = foresee(schedule, wanted, now)
    if not foreseen.to_run:
        raise CannotBackfill(say("No slot of this range would run."))
    under_way = AlreadyRunning(say("Another backfill of {what} is under way.", what=foreseen.schedule.what))
    if Backfill.objects.of(foreseen.schedule).filter(status=RunStatus.RUNNING).exists():
        raise under_way
    try:
        with transaction.atomic():
            backfill = _store(foreseen, started_by, now)
            refuse_without_right(_fire(backfill, backfill.slots.all()[0], now).manifest, person)
            tell_backfill(backfill, EventType.CHANGED, _begun(backfill, foreseen), by=started_by, now=now)
    except IntegrityError:  # somebody was faster
        raise under_way from None
    except InvalidPlan as error:
        raise CannotBackfill(say("It cannot run as it stands: {why}", why=str(error))) from None
    _move_on_if_possible(backfill.pk, now)
    return backfill


def _store(foreseen: BackfillOutlook, started_by: str, now: datetime) -> Backfill:
    wanted = foreseen.range
    backfill = Backfill.objects.create(
        **Backfill.place_of(foreseen.schedule),
        since=wanted.since,
        until=wanted.until,
        side_by_side=wanted.side_by_side,
        stops_on_failure=wanted.stops_on_failure,
        repeats=wanted.repeats,
        started_by=started_by[:150],
        created_at=now,
    )
    slots = [BackfillSlot(backfill=backfill, slot=each.slot, previous_slot=each.previous) for each in foreseen.to_run]
    BackfillSlot.objects.bulk_create(slots, batch_size=500)
    return backfill


def _begun(backfill: Backfill, foreseen: BackfillOutlook) -> Said:
    slots = counted(len(foreseen.to_run), "slot", "slots")
    return say(
        "{backfill} started by {by}: {slots}, from {first} to {last}.",
        backfill=str(backfill),
        by=backfill.started_by,
        slots=slots,
        first=foreseen.to_run[0].slot,
        last=foreseen.to_run[-1].slot,
    )


def move_backfills_on(now: datetime) -> list[str]:
    """Start what is next of every backfill that is under way; return what was fired. Safe to call from anywhere.

    What keeps one from going on keeps no other; the next cycle tries again.
    """
    under_way = Backfill.objects.filter(status=RunStatus.RUNNING).order_by("pk").values_list("pk", flat=True)
    return [what for pk in under_way for what in _move_on_if_possible(pk, now)]


def _move_on_if_possible(pk: int, now: datetime) -> list[str]:
    try:
        return move_on(pk, now)
    except Exception as error:
        raise_if_lost(error)
        text = "could not move backfill %s on; the next cycle tries again"
        logger.exception(text, pk, extra={"event": "backfill_not_moved"})
        return []


def move_on(pk: int, now: datetime) -> list[str]:
    """Start what is next of one backfill, and end it when nothing is left; return what was fired.

    A few runs in each transaction: a cancel, and on SQLite whoever else writes, does not wait for all of them.
    """
    fired: list[str] = []
    while True:
        some = _start_some(pk, now)
        fired += some
        if len(some) < _TOGETHER:
            return fired


def _start_some(pk: int, now: datetime) -> list[str]:
    """Start the next runs of one backfill, at most _TOGETHER, in one transaction; end it when nothing is left."""
    with transaction.atomic():
        backfill = lock_backfill(pk)
        if backfill is None or _is_over(backfill, now) or _has_to_wait(backfill, now):
            return []
        live = backfill.runs.going_on().count()
        most = min(backfill.at_once - live, _TOGETHER)
        waiting = backfill.slots.filter(taken_at__isnull=True).order_by("slot")
        fired: list[str] = []
        for slot in waiting:
            if len(fired) >= most or not _take(backfill, slot, fired, now):
                break
        if not fired:
            _is_over(backfill, now)  # all that was left had been done by others
        return fired


def _is_over(backfill: Backfill, now: datetime) -> bool:
    """End a backfill of which nothing is left, or that stops because a run of it did not do its work."""
    not_done = backfill.runs.filter(status__in=_NOT_DONE, made_good_by__isnull=True).order_by("pk")
    failed = not_done.first()
    if failed is not None and backfill.stops_on_failure:
        _stop(backfill, say("Run {run} {status}.", run=failed.pk, status=failed.status), now)
        return True
    taken = backfill.slots.filter(taken_at__isnull=True).exists()
    if taken or backfill.runs.going_on().exists():
        return False
    status = RunStatus.COMPLETED if failed is None else RunStatus.FAILED
    return end_backfill(backfill, status, now=now)


def _stop(backfill: Backfill, why: str, now: datetime) -> None:
    """End a backfill because of what went wrong; what is still to come does not run."""
    if not end_backfill(backfill, RunStatus.FAILED, error=why, now=now):
        return
    left = backfill.slots.filter(taken_at__isnull=True).count()
    slots = counted(left, "slot does not run", "slots do not run")
    text = say("{backfill} stopped: {why} {slots}.", backfill=str(backfill), why=why, slots=slots)
    tell_backfill(backfill, EventType.CANCELLED, text, by=backfill.started_by, now=now)


def _has_to_wait(backfill: Backfill, now: datetime) -> bool:
    """Return whether nothing may start now: everything is paused, its schedule is at work, or has a slot that is due.

    What runs side by side waits for its schedule neither way.
    """
    if SchedulerState.current().paused_at is not None:
        return True
    if backfill.side_by_side is not None:
        return False
    schedule = backfill.schedule
    due = type(schedule)._default_manager.due(now).filter(pk=schedule.pk, next_scheduled_run__lte=now)
    return schedule.is_running or due.exclude(backoff_until__gt=now).exists()


def _take(backfill: Backfill, slot: BackfillSlot, fired: list[str], now: datetime) -> bool:
    """Start the run of a slot, or leave the slot out when somebody else's has it; False when nothing starts now."""
    schedule = backfill.schedule
    taken = runs_by_slot(schedule, [slot.slot]).get(slot.slot)
    state = fate_of(slot.slot, None, taken, Range(slot.slot, slot.slot, repeats=backfill.repeats), None).state
    if taken is not None and state != SlotFate.WILL_RUN:
        return take_slot(slot, taken, is_left_out=True, now=now)
    try:
        started = start(_fire(backfill, slot, now))
    except (AlreadyRunning, FiredBefore):  # the next end of a run, or cycle, looks again
        return False
    except SchedulingError as error:
        _stop(backfill, str(error), now)
        return False
    fired.append(schedule.what)
    return take_slot(slot, started.run, now=now)


def _fire(backfill: Backfill, slot: BackfillSlot, now: datetime) -> Fire:
    """Return the fire of a slot, as its schedule would have fired it.

    Raises InvalidPlan, and CannotBackfill for a job that the code does not declare any more, when it cannot run.
    """
    schedule = backfill.schedule
    slot.backfill = backfill
    key = slot_key(schedule, slot.slot)
    if Run.objects.filter(fire_key=key).exists():
        key = f"{key}:backfill:{backfill.pk}"
    cause = Cause(
        fire_key=key,
        trigger_source=say("Backfill by {by}", by=backfill.started_by),
        started_by=backfill.started_by,
        now=now,
        reason=say("{backfill}, slot {slot}.", backfill=str(backfill), slot=slot.slot),
        slot=slot.slot,
        details={"backfill": backfill.pk, "slot": slot.slot.isoformat()},
        backfilled=slot,
    )
    if isinstance(schedule, Plan):
        (fire,) = scheduled_plans([(schedule, cause)])
        if isinstance(fire, Exception):
            raise fire
        return fire
    refuse_gone(schedule)
    job = schedule.job
    return job_fire(job, cause, say("Job {job} started. {reason}", job=job.name, reason=cause.reason), schedule)


def backfill_document(backfill: Backfill) -> dict[str, Any]:
    """Return a backfill with its slots, as it is stored now."""
    found = Backfill.objects.with_progress().select_related("plan", "job_schedule__job").get(pk=backfill.pk)
    slots = found.slots.select_related("run").order_by("slot")
    return listed_backfill(found) | {
        "slots": [
            {
                "slot": each.slot.isoformat(),
                "previous_slot": each.previous_slot.isoformat() if each.previous_slot else None,
                "run": each.run_id,
                "status": each.run.status if each.run else None,
                "left_out": each.is_left_out,
            }
            for each in slots
        ]
    }


def listed_backfill(backfill: Backfill) -> dict[str, Any]:
    """Return a backfill without its slots, that was read with its progress."""
    return {
        "backfill": backfill.pk,
        "what": backfill.schedule.what,
        "schedule": backfill.schedule.own_name,
        "from": backfill.since.isoformat(),
        "until": backfill.until.isoformat(),
        "side_by_side": backfill.side_by_side,
        "stop_on_failure": backfill.stops_on_failure,
        "again": backfill.repeats,
        "status": backfill.status,
        "slots_done": backfill.slots_done,
        "slots_total": backfill.slots_total,
        "started_by": backfill.started_by,
        "created_at": backfill.created_at.isoformat(),
        "finished_at": backfill.finished_at.isoformat() if backfill.finished_at else None,
        "error": backfill.error,
    }
