"""One entity on the virtual clock: what the cycles do to it, in memory alone.

The judgement is `decide`'s. This file only keeps what the database keeps otherwise: the pending rows, the guard, the
next slot and the pause. A fire takes all pending rows; its batch holds the guard for the entity's usual duration and
then completes.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from scheduling.decisions.aftermath import aftermath
from scheduling.decisions.decide import decide
from scheduling.decisions.decision import Decision, Statistics
from scheduling.decisions.slots import DueSlots
from scheduling.decisions.wording import pause_sentence, span_sentence
from scheduling.models import SchedulerConfiguration, SchedulerState
from scheduling.schedules.change import advance
from scheduling.schedules.copies import working_copy
from scheduling.simulation.arrivals import Arrival
from scheduling.simulation.outcome import NotFired, SimulatedFire
from scheduling.simulation.pauses import Pause
from scheduling.states import EventType, IntervalAnchor, ProcessingMode
from staging.tables.statistics import PendingRows

_TICK = timedelta(microseconds=1)


class SimulatedEntity:
    """An entity that starts fresh at `start`: nothing pending, nothing running, no failures; slots count from there."""

    def __init__(
        self,
        configuration: SchedulerConfiguration,
        arrivals: Sequence[Arrival],
        *,
        lasts: timedelta,
        everything: SchedulerState,
        start: datetime,
    ) -> None:
        self.code = configuration.entity.code
        self.configuration = _fresh(configuration, start)
        self.lasts = lasts
        self.fires: list[SimulatedFire] = []
        self.not_fired: list[NotFired] = []
        self.pending = PendingRows()
        self.batch_ends: datetime | None = None
        self.told = False  # a trigger that stands back is told once until it fires
        self.pause, self.everything = Pause(configuration, start), Pause(everything, start)
        self._arrivals, self._arrived = arrivals, 0

    @property
    def next_arrival(self) -> datetime | None:
        """Return when the next rows land."""
        return self._arrivals[self._arrived].at if self._arrived < len(self._arrivals) else None

    def cycle(self, now: datetime) -> None:
        """Do what a cycle at `now` does for this entity, after all that happened since the one before."""
        mine = self.configuration
        self._receive(now)
        if self.pause.begins(now):
            self.pause.put_on(mine, now)
            mine.next_scheduled_run = None
            self._tell(now, EventType.PAUSED, pause_sentence("Paused", mine), count=0)
        self._end_batch(now)
        if self.pause.ends(now):
            self.pause.take_off(mine)
            self._arm(now)
        if self.everything.begins(now):
            self._tell(now, EventType.PAUSED, "Everything is paused.", count=0)
        if self.everything.ends(now) and mine.paused_at is None:
            self._arm(now)
        if self.everything.holds:
            return
        if mine.paused_at is None and self._is_looked_at(now):
            self._judge(now)

    def _receive(self, now: datetime) -> None:
        """Take in the rows that landed up to now."""
        while (at := self.next_arrival) is not None and at <= now:
            rows = self._arrivals[self._arrived].rows
            self.pending = PendingRows(self.pending.count + rows, self.pending.oldest_at or at, at)
            self._arrived += 1

    def _end_batch(self, now: datetime) -> None:
        """Complete the running batch when its time is over."""
        ended, mine = self.batch_ends, self.configuration
        if ended is None or ended > now:
            return
        mine.is_running, mine.run_started_at, mine.run_started_by = False, None, ""
        mine.last_completed_at, self.batch_ends = ended, None
        if mine.interval_anchor == IntervalAnchor.LAST_COMPLETION:
            mine.next_scheduled_run = advance(mine, ended)

    def _arm(self, now: datetime) -> None:
        """Start the schedule from now, as resuming does."""
        mine = self.configuration
        mine.armed_from, mine.caught_up_through = now, None
        mine.next_scheduled_run = advance(mine, now)

    def _is_looked_at(self, now: datetime) -> bool:
        """Return whether a cycle reads this configuration: due or triggered."""
        if self.configuration.processing_mode == ProcessingMode.TRIGGERED:
            return True
        slot = self.configuration.next_scheduled_run
        return slot is not None and slot <= now

    def _judge(self, now: datetime) -> None:
        """Decide, and go on from the decision. A simulated batch always shows signs of life."""
        alive = now if self.configuration.is_running else None
        decision = decide(self.configuration, Statistics(self.pending, alive), now)
        if decision.would_fire:
            self._fire(decision, now)
        else:
            self._hold_back(decision, now)

    def _fire(self, decision: Decision, now: datetime) -> None:
        mine, slot = self.configuration, decision.slots.fire
        source, rows = decision.trigger_source, self.pending.count
        self.fires.append(SimulatedFire(now, self.code, slot, source, decision.reason, rows))
        if slot is not None:
            self._move_on(decision.slots, now)
        mine.is_running, mine.run_started_at, mine.run_started_by = True, now, source
        mine.last_fired_at, mine.fire_count = now, mine.fire_count + 1
        self.pending, self.told, self.batch_ends = PendingRows(), False, now + self.lasts
        self._end_batch(now)

    def _hold_back(self, decision: Decision, now: datetime) -> None:
        after = aftermath(self.configuration, decision)
        if after.moves_on:
            self._move_on(decision.slots, now, keep=after.keep)
        if not after.held_back or self.told:
            return
        self.told = self.configuration.processing_mode == ProcessingMode.TRIGGERED
        self._tell(now, after.held_back, decision.reason)

    def _move_on(self, slots: DueSlots, now: datetime, keep: datetime | None = None) -> None:
        """Pass the slots up to now and tell those that were missed or held by a blackout."""
        mine = self.configuration
        mine.next_scheduled_run = keep or slots.following or advance(mine, now)
        mine.caught_up_through = slots.through
        for span, event, what in (
            (slots.missed, EventType.MISSED, "missed between two cycles"),
            (slots.held, EventType.HELD, "held by a blackout"),
        ):
            if span is not None:
                self._tell(now, event, f"{span_sentence(span, what)}.", span.count)

    def _tell(self, now: datetime, event: str, reason: str, count: int = 1) -> None:
        self.not_fired.append(NotFired(now, self.code, str(event), reason, count))


def _fresh(configuration: SchedulerConfiguration, start: datetime) -> SchedulerConfiguration:
    """Return a copy without any past, its first slot at or after `start`. Raises CadenceError for broken columns."""
    mine = working_copy(configuration)
    mine.is_running, mine.run_started_at, mine.run_started_by, mine.running_task_id = False, None, "", None
    mine.fire_count, mine.last_fired_at, mine.last_completed_at = 0, None, None
    mine.consecutive_failures, mine.backoff_until = 0, None
    mine.paused_at, mine.paused_by, mine.pause_reason, mine.paused_until = None, "", "", None
    mine.armed_from, mine.caught_up_through = start, None
    mine.next_scheduled_run = advance(mine, start - _TICK)
    return mine
