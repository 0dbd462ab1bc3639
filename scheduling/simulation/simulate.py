"""Replays the cycles of a span for schedules of every kind, jumping from one instant that matters to the next."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from heapq import heapify, heappop, heappush

from scheduling.cadence.errors import CadenceError
from scheduling.kinds import awaited_by
from scheduling.models import Plan, Schedule, SchedulerState
from scheduling.simulation.arrivals import Arrival
from scheduling.simulation.grid import Cycles, Grid
from scheduling.simulation.outcome import NotFired, Simulation, subject_of
from scheduling.simulation.schedule import Simulated
from scheduling.simulation.world import World
from scheduling.states import EventType
from scheduling.usual_runs import Key, UsualRun
from staging.wording import aloud, in_one_language


def simulate(
    schedules: Iterable[Schedule],
    grid: Grid,
    *,
    arrivals: Mapping[str, Sequence[Arrival]],
    usual: Mapping[Key, UsualRun],
    everything: SchedulerState,
) -> Simulation:
    """Return what cycles on the grid would have fired. Executes nothing and writes nothing.

    A cycle goes through the kinds in the order in which `schedules` has them, as the dispatcher does. `arrivals` are by
    entity code; `usual` tells what a run of each schedule is; one it does not name is one that nobody has seen.
    `everything` tells whether all is paused. A schedule that cannot be read is told as an error and stops nobody else.
    """
    schedules = list(schedules)
    awaited = awaited_by(schedule for schedule in schedules if isinstance(schedule, Plan))
    world = World(arrivals, usual, everything, grid.start, awaited)
    not_fired: list[NotFired] = []
    for schedule in schedules:
        try:
            world.add(schedule)
        except CadenceError as error:
            not_fired.append(NotFired(grid.start, subject_of(schedule), EventType.ERROR.value, aloud(error)))
    members = world.members()
    replay(members, grid)
    fires = [fire for member in members for fire in member.fires]
    not_fired += [event for member in members for event in member.not_fired]
    fires.sort(key=lambda fire: (fire.at, fire.subject))
    not_fired.sort(key=lambda event: (event.at, event.subject))
    return Simulation(grid.start, grid.until, len(grid), tuple(fires), tuple(not_fired))


def replay(members: Sequence[Simulated], grid: Grid) -> None:
    """Run the cycles of the grid that can matter, for each member only those that can matter to it."""
    with in_one_language():
        for _ in cycles_of(members, grid):
            pass


def cycles_of(members: Sequence[Simulated], grid: Cycles) -> Iterator[list[Simulated]]:
    """Run those cycles one by one, and yield after each whom it looked at, in the order of `members`."""
    place_of = {id(member): place for place, member in enumerate(members)}
    due = [grid.first_from(member.start, after=grid.start - grid.step) for member in members]
    wakes = [(at, place) for place, at in enumerate(due) if at is not None]
    heapify(wakes)  # `due` says which still hold
    while wakes:
        now, looked_at = wakes[0][0], set[int]()
        while wakes and wakes[0][0] == now:
            _, place = heappop(wakes)
            if due[place] == now:
                looked_at.add(place)
        looked = [members[place] for place in sorted(looked_at)]
        simulate_cycle(looked, now)
        disturbed = {place_of[id(other)] for place in looked_at for other in members[place].disturbs()}
        for place in looked_at | disturbed:
            wake = members[place].next_wake(now)
            due[place] = at = grid.first_from(wake, after=now) if wake is not None else None
            if at is not None:
                heappush(wakes, (at, place))
        yield looked


def simulate_cycle(members: Sequence[Simulated], now: datetime) -> None:
    """Run one cycle for these members, kind by kind and of each the longest due first."""
    if len(members) == 1:  # as in most cycles: nothing to sort, and a cycle lets the time pass by itself
        members[0].cycle(now)
        members[0].begin_attempt(now)
        return
    for member in members:
        member.pass_time(now)
    for member in sorted(members, key=lambda one: (one.rank, one.schedule.next_scheduled_run or now, one.pk)):
        member.cycle(now)
    for member in members:
        member.begin_attempt(now)
