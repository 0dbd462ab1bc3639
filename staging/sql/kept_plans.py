"""Asks hundreds of tables in few messages: PostgreSQL takes ten times as long to plan such statements as to run them.

It keeps what it planned with the connection, and plans anew by itself what a change of a table made invalid.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any
from weakref import WeakKeyDictionary

from django.db import DatabaseError, connection

_MOST_KEPT = 60  # statements of a connection
_AT_ONCE = 5  # in a message: what it locks counts against what the server can lock
_OF_ANOTHER_SESSION = ("26000", "42P05")  # a name that is gone, or already taken: a pooler hands sessions around
_kept: WeakKeyDictionary[Any, dict[str, None] | None] = WeakKeyDictionary()  # names by connection; None: it keeps none


def rows_planned_once(statements: Sequence[str], values: Mapping[str, str] | None = None) -> list[tuple[Any, ...]]:
    """Return the rows of all these statements, with the same values in their places. Raises database errors.

    The first time on a connection each of them is prepared; later they go in one message. Where that cannot be, they
    go as they are. What a statement is called tells its whole text, so that no other can be mistaken for it.
    """
    connection.ensure_connection()
    kept = _kept.setdefault(connection.connection, {})
    if kept is None or len(statements) > _MOST_KEPT:
        return list(_rows(statements, values))
    named = {_name(text): text for text in statements}
    new = [name for name in named if name not in kept]
    if len(kept) + len(new) > _MOST_KEPT:
        _forget(kept)
        new = list(named)
    given = f" ({', '.join(f'%({place})s' for place in values)})" if values else ""
    known = [f"EXECUTE {name}{given}" for name in named if name in kept]
    messages = ["; ".join(known[start : start + _AT_ONCE]) for start in range(0, len(known), _AT_ONCE)]
    planned = (f"PREPARE {name} AS {_numbered(named[name], values)}; EXECUTE {name}{given}" for name in new)
    try:
        found = [*_rows(messages, values), *_rows(planned, values)]
    except DatabaseError as error:
        if getattr(error.__cause__, "sqlstate", "") in _OF_ANOTHER_SESSION:
            _kept[connection.connection] = None
        raise
    kept.update(dict.fromkeys(new))
    return found


def _numbered(statement: str, values: Mapping[str, str] | None) -> str:
    """Return a statement with the numbers of its values in their places, as PREPARE has them."""
    return statement % {place: f"${number}" for number, place in enumerate(values, 1)} if values else statement


def _rows(messages: Iterable[str], values: Mapping[str, str] | None) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of all statements of these messages."""
    with connection.cursor() as cursor:
        for message in messages:
            cursor.execute(message, values)
            while True:
                if cursor.description:
                    yield from cursor.fetchall()
                if not cursor.nextset():
                    break


def _forget(kept: dict[str, None]) -> None:
    """Let the server forget all that it has prepared for us."""
    with connection.cursor() as cursor:
        cursor.execute("; ".join(f"DEALLOCATE {name}" for name in kept))
    kept.clear()


@lru_cache(maxsize=1000)
def _name(statement: str) -> str:
    return f"kept_{sha256(statement.encode()).hexdigest()[:40]}"
