"""How many tasks there are at once, and when there are none; pure arithmetic on expected fires."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from scheduling.cadence.blackout import Stretch
from scheduling.forecast.values import RUNS, ExpectedFire, LoadStep, QueueLoad
from scheduling.queues import DEFAULT_QUEUE
from scheduling.usual_runs import UNKNOWN, Piece

SHORTEST = timedelta(seconds=1)
QUIET_AT_LEAST = timedelta(minutes=30)


class Work(NamedTuple):
    """What a fire's run is expected to do: from when until when as a whole, and each task with its queue."""

    whole: Stretch
    tasks: list[tuple[str, Stretch]]


def busy(fire: ExpectedFire) -> Stretch:
    """Return the time a fire's run is expected to take, at least a second."""
    if fire.expected_ms is None and fire.pieces:
        return Stretch(fire.at, max(stretch.end for _, stretch in _tasks_of(fire.pieces, fire.at)))
    return Stretch(fire.at, fire.at + _usually(fire.expected_ms))


@lru_cache(maxsize=1000)
def _usually(milliseconds: int | None) -> timedelta:
    """Return how long runs of so many milliseconds are taken to last; of thousands of fires few differ in it."""
    return max(UNKNOWN if milliseconds is None else timedelta(milliseconds=milliseconds), SHORTEST)


def works_of(fires: Iterable[ExpectedFire]) -> list[Work]:
    """Return what the fires among these that run are expected to do."""
    return [_work(fire) for fire in fires if fire.state in RUNS]


def _work(fire: ExpectedFire) -> Work:
    whole = busy(fire)
    return Work(whole, [(DEFAULT_QUEUE, whole)] if fire.pieces is None else _tasks_of(fire.pieces, fire.at))


def _tasks_of(pieces: Iterable[Piece], start: datetime) -> list[tuple[str, Stretch]]:
    """Return each task of a run that starts then: its queue, and when it is expected to run."""
    return [(piece.queue, Stretch(at := start + piece.after, at + max(piece.lasts, SHORTEST))) for piece in pieces]


def load_of(
    works: Iterable[Work], limits: Mapping[str, int], start: datetime, until: datetime
) -> tuple[QueueLoad, ...]:
    """Return the load of each queue from start until `until`, by name. A queue that is not stored lets one run."""
    by_queue: dict[str, list[Stretch]] = {name: [] for name in limits}
    for work in works:
        for queue, stretch in work.tasks:
            if stretch.end > start and stretch.start < until:
                by_queue.setdefault(queue, []).append(stretch)
    return tuple(
        QueueLoad(name, limits.get(name, 1), tuple(_steps(stretches, start, until)))
        for name, stretches in sorted(by_queue.items())
    )


def quiet_of(
    works: Iterable[Work], start: datetime, until: datetime, at_least: timedelta = QUIET_AT_LEAST
) -> tuple[Stretch, ...]:
    """Return the stretches of `at_least` this length in which nothing is expected to run."""
    found, free_from = [], start
    for stretch in sorted(_stretches(works), key=attrgetter("start")):
        if stretch.start >= until:
            break
        if stretch.start - free_from >= at_least:
            found.append(Stretch(free_from, stretch.start))
        free_from = max(free_from, stretch.end)
    if until - free_from >= at_least:
        found.append(Stretch(free_from, until))
    return tuple(found)


def _stretches(works: Iterable[Work]) -> Iterator[Stretch]:
    """Yield when something is expected to run: each run as a whole, and those of its tasks that take longer."""
    for work in works:
        yield work.whole
        yield from (stretch for _, stretch in work.tasks if stretch.end > work.whole.end)


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
