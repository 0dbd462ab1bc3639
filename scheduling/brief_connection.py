"""A database connection for a moment of work outside a request or a task, where nobody else looks after it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, connections


@contextmanager
def brief_connection() -> Iterator[None]:
    """Work with a connection that is closed afterwards, so that one that was lost is never kept.

    Django looks after connections at the ends of requests, Celery at those of tasks. Signals of a worker's main process
    and loops of our own have neither: without this, one restart of the database would silence them for ever.
    """
    forget_connections()
    try:
        yield
    finally:
        forget_connections()


def forget_connections() -> None:
    """Close the connections of this thread; the next statement opens a new one. Inside a transaction they stay."""
    if not connection.in_atomic_block:
        connections.close_all()
