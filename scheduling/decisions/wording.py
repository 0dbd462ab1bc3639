"""How decisions write numbers, times and durations, so that every page and log line reads the same."""

from datetime import UTC, datetime, timedelta
from typing import Protocol

from scheduling.decisions.slots import Span
from scheduling.models import Schedule

JOB_PAUSED = "The job is paused"


class Pause(Protocol):
    """Whatever carries the four facts of a pause."""

    paused_at: datetime | None
    paused_by: str
    pause_reason: str
    paused_until: datetime | None


def instant(value: datetime) -> str:
    """Return an instant for reading, to the second, in UTC."""
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def span_sentence(span: Span, what: str) -> str:
    """Return «3 slots missed, from … to …», without the closing stop."""
    if span.count == 1:
        return f"1 slot {what}: {instant(span.first)}"
    return f"{span.count:,} slots {what}, from {instant(span.first)} to {instant(span.last)}"


def pause_sentence(subject: str, pause: Pause) -> str:
    """Return who paused, why and until when, in one sentence."""
    by = f" by {pause.paused_by}" if pause.paused_by else ""
    since = f" since {instant(pause.paused_at)}" if pause.paused_at else ""
    until = f", until {instant(pause.paused_until)}" if pause.paused_until else ""
    why = f": {pause.pause_reason}" if pause.pause_reason else ""
    return f"{subject}{by}{since}{until}{why}."


def pauses_of(schedule: Schedule) -> list[str]:
    """Return a sentence for each pause that keeps this schedule still: its own, and that of its job."""
    own = [pause_sentence("Paused", schedule)] if schedule.paused_at is not None else []
    above = schedule.paused_with
    return [*own, pause_sentence(JOB_PAUSED, above)] if above is not None else own


def count(rows: int) -> str:
    """Return a number of rows with its noun."""
    return "1 row" if rows == 1 else f"{rows:,} rows"


def duration(value: timedelta) -> str:
    """Return an elapsed time in its two largest units, cut and never rounded up."""
    seconds = max(int(value.total_seconds()), 0)
    units = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
    parts = []
    for name, size in units:
        amount, seconds = divmod(seconds, size)
        if amount:
            parts.append(f"{amount} {name}")
    return " ".join(parts[:2]) or "0 s"
