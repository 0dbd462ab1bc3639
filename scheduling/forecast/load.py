"""How many runs there are at once, and when there are none; pure arithmetic on expected fires."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta

from scheduling.cadence.blackout import Stretch
from scheduling.forecast.values import RUNS, ExpectedFire, LoadStep, QueueLoad

UNKNOWN = timedelta(minutes=1)  # taken for a run whose duration nobody has seen yet
SHORTEST = timedelta(seconds=1)
QUIET_AT_LEAST = timedelta(minutes=30)


def busy(fire: ExpectedFire) -> Stretch:
    """Return the time a fire's run is expected to take, at least a second."""
    lasts = UNKNOWN if fire.expected_ms is None else max(timedelta(milliseconds=fire.expected_ms), SHORTEST)
    return Stretch(fire.at, fire.at + lasts)


def load_of(
    fires: Iterable[ExpectedFire], limits: Mapping[str, int], start: datetime, until: datetime
) -> tuple[QueueLoad, ...]:
    """Return the load of each queue from start until `until`, by name. A queue that is not stored lets one run."""
    by_queue: dict[str, list[Stretch]] = {name: [] for name in limits}
    for fire in fires:
        if fire.state in RUNS and busy(fire).end > start:
            by_queue.setdefault(fire.queue, []).append(busy(fire))
    return tuple(
        QueueLoad(name, limits.get(name, 1), tuple(_steps(stretches, start, until)))
        for name, stretches in sorted(by_queue.items())
    )


def quiet_of(
    fires: Iterable[ExpectedFire], start: datetime, until: datetime, at_least: timedelta = QUIET_AT_LEAST
) -> tuple[Stretch, ...]:
    """Return the stretches of `at_least` this length in which nothing is expected to run."""
    found, free_from = [], start
    for stretch in sorted((busy(fire) for fire in fires if fire.state in RUNS), key=lambda stretch: stretch.start):
        if stretch.start - free_from >= at_least:
            found.append(Stretch(free_from, min(stretch.start, until)))
        free_from = max(free_from, stretch.end)
    if until - free_from >= at_least:
        found.append(Stretch(free_from, until))
    return tuple(found)


def _steps(stretches: Iterable[Stretch], start: datetime, until: datetime) -> Iterator[LoadStep]:
    """Yield the load between start and until without a gap, a new step wherever the number changes."""
    changes: dict[datetime, int] = {start: 0, until: 0}
    for stretch in stretches:
        for at, change in ((max(stretch.start, start), 1), (min(stretch.end, until), -1)):
            changes[at] = changes.get(at, 0) + change
    running, since, level = 0, start, 0
    for at in sorted(changes):
        running += changes[at]
        if running != level or at == until:
            if at > since:
                yield LoadStep(since, at, level)
            since, level = at, running
