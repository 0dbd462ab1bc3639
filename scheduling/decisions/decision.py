"""The value a decision is: every gate with its value and limit, whether it would fire, and why."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from scheduling.decisions.slots import DueSlots
from staging.tables.statistics import PendingRows


@dataclass(frozen=True)
class Gate:
    """One condition: what was measured, what it was held against, and whether it let the fire pass."""

    name: str
    passed: bool
    value: str
    limit: str
    text: str

    def as_json(self) -> dict[str, Any]:
        """Return the gate as commands and pages show it."""
        return {"gate": self.name, "passed": self.passed, "value": self.value, "limit": self.limit, "text": self.text}


@dataclass(frozen=True)
class Statistics:
    """What was measured for a decision: the pending rows, and the last sign of life of what runs."""

    pending: PendingRows = field(default_factory=PendingRows)
    last_sign_of_life: datetime | None = None
    everything_paused: str = ""  # the sentence that says so, empty when nothing is
    waits_for_worker: bool = False  # its batch was started and no worker has claimed it: silent, but not dead
    altered: str = ""  # how the entity's tables differ from their definition, where they were looked at


@dataclass(frozen=True)
class Decision:
    """Whether something would fire now. All gates are evaluated, also after one that failed."""

    would_fire: bool
    reason: str
    trigger_source: str
    gates: tuple[Gate, ...]
    slots: DueSlots = field(default_factory=DueSlots)

    def gate(self, name: str) -> Gate | None:
        """Return the gate of this name, if the decision has it."""
        return next((gate for gate in self.gates if gate.name == name), None)

    def would_fire_but_for(self, *names: str) -> bool:
        """Return whether only the named gates stand in the way."""
        return not self.would_fire and all(gate.passed for gate in self.blocking() if gate.name not in names)

    def blocking(self) -> tuple[Gate, ...]:
        """Return the gates that must all pass: triggers are alternatives and not among them."""
        return tuple(gate for gate in self.gates if not gate.name.startswith("trigger:"))

    def gates_as_json(self) -> list[dict[str, Any]]:
        """Return all gates as commands and pages show them."""
        return [gate.as_json() for gate in self.gates]
