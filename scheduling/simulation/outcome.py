"""What a simulation comes to: the fires and what did not fire, as values."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scheduling.models import Schedule
from scheduling.usual_runs import Piece
from staging.wording import KeepsSaid, ReadAsSaid


@dataclass(frozen=True, order=True)
class SimulatedSubject:
    """Whom a line is about: an entity by its code, or "plan Nightly" or "job Report" with its kind.

    `schedule` names the one of a job's schedules that it is.
    """

    name: str
    kind: str = ""  # empty for an entity
    schedule: str = ""

    def as_json(self) -> dict[str, str]:
        """Return what tells kinds other than entities apart."""
        return ({"kind": self.kind} if self.kind else {}) | ({"schedule": self.schedule} if self.schedule else {})


def subject_of(schedule: Schedule) -> SimulatedSubject:
    """Return what the reports call a schedule; entities need no kind, they were there first."""
    return SimulatedSubject(schedule.what, "" if schedule.READS_ROWS else schedule.KIND, schedule.own_name)


@dataclass
class SimulatedFire(KeepsSaid):
    """A fire that a cycle would have made; `slot` is None when a trigger made it.

    `pieces` are what it does, where that is not all that a run usually does: it is the next attempt of a plan.
    """

    at: datetime
    subject: SimulatedSubject
    slot: datetime | None
    rows: int
    trigger_source: ReadAsSaid = ReadAsSaid()
    reason: ReadAsSaid = ReadAsSaid()
    pieces: tuple[Piece, ...] | None = None

    @property
    def entity(self) -> str:
        """Return what the reports call it."""
        return self.subject.name

    def as_json(self) -> dict[str, Any]:
        """Return the fire for the command."""
        return {
            "at": self.at.isoformat(),
            "entity": self.entity,
            **self.subject.as_json(),
            "slot": self.slot.isoformat() if self.slot else None,
            "trigger_source": self.trigger_source,
            "reason": self.reason,
            "rows": self.rows,
        }


@dataclass
class NotFired(KeepsSaid):
    """Slots or a trigger that came to nothing, `event` as in the scheduler log: skipped, held, missed, paused, error.

    `count` is the number of slots; none for a pause, in which nothing is due.
    """

    at: datetime
    subject: SimulatedSubject
    event: str
    reason: ReadAsSaid = ReadAsSaid()
    count: int = 1

    @property
    def entity(self) -> str:
        """Return what the reports call it."""
        return self.subject.name

    def as_json(self) -> dict[str, Any]:
        """Return the event for the command."""
        return {
            "at": self.at.isoformat(),
            "entity": self.entity,
            **self.subject.as_json(),
            "event": self.event,
            "reason": self.reason,
            "count": self.count,
        }


@dataclass(frozen=True)
class Simulation:
    """A replay: how many cycles the span holds, what fired in them and what did not, both in order of time."""

    start: datetime
    until: datetime
    cycles: int
    fires: tuple[SimulatedFire, ...] = ()
    not_fired: tuple[NotFired, ...] = ()
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the one document of the command."""
        return {
            "from": self.start.isoformat(),
            "until": self.until.isoformat(),
            "cycles": self.cycles,
            "fires": [fire.as_json() for fire in self.fires],
            "not_fired": [event.as_json() for event in self.not_fired],
            "notes": list(self.notes),
        }
