"""How decisions write slots and pauses, so that every page and log line reads the same."""

from datetime import datetime
from typing import Protocol

from scheduling.decisions.slots import Span
from scheduling.models import Schedule
from staging.wording import counted, instant

JOB_PAUSED = "The job is paused"


class PauseFacts(Protocol):
    """Whatever carries the four facts of a pause."""

    paused_at: datetime | None
    paused_by: str
    pause_reason: str
    paused_until: datetime | None


def span_sentence(span: Span, what: str) -> str:
    """Return «3 slots missed, from … to …», without the closing stop."""
    slots = f"{counted(span.count, 'slot', 'slots')} {what}"
    if span.count == 1:
        return f"{slots}: {instant(span.first)}"
    return f"{slots}, from {instant(span.first)} to {instant(span.last)}"


def pause_sentence(subject: str, pause: PauseFacts) -> str:
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
