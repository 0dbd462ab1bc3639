"""Test run: what a cycle would do with one configuration now, without doing it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from scheduling.decisions.decide import decide
from scheduling.decisions.decision import Gate
from scheduling.decisions.measure import measured
from scheduling.decisions.slots import DueSlots
from scheduling.models import SchedulerConfiguration


@dataclass(frozen=True)
class TestRun:
    """The answer of a Test run (docs/commands.md). Ages are whole minutes of true elapsed time."""

    __test__ = False  # not a test class, whatever its name looks like

    entity: str
    would_fire: bool
    reason: str
    pending_rows: int
    oldest_row_age: int
    next_scheduled_run: datetime | None
    gates: tuple[Gate, ...]
    slots: DueSlots = field(default_factory=DueSlots)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON document of the command and the API."""
        return {
            "entity": self.entity,
            "would_fire": self.would_fire,
            "reason": self.reason,
            "pending_rows": self.pending_rows,
            "oldest_row_age": self.oldest_row_age,
            "next_scheduled_run": self.next_scheduled_run.isoformat() if self.next_scheduled_run else None,
            "gates": [gate.as_json() for gate in self.gates],
        }


def test_run(configuration: SchedulerConfiguration, now: datetime) -> TestRun:
    """Return what the dispatcher would decide at `now`. Writes nothing; the configuration need not be saved."""
    statistics = measured(configuration, now)
    decision = decide(configuration, statistics, now)
    oldest = statistics.pending.oldest_at
    return TestRun(
        entity=configuration.entity.code,
        would_fire=decision.would_fire,
        reason=decision.reason,
        pending_rows=statistics.pending.count,
        oldest_row_age=max(int((now - oldest).total_seconds() // 60), 0) if oldest else 0,
        next_scheduled_run=configuration.next_scheduled_run,
        gates=decision.gates,
        slots=decision.slots,
    )
