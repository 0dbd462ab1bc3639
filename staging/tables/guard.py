"""Keeps a failed statement from poisoning its surroundings, and turns it into a sentence that names the table."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from django.db import DatabaseError, connection, transaction

from staging.errors import TableMismatch
from staging.models import Entity
from staging.tables.inspect import table_problems


def savepoint() -> AbstractContextManager[Any]:
    """Return a savepoint inside a transaction, where a failed statement would end it on PostgreSQL; else nothing.

    Outside, a transaction of its own would only take SQLite's write lock for reading.
    """
    return transaction.atomic() if connection.in_atomic_block else nullcontext()


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
