"""Everything that is simulated together, and who touches whom: a plan its entities and jobs, a job its schedules."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from scheduling.models import JobSchedule, Plan, Schedule, SchedulerConfiguration, SchedulerState
from scheduling.simulation.arrivals import Arrival
from scheduling.simulation.entity import SimulatedEntity
from scheduling.simulation.job import SimulatedJob, SimulatedJobSchedule
from scheduling.simulation.plan import SimulatedPlan
from scheduling.simulation.schedule import Simulated
from scheduling.usual_runs import Key, UsualRun, key_of


class World:
    """The members of one simulation, all fresh at its start."""

    def __init__(
        self,
        arrivals: Mapping[str, Sequence[Arrival]],
        usual: Mapping[Key, UsualRun],
        everything: SchedulerState,
        start: datetime,
    ) -> None:
        """Start with nobody."""
        self._arrivals, self._usual, self._everything, self._start = arrivals, usual, everything, start
        self._members: list[Simulated] = []
        self._entities: dict[int, SimulatedEntity] = {}
        self._jobs: dict[int, SimulatedJob] = {}
        self._ranks: dict[str, int] = {}

    def add(self, schedule: Schedule) -> None:
        """Let a schedule of any kind take part. Raises CadenceError when it cannot be read."""
        member = self._member(schedule)
        member.rank = self._ranks.setdefault(schedule.KIND, len(self._ranks))
        self._members.append(member)

    def members(self) -> list[Simulated]:
        """Return all, each knowing those that it touches."""
        for member in self._members:
            if isinstance(member, SimulatedPlan):
                member.meet(self._entities, self._jobs)
        return self._members

    def _member(self, schedule: Schedule) -> Simulated:
        usual = self._usual.get(key_of(schedule), UsualRun())
        if isinstance(schedule, SchedulerConfiguration):
            arrivals = self._arrivals.get(schedule.entity.code, ())
            entity = SimulatedEntity(schedule, arrivals, usual, everything=self._everything, start=self._start)
            self._entities[schedule.entity_id] = entity
            return entity
        if isinstance(schedule, JobSchedule):
            job = self._jobs.setdefault(schedule.job_id, SimulatedJob(schedule.job.name))
            return SimulatedJobSchedule(schedule, job, usual, everything=self._everything, start=self._start)
        if isinstance(schedule, Plan):
            return SimulatedPlan(schedule, usual, everything=self._everything, start=self._start)
        raise TypeError(f"No simulation of a {type(schedule).__name__}.")
