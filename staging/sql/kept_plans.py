"""Has what is asked again and again planned once: PostgreSQL takes up to ten times as long to plan it as to run it.

It keeps what it planned with the connection, and plans anew by itself what a change of a table made invalid.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any
from weakref import WeakKeyDictionary

from django.db import DatabaseError, connection

from staging.transactions import is_in_transaction

_MOST_KEPT = 60  # statements of a connection that ask many tables each
_MOST_ASKED = 300  # others
_AT_ONCE = 5  # in a message: what it locks counts against what the server can lock
# A name that is gone, or already taken, for a pooler hands sessions around; or columns have another type since.
_OF_NO_USE = ("26000", "42P05", "0A000")
# Names by connection; None: it keeps none.
_kept: WeakKeyDictionary[Any, dict[str, None] | None] = WeakKeyDictionary()
_asked: WeakKeyDictionary[Any, set[str] | None] = WeakKeyDictionary()


def rows_planned_once(statements: Sequence[str], values: Mapping[str, str] | None = None) -> list[tuple[Any, ...]]:
    """Return the rows of all these statements, with the same values in their places. Raises database errors.

    The first time on a connection each of them is prepared; later they go in one message. Where that cannot be, they
    go as they are. What a statement is called tells its whole text, so that no other can be mistaken for it.
    """
    connection.ensure_connection()
    kept = _kept.setdefault(connection.connection, {})
    if kept is None or len(statements) > _MOST_KEPT:
        return _rows(statements, values)
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
        if getattr(error.__cause__, "sqlstate", "") in _OF_NO_USE:
            _kept[connection.connection] = None
        raise
    kept.update(dict.fromkeys(new))
    return found


def rows_of_kept_plan(
    statement: str, values: Sequence[Any], otherwise: Callable[[Sequence[Any]], list[tuple[Any, ...]]]
) -> list[tuple[Any, ...]]:
    """Return the rows of a statement that has `$1` and so on for its values; `otherwise` where no plan can be kept.

    Inside a transaction it is not: a plan that is gone would end that. The server decides by itself when one plan is
    as good for all values as one for each. Raises database errors.
    """
    if is_in_transaction():
        return otherwise(values)
    connection.ensure_connection()
    known = _asked.setdefault(connection.connection, set())
    name = _name(statement)
    if known is None or (name not in known and len(known) >= _MOST_ASKED):
        return otherwise(values)
    message = f"EXECUTE {name}" + (f"({', '.join(['%s'] * len(values))})" if values else "")
    if name not in known:
        message = f"PREPARE {name} AS {statement.replace('%', '%%')}; {message}"
    try:
        found = _rows([message], values)
    except DatabaseError as error:
        if getattr(error.__cause__, "sqlstate", "") not in _OF_NO_USE:
            raise
        _asked[connection.connection] = None
        return otherwise(values)
    known.add(name)
    return found


def _numbered(statement: str, values: Mapping[str, str] | None) -> str:
    """Return a statement with the numbers of its values in their places, as PREPARE has them."""
    return statement % {place: f"${number}" for number, place in enumerate(values, 1)} if values else statement


def _rows(messages: Iterable[str], values: Sequence[Any] | Mapping[str, str] | None = None) -> list[tuple[Any, ...]]:
    """Return the rows of all statements of these messages."""
    found: list[tuple[Any, ...]] = []
    with connection.cursor() as cursor:
        for message in messages:
            cursor.execute(message, values)
            while True:
                if cursor.description:
                    found += cursor.fetchall()
                if not cursor.nextset():
                    break
    return found


def _forget(kept: dict[str, None]) -> None:
    """Let the server forget all that it has prepared for us."""
    with connection.cursor() as cursor:
        cursor.execute("; ".join(f"DEALLOCATE {name}" for name in kept))
    kept.clear()


@lru_cache(maxsize=1000)
def _name(statement: str) -> str:
    return f"kept_{sha256(statement.encode()).hexdigest()[:40]}"
