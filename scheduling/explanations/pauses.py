"""When a schedule was paused, alone or with everything else: put together from the log and what holds now."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from scheduling.decisions.wording import Pause, instant, pause_sentence
from scheduling.explanations.facts import EventFact, Scheduled
from scheduling.states import EventType

_EVERYTHING = "Everything is paused"


@dataclass(frozen=True)
class PausedTime:
    """A stretch of paused time: from `start` (None: longer than the log tells) to `end` (None: until now and on)."""

    start: datetime | None
    end: datetime | None
    reason: str
    everything: bool
    event_id: int | None = None

    def covers(self, at: datetime) -> bool:
        """Return whether the instant lies inside; the start does, the end does not."""
        return (self.start is None or self.start <= at) and (self.end is None or at < self.end)


def paused_times(events: Iterable[EventFact], configuration: Scheduled, state: Pause | None) -> list[PausedTime]:
    """Return the pauses of this schedule and those of everything. `state` is what holds for everything now."""
    known = sorted(events, key=lambda event: (event.at, event.id))
    return [
        *_paired([event for event in known if not event.everything], configuration, "Paused", configuration.armed_from),
        *_paired([event for event in known if event.everything], state, _EVERYTHING, configuration.armed_from),
    ]


def _paired(
    events: list[EventFact], present: Pause | None, subject: str, armed_from: datetime | None
) -> list[PausedTime]:
    """Pair each pause with its end. The present pause counts from the schedule itself, whatever the log still has."""
    found: list[PausedTime] = []
    begun: EventFact | None = None
    for event in events:
        if event.kind == EventType.PAUSED:
            begun = event
        elif event.kind == EventType.RESUMED:
            reason = f"{begun.message if begun else 'Paused'} ({event.message.rstrip('.')}, {instant(event.at)})."
            start = begun.at if begun else None
            found.append(PausedTime(start, event.at, reason, event.everything, (begun or event).id))
            begun = None
    if present is not None and present.paused_at is not None:
        text = pause_sentence(subject, present)
        found.append(PausedTime(present.paused_at, None, text, subject == _EVERYTHING, begun.id if begun else None))
    elif begun is not None:  # the resuming could not be logged; it set `armed_from`
        found.append(PausedTime(begun.at, armed_from or begun.at, f"{begun.message}.", begun.everything, begun.id))
    return found
