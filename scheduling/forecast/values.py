"""What a forecast is made of: values that nobody changes, and that pages, the command and the API present."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from scheduling.cadence.blackout import Stretch
from scheduling.usual_runs import Piece
from staging.wording import KeepsSaid, ReadAsSaid

# What becomes of a slot.
FIRES, ROLLED = "fires", "rolled"  # at its time; at the end of the blackout it fell into
RUNNING = "running"  # begun already
HELD, SKIPPED = "held", "skipped"  # left out because of a blackout; because the batch before still runs, or a back-off
RUNS = (FIRES, ROLLED, RUNNING)


class _SaidOrNothing(ReadAsSaid):
    """A field of which a sentence need not be given."""

    def __get__(self, holder: object, owner: type | None = None) -> str:
        return "" if holder is None else super().__get__(holder, owner)


@dataclass
class ExpectedFire(KeepsSaid):
    """One slot to come: `what` names its owner, `sentence` says its schedule, `reason` why it fires or does not.

    `expected_ms` is the usual duration of its runs; None when there were none yet. `pieces` are its tasks, None when
    it is a single one in the default queue.
    """

    at: datetime
    what: str
    sentence: str
    state: str
    expected_ms: int | None = None
    entity_id: int | None = None
    reason: ReadAsSaid = _SaidOrNothing()  # of thousands of slots few are read
    pieces: tuple[Piece, ...] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the fire for the command."""
        return {
            "at": self.at.isoformat(),
            "what": self.what,
            "sentence": self.sentence,
            "state": self.state,
            "expected_ms": self.expected_ms,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class LoadStep:
    """A stretch of time in which the same number of tasks is expected."""

    start: datetime
    end: datetime
    running: int


@dataclass(frozen=True)
class QueueLoad:
    """How many tasks of a queue there would be at once if none had to wait, against how many it lets run."""

    queue: str
    limit: int
    steps: tuple[LoadStep, ...]

    @property
    def peak(self) -> int:
        """Return the most at once."""
        return max((step.running for step in self.steps), default=0)

    @property
    def overloaded(self) -> tuple[LoadStep, ...]:
        """Return the stretches in which some have to wait for room."""
        return tuple(step for step in self.steps if step.running > self.limit)

    def as_json(self) -> dict[str, Any]:
        """Return the load for the command."""
        return {
            "queue": self.queue,
            "max_running": self.limit,
            "peak": self.peak,
            "steps": [
                {"from": step.start.isoformat(), "until": step.end.isoformat(), "running": step.running}
                for step in self.steps
            ],
        }


@dataclass(frozen=True)
class WhenDataArrives:
    """Something that arriving rows start: when is not known, on what condition is."""

    what: str
    sentence: str
    entity_id: int | None = None
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the entry for the command."""
        return {"what": self.what, "sentence": self.sentence, "note": self.note}


@dataclass(frozen=True)
class Owner:
    """Whose slots these are: the name people know, and the key of the configuration when it is an entity's."""

    name: str
    configuration_id: int | None = None


@dataclass(frozen=True)
class Outlook:
    """What schedules have ahead: their slots, ascending and found as they are asked for, and what else there is."""

    slots: Iterator[ExpectedFire]
    running: tuple[ExpectedFire, ...]
    when_data_arrives: tuple[WhenDataArrives, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Forecast:
    """Everything enabled that will fire from `start` until before `until`, earliest first; and what runs now.

    `shown_until` is earlier than `until` when there are too many fires to show; a note says so. Load and quiet
    stretches end there too.
    """

    start: datetime
    until: datetime
    shown_until: datetime
    fires: tuple[ExpectedFire, ...]
    running: tuple[ExpectedFire, ...]
    load: tuple[QueueLoad, ...]
    quiet: tuple[Stretch, ...]
    when_data_arrives: tuple[WhenDataArrives, ...]
    notes: tuple[str, ...] = ()
    owners: Mapping[str, Owner] = field(default_factory=dict)  # by `what`, of every schedule in force

    def only(self, wanted: Collection[str]) -> Forecast:
        """Return what these lie ahead of, by `what`; load, quiet times and notes stay those of all."""
        return replace(
            self,
            fires=tuple(fire for fire in self.fires if fire.what in wanted),
            running=tuple(fire for fire in self.running if fire.what in wanted),
            when_data_arrives=tuple(entry for entry in self.when_data_arrives if entry.what in wanted),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the one document of the command: `fires` run, `not_fired` are held by a blackout or skipped."""
        return {
            "from": self.start.isoformat(),
            "until": self.until.isoformat(),
            "shown_until": self.shown_until.isoformat(),
            "fires": [fire.as_json() for fire in self.fires if fire.state in RUNS],
            "not_fired": [fire.as_json() for fire in self.fires if fire.state not in RUNS],
            "running": [fire.as_json() for fire in self.running],
            "load": [load.as_json() for load in self.load],
            "quiet": [{"from": part.start.isoformat(), "until": part.end.isoformat()} for part in self.quiet],
            "when_data_arrives": [entry.as_json() for entry in self.when_data_arrives],
            "notes": list(self.notes),
        }
