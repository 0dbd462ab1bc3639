"""The cycle lock: keeps a second cycle from working beside the first. An economy: two at once do no harm."""

import fcntl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from django.db import Error, connection

# A constant, not hash(): Python's string hash differs from process to process.
_KEY = (0x5747, 1)

# POSIX file locks do not exclude threads of one process, so this one does.
_in_process = threading.Lock()


@contextmanager
def cycle_lock() -> Iterator[bool]:
    """Yield whether this process may run a cycle now; never waits. A holder that dies frees the lock at once."""
    if not _in_process.acquire(blocking=False):
        yield False
        return
    try:
        with _postgresql_lock() if connection.vendor == "postgresql" else _file_lock() as held:
            yield held
    finally:
        _in_process.release()


@contextmanager
def _postgresql_lock() -> Iterator[bool]:
    """Hold a session advisory lock on a connection of its own.

    Not Django's connection: that one reconnects silently after an error, and the lock would be gone.
    """
    own = connection.copy()
    try:
        with own.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", _KEY)
            held = bool(cursor.fetchone()[0])
        try:
            yield held
        finally:
            # Without this the server frees it some time after the connection closed: the next cycle would not run.
            with suppress(Error), own.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock_all()")
    finally:
        own.close()


@contextmanager
def _file_lock() -> Iterator[bool]:
    """Hold a POSIX lock on a file beside the SQLite database (lockf: unlike flock, a forked child has no share)."""
    with _lock_path().open("a") as handle:
        held = _try_lockf(handle)
        yield held


def _try_lockf(handle: IO[str]) -> bool:
    """Return whether the exclusive lock was free."""
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _lock_path() -> Path:
    """Return the path of the lock file; a database in memory has nobody to exclude but this process."""
    name = str(connection.settings_dict["NAME"])
    return Path("/dev/null") if ":memory:" in name or "mode=memory" in name else Path(f"{name}.cycle.lock")
