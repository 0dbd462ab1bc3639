"""Everything that is simulated together, and who touches whom: a plan its entities and jobs, a job its schedules."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import cast

from scheduling.decisions.decision import Awaited
from scheduling.kinds import awaited_by
from scheduling.models import Plan, Schedule, SchedulerState
from scheduling.simulation.arrivals import Arrival
from scheduling.simulation.attempt import NextAttempt
from scheduling.simulation.entity import SimulatedEntity
from scheduling.simulation.follower import SimulatedFollower
from scheduling.simulation.job import SimulatedJob, SimulatedJobSchedule
from scheduling.simulation.schedule import Simulated
from scheduling.usual_runs import Key, Piece, UsualRun, key_of


def name_in_gates(schedule: Schedule) -> str:
    """Return what a plan that runs after it calls it."""
    return f"entity {schedule.what}" if schedule.READS_ROWS else schedule.what


class World:
    """The members of one simulation."""

    def __init__(
        self,
        arrivals: Mapping[str, Sequence[Arrival]],
        usual: Mapping[Key, UsualRun],
        everything: SchedulerState,
        start: datetime,
        awaited: Mapping[int, Sequence[Awaited]] | None = None,
    ) -> None:
        """Begin empty; `awaited` is what plans run after, by plan; those that it does not know are asked for."""
        self._awaited = dict(awaited or {})
        self._arrivals, self._usual, self._everything, self._start = arrivals, usual, everything, start
        self._members: list[Simulated] = []
        self._shared: dict[tuple[str, int] | None, SimulatedJob] = {}
        self._ranks: dict[str, int] = {}

    def add(
        self,
        schedule: Schedule,
        *,
        start: datetime | None = None,
        is_stored: bool = False,
        left: Sequence[Piece] = (),
        attempt: NextAttempt | None = None,
    ) -> None:
        """Let a schedule of any kind take part. Raises CadenceError when it cannot be read.

        It joins fresh at the start of the world, or at a `start` of its own; or as it is stored, with the pieces that
        are `left` of its run, counted from then, or with the `attempt` that this run waits for.
        """
        member = self._member(schedule, start or self._start, is_stored)
        member.left = left
        if attempt is not None:
            member.wait_for(attempt)
        member.rank = self._ranks.setdefault(schedule.KIND, len(self._ranks))
        self._members.append(member)

    def members(self) -> list[Simulated]:
        """Return all, each knowing those that it touches."""
        places = {member.schedule.works_on: member.place for member in self._members if member.place is not None}
        names = {name_in_gates(member.schedule): member for member in self._members}
        for member in self._members:
            member.meet(places)
            if isinstance(member, SimulatedFollower):
                member.follow(names)
        return self._members

    def _member(self, schedule: Schedule, start: datetime, is_stored: bool) -> Simulated:
        """Return the schedule as what it is besides: the owner of staged rows, or one of several behind one guard."""
        usual, everything = self._usual.get(key_of(schedule), UsualRun()), self._everything
        if schedule.READS_ROWS:
            arrivals = self._arrivals.get(schedule.what, ())
            return SimulatedEntity(schedule, arrivals, usual, everything=everything, start=start, is_stored=is_stored)
        if schedule.SHARES_GUARD:
            job = self._shared.setdefault(schedule.works_on, SimulatedJob())
            return SimulatedJobSchedule(schedule, job, usual, everything=everything, start=start, is_stored=is_stored)
        if schedule.after_others and not schedule.schedule_type:
            if schedule.pk not in self._awaited:
                self._awaited |= awaited_by([cast(Plan, schedule)])
            awaited = self._awaited.get(schedule.pk, ())
            return SimulatedFollower(schedule, awaited, usual, everything=everything, start=start, is_stored=is_stored)
        return Simulated(schedule, usual, everything=everything, start=start, is_stored=is_stored)
