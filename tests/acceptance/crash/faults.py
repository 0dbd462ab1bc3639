"""What can befall a process at a named point: killed, frozen, cut off from the database, its broker wiped."""

import os
import pkgutil
import signal
from collections.abc import Callable
from typing import Any

import redis
from django.conf import settings
from django.db import OperationalError, connection

STRUCK: list[str] = []


def strike_at(point: str, nth: int, fault: str) -> None:
    """Let the fault happen when the function at this dotted name is called for the n-th time, and only then.

    What survives the fault goes on with the call as if nothing had been done to it.
    """
    where, name = point.rsplit(".", 1)
    owner = pkgutil.resolve_name(where)
    real = getattr(owner, name)
    calls: list[int] = []

    def struck(*given: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) == nth:
            setattr(owner, name, real)
            STRUCK.append(point)
            FAULTS[fault]()
        return real(*given, **named)

    setattr(owner, name, struck)


def wipe_broker() -> None:
    """Take everything of this installation out of the broker, as a Redis that lost its memory does."""
    prefix = settings.CELERY_BROKER_TRANSPORT_OPTIONS["global_keyprefix"]
    with redis.Redis.from_url(settings.CELERY_BROKER_URL) as broker:
        if keys := broker.keys(f"{prefix}*"):
            broker.delete(*keys)


def _kill() -> None:
    """Die at once."""
    os.kill(os.getpid(), signal.SIGKILL)


def _freeze() -> None:
    """Stop with all threads until somebody lets this process go on."""
    os.kill(os.getpid(), signal.SIGSTOP)


def _drop() -> None:
    """Lose the connection that is in use: on PostgreSQL the server ends it; a file can only refuse."""
    if connection.vendor != "postgresql":
        raise OperationalError("disk I/O error")
    connection.ensure_connection()
    backend = connection.connection.info.backend_pid
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [backend])
    finally:
        other.close()


FAULTS: dict[str, Callable[[], None]] = {"kill": _kill, "freeze": _freeze, "drop": _drop, "wipe": wipe_broker}
