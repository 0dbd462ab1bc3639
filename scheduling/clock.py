"""The one place that reads the clock, so that everything else can take the time as an argument.

All hosts share one clock, that of the database. This host's own may differ; too far off it takes no work.
"""

import logging
import socket
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection
from django.db.backends.signals import connection_created

from scheduling import conf
from staging.wording import say

logger = logging.getLogger(__name__)

TimeSource = Callable[[], datetime]

_HARMLESS = timedelta(seconds=1)  # less is the noise of the question itself
_LASTS_SECONDS = 10.0
_known: dict[str, Any] = {"ahead": timedelta(), "asked_at": float("-inf")}


def now() -> datetime:
    """Return the current instant, aware, in UTC: this host's clock, corrected to the one that all hosts share."""
    return of_this_host() - ahead()


def of_this_host() -> datetime:
    """Return what this host takes for the current instant, aware, in UTC."""
    return datetime.now(UTC)


def monotonic() -> float:
    """Return seconds of a clock that never goes back, for measuring durations."""
    return time.monotonic()


def starting_at(instant: datetime) -> TimeSource:
    """Return a time source that reads `instant` now and runs on at normal speed, for drills in another time."""
    origin = monotonic()
    return lambda: instant + timedelta(seconds=monotonic() - origin)


def sleep(seconds: float) -> None:
    """Wait this many seconds."""
    time.sleep(seconds)


def follow(*, at_once: bool = False) -> None:
    """Let `now` tell the database's time; asks it when the last answer is some seconds old, or `at_once`.

    The file of SQLite has no clock but this host's. Raises database errors.
    """
    if at_once or monotonic() - _known["asked_at"] > _LASTS_SECONDS:
        _ask(connection)


def ahead() -> timedelta:
    """Return by how much this host's clock is ahead of the database's, as of the last answer; negative: behind."""
    found: timedelta = _known["ahead"]
    return found


def trouble() -> str:
    """Return in a sentence that this host's clock is too far off to run cycles and take work; empty when it is not."""
    if abs(ahead()) <= conf.clock_tolerance():
        return ""
    host, seconds = socket.gethostname(), round(abs(ahead()).total_seconds())
    if ahead() > timedelta():
        return say(
            "The clock of {host} is {seconds} seconds ahead of the database's: it runs no cycle and takes no work "
            "until that is mended.",
            host=host,
            seconds=seconds,
        )
    return say(
        "The clock of {host} is {seconds} seconds behind the database's: it runs no cycle and takes no work until that "
        "is mended.",
        host=host,
        seconds=seconds,
    )


def note_ahead(found: timedelta) -> None:
    """Take it that this host's clock is ahead by so much."""
    _known["ahead"], _known["asked_at"] = found, monotonic()


def _ask(asked: Any) -> None:
    """Ask the database what time it is, and compare."""
    if asked.vendor != "postgresql":
        note_ahead(timedelta())
        return
    if asked.connection is None:
        asked.ensure_connection()  # its creation asks
        return
    before = of_this_host()
    with asked.connection.cursor() as cursor:  # beside the log of statements: it is no part of the work
        cursor.execute("SELECT clock_timestamp()")
        told = cursor.fetchone()[0]
    took = of_this_host() - before
    found = before + took / 2 - told
    note_ahead(timedelta() if abs(found) <= max(_HARMLESS, took) else found)


def _on_connection(sender: object, connection: Any, **_: object) -> None:
    """Ask on every new connection, so that whatever it is for goes by the right time from its start."""
    try:
        _ask(connection)
    except Exception as error:
        logger.warning("could not ask the database for its time: %s", error, extra={"event": "clock_unknown"})


connection_created.connect(_on_connection, dispatch_uid="scheduling.clock")
