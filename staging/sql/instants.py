"""Reads the instants of PostgreSQL as Python reads one: a page of a run has thousands.

Django lets psycopg take each apart with a pattern. What is told otherwise than in UTC, or is no instant of this
calendar, still is.
"""

from datetime import UTC, datetime
from functools import cache
from typing import Any

from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.backends.signals import connection_created
from psycopg.postgres import types
from psycopg.pq import Format

_KIND = types["timestamptz"]


@cache
def _quick(theirs: type[Any]) -> type[Any]:
    """Return a loader that leaves to this one what it does not read itself."""

    class QuickLoader(theirs):
        def load(self, data: Any) -> Any:
            """Return an instant."""
            told = bytes(data)
            if told.endswith(b"+00"):
                try:
                    return datetime.fromisoformat(told.decode())
                except ValueError:
                    pass
            return super().load(data)

    return QuickLoader


def _on_connection(sender: object, connection: Any, **_: object) -> None:
    """Let a new connection read them so; one whose instants are in a zone of their own goes on as it did."""
    if connection.timezone is UTC:
        loaders = connection.connection.adapters
        loaders.register_loader(_KIND.oid, _quick(loaders.get_loader(_KIND.oid, Format.TEXT)))


connection_created.connect(_on_connection, sender=DatabaseWrapper, dispatch_uid="staging.sql.instants")
