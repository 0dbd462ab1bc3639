"""One entity on the virtual clock: its staged rows come and go beside what every schedule has.

A batch takes all pending rows, whoever starts it: a fire of the entity's own, or a plan of which it is a step.
"""

from bisect import insort
from collections.abc import Iterator, Sequence
from datetime import datetime

from scheduling.decisions.decision import Statistics
from scheduling.decisions.triggers import turning_points
from scheduling.models import Schedule, SchedulerConfiguration, SchedulerState
from scheduling.simulation.arrivals import Arrival
from scheduling.simulation.booking import Booking
from scheduling.simulation.grid import TICK
from scheduling.simulation.schedule import Simulated
from scheduling.states import ProcessingMode
from scheduling.usual_runs import UsualRun
from staging.tables.columns import PendingRows
from staging.wording import Later

_NO_ROWS = PendingRows()  # made once: each fire leaves none


class SimulatedEntity(Simulated):
    """An entity with nothing pending before the first arrival."""

    schedule: SchedulerConfiguration

    def __init__(
        self,
        configuration: Schedule,
        arrivals: Sequence[Arrival],
        usual: UsualRun,
        *,
        everything: SchedulerState,
        start: datetime,
        is_stored: bool = False,
    ) -> None:
        """Make ready; raises CadenceError for broken columns."""
        super().__init__(configuration, usual, everything=everything, start=start, is_stored=is_stored)
        self.place = self
        self.pending = _NO_ROWS
        self._arrivals, self._arrived = arrivals, 0
        self._booked: list[Booking] = []
        self._in_plan: Booking | None = None  # what runs is a step of a plan
        self._is_cancelled = False
        self._free_from = start

    def pass_time(self, now: datetime) -> None:
        """Let rows land, batches end, and steps of plans take the entity as soon as it is free."""
        while True:
            if self.run_ends is not None:
                if self.run_ends > now:
                    break
                self.end_run(self.run_ends, completed=not self._is_cancelled)
            elif self._booked and self._booked[0].start <= now:
                self._begin(self._booked.pop(0))
            else:
                break
        if self._arrivals:
            self._receive(now)

    def end_run(self, at: datetime, *, completed: bool = True) -> None:
        """Give the guard back, to a step of a plan that waits for it if there is one."""
        super().end_run(at, completed=completed)
        self._in_plan, self._is_cancelled, self._free_from = None, False, at

    def start_run(self, at: datetime, source: str | Later) -> None:
        """Take the guard and all pending rows."""
        super().start_run(at, source)
        self.pending = _NO_ROWS

    def book(self, booking: Booking) -> None:
        """Let a plan's step work on the entity at a time to come; it waits while another batch runs."""
        insort(self._booked, booking, key=lambda one: one.start)

    def ends_ahead(self) -> Iterator[datetime | None]:
        """Yield when its batch ends, and when steps of plans would begin and end."""
        yield self.run_end()
        for one in self._booked:
            yield from (one.start, one.start + one.lasts)

    def cancel(self, of: object, now: datetime) -> None:
        """Take back what a cancelled run of a plan has not done; the next cycle finds the entity free of it."""
        self.pass_time(now)
        self._booked = [one for one in self._booked if one.of is not of]
        if self._in_plan is not None and self._in_plan.of is of:
            self.run_ends, self._is_cancelled = now + TICK, True

    def _begin(self, booking: Booking) -> None:
        """Start a plan's step, at its time or when the entity is free."""
        at = max(booking.start, self._free_from)
        self._receive(at)
        self.start_run(at, booking.source)
        self.run_ends, self._in_plan = at + booking.lasts, booking

    def _receive(self, now: datetime) -> None:
        """Take in the rows that landed up to now."""
        while (at := self._next_arrival()) is not None and at <= now:
            rows = self._arrivals[self._arrived].rows
            self.pending = PendingRows(self.pending.count + rows, self.pending.oldest_at or at, at)
            self._arrived += 1

    def _next_arrival(self) -> datetime | None:
        """Return when the next rows land."""
        return self._arrivals[self._arrived].at if self._arrived < len(self._arrivals) else None

    def _is_looked_at(self, now: datetime) -> bool:
        """Return whether a cycle reads it: due or triggered."""
        return self.schedule.processing_mode == ProcessingMode.TRIGGERED or super()._is_looked_at(now)

    def _statistics(self, now: datetime) -> Statistics:
        """Return its rows and the life of its batch."""
        return Statistics(self.pending, now if self.schedule.is_running else None)

    def _changes(self, now: datetime) -> Iterator[datetime | None]:
        """Yield when rows, batches or time alone may change a trigger's condition."""
        mine = self.schedule
        if mine.processing_mode == ProcessingMode.SCHEDULED:
            yield from super()._changes(now)
            return
        if self._booked:
            yield self._booked[0].start
        if self.pending.count or self._booked:
            yield self.run_ends
        if self.told and mine.is_running:
            return  # it stands back and has said so: nothing new until its batch ends
        yield self._next_arrival()
        yield from turning_points(mine, self.pending)
        blackout = mine.blackout() if self.pending.count else None
        if blackout is not None:
            yield blackout.end_of(now)
