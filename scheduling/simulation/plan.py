"""A plan on the virtual clock: its run holds the guard, its steps take the entities and jobs they work on."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from scheduling.models import Plan, SchedulerState
from scheduling.simulation.booking import Booking
from scheduling.simulation.entity import SimulatedEntity
from scheduling.simulation.job import SimulatedJob
from scheduling.simulation.outcome import subject_of
from scheduling.simulation.schedule import Simulated
from scheduling.states import RunKind
from scheduling.usual_runs import UsualRun


class SimulatedPlan(Simulated):
    """A plan without a past. Each step works when its order and the usual durations say, however busy queues are."""

    def __init__(self, plan: Plan, usual: UsualRun, *, everything: SchedulerState, start: datetime) -> None:
        """Make ready; raises CadenceError for broken columns."""
        super().__init__(plan, usual, subject_of(plan), everything=everything, start=start)
        self._entities: Mapping[int, SimulatedEntity] = {}
        self._jobs: Mapping[int, SimulatedJob] = {}
        self._run = object()

    def meet(self, entities: Mapping[int, SimulatedEntity], jobs: Mapping[int, SimulatedJob]) -> None:
        """Learn of the entities and jobs that are simulated beside it, by their ids."""
        steps = [(step.workload, step.target_id) for step in self.usual.pieces]
        self._entities = {pk: entities[pk] for kind, pk in steps if kind == RunKind.BATCH and pk in entities}
        self._jobs = {pk: jobs[pk] for kind, pk in steps if kind == RunKind.JOB and pk in jobs}

    def disturbs(self) -> Sequence[Simulated]:
        """Return the entities that its steps take and give back."""
        return list(self._entities.values())

    def _go(self, now: datetime) -> None:
        """Start the run and everything it will do."""
        self._run, source = object(), self.schedule.run_started_by
        for step in self.usual.pieces:
            booking = Booking(now + step.after, step.lasts, self._run, source, step.is_first)
            if step.workload == RunKind.BATCH and step.target_id in self._entities:
                self._entities[step.target_id].book(booking)
            elif step.workload == RunKind.JOB and step.target_id in self._jobs:
                self._jobs[step.target_id].book(booking)
        super()._go(now)

    def _cancel_running(self, now: datetime) -> None:
        """Cancel the run with the steps it has not done."""
        if not self.schedule.is_running:
            return
        super()._cancel_running(now)
        touched: list[SimulatedEntity | SimulatedJob] = [*self._entities.values(), *self._jobs.values()]
        for one in touched:
            one.cancel(self._run, now)
