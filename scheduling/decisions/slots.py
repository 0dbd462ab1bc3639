"""Which slot of a schedule would run now, and what became of the others: missed, held by a blackout, still to come."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice

from scheduling import conf
from scheduling.cadence.blackout import Blackout
from scheduling.models import Schedule
from scheduling.states import CatchUp, Overlap

# An outage of a year at one slot a minute is half a million slots; nobody needs to know the count that exactly.
_MOST = 50_000
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True)
class Span:
    """A number of slots in a row."""

    first: datetime
    last: datetime
    count: int


@dataclass(frozen=True)
class DueSlots:
    """What the slots up to now come to.

    `fire` is the slot to run now, `following` the one after it (or after now); `missed` were due while nothing ran and
    will not run; `held` fell into a blackout. `through` is the last slot that was counted. `late` says that `fire`
    belongs to the past and runs by the catch-up policy; `on_time` is then the slot of now, if there is one too, and
    `late_through` the last slot before it. `late_runs_left` is how many runs of this catch-up may still be late, that
    of `fire` included; None when none is under way.
    """

    fire: datetime | None = None
    following: datetime | None = None
    missed: Span | None = None
    held: Span | None = None
    through: datetime | None = None
    late: bool = False
    on_time: datetime | None = None
    late_through: datetime | None = None
    late_runs_left: int | None = None


@dataclass
class _Sorted:
    """The due slots, each where it belongs."""

    open: list[datetime] = field(default_factory=list)
    held: list[datetime] = field(default_factory=list)
    rolled_to: datetime | None = None


def due_slots(schedule: Schedule, now: datetime, blackout: Blackout | None) -> DueSlots:
    """Return what the schedule's slots up to `now` come to. Reads no table and no clock.

    Slots that are older than the time a late cycle may take were missed: what then happens is the catch-up policy's
    to say. Missed slots are found from the cadence, not from the log, so it does not matter what was down.
    """
    first = schedule.next_scheduled_run
    if first is None or first > now:
        return DueSlots(following=first)
    cadence = schedule.cadence()
    slots = [first, *islice(cadence.between(first, now), _MOST)] if cadence else [first]
    if cadence and len(slots) > _MOST and (latest := cadence.previous_before(now + _TICK)):
        slots.append(latest)  # whether a slot is on time is the last one's to say
    following = cadence.next_after(now) if cadence else None
    due = _sort(slots, blackout, now)
    if due.rolled_to is not None:
        following = min(due.rolled_to, following) if following else due.rolled_to
    told = schedule.caught_up_through  # behind a slot that waits for its turn, what was held has been told already
    held = _span([slot for slot in due.held if told is None or slot > told])
    if not due.open:
        return DueSlots(following=following, held=held, through=slots[-1])
    counted = max(slots[-1], due.open[-1])
    return _choose(schedule, due.open, following, held, counted, now)


def _sort(slots: list[datetime], blackout: Blackout | None, now: datetime) -> _Sorted:
    """Tell open slots from dark ones. A rolled slot becomes one at the end of its blackout, however many roll there."""
    found = _Sorted()
    open_slots = set()
    for slot in slots:
        end = blackout.end_of(slot) if blackout else None
        if blackout is None or end is None:
            open_slots.add(slot)
            continue
        found.held.append(slot)
        if blackout.rolls and end <= now:
            open_slots.add(end)
        elif blackout.rolls:
            found.rolled_to = end
    found.open = sorted(open_slots)
    return found


def _choose(
    schedule: Schedule,
    slots: list[datetime],
    following: datetime | None,
    held: Span | None,
    through: datetime,
    now: datetime,
) -> DueSlots:
    """Apply the catch-up policy to open slots that are due."""
    on_time = slots[-1] if now - slots[-1] <= conf.missed_after() else None
    late = slots[:-1] if on_time else slots
    to_run, dropped = _sort_late(schedule, late, on_time, now)
    missed = _span(dropped)
    if to_run and on_time and _was_left_out(schedule, on_time):
        on_time = None
    queue = to_run + ([on_time] if on_time else [])
    if not queue:
        return DueSlots(following=following, missed=missed, held=held, through=through)
    after = queue[1] if len(queue) > 1 else following
    if not to_run:
        return DueSlots(queue[0], after, missed, held, through)
    late_through, left = late[-1] if on_time else None, _late_runs_left(schedule)
    return DueSlots(queue[0], after, missed, held, through, True, on_time, late_through, left)


def _sort_late(
    schedule: Schedule, late: list[datetime], on_time: datetime | None, now: datetime
) -> tuple[list[datetime], list[datetime]]:
    """Return the late slots that run, oldest first, and those that are dropped and have not been told yet."""
    told = [slot for slot in late if schedule.caught_up_through and slot <= schedule.caught_up_through]
    new = late[len(told) :]
    left = _late_runs_left(schedule)
    if left is not None and schedule.late_runs_left is not None:
        # What came due while the late ones ran is late itself: it runs in place of older ones, never beside them, or
        # a schedule as quick as the cycle would never be on time again.
        waiting = told + _recent(schedule, new, now)
        to_run = waiting[len(waiting) - left :] if left < len(waiting) else waiting
        return to_run, [slot for slot in late if slot not in to_run]
    # Of the slots told before, the first one waits for its run (its worker died, or it was its turn to run late);
    # the others do too when all missed slots run, else they were dropped or skipped then.
    waiting = told if schedule.catch_up == CatchUp.ALL else told[:1]
    to_run = waiting + _worth_running(schedule, new, on_time, now)
    return to_run, [slot for slot in new if slot not in to_run]


def _late_runs_left(schedule: Schedule) -> int | None:
    """Return how many runs of this catch-up may still be late; None where the policy does not count them."""
    if schedule.catch_up != CatchUp.ALL:
        return None
    return schedule.catch_up_limit if schedule.late_runs_left is None else schedule.late_runs_left


def _was_left_out(schedule: Schedule, slot: datetime) -> bool:
    """Return whether a slot of now was told before that it does not run, because an earlier one waits already."""
    one_waits = schedule.overlap != Overlap.SKIP and schedule.catch_up != CatchUp.ALL
    return one_waits and schedule.caught_up_through is not None and slot <= schedule.caught_up_through


def _worth_running(schedule: Schedule, late: list[datetime], on_time: datetime | None, now: datetime) -> list[datetime]:
    """Return the late slots that still run: none, the last one unless one on time replaces it, or all within limits."""
    recent = _recent(schedule, late, now)
    if schedule.catch_up == CatchUp.LAST:
        return [] if on_time else recent[-1:]
    if schedule.catch_up == CatchUp.ALL:
        return recent[-schedule.catch_up_limit :]
    return []


def _recent(schedule: Schedule, late: list[datetime], now: datetime) -> list[datetime]:
    """Return the late slots that are not too old to run."""
    oldest = now - timedelta(minutes=schedule.catch_up_window_minutes)
    return [slot for slot in late if slot >= oldest]


def _span(slots: list[datetime]) -> Span | None:
    """Return the slots as first, last and count; None when there are none."""
    return Span(slots[0], slots[-1], len(slots)) if slots else None
