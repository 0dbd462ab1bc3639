"""One schedule of any kind on the virtual clock: what the cycles do to it, in memory alone.

The judgement is `decide`'s, what follows from a refusal is `aftermath`'s. This file only keeps what the database keeps
otherwise: the guard, the next slot, the pause and the back-off. A run holds the guard for its usual duration and then
completes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from scheduling import conf
from scheduling.decisions.decide import decide
from scheduling.decisions.decision import (
    JOB_PAUSED,
    Aftermath,
    Decision,
    DueSlots,
    Statistics,
    aftermath,
    held_sentence,
    past_slots,
    span_sentence,
)
from scheduling.lifecycle import arming
from scheduling.models import Schedule, SchedulerState
from scheduling.schedules.copies import working_copy
from scheduling.simulation.attempt import NextAttempt
from scheduling.simulation.booking import Booking, Place
from scheduling.simulation.grid import TICK
from scheduling.simulation.outcome import NotFired, SimulatedFire, subject_of
from scheduling.simulation.pauses import Pause
from scheduling.states import EventType, IntervalAnchor, ProcessingMode
from scheduling.usual_runs import Piece, UsualRun
from staging.wording import Later, counted, said_together, say


class Simulated:
    """A schedule from `start` on: fresh, with nothing running, no failures and slots that count from there; or stored.

    `rank` is the place of its kind in a cycle, `place` what runs of others may work on besides its own. Each piece of a
    run works when its order and the usual durations say, however busy queues are. `left` are those of the run that was
    stored with it, `attempt` is the one that this run waits for after it failed.
    """

    rank = 0
    place: Place | None = None
    left: Sequence[Piece] = ()
    attempt: NextAttempt | None = None

    def __init__(
        self,
        schedule: Schedule,
        usual: UsualRun,
        *,
        everything: SchedulerState,
        start: datetime,
        is_stored: bool = False,
    ) -> None:
        """Make ready; raises CadenceError for broken columns."""
        self.start, self.pk = start, schedule.pk
        self.schedule, self.usual, self.subject = working_copy(schedule), usual, subject_of(schedule)
        self._pieces: list[tuple[Piece, Place]] = []  # of a run, where others work too
        self._again: list[tuple[Piece, Place]] = []  # of the attempt
        self._touches: list[Simulated] = []
        self.followers: list[Simulated] = []  # plans that run after it
        self._run = object()
        self.fires: list[SimulatedFire] = []
        self.not_fired: list[NotFired] = []
        self.run_ends: datetime | None = None
        self.told = False  # a trigger that stands back is told once until it fires
        self.pauses, self.everything = [Pause(schedule, start)], Pause(everything, start)
        if schedule.paused_with is not None:
            self.pauses.append(Pause(schedule.paused_with, start, JOB_PAUSED))
        if is_stored:
            self._take_over()
        else:
            _refresh(self.schedule, start)
        # Few have a pause, and each cycle asks.
        self.pauses = [pause for pause in self.pauses if pause.next_change() is not None]
        self._may_rest = bool(self.pauses) or self.everything.next_change() is not None

    def meet(self, places: Mapping[tuple[str, int] | None, Place]) -> None:
        """Learn of what is simulated beside it and may be worked on, by workload and id."""
        targets = [(piece, (piece.workload, piece.target_id)) for piece in self.usual.pieces]
        own = self.schedule.works_on
        self._pieces = [(piece, places[of]) for piece, of in targets if of in places and of != own]
        met = {id(place): place for _, place in self._pieces if isinstance(place, Simulated)}
        self._touches = list(met.values())
        again = self.attempt.pieces if self.attempt is not None else ()
        self._again = [(piece, places[of]) for piece in again if (of := (piece.workload, piece.target_id)) in places]
        for piece in self.left:
            place = places.get((piece.workload, piece.target_id))
            begun = not piece.after and isinstance(place, Simulated) and place.schedule.is_running
            if place is not None and not begun and (piece.workload, piece.target_id) != own:
                self._book(piece, place, self.start)

    def cycle(self, now: datetime) -> None:
        """Do what a cycle at `now` does for this schedule, after all that happened since the one before."""
        self.pass_time(now)
        if self._may_rest:
            self._pause_and_resume(now)
        if not self._is_paused() and self._is_looked_at(now):
            self._judge(now)

    def pass_time(self, now: datetime) -> None:
        """Let everything happen that happens by itself up to `now`: runs end."""
        if self.run_ends is not None and self.run_ends <= now:
            self.end_run(self.run_ends)

    def begin_attempt(self, now: datetime) -> None:
        """Begin the attempt that is due, after all schedules were decided: a slot may have ended the wait for it."""
        mine = self.attempt
        if mine is None or mine.at > now or not self._may_begin(mine):
            return
        self.attempt, self._run = None, object()
        self.fires.append(SimulatedFire(now, self.subject, None, 0, mine.source, mine.reason, mine.pieces))
        for piece, place in self._again:
            self._book(piece, place, now)
        self.run_ends = now + mine.lasts
        self.pass_time(now)

    def _may_begin(self, attempt: NextAttempt) -> bool:
        """Return whether no pause keeps the attempt back: what people began waits for the pause of everything only."""
        return not (self._is_paused() if attempt.is_by_itself else self.everything.holds)

    def _attempt_at(self, now: datetime) -> datetime | None:
        """Return when the attempt may begin; that of one that is due and rests is the end of a pause."""
        if self.attempt is None or not self._may_begin(self.attempt):
            return None
        return max(self.attempt.at, now + TICK)

    def wait_for(self, attempt: NextAttempt) -> None:
        """Let the stored run wait for its next attempt: it has ended, and keeps the guard."""
        self.attempt, self.run_ends = attempt, None

    def next_wake(self, now: datetime) -> datetime | None:
        """Return the first instant after `now` that may change the decision; None when nothing ever will.

        Too early only costs a decision more; too late would be an error.
        """
        instants = [self._attempt_at(now), *(() if self._is_paused() else self._changes(now))]
        if self._may_rest:
            instants += self._pause_changes()
        return min([instant for instant in instants if instant is not None and instant > now], default=None)

    def disturbs(self) -> Sequence[Simulated]:
        """Return those whose next wake may change with what this one did in a cycle."""
        if not self._touches:
            return self.followers
        return [*self._touches, *self.followers, *(one for each in self._touches for one in each.followers)]

    def end_run(self, at: datetime, *, completed: bool = True) -> None:
        """Give the guard back; a cancelled run leaves no other trace."""
        mine, left = self.schedule, (arming.completed(at) if completed else {})
        arming.put(mine, arming.guard_free(type(mine)) | left)
        self.run_ends = self.attempt = None
        if completed and mine.interval_anchor == IntervalAnchor.LAST_COMPLETION:
            arming.put(mine, arming.next_at(mine.planned_after(at)))

    def _take_over(self) -> None:
        """Go on from what is stored: what runs goes on for the rest of its usual time, a pause until its end."""
        mine, start = self.schedule, self.start
        mine.forget_pauses()
        if mine.is_running:
            self.run_ends = max((mine.run_started_at or start) + self.usual.lasts, start)
        if mine.next_scheduled_run is None and any(pause.was_over for pause in (*self.pauses, self.everything)):
            arming.put(mine, arming.armed(mine, start))

    def _changes(self, now: datetime) -> Iterator[datetime | None]:
        """Yield every instant that may change something while nothing is paused, some of them past."""
        slot = self.schedule.next_scheduled_run
        if slot is not None and slot > now:
            yield slot
        elif slot is not None:
            yield from self._while_it_waits(slot, now)
        if self.schedule.interval_anchor == IntervalAnchor.LAST_COMPLETION:
            yield self.run_ends

    def _while_it_waits(self, slot: datetime, now: datetime) -> Iterator[datetime | None]:
        """Yield when a decision about a due slot may change: in the next cycle, unless it is known what holds it back.

        Then it is the end of that, a run or a blackout, the next slot, or one of the due slots that grows too old to be
        on time or to be caught up. What was due beside a slot that fired just now nobody has judged yet.
        """
        mine = self.schedule
        ends = self.run_end() if mine.is_running else None
        blackout = mine.blackout()
        dark = blackout.end_of(now) if blackout and not mine.SHARES_GUARD else None
        is_held = (ends is not None and ends > now) if blackout is None else dark is not None
        cadence = mine.cadence() if is_held and mine.last_fired_at != now else None
        if cadence is None:
            yield now + TICK
            return
        yield from (ends, dark, mine.backoff_until)
        yield cadence.next_after(now)
        for limit in (conf.missed_after(), timedelta(minutes=mine.catch_up_window_minutes)):
            young = cadence.next_after(now - limit - TICK)
            yield from (at + limit + TICK for at in (slot, young) if at is not None)

    def run_end(self) -> datetime | None:
        """Return when the run that holds the guard ends, or the next attempt of it; None when nothing runs."""
        return self.run_ends if self.attempt is None else self.attempt.at + self.attempt.lasts

    def ends_ahead(self) -> Iterator[datetime | None]:
        """Yield the instants at which something of it may end, as far as that is known."""
        yield self.run_end()

    def _pause_changes(self) -> Iterator[datetime | None]:
        yield self.everything.next_change()
        for pause in self.pauses:
            yield pause.next_change()

    def _is_paused(self) -> bool:
        return self._may_rest and (self.everything.holds or self._rests())

    def _rests(self) -> bool:
        return any(pause.holds for pause in self.pauses)

    def _pause_and_resume(self, now: datetime) -> None:
        """Begin and end what is paused; a schedule starts from the end of its pause."""
        for pause in self.pauses:
            if pause.begins(now):
                self._tell(now, EventType.PAUSED, pause.sentence(now), count=0)
        ended = [pause.ends(now) for pause in self.pauses]
        rests = self._rests()
        if rests:
            arming.put(self.schedule, arming.next_at(None))
        if self.everything.begins(now):
            self._tell(now, EventType.PAUSED, say("Everything is paused."), count=0)
        if (self.everything.ends(now) or any(ended)) and not rests:
            arming.put(self.schedule, arming.armed(self.schedule, now))

    def _is_looked_at(self, now: datetime) -> bool:
        """Return whether a cycle reads this schedule: due or triggered."""
        slot = self.schedule.next_scheduled_run
        return slot is not None and slot <= now

    def _statistics(self, now: datetime) -> Statistics:
        """Return what a decision needs besides; what runs in a simulation always shows signs of life."""
        return Statistics(last_sign_of_life=now if self.schedule.is_running else None)

    def _judge(self, now: datetime) -> None:
        """Decide, and go on from the decision."""
        measured = self._statistics(now)
        decision = decide(self.schedule, measured, now)
        if not decision.would_fire:
            self._hold_back(decision, now)
        elif self.usual.faults:
            self._fail(now)
        elif refusal := self._refusal(now):
            self._tell(now, EventType.SKIPPED, refusal)
            self._move_on(decision.slots, now, fires=True)
        else:
            self._fire(decision, measured.pending.count, now)

    def _refusal(self, now: datetime) -> str:
        """Return why a decided fire finds its work begun already, empty when it does not."""
        return ""

    def _fire(self, decision: Decision, rows: int, now: datetime) -> None:
        slot, source = decision.slots.fire, decision.kept("trigger_source")
        fire = SimulatedFire(now, self.subject, slot, rows, self._named(source), decision.kept("reason"))
        self.fires.append(fire)
        if slot is not None:
            self._move_on(decision.slots, now, fires=True)
        self.start_run(now, source)
        self._go(now)

    def start_run(self, at: datetime, source: str | Later) -> None:
        """Take the guard."""
        mine = self.schedule
        arming.put(mine, arming.fired(source, at, count=mine.fire_count + 1))
        self.told = False

    def _named(self, source: str | Later) -> str | Later:
        """Return what the log names as the source of a fire."""
        return source

    def _go(self, now: datetime) -> None:
        """Do the work of a fire; what takes no time is over at once."""
        self._run = object()
        for piece, place in self._pieces:
            self._book(piece, place, now)
        self.run_ends = now + self.usual.lasts
        if self.run_ends <= now:
            self.pass_time(now)

    def _book(self, piece: Piece, place: Place, now: datetime) -> None:
        """Let a piece of the run work elsewhere, counted from `now`."""
        source = self.schedule.run_started_by
        place.book(Booking(now + piece.after, piece.lasts, self._run, source, piece.is_first))

    def _fail(self, now: datetime) -> None:
        """Tell why nothing can start, and back off."""
        mine = self.schedule
        arming.put(mine, arming.failed(now, mine.consecutive_failures + 1))
        text = said_together(self.usual.faults, say("Not tried again before {until}.", until=mine.backoff_until))
        self._tell(now, EventType.ERROR, text)

    def _hold_back(self, decision: Decision, now: datetime) -> None:
        after = aftermath(self.schedule, decision)
        if after.moves_on:
            self._move_on(decision.slots, now, after=after)
        if after.replaces:
            self._cancel_running(now)
        if not after.held_back or self.told:
            return
        self.told = self.schedule.processing_mode == ProcessingMode.TRIGGERED
        self._tell(now, after.held_back, decision.kept("reason"))

    def _cancel_running(self, now: datetime) -> None:
        """Cancel the run that a new one replaces, with what it has not done; the next cycle finds the guard free."""
        if not self.schedule.is_running:
            return
        self.end_run(now, completed=False)
        for place in {id(place): place for _, place in self._pieces}.values():
            place.cancel(self._run, now)

    def _move_on(self, slots: DueSlots, now: datetime, *, fires: bool = False, after: Aftermath | None = None) -> None:
        """Pass the slots up to now and tell those that were missed or held by a blackout."""
        arming.put(self.schedule, past_slots(self.schedule, slots, now, fires=fires, after=after))
        if (missed := slots.missed) is not None:
            told = counted(missed.count, "slot missed between two cycles", "slots missed between two cycles")
            self._tell(now, EventType.MISSED, span_sentence(told, missed), missed.count)
        if slots.held is not None:
            self._tell(now, EventType.HELD, held_sentence(slots.held), slots.held.count)

    def _tell(self, now: datetime, event: str, reason: str | Later, count: int = 1) -> None:
        self.not_fired.append(NotFired(now, self.subject, str(event), reason, count))


def _refresh(mine: Schedule, start: datetime) -> None:
    """Take a copy's past away; its first slot is at or after `start`. Raises CadenceError for broken columns."""
    arming.put(mine, arming.unused(type(mine)))
    mine.forget_pauses()
    arming.put(mine, arming.armed(mine, start, inclusive=True))
