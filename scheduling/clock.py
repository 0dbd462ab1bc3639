"""The one place that reads the clock, so that everything else can take the time as an argument."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

TimeSource = Callable[[], datetime]


_correction = {"by": timedelta()}


def now() -> datetime:
    """Return the current instant, aware, in UTC: this host's clock, corrected to the one that all hosts share."""
    return of_this_host() + _correction["by"]


def of_this_host() -> datetime:
    """Return what this host takes for the current instant, aware, in UTC."""
    return datetime.now(UTC)


def correct(by: timedelta) -> None:
    """Let `now` add this to what this host's clock says."""
    _correction["by"] = by


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
