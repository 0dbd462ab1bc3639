"""Walks one schedule into the future: a copy of it goes from slot to slot, judged at each by `decide`.

A walk that begins now starts from what is stored: a slot that waits, a batch that runs, a back-off. One that begins
at another instant knows only the cadence and the calendar.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from scheduling.cadence.blackout import Blackout
from scheduling.decisions.aftermath import aftermath, moved_on
from scheduling.decisions.decide import decide
from scheduling.decisions.decision import Decision, Statistics
from scheduling.decisions.wording import span_sentence
from scheduling.forecast.values import FIRES, HELD, ROLLED, SKIPPED, ExpectedFire
from scheduling.lifecycle import arming
from scheduling.models import Schedule
from scheduling.schedules.copies import working_copy
from scheduling.schedules.sentence import describe
from scheduling.states import IntervalAnchor
from scheduling.usual_runs import UsualRun
from staging.tables.statistics import PendingRows

_TICK = timedelta(microseconds=1)
_LONGEST_BLACKOUT = timedelta(days=400)


class Walk:
    """One schedule on its way; `usual` tells what a run of it is."""

    def __init__(self, schedule: Schedule, usual: UsualRun, start: datetime, now: datetime) -> None:
        """Make ready to walk; raises CadenceError when the columns cannot be read."""
        self._mine = mine = working_copy(schedule)
        self._usual, self._start = usual, start
        self._lasts = lasts = usual.lasts
        self._sentence = describe(schedule)
        self._blackout = mine.calendar.blackout() if mine.calendar else None
        self._rolled_to: datetime | None = None
        self._at = now
        mine.forget_pauses()
        # After its first run an interval after completion depends on what ran before: walk all the way from now.
        follows = mine.interval_anchor == IntervalAnchor.LAST_COMPLETION and now < start
        self._ends = max((mine.run_started_at or now) + lasts, now) if mine.is_running else None
        if start != now and not follows:
            self._at = _lit(self._blackout, start)
            self._ends = None
            self._stop_batch(None)
            arming.put(mine, arming.armed(mine, self._at, inclusive=True))

    def wait_for(self, end: datetime | None) -> bool:
        """Stay still until the end of a pause, if it is still to come; False when it has no end."""
        if end is None:
            return False
        if end > self._at:
            self._at = end
            arming.put(self._mine, arming.armed(self._mine, end))
        elif self._mine.next_scheduled_run is None:
            arming.put(self._mine, arming.armed(self._mine, self._at))
        return True

    def fires(self, until: datetime) -> Iterator[ExpectedFire]:
        """Yield the slots from `start` until before `until`, ascending: those that fire and those that do not."""
        mine = self._mine
        while mine.next_scheduled_run is not None:
            self._at = at = max(self._at, mine.next_scheduled_run)
            if at >= until:
                return
            self._end_batch()
            decision = decide(mine, Statistics(PendingRows(), last_sign_of_life=at), at)
            yield from (fire for fire in self._told(decision) if fire.at >= self._start)
            self._move_on(decision)

    def _told(self, decision: Decision) -> Iterator[ExpectedFire]:
        """Yield what a decision says about its slots."""
        slots = decision.slots
        if slots.held and self._blackout and self._blackout.rolls:
            self._rolled_to = self._blackout.end_of(slots.held.last)
        elif slots.held:
            yield self._fire(slots.held.last, HELD, f"{span_sentence(slots.held, 'held by a blackout')}.")
        if slots.fire is not None and decision.would_fire:
            state = ROLLED if slots.fire == self._rolled_to else FIRES
            yield self._fire(self._at, state, decision.reason)
        elif slots.fire is not None and not slots.late:
            yield self._fire(self._at, SKIPPED, decision.reason)

    def _fire(self, at: datetime, state: str, reason: str) -> ExpectedFire:
        usual, mine = self._usual, self._mine
        return ExpectedFire(
            at,
            mine.what,
            self._sentence,
            state,
            None if usual.seen is None else round(usual.seen / timedelta(milliseconds=1)),
            mine.subject.get("entity_id"),
            reason=reason,
            pieces=usual.pieces,
        )

    def _move_on(self, decision: Decision) -> None:
        """Go to what comes after a decision; a fire holds the guard for as long as batches usually take."""
        mine, slots, at = self._mine, decision.slots, self._at
        if slots.through is None:  # the end of a batch has put the next slot off
            return
        after = None if decision.would_fire else aftermath(mine, decision)
        keep = after.keep if after else None
        arming.put(mine, moved_on(mine, slots, at, fires=decision.would_fire, after=after))
        if decision.would_fire:
            arming.put(mine, arming.held(decision.trigger_source, at))
            self._ends = at + self._lasts
        if mine.interval_anchor == IntervalAnchor.LAST_COMPLETION and self._ends is not None:
            self._at = max(at, self._ends)
            self._end_batch()
        elif keep is not None:  # it waits for its batch, its back-off or the end of a blackout
            dark = self._blackout.end_of(at) if self._blackout else None
            waits = [end for end in (self._ends, mine.backoff_until, dark) if end is not None and end > at]
            self._at = min(waits, default=at + timedelta(minutes=1))

    def _end_batch(self) -> None:
        """Complete the running batch when its time is over."""
        if self._ends is not None and self._ends <= self._at:
            self._stop_batch(self._ends)
            if self._mine.interval_anchor == IntervalAnchor.LAST_COMPLETION:
                arming.put(self._mine, arming.next_at(self._mine.planned_after(self._ends)))
            self._ends = None

    def _stop_batch(self, completed: datetime | None) -> None:
        arming.put(self._mine, arming.free(type(self._mine)))
        if completed is not None:
            arming.put(self._mine, arming.completed(completed))


def _lit(blackout: Blackout | None, start: datetime) -> datetime:
    """Return the start, or when the blackout around it began: slots may roll from there to after the start."""
    begin = start
    while blackout and blackout.rolls and blackout.covers(begin - _TICK) and start - begin < _LONGEST_BLACKOUT:
        begin = next(blackout.between(begin - _TICK, begin)).start
    return begin
