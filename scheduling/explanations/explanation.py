"""The answer to «why did it not run?»: immutable values that pages and commands show."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext_noop

from scheduling.decisions.decision import Decision


class SlotState(StrEnum):
    """What became of a slot."""

    FIRED = "fired"  # a run was started for it, whatever became of the run
    SKIPPED = "skipped"  # its time came while something else stood in the way
    HELD = "held"  # it fell into a blackout
    MISSED = "missed"  # no scheduler looked at it in time
    ERROR = "error"  # the scheduler looked and failed before anything started
    NOT_DUE = gettext_noop("not due")  # nothing was to happen: paused, switched off, before a change, still to come


@dataclass(frozen=True)
class ExplainedSlot:
    """One slot (of a triggered entity: one fire or holding back): what became of it, why, and what to do about it.

    `remedy` is empty when there is nothing to do. `run_id` and `event_id` name the run and the log event behind it.
    """

    at: datetime
    state: SlotState
    reason: str
    remedy: str = ""
    run_id: int | None = None
    event_id: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the slot for the command and the API."""
        return {
            "at": self.at.isoformat(),
            "state": self.state.value,
            "reason": self.reason,
            "remedy": self.remedy,
            "run": self.run_id,
            "event": self.event_id,
        }


@dataclass(frozen=True)
class Explanation:
    """Every slot of a period, ascending, and what holds right now. `notes` say what the list leaves out."""

    slots: tuple[ExplainedSlot, ...]
    entity: str = ""
    since: datetime | None = None
    until: datetime | None = None
    sentence: str = ""
    decision: Decision | None = None
    notes: tuple[str, ...] = ()

    def counts(self) -> dict[SlotState, int]:
        """Return the number of slots in each state."""
        return {state: sum(slot.state == state for slot in self.slots) for state in SlotState}

    def as_json(self) -> dict[str, Any]:
        """Return the JSON document of the command and the API."""
        decision = self.decision
        return {
            "entity": self.entity,
            "from": self.since.isoformat() if self.since else None,
            "until": self.until.isoformat() if self.until else None,
            "schedule": self.sentence,
            "counts": {state.value: number for state, number in self.counts().items()},
            "slots": [slot.as_json() for slot in self.slots],
            "right_now": decision
            and {"would_fire": decision.would_fire, "reason": decision.reason, "gates": decision.gates_as_json()},
            "notes": list(self.notes),
        }
