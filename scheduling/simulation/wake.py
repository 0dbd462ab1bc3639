"""When to look at an entity again: the next instant at which a cycle could decide differently from the last one."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from scheduling.decisions.triggers import turning_points
from scheduling.simulation.entity import SimulatedEntity
from scheduling.states import IntervalAnchor, ProcessingMode

_TICK = timedelta(microseconds=1)


def next_wake(entity: SimulatedEntity, now: datetime) -> datetime | None:
    """Return the first instant after `now` that may change the entity's decision; None when nothing ever will.

    Too early only costs a decision more; too late would be an error.
    """
    return min((instant for instant in _instants(entity, now) if instant is not None and instant > now), default=None)


def _instants(entity: SimulatedEntity, now: datetime) -> Iterator[datetime | None]:
    """Yield every instant that may change something, some of them past."""
    mine = entity.configuration
    yield entity.pause.next_change()
    yield entity.everything.next_change()
    if mine.paused_at is not None or entity.everything.holds:
        return
    if mine.processing_mode == ProcessingMode.SCHEDULED:
        if mine.next_scheduled_run is not None:
            yield max(mine.next_scheduled_run, now + _TICK)  # a slot that waits is asked about in every cycle
        if mine.interval_anchor == IntervalAnchor.LAST_COMPLETION:
            yield entity.batch_ends
        return
    if entity.pending.count:
        yield entity.batch_ends
    if entity.told and mine.is_running:
        return  # it stands back and has said so: nothing new until its batch ends
    yield entity.next_arrival
    yield from turning_points(mine, entity.pending)
    blackout = mine.calendar.blackout() if mine.calendar and entity.pending.count else None
    if blackout is not None:
        yield blackout.end_of(now)
