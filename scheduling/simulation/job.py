"""A job and its schedules on the virtual clock: one run at a time, whichever schedule began it, or plan.

A cycle decides from what it read before: of two schedules that are due in one cycle the second finds the job started,
as it does for the dispatcher.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from scheduling.lifecycle import arming
from scheduling.models import Schedule, SchedulerState
from scheduling.simulation.booking import Booking
from scheduling.simulation.schedule import Simulated
from scheduling.states import IntervalAnchor, ScheduleType
from scheduling.usual_runs import UsualRun
from staging.wording import Later, together_later


class SimulatedJob:
    """What the schedules of one job share: its run, and the runs of plans in which it is a step."""

    def __init__(self) -> None:
        """Start with nothing running."""
        self.schedules: list[SimulatedJobSchedule] = []
        self.ends: datetime | None = None
        self._began: datetime | None = None
        self._cancelled_at: datetime | None = None
        self._source: str | Later = ""
        self._booked: list[Booking] = []

    def begin(self, at: datetime, lasts: timedelta, source: str | Later) -> None:
        """Start the run."""
        self._began, self.ends, self._source, self._cancelled_at = at, at + lasts, source, None

    def cancel_run(self, now: datetime) -> None:
        """End the run; the next cycle finds the job free."""
        self.ends = self._cancelled_at = now

    def pass_time(self, now: datetime) -> None:
        """Let a run that an earlier cycle began hold every schedule, and end with its time."""
        changed = self._cancelled_at or self._began
        if self.ends is None or changed is None or changed >= now:
            return
        for each in self.schedules:
            if not each.schedule.is_running and self._began is not None:
                each.hold(self._began, self._source)
        if self.ends <= now:
            ended, self.ends = self.ends, None
            for each in self.schedules:
                each.end_run(ended, completed=self._cancelled_at is None)

    def book(self, booking: Booking) -> None:
        """Let a plan run the job at a time to come."""
        self._booked = [one for one in self._booked if one.start + one.lasts >= booking.start]
        self._booked.append(booking)

    def cancel(self, of: object, now: datetime) -> None:
        """Take back what a cancelled run of a plan has not done."""
        self._booked = [one for one in self._booked if one.of is not of]

    def is_begun(self, now: datetime) -> bool:
        """Return whether a cycle at `now` finds the job running or in line."""
        return self.ends is not None or any(one.is_live(now) for one in self._booked)


class SimulatedJobSchedule(Simulated):
    """One schedule of a job; all of its job share the guard."""

    def __init__(
        self,
        schedule: Schedule,
        job: SimulatedJob,
        usual: UsualRun,
        *,
        everything: SchedulerState,
        start: datetime,
        is_stored: bool = False,
    ) -> None:
        """Make ready and join the job; raises CadenceError for broken columns."""
        super().__init__(schedule, usual, everything=everything, start=start, is_stored=is_stored)
        self.job = self.place = job
        job.schedules.append(self)
        if self.run_ends is not None:
            began = self.schedule.run_started_at or start
            job.begin(began, self.run_ends - began, self.schedule.run_started_by)
            self.run_ends = None

    def pass_time(self, now: datetime) -> None:
        """Let the job's run go on, and end."""
        self.job.pass_time(now)

    def disturbs(self) -> Sequence[Simulated]:
        """Return the schedules of its job: a cancel frees all of them."""
        return self.job.schedules

    def run_end(self) -> datetime | None:
        """Return when the job's run ends, whichever schedule began it."""
        return self.job.ends

    def hold(self, since: datetime, source: str | Later) -> None:
        """Be held by a run that another schedule began: no fire of this one."""
        arming.put(self.schedule, arming.guard_taken(source, since))

    def _changes(self, now: datetime) -> Iterator[datetime | None]:
        """Yield the next slot, and the end of a run that moves it."""
        yield from super()._changes(now)
        if self.schedule.interval_anchor == IntervalAnchor.LAST_COMPLETION:
            yield self.job.ends

    def _refusal(self, now: datetime) -> str:
        """Return that a plan or another schedule was faster."""
        return self.schedule.busy if self.job.is_begun(now) else ""

    def _named(self, source: str | Later) -> Later:
        """Return the source with the schedule's name."""
        return together_later(source, self.schedule.own_name)

    def _go(self, now: datetime) -> None:
        """Start the job's run; a schedule of a single moment switches itself off."""
        self.job.begin(now, self.usual.lasts, self.schedule.run_started_by)
        if self.schedule.schedule_type == ScheduleType.ONCE:
            self.schedule.is_enabled = False

    def _cancel_running(self, now: datetime) -> None:
        """Cancel the job's run, whichever schedule began it."""
        if self.job.ends is not None:
            self.job.cancel_run(now)
