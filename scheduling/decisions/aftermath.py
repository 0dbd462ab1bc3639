"""What a decision leads to, for the dispatcher that does it and the simulation and forecast that only tell it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scheduling.decisions.decision import Decision
from scheduling.decisions.slots import DueSlots
from scheduling.lifecycle import arming
from scheduling.models import Schedule
from scheduling.states import CatchUp, EventType, Overlap, ProcessingMode


@dataclass(frozen=True)
class Aftermath:
    """What follows when nothing fires.

    `moves_on`: the schedule passes the slots that came to nothing; `keep` is a slot that goes on waiting for its run.
    `held_back` names the event when something was due and had to stand back, else it is empty. `left_out` is the slot
    of now that does not run because one before it waits already.
    """

    moves_on: bool = False
    keep: datetime | None = None
    held_back: str = ""
    left_out: datetime | None = None


def aftermath(schedule: Schedule, decision: Decision) -> Aftermath:
    """Return what follows from a decision not to fire. Reads no table and no clock.

    A slot that runs late by the catch-up policy waits for its turn, and so does one whose overlap policy lets it wait
    for the run before; any other is passed, for the next one will come.
    """
    slots, blocked = decision.slots, decision.would_fire_but_for("overlap", "back_off", "blackout")
    blackout = decision.gate("blackout")
    event = EventType.SKIPPED if blackout is None or blackout.passed else EventType.HELD
    if schedule.processing_mode != ProcessingMode.SCHEDULED:
        return Aftermath(held_back=event if blocked else "")
    if (slots.fire and not blocked) or slots.through is None:
        return Aftermath()
    waits = slots.late or (schedule.overlap != Overlap.SKIP and decision.would_fire_but_for("overlap"))
    keep = slots.fire if blocked and waits else None
    one_waits = schedule.overlap != Overlap.SKIP and schedule.catch_up != CatchUp.ALL
    left_out = slots.on_time if keep and one_waits else None
    told = slots.fire is not None and (keep is None or left_out is not None)
    return Aftermath(moves_on=True, keep=keep, held_back=event if told else "", left_out=left_out)


def moved_on(
    schedule: Schedule, slots: DueSlots, now: datetime, *, fires: bool = False, after: Aftermath | None = None
) -> dict[str, Any]:
    """Return the columns by which a schedule moves on from its slots; call only when some were due.

    `fires`: the slot of the decision runs; otherwise `after` may keep one waiting. A slot of now behind a late one is
    not counted yet: when its turn comes it is on time, or told as missed.
    """
    keep = after.keep if after else None
    queued = slots.late and slots.on_time is not None and not (after and after.left_out)
    more = slots.on_time is not None or (slots.following is not None and slots.following <= now)
    left = slots.late_runs_left
    if left is not None and fires:
        left = left - 1 if more else None
    following = keep or slots.following or schedule.planned_after(now)
    through = slots.late_through if queued else slots.through
    return arming.moved_on(following, through, left if fires or keep else None)
