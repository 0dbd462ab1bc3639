"""Keeps a failed statement from poisoning its surroundings, and turns it into a sentence that names the table."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from django.db import DatabaseError, OperationalError, connection, transaction

from staging.errors import TableMismatch, TablesInUse
from staging.models import Entity
from staging.sql.choose import dialect
from staging.tables.inspect import table_problems


def savepoint() -> AbstractContextManager[Any]:
    """Return a savepoint inside a transaction, where a failed statement would end it on PostgreSQL; else nothing.

    Outside, a transaction of its own would only take SQLite's write lock for reading.
    """
    return transaction.atomic() if connection.in_atomic_block else nullcontext()


# A constant beside the cycle's (0x5747, 1): one change of definitions at a time.
_KEY = (0x5747, 2)


def one_at_a_time() -> None:
    """Wait until nobody else changes definitions, until the end of this transaction.

    Two changes at once could store the same entity twice or hold each other's tables. SQLite has one writer anyway.
    """
    dialect().take_turns(_KEY)


@contextmanager
def named_problems(entity: Entity) -> Iterator[None]:
    """Raise TableMismatch for a statement that failed because the tables were altered by others; let the rest pass."""
    try:
        with savepoint():
            yield
    except DatabaseError as error:
        if connection.is_usable() and (problems := table_problems(entity)):
            raise TableMismatch(" ".join(problems)) from error
        raise


@contextmanager
def told_when_in_use() -> Iterator[None]:
    """Raise TablesInUse where a statement gave up waiting for somebody else's lock; let the rest pass."""
    try:
        yield
    except OperationalError as error:
        if not gave_up_waiting(error):
            raise
        raise TablesInUse("A table is in use just now, probably by a batch. Try again when it is done.") from error


def gave_up_waiting(error: OperationalError) -> bool:
    """Return whether it is a lock or statement time-out or a deadlock of PostgreSQL, or SQLite's own words for it."""
    return getattr(error.__cause__, "sqlstate", None) in ("55P03", "57014", "40P01") or "is locked" in str(error)
