"""Which slots a schedule, as it is now, had between two instants: in its zone, with its calendar, as a cycle does."""

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
    blackout = schedule.blackout()
    begin = blackout.rolls_from(since) if blackout else since
    limit = _MOST_LOOKED_AT if blackout else most  # without a blackout all would have fired
    looked_at = list(islice(cadence.between(begin - _TICK, until - _TICK), limit + 1))
    found = sort_slots(looked_at[:limit], blackout, now)
    slots = [slot for slot in found.open if since <= slot < until]
    more_from = slots[most] if len(slots) > most else None
    if more_from is None and len(looked_at) > limit:
        more_from = looked_at[-1]
    slots = slots[:most]
    before = _open_before(cadence, blackout, slots[0]) if slots else None
    held = (slot for slot in found.held if since <= slot and (more_from is None or slot < more_from))
    return SlotsBetween(
        tuple((slot, prior) for prior, slot in pairwise([before, *slots]) if slot), tuple(held), more_from
    )


def _open_before(cadence: Cadence, blackout: Blackout | None, slot: datetime) -> datetime | None:
    """Return the slot before this one that would have fired; None when there is none.

    Of the slots within one blackout the last one tells what becomes of them all.
    """
    at = blackout.rolls_from(slot) if blackout else slot
    for _ in range(_MOST_LOOKED_AT):
        before = cadence.previous_before(at)
        if before is None:
            return None
        dark = next(blackout.between(before, before + _TICK), None) if blackout else None
        if blackout is None or dark is None:
            return before
        if blackout.rolls:
            end = blackout.end_of(before)
            return end if end is not None and end < slot else None
        at = dark.start
    return None
