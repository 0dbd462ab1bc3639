"""The one place that reads the clock, so that everything else can take the time as an argument."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

TimeSource = Callable[[], datetime]


def now() -> datetime:
    """Return the current instant, aware, in UTC."""
    return datetime.now(UTC)


def monotonic() -> float:
    """Return seconds of a clock that never goes back, for measuring durations."""
    return time.monotonic()


def starting_at(instant: datetime) -> TimeSource:
    """Return a time source that reads `instant` now and runs on at normal speed, for drills in another time."""
    origin = monotonic()
    return lambda: instant + timedelta(seconds=monotonic() - origin)


def pause(seconds: float) -> None:
    """Wait this many seconds."""
    time.sleep(seconds)
