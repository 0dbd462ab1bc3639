"""Which slots a schedule, as it is now, had between two instants: in its zone, with its calendar, as a cycle does."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice, pairwise

from scheduling.cadence.base import Cadence
from scheduling.cadence.blackout import Blackout
from scheduling.decisions.decision import sort_slots
from scheduling.models import Schedule

_TICK = timedelta(microseconds=1)
_MOST_LOOKED_AT = 50_000


@dataclass(frozen=True)
class SlotsBetween:
    """The slots that would have fired, each with the one before it, and those that a blackout would have held.

    `more_from`: the first slot that was not looked at, for there are too many; None when all were.
    """

    fired: tuple[tuple[datetime, datetime | None], ...] = ()
    held: tuple[datetime, ...] = ()
    more_from: datetime | None = None


def slots_between(schedule: Schedule, since: datetime, until: datetime, now: datetime, most: int) -> SlotsBetween:
    """Return the slots from `since` on until before `until`, at most `most` that would have fired. Reads no clock.

    A slot that rolls out of a blackout counts at the end of it. Raises CadenceError for broken columns.
    """
    cadence = schedule.cadence()
    if cadence is None:
        return SlotsBetween()
    blackout = schedule.calendar.blackout() if schedule.calendar else None
    begin = blackout.rolls_from(since) if blackout else since
    looked_at = list(islice(cadence.between(begin - _TICK, until - _TICK), _MOST_LOOKED_AT + 1))
    found = sort_slots(looked_at[:_MOST_LOOKED_AT], blackout, now)
    slots = [slot for slot in found.open if since <= slot < until]
    more_from = slots[most] if len(slots) > most else None
    if more_from is None and len(looked_at) > _MOST_LOOKED_AT:
        more_from = looked_at[-1]
    slots = slots[:most]
    before = _open_before(cadence, blackout, slots[0]) if slots else None
    held = (slot for slot in found.held if since <= slot and (more_from is None or slot < more_from))
    return SlotsBetween(
        tuple((slot, prior) for prior, slot in pairwise([before, *slots]) if slot), tuple(held), more_from
    )


def _open_before(cadence: Cadence, blackout: Blackout | None, slot: datetime) -> datetime | None:
    """Return the slot before this one that would have fired; None when there is none."""
    begin = blackout.rolls_from(slot) if blackout else slot
    for before in islice(_back(cadence, begin), _MOST_LOOKED_AT):
        if blackout is None or (end := blackout.end_of(before)) is None:
            return before
        if blackout.rolls and end < slot:
            return end
    return None


def _back(cadence: Cadence, slot: datetime) -> Iterator[datetime]:
    before = cadence.previous_before(slot)
    while before is not None:
        yield before
        before = cadence.previous_before(before)
