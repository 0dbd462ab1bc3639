"""One clock: what time the database says it is. This host's own clock may differ, and too far off it takes no work."""

import logging
import socket
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.backends.signals import connection_created

from scheduling import clock, conf

logger = logging.getLogger(__name__)

_HARMLESS = timedelta(seconds=1)  # less is the noise of the question itself
_LASTS_SECONDS = 10.0
_known: dict[str, Any] = {"ahead": timedelta(), "asked_at": float("-inf")}


def follow(*, at_once: bool = False) -> None:
    """Let `clock.now` tell the database's time; asks it when the last answer is some seconds old, or `at_once`.

    The file of SQLite has no clock but this host's. Raises database errors.
    """
    if at_once or clock.monotonic() - _known["asked_at"] > _LASTS_SECONDS:
        _ask(connection)


def ahead() -> timedelta:
    """Return by how much this host's clock is ahead of the database's, as of the last answer; negative: behind."""
    found: timedelta = _known["ahead"]
    return found


def trouble() -> str:
    """Return in a sentence that this host's clock is too far off to run cycles and take work; empty when it is not."""
    if abs(ahead()) <= conf.clock_tolerance():
        return ""
    side = "ahead of" if ahead() > timedelta() else "behind"
    return (
        f"The clock of {socket.gethostname()} is {round(abs(ahead()).total_seconds())} seconds {side} the database's: "
        "it runs no cycle and takes no work until that is mended."
    )


def note(found: timedelta) -> None:
    """Take it that this host's clock is ahead by so much."""
    _known["ahead"], _known["asked_at"] = found, clock.monotonic()
    clock.correct(-found)


def _ask(asked: Any) -> None:
    """Ask the database what time it is, and compare."""
    if asked.vendor != "postgresql":
        note(timedelta())
        return
    if asked.connection is None:
        asked.ensure_connection()  # its creation asks
        return
    before = clock.of_this_host()
    with asked.connection.cursor() as cursor:  # beside the log of statements: it is no part of the work
        cursor.execute("SELECT clock_timestamp()")
        told = cursor.fetchone()[0]
    took = clock.of_this_host() - before
    found = before + took / 2 - told
    note(timedelta() if abs(found) <= max(_HARMLESS, took) else found)


def _on_connection(sender: object, connection: Any, **_: object) -> None:
    """Ask on every new connection, so that whatever it is for goes by the right time from its start."""
    try:
        _ask(connection)
    except Exception as error:
        logger.warning("could not ask the database for its time: %s", error)


connection_created.connect(_on_connection, dispatch_uid="scheduling.database_clock")
