"""The one place that reads the clock, so that everything else can take the time as an argument."""

import time
from datetime import UTC, datetime


def now() -> datetime:
    """Return the current instant, aware, in UTC."""
    return datetime.now(UTC)


def monotonic() -> float:
    """Return seconds of a clock that never goes back, for measuring durations."""
    return time.monotonic()
