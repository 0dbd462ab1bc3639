"""Replays the cycles of a span for many entities, jumping from one instant that matters to the next."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from scheduling.cadence.errors import CadenceError
from scheduling.models import SchedulerConfiguration, SchedulerState
from scheduling.simulation.arrivals import Arrival
from scheduling.simulation.entity import SimulatedEntity
from scheduling.simulation.grid import Grid
from scheduling.simulation.outcome import NotFired, SimulatedFire, Simulation
from scheduling.simulation.wake import next_wake
from scheduling.states import EventType


def simulate(
    configurations: Iterable[SchedulerConfiguration],
    grid: Grid,
    *,
    arrivals: Mapping[str, Sequence[Arrival]],
    durations: Mapping[int, timedelta],
    everything: SchedulerState,
) -> Simulation:
    """Return what cycles on the grid would have fired. Executes nothing and writes nothing.

    `arrivals` are by entity code, `durations` by entity id; an entity without one has batches that take no time.
    `everything` tells whether all is paused. Entities do not touch each other, so each is replayed by itself. One
    whose schedule cannot be read is told as an error and stops nobody else.
    """
    fires: list[SimulatedFire] = []
    not_fired: list[NotFired] = []
    for configuration in configurations:
        code = configuration.entity.code
        lasts = durations.get(configuration.entity_id, timedelta())
        try:
            entity = SimulatedEntity(
                configuration, arrivals.get(code, ()), lasts=lasts, everything=everything, start=grid.start
            )
        except CadenceError as error:
            not_fired.append(NotFired(grid.start, code, EventType.ERROR.value, str(error)))
            continue
        replay(entity, grid)
        fires += entity.fires
        not_fired += entity.not_fired
    fires.sort(key=lambda fire: (fire.at, fire.entity))
    not_fired.sort(key=lambda event: (event.at, event.entity))
    return Simulation(grid.start, grid.until, len(grid), tuple(fires), tuple(not_fired))


def replay(entity: SimulatedEntity, grid: Grid) -> None:
    """Run the cycles of the grid that can matter for one entity."""
    now = grid.start if len(grid) else None
    while now is not None:
        entity.cycle(now)
        wake = next_wake(entity, now)
        now = grid.first_from(wake, after=now) if wake is not None else None
