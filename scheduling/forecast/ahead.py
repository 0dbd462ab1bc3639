"""What schedules of any kind have ahead: their slots, what runs of them now, and those that wait for data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.db.models import Prefetch, prefetch_related_objects

from scheduling.cadence.errors import CadenceError
from scheduling.decisions.decision import Awaited, pauses_of
from scheduling.decisions.origins import origin
from scheduling.forecast.slots import enter, slots_ahead
from scheduling.forecast.values import RUNNING, ExpectedFire, Outlook, WhenDataArrives
from scheduling.kinds import awaited_by
from scheduling.models import Plan, PlanAfter, Schedule, SchedulerState
from scheduling.schedules.sentence import describe
from scheduling.simulation.attempt import NextAttempt
from scheduling.simulation.world import World, name_in_gates
from scheduling.states import ProcessingMode
from scheduling.usual_runs import Key, Piece, UsualRun, key_of
from staging.wording import said_together, say


def ahead_of(
    schedules: Iterable[Schedule],
    usual_of: Mapping[Key, UsualRun],
    start: datetime,
    until: datetime,
    now: datetime,
    *,
    left_of: Mapping[Key, tuple[Piece, ...]],
    attempts: Mapping[Key, NextAttempt],
    everything: SchedulerState,
) -> Outlook:
    """Return what these enabled schedules have ahead; `usual_of` tells what a run of each is, `everything` if all wait.

    `left_of` are the tasks that are left of what runs now, counted from now, where they are not the usual ones;
    `attempts` those that plans wait for. Of what `waits_for_rows` and does not run nobody needs to know what is usual.
    """
    # What cannot run as it stands is told by a note; its slots are, for it may be mended before they come.
    usual_runs = {key: replace(usual, faults="") if usual.faults else usual for key, usual in usual_of.items()}
    schedules = list(schedules)
    awaited = _read_after(schedules)
    world = World({}, usual_runs, everything, start, awaited)
    triggered, notes, running = [], list[str](), []
    known = {name_in_gates(schedule): schedule for schedule in schedules}
    for schedule in schedules:
        key = key_of(schedule)
        usual, left, attempt = usual_of.get(key, UsualRun()), left_of.get(key), attempts.get(key)
        notes += [_cannot_run(schedule, usual)] if usual.faults else []
        if schedule.is_running and attempt is None:
            running.append(_running(schedule, usual, left, now))
        paused = said_together(*pauses_of(schedule))
        if schedule.is_enabled and not _has_times(schedule, known, awaited):
            triggered.append(WhenDataArrives(schedule.what, describe(schedule), entity_id(schedule), paused))
            if attempt is None:
                continue
        notes += [f"{schedule.what}: {paused}"] if paused else []
        try:
            enter(world, schedule, start, now, () if attempt else left or (), attempt)
        except CadenceError as error:
            notes.append(say("{schedule}: this schedule cannot be read: {error}", schedule=schedule.what, error=error))
    return Outlook(slots_ahead(world, start, until), tuple(running), tuple(triggered), tuple(dict.fromkeys(notes)))


def _read_after(schedules: Iterable[Schedule]) -> dict[int, tuple[Awaited, ...]]:
    """Return what plans run after, and read it with those plans, whose sentences name it; none where no plan does."""
    plans = [one for one in schedules if isinstance(one, Plan) and one.processing_mode == ProcessingMode.TRIGGERED]
    prefetch_related_objects(plans, Prefetch("after", PlanAfter.objects.by_name()))
    return awaited_by(plans)


def _cannot_run(schedule: Schedule, usual: UsualRun) -> str:
    return say("{schedule} cannot run as it stands: {faults}", schedule=schedule.what, faults=usual.faults)


def waits_for_rows(schedule: Schedule) -> bool:
    """Return whether nobody knows when it starts, for rows do that."""
    return schedule.READS_ROWS and schedule.processing_mode == ProcessingMode.TRIGGERED


def _has_times(schedule: Schedule, known: Mapping[str, Schedule], awaited: Mapping[int, Sequence[Awaited]]) -> bool:
    """Return whether it is known when it starts: by its cadence, or after others of which that is known."""
    if schedule.processing_mode != ProcessingMode.TRIGGERED:
        return True
    others = awaited.get(schedule.pk, ()) if isinstance(schedule, Plan) else ()
    return bool(others) and all(one.what in known and _has_times(known[one.what], known, awaited) for one in others)


def entity_id(schedule: Schedule) -> int | None:
    """Return the entity that the schedule belongs to, if it does."""
    return schedule.subject.get("entity_id")


def _running(schedule: Schedule, usual: UsualRun, left: tuple[Piece, ...] | None, now: datetime) -> ExpectedFire:
    """Return what runs now: for its usual duration, and at least until now; `left` are the tasks left of it."""
    started = schedule.run_started_at or now
    gone = now - started
    pieces = [replace(piece, lasts=max(piece.lasts, gone)) for piece in usual.pieces]
    if left is not None:
        pieces = [replace(piece, after=gone + piece.after) for piece in left]
    return ExpectedFire(
        started,
        schedule.what,
        describe(schedule),
        RUNNING,
        round(max(usual.seen or gone, gone) / timedelta(milliseconds=1)),
        entity_id(schedule),
        reason=say("Started by {user}.", user=origin(schedule.run_started_by)),
        pieces=tuple(pieces),
    )
