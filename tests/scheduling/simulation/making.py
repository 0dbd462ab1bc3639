"""Configurations, grids and replays for the tests of the simulation, none of them stored."""

from datetime import UTC, datetime, timedelta

from scheduling.cadence.blackout import Blackout
from scheduling.models import BlackoutCalendar, SchedulerConfiguration, SchedulerState
from scheduling.simulation.arrivals import Arrival
from scheduling.simulation.entity import SimulatedEntity
from scheduling.simulation.grid import Grid
from scheduling.usual_runs import UsualRun
from staging.models import Entity

START = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def configuration(code: str = "branch", blackout: Blackout | None = None, **fields) -> SchedulerConfiguration:
    """Return an unsaved configuration, triggered or scheduled as its fields say."""
    entity = Entity(id=1, code=code, name=code.capitalize())
    found = SchedulerConfiguration(id=1, entity=entity, **fields)
    if blackout is not None:
        found.calendar = BlackoutCalendar(id=1, name=blackout.name)
        found.calendar.blackout = lambda: blackout
    return found


def daily(*times: str, **fields) -> SchedulerConfiguration:
    return configuration(processing_mode="scheduled", schedule_type="daily", run_times=", ".join(times), **fields)


def every(minutes: int, **fields) -> SchedulerConfiguration:
    return configuration(processing_mode="scheduled", schedule_type="interval", interval_minutes=minutes, **fields)


def triggered(**fields) -> SchedulerConfiguration:
    return configuration(processing_mode="triggered", **fields)


def grid(hours: float = 24, start: datetime = START, step: timedelta = MINUTE) -> Grid:
    return Grid(start, start + timedelta(hours=hours), step)


def rows(*landed: tuple[float, int]) -> list[Arrival]:
    """Return arrivals from pairs of minutes after START and rows."""
    return sorted(Arrival(START + minutes * MINUTE, count) for minutes, count in landed)


def entity(
    of: SchedulerConfiguration, arrivals=(), lasts: float = 0, everything: SchedulerState | None = None
) -> SimulatedEntity:
    """Return the configuration on the virtual clock; its batches last so many minutes."""
    usual, everything = UsualRun(lasts * MINUTE), everything or SchedulerState()
    return SimulatedEntity(of, arrivals, usual, everything=everything, start=START)
