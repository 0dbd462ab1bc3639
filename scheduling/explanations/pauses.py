"""When a schedule was paused, alone or with everything else: put together from the log and what holds now."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from scheduling.decisions.wording import JOB_PAUSED, Pause, instant, pause_sentence
from scheduling.explanations.facts import EventFact, Scheduled
from scheduling.states import EventType

OWN, JOB, EVERYTHING = "", "job", "everything"
_WORDS = {OWN: "Paused", JOB: JOB_PAUSED, EVERYTHING: "Everything is paused"}


@dataclass(frozen=True)
class PausedTime:
    """A stretch of paused time: from `start` (None: longer than the log tells) to `end` (None: until now and on).

    `of` is what was paused: "everything", "job", or empty for the schedule itself.
    """

    start: datetime | None
    end: datetime | None
    reason: str
    of: str
    event_id: int | None = None

    def covers(self, at: datetime) -> bool:
        """Return whether the instant lies inside; the start does, the end does not."""
        return (self.start is None or self.start <= at) and (self.end is None or at < self.end)


def paused_times(events: Iterable[EventFact], configuration: Scheduled, state: Pause | None) -> list[PausedTime]:
    """Return the pauses of this schedule, of its job and of everything. `state` is what holds for everything now."""
    known: dict[str, list[EventFact]] = {OWN: [], JOB: [], EVERYTHING: []}
    for event in sorted(events, key=lambda event: (event.at, event.id)):
        known[EVERYTHING if event.everything else JOB if event.of == JOB else OWN].append(event)
    present = {OWN: configuration, JOB: configuration.paused_with, EVERYTHING: state}
    return [
        pause for of, events in known.items() for pause in _paired(events, present[of], of, configuration.armed_from)
    ]


def _paired(events: list[EventFact], present: Pause | None, of: str, armed_from: datetime | None) -> list[PausedTime]:
    """Pair each pause with its end. The present pause counts from the schedule itself, whatever the log still has."""
    found: list[PausedTime] = []
    begun: EventFact | None = None
    for event in events:
        if event.kind == EventType.PAUSED:
            begun = event
        elif event.kind == EventType.RESUMED:
            reason = f"{begun.message if begun else 'Paused'} ({event.message.rstrip('.')}, {instant(event.at)})."
            start = begun.at if begun else None
            found.append(PausedTime(start, event.at, reason, of, (begun or event).id))
            begun = None
    if present is not None and present.paused_at is not None:
        text = pause_sentence(_WORDS[of], present)
        found.append(PausedTime(present.paused_at, None, text, of, begun.id if begun else None))
    elif begun is not None:  # the resuming could not be logged; it set `armed_from`
        found.append(PausedTime(begun.at, armed_from or begun.at, f"{begun.message}.", of, begun.id))
    return found
