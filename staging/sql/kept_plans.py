"""Has what is asked again and again planned once: PostgreSQL takes up to ten times as long to plan it as to run it.

It keeps what it planned with the connection, and plans anew by itself what a change of a table made invalid.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import datetime, timedelta
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
    block = _block.get()
    if block is not None and (rows := block.answer(statement, values)) is not None:
        return rows
    connection.ensure_connection()
    known = _asked.setdefault(connection.connection, set())
    name = _name(statement)
    if known is None or (name not in known and len(known) >= _MOST_ASKED):
        return otherwise(values)
    message = _execution(name, values)
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


@contextmanager
def foreseen(now: datetime) -> Iterator[None]:
    """Ask in one message, as the block begins, what it has asked the last two times, as long before or after `now`.

    Whoever asks for it inside of the block is given that, once. Inside a transaction nothing is foreseen.
    """
    block = _Block(now)
    token = _block.set(block)
    try:
        if not is_in_transaction():
            block.ask()
        yield
    finally:
        _block.reset(token)
        _last_blocks.append(frozenset(block.asked))


Question = tuple[str, tuple[Any, ...]]  # a statement with its values, moments as how long they are after the block's


class _Block:
    """What is asked inside a block, and what was foreseen of it."""

    def __init__(self, now: datetime):
        self.now = now
        self.asked: set[Question] = set()
        self._rows: dict[Question, list[tuple[Any, ...]]] = {}

    def ask(self) -> None:
        """Ask what is foreseen, as far as this connection keeps its plans; an error is left to whoever asks for it."""
        connection.ensure_connection()
        known = _asked.get(connection.connection) or set()
        expected = frozenset.intersection(*_last_blocks) if len(_last_blocks) == _TIMES_BEFORE else frozenset()
        questions = [each for each in expected if _name(each[0]) in known]
        message = "; ".join(_execution(_name(statement), given) for statement, given in questions)
        values = [self.now + each if isinstance(each, timedelta) else each for _, given in questions for each in given]
        if message:
            with suppress(DatabaseError):
                self._rows = dict(zip(questions, _results(message, values), strict=True))

    def answer(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]] | None:
        """Return the rows of what was foreseen; None, where it was not."""
        moved = tuple(each - self.now if isinstance(each, datetime) else each for each in values)
        self.asked.add((statement, moved))
        return self._rows.pop((statement, moved), None)


_TIMES_BEFORE = 2  # what moves with something else than the block's moment is not the same twice
_last_blocks: deque[frozenset[Question]] = deque(maxlen=_TIMES_BEFORE)
_block: ContextVar[_Block | None] = ContextVar("block", default=None)


def _execution(name: str, values: Sequence[Any]) -> str:
    return f"EXECUTE {name}" + (f"({', '.join(['%s'] * len(values))})" if values else "")


def _rows(messages: Iterable[str], values: Sequence[Any] | Mapping[str, str] | None = None) -> list[tuple[Any, ...]]:
    """Return the rows of all statements of these messages."""
    return [row for message in messages for rows in _results(message, values) for row in rows]


def _results(message: str, values: Sequence[Any] | Mapping[str, str] | None = None) -> list[list[tuple[Any, ...]]]:
    """Return the rows of each statement of a message that returns some."""
    found = []
    with connection.cursor() as cursor:
        cursor.execute(message, values)
        while True:
            if cursor.description:
                found.append(cursor.fetchall())
            if not cursor.nextset():
                return found


def _forget(kept: dict[str, None]) -> None:
    """Let the server forget all that it has prepared for us."""
    with connection.cursor() as cursor:
        cursor.execute("; ".join(f"DEALLOCATE {name}" for name in kept))
    kept.clear()


@lru_cache(maxsize=1000)
def _name(statement: str) -> str:
    return f"kept_{sha256(statement.encode()).hexdigest()[:40]}"
