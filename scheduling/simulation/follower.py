"""A plan after others on the virtual clock: it learns of the end of each that is simulated beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from scheduling.decisions.decision import Awaited, Statistics
from scheduling.models import Schedule, SchedulerState
from scheduling.simulation.grid import TICK
from scheduling.simulation.schedule import Simulated
from scheduling.usual_runs import UsualRun
from staging.wording import Later


class SimulatedFollower(Simulated):
    """A plan after others. One that is not simulated beside it does not complete any more."""

    def __init__(
        self,
        schedule: Schedule,
        awaited: Sequence[Awaited],
        usual: UsualRun,
        *,
        everything: SchedulerState,
        start: datetime,
        is_stored: bool = False,
    ) -> None:
        """Make ready; `awaited` is what it runs after, which begins without a past unless `is_stored`."""
        super().__init__(schedule, usual, everything=everything, start=start, is_stored=is_stored)
        self._known = list(awaited) if is_stored else [Awaited(one.what) for one in awaited]
        self._others: dict[str, Simulated] = {}
        self._before: dict[str, datetime | None] = {}

    def follow(self, members: Mapping[str, Simulated]) -> None:
        """Learn of what is simulated beside it, by what a plan that runs after it calls it."""
        self._others = {one.what: members[one.what] for one in self._known if one.what in members}
        self._before = {what: other.schedule.last_completed_at for what, other in self._others.items()}
        for other in self._others.values():
            other.followers.append(self)

    def pass_time(self, now: datetime) -> None:
        """Let also what it waits for come to its end."""
        super().pass_time(now)
        for other in self._others.values():
            other.pass_time(now)

    def start_run(self, at: datetime, source: str | Later) -> None:
        """Take the guard, and use what completed."""
        self._known = [
            Awaited(one.what, one.completed_at, one.completed_at or one.used_at) for one in self._awaited(at)
        ]
        self._before = {what: other.schedule.last_completed_at for what, other in self._others.items()}
        super().start_run(at, source)

    def _awaited(self, now: datetime) -> list[Awaited]:
        """Return what it runs after, as a cycle at `now` reads it."""
        return [Awaited(one.what, self._completed(one, now), one.used_at, one.is_gone) for one in self._known]

    def _completed(self, one: Awaited, now: datetime) -> datetime | None:
        """Return when it completed last: in the simulation, else before it.

        A cycle reads this before it fires: what it fires itself has not completed, however little time that takes.
        """
        other = self._others.get(one.what)
        last = other.schedule.last_completed_at if other else None
        if other is None or last is None or last == self._before[one.what] or other.schedule.last_fired_at == now:
            return one.completed_at
        return last

    def _is_looked_at(self, now: datetime) -> bool:
        """Return whether a cycle reads it: all that it waits for has completed."""
        awaited = self._awaited(now)
        return bool(awaited) and all(one.is_met(self.schedule.armed_from) for one in awaited)

    def _statistics(self, now: datetime) -> Statistics:
        """Return what it waits for, and the life of its run."""
        return Statistics(last_sign_of_life=now if self.schedule.is_running else None, others=tuple(self._awaited(now)))

    def _changes(self, now: datetime) -> Iterator[datetime | None]:
        """Yield when something that it waits for may end; when nothing of that is left, what holds it back."""
        if not self._is_looked_at(now):
            for other in self._others.values():
                yield from (max(at, now + TICK) for at in other.ends_ahead() if at is not None)
                yield now + TICK if other.schedule.last_fired_at == now else None
            return
        mine = self.schedule
        blackout = mine.blackout()
        if mine.is_running or blackout is not None or mine.backoff_until is not None:
            dark = blackout.end_of(now) if blackout else None
            yield from (self.run_end() if mine.is_running else None, dark, mine.backoff_until)
            if mine.is_running and self.told and dark is None:
                return
        yield now + TICK
