"""Says of each slot what became of it and why: a pure function of the schedule, its slots, its runs and its log.

The first that applies names the state: a run; a log event about this very slot; a pause; an error at its time; a log
event about a stretch of slots; a reason for which it was never due; and for a slot that is left, what the schedule
itself tells: a slot without any run or event was missed, also when nobody was there to log it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext_noop

from scheduling import conf
from scheduling.cadence.blackout import Blackout
from scheduling.decisions.decision import EVERYTHING_PAUSED, JOB_PAUSED, PAUSED, PauseFacts, pause_sentence
from scheduling.explanations import outcomes
from scheduling.explanations.explanation import ExplainedSlot, Explanation, SlotState
from scheduling.explanations.facts import EventFact, RunFact, Scheduled
from scheduling.explanations.remedies import Remedy
from scheduling.states import CatchUp, EventType, Overlap, ProcessingMode
from staging.wording import duration, instant, said_together, say

OWN, JOB, EVERYTHING = "", "job", "everything"
_WORDS = {OWN: PAUSED, JOB: JOB_PAUSED, EVERYTHING: EVERYTHING_PAUSED}


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


def paused_times(events: Iterable[EventFact], configuration: Scheduled, state: PauseFacts | None) -> list[PausedTime]:
    """Return the pauses of this schedule, of its job and of everything. `state` is what holds for everything now."""
    known: dict[str, list[EventFact]] = {OWN: [], JOB: [], EVERYTHING: []}
    for event in sorted(events, key=lambda event: (event.at, event.id)):
        known[EVERYTHING if event.everything else JOB if event.of == JOB else OWN].append(event)
    present = {OWN: configuration, JOB: configuration.paused_with, EVERYTHING: state}
    return [
        pause for of, events in known.items() for pause in _paired(events, present[of], of, configuration.armed_from)
    ]


def _paired(
    events: list[EventFact], present: PauseFacts | None, of: str, armed_from: datetime | None
) -> list[PausedTime]:
    """Pair each pause with its end. The present pause counts from the schedule itself, whatever the log still has."""
    found: list[PausedTime] = []
    begun: EventFact | None = None
    for event in events:
        if event.kind == EventType.PAUSED:
            begun = event
        elif event.kind == EventType.RESUMED:
            reason = f"{begun.words if begun else 'Paused'} ({event.words.rstrip('.')}, {instant(event.at)})."
            start = begun.at if begun else None
            found.append(PausedTime(start, event.at, reason, of, (begun or event).id))
            begun = None
    if present is not None and present.paused_at is not None:
        text = pause_sentence(_WORDS[of], present)
        found.append(PausedTime(present.paused_at, None, text, of, begun.id if begun else None))
    elif begun is not None:  # the resuming could not be logged; it set `armed_from`
        found.append(PausedTime(begun.at, armed_from or begun.at, f"{begun.words}.", of, begun.id))
    return found


def explain_slots(
    configuration: Scheduled,
    slots: Iterable[datetime],
    runs: Iterable[RunFact],
    events: Iterable[EventFact],
    now: datetime,
    *,
    blackout: Blackout | None = None,
    state: PauseFacts | None = None,
) -> Explanation:
    """Return every slot with what became of it. Reads no table and no clock.

    Slots that runs and events name are explained too, also when the cadence of today does not have them. `state` says
    whether everything is paused now.
    """
    runs, events = list(runs), list(events)
    known = _Known(configuration, now, blackout, paused_times(events, configuration, state), sorted(slots))
    known.sort_in(runs, events)
    found = [known.explain(at) for at in sorted({*known.slots, *known.runs, *known.told, *known.span_ends()})]
    found += [outcomes.outcome_of_fire(run.created_at, [run]) for run in runs if run.scheduled_for is None]
    return Explanation(tuple(sorted(found, key=lambda slot: slot.at)))


@dataclass
class _Known:
    """Everything known, by slot."""

    configuration: Scheduled
    now: datetime
    blackout: Blackout | None
    pauses: list[PausedTime]
    slots: list[datetime]
    runs: dict[datetime, list[RunFact]] = field(default_factory=lambda: defaultdict(list))
    told: dict[datetime, EventFact] = field(default_factory=dict)
    spans: list[EventFact] = field(default_factory=list)
    errors: list[EventFact] = field(default_factory=list)

    def sort_in(self, runs: list[RunFact], events: list[EventFact]) -> None:
        """Put each run and event where its slot will look for it."""
        for run in runs:
            if run.scheduled_for is not None:
                self.runs[run.scheduled_for].append(run)
        for event in sorted(events, key=lambda event: (event.at, event.id)):
            if event.slot is not None:
                self.told[event.slot] = event
            elif event.first is not None and event.first == event.last:
                self.told.setdefault(event.first, event)
            elif event.first is not None and event.last is not None:
                self.spans.append(event)
            elif event.kind == EventType.ERROR and event.run_id is None:
                self.errors.append(event)

    def span_ends(self) -> Iterator[datetime]:
        """Yield the slots that stretches name, the first and the last."""
        for event in self.spans:
            yield from (at for at in (event.first, event.last) if at is not None)

    def explain(self, at: datetime) -> ExplainedSlot:
        """Return what became of one slot."""
        if at in self.runs:
            return outcomes.outcome_of_fire(at, self.runs[at])
        steps = (self._told, self._paused, self._error, self._in_a_stretch, self._never_due, self._unseen)
        return next((found for step in steps if (found := step(at)) is not None), self._unknown(at))

    def _told(self, at: datetime) -> ExplainedSlot | None:
        event = self.told.get(at)
        return self._of_event(at, event) if event else None

    def _paused(self, at: datetime) -> ExplainedSlot | None:
        pause = next((pause for pause in self.pauses if pause.covers(at)), None)
        if pause is None:
            return None
        remedy = Remedy.WAS_PAUSED if pause.end else _RESUME[pause.of]
        return ExplainedSlot(at, SlotState.NOT_DUE, pause.reason, str(remedy), event_id=pause.event_id)

    def _error(self, at: datetime) -> ExplainedSlot | None:
        """Find the first error while the slot was due: until it would have counted as missed."""
        index = bisect_left(self.errors, at, key=lambda event: event.at)
        if index == len(self.errors) or self.errors[index].at - at > conf.missed_after():
            return None
        event = self.errors[index]
        return ExplainedSlot(at, SlotState.ERROR, event.words, str(Remedy.ERROR), event_id=event.id)

    def _in_a_stretch(self, at: datetime) -> ExplainedSlot | None:
        """Find the logged stretch that holds the slot; of a missed and a held one, the calendar says which it is."""
        around = [event for event in self.spans if event.first and event.last and event.first <= at <= event.last]
        around = [event for event in around if not self._was_another_schedule(at, event)]
        if not around:
            return None
        dark = EventType.HELD if self._dark_until(at) else EventType.MISSED
        return self._of_event(at, next((event for event in around if event.kind == dark), around[0]))

    def _was_another_schedule(self, at: datetime, event: EventFact) -> bool:
        """Return whether the stretch spoke of other slots: it has fewer than the schedule of today has in it."""
        armed_from, first, last = self.configuration.armed_from, event.first, event.last
        if armed_from is None or first is None or last is None or at >= armed_from or at in (first, last):
            return False
        return bisect_right(self.slots, last) - bisect_left(self.slots, first) > event.count

    def _of_event(self, at: datetime, event: EventFact) -> ExplainedSlot:
        if event.kind == EventType.HELD:
            return self._held(at, event)
        return outcomes.held_back(at, event)

    def _held(self, at: datetime, event: EventFact | None = None) -> ExplainedSlot:
        """Say that a blackout held the slot and, when the calendar rolls, where it moved."""
        end = self._dark_until(at)
        moved = end if end and self.blackout and self.blackout.rolls else None
        rolled = self.runs.get(moved, []) if moved else []
        text = (
            say("Blackout of {calendar} until {end}.", calendar=self.blackout.name, end=end)
            if self.blackout and end
            else ""
        )
        text = text or (event.words if event else "")
        return ExplainedSlot(
            at,
            SlotState.HELD,
            said_together(text, say("It moved to {instant}.", instant=moved)) if moved else text,
            str(Remedy.NOTHING if moved else Remedy.BLACKOUT),
            run_id=max((run.id for run in rolled), default=None),
            event_id=event.id if event else None,
        )

    def _never_due(self, at: datetime) -> ExplainedSlot | None:
        schedule = self.configuration
        if schedule.armed_from is not None and at < schedule.armed_from:
            text = say(
                "The schedule counts from {armed_from}: it was made, changed or resumed then.",
                armed_from=schedule.armed_from,
            )
            return _not_due(at, text, Remedy.BEFORE_CHANGE)
        if not schedule.is_enabled:
            return _not_due(at, say("The schedule is switched off."), Remedy.SWITCHED_OFF)
        if schedule.processing_mode != ProcessingMode.SCHEDULED:
            return _not_due(at, say("The mode is {mode}.", mode=schedule.processing_mode), Remedy.OTHER_MODE)
        if at > self.now:
            end = self._dark_until(at)
            if not (end and self.blackout):
                return _not_due(at, say("Not due yet."), Remedy.TO_COME)
            text = say("Not due yet. A blackout of {calendar} will hold it.", calendar=self.blackout.name)
            return _not_due(at, text, Remedy.BLACKOUT)
        return None

    def _unseen(self, at: datetime) -> ExplainedSlot | None:
        """Explain a slot that the dispatcher has not passed yet."""
        schedule = self.configuration
        if schedule.next_scheduled_run is None or at < schedule.next_scheduled_run:
            return None
        if self._dark_until(at):
            return self._held(at)
        if schedule.overlap != Overlap.SKIP and schedule.is_running and at == schedule.next_scheduled_run:
            return _not_due(at, say("Due; it waits for the end of the run before."), Remedy.AWAITS_END)
        if self.now - at <= conf.missed_after():
            return _not_due(at, say("Due; the next cycle decides it."), Remedy.AWAITED)
        waits = schedule.catch_up == CatchUp.ALL or at == schedule.next_scheduled_run
        if schedule.caught_up_through is not None and at <= schedule.caught_up_through and waits:
            return ExplainedSlot(at, SlotState.MISSED, say("Missed; it waits to run late."), str(Remedy.CATCHES_UP))
        late = duration(self.now - at)
        text = say(
            "No scheduler has looked since it was due, {late} ago; {catch_up}.",
            late=late,
            catch_up=say(_CATCH_UP[CatchUp(schedule.catch_up)]),
        )
        return ExplainedSlot(at, SlotState.MISSED, text, str(Remedy.NO_SCHEDULER))

    def _unknown(self, at: datetime) -> ExplainedSlot:
        """Explain a slot that the schedule passed without a trace."""
        if self._dark_until(at):
            return self._held(at)
        return ExplainedSlot(at, SlotState.MISSED, say("No run, and nothing in the log."), str(Remedy.NOTHING_KNOWN))

    def _dark_until(self, at: datetime) -> datetime | None:
        return self.blackout.end_of(at) if self.blackout else None


def _not_due(at: datetime, reason: str, remedy: Remedy) -> ExplainedSlot:
    return ExplainedSlot(at, SlotState.NOT_DUE, reason, str(remedy))


_RESUME = {OWN: Remedy.PAUSED, JOB: Remedy.JOB_PAUSED, EVERYTHING: Remedy.EVERYTHING_PAUSED}
_CATCH_UP = {
    CatchUp.NONE: gettext_noop("catch-up drops it"),
    CatchUp.LAST: gettext_noop("of those missed, the last runs late when it is back"),
    CatchUp.ALL: gettext_noop("it runs late when it is back, within the limits of catch-up"),
}
