"""What schedules of any kind have ahead: each walked slot by slot, each triggered one told by its sentence.

The judgement is `decide`'s, asked at each slot with a copy of the schedule that moves on in memory.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta

from scheduling.cadence.errors import CadenceError
from scheduling.decisions.wording import pauses_of
from scheduling.forecast.values import RUNNING, ExpectedFire, Outlook, Piece, Usual, WhenDataArrives
from scheduling.forecast.walk import Walk
from scheduling.models import Schedule, SchedulerState
from scheduling.schedules.sentence import describe
from scheduling.states import ProcessingMode

UsualOf = Callable[[Schedule], Usual]


def ahead_of(
    schedules: Iterable[Schedule],
    usual_of: UsualOf,
    start: datetime,
    until: datetime,
    now: datetime,
    *,
    live: Mapping[int, tuple[Piece, ...]] | None = None,
) -> Outlook:
    """Return what these enabled schedules have ahead; `usual_of` tells what a run of one is.

    `live` are the tasks left of what runs now, by its schedule's primary key, counted from the start of the run.
    """
    everything = SchedulerState.current()
    triggered, walks, notes, running = [], [], [], []
    for schedule in schedules:
        usual = usual_of(schedule)
        if usual.faults:
            notes.append(f"{schedule.what} cannot run as it stands: {usual.faults}")
        if schedule.is_running:
            running.append(_running(schedule, usual, (live or {}).get(schedule.pk), now))
        paused = " ".join(pauses_of(schedule))
        if schedule.processing_mode == ProcessingMode.TRIGGERED:
            triggered.append(WhenDataArrives(schedule.what, describe(schedule), entity_id(schedule), paused))
            continue
        if paused:
            notes.append(f"{schedule.what}: {paused}")
        try:
            ready = _walk(schedule, everything, usual, start, now)
        except CadenceError as error:
            notes.append(f"{schedule.what}: this schedule cannot be read: {error}")
            continue
        if ready is not None:
            walks.append(ready.fires(until))
    return Outlook(tuple(walks), tuple(running), tuple(triggered), tuple(dict.fromkeys(notes)))


def entity_id(schedule: Schedule) -> int | None:
    """Return the entity that the schedule belongs to, if it does."""
    return schedule.subject.get("entity_id")


def _running(schedule: Schedule, usual: Usual, pieces: tuple[Piece, ...] | None, now: datetime) -> ExpectedFire:
    """Return what runs now: for its usual duration, and at least until now; `pieces` are the tasks left of it."""
    started = schedule.run_started_at or now
    reason = f"Started by {schedule.run_started_by}."
    milliseconds = round(max(usual.lasts or timedelta(), now - started) / timedelta(milliseconds=1))
    return ExpectedFire(
        started,
        schedule.what,
        describe(schedule),
        RUNNING,
        milliseconds,
        entity_id(schedule),
        queue=usual.queue,
        reason=reason,
        pieces=pieces,
    )


def _walk(schedule: Schedule, everything: SchedulerState, usual: Usual, start: datetime, now: datetime) -> Walk | None:
    """Return the walk of a schedule; None when a pause without an end keeps it still."""
    walk = Walk(schedule, usual, start, now)
    for pause in (schedule, schedule.paused_with, everything):
        if pause is not None and pause.paused_at is not None and not walk.wait_for(pause.paused_until):
            return None
    return walk
