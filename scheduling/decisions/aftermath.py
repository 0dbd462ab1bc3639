"""What a decision not to fire leads to, for the dispatcher that does it and the simulation that only tells it."""

from dataclasses import dataclass
from datetime import datetime

from scheduling.decisions.decision import Decision
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
