"""What an explanation is made from: the schedule, its runs and its log events, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from scheduling.decisions.decision import PauseFacts
from scheduling.models import BlackoutCalendar
from staging.wording import said_again


class Scheduled(Protocol):
    """Whatever has a schedule; what `explain` reads of it."""

    is_enabled: bool
    is_running: bool
    overlap: str
    processing_mode: str
    catch_up: str
    armed_from: datetime | None
    next_scheduled_run: datetime | None
    caught_up_through: datetime | None
    calendar: BlackoutCalendar | None
    paused_at: datetime | None
    paused_by: str
    pause_reason: str
    paused_until: datetime | None

    @property
    def paused_with(self) -> PauseFacts | None:
        """Return what it belongs to and rests with while that is paused."""


@dataclass(frozen=True)
class RunFact:
    """One run that the scheduler started: the slot it served (None for a trigger), and how it ended."""

    id: int
    created_at: datetime
    status: str
    scheduled_for: datetime | None = None
    trigger_source: str = ""
    error: str = ""
    attempt_number: int = 1  # of its plan
    next_attempt_at: datetime | None = None


@dataclass(frozen=True)
class EventFact:
    """One log event: about one `slot`, about all slots from `first` to `last`, or about neither."""

    id: int
    at: datetime
    kind: str
    message: str = ""
    everything: bool = False
    of: str = ""  # of a pause in the log of a job: "job", or "schedule" when only the one named was paused
    schedule: str = ""
    run_id: int | None = None
    slot: datetime | None = None
    gate: str = ""
    first: datetime | None = None
    last: datetime | None = None
    count: int = 0
    said: Any = None  # what the message was made from, for a reader of another language or zone

    @property
    def words(self) -> str:
        """Return the message as its reader reads it."""
        return str(said_again(self.said)) if self.said else self.message

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> "EventFact":
        """Return the fact of a row as `read` selects it; details that are no instants count as absent."""
        instants = {name: _instant(row[name]) for name in ("slot", "first", "last")}
        return cls(
            id=row["id"],
            at=row["event_time"],
            kind=row["event_type"],
            message=row["message"],
            said=row.get("said"),
            everything=all(row.get(name) is None for name in ("entity_id", "plan_id", "job_id")),
            of=str(row.get("of") or ""),
            schedule=str(row.get("schedule") or ""),
            run_id=row["run_id"],
            gate=str(row["gate"] or ""),
            count=int(row["count"]) if str(row["count"]).isdigit() else 0,
            **instants,
        )


def _instant(text: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found if found.tzinfo else None
