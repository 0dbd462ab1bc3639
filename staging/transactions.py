"""What code needs of the transaction around it: to be inside one, outside any, with something locked, or after it.

And a connection for a moment of work that neither a request nor a task surrounds.

A precondition that stands in a docstring only is broken by the first caller who did not read it, and shows as a lost
update months later. These refuse at once, in tests and in production.
"""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from django.db import close_old_connections, connection, connections, transaction
from django.db.transaction import Atomic

P = ParamSpec("P")
T = TypeVar("T")

_LOCKED = "_staging_scheduler_locked"
_KEPT = "_staging_scheduler_kept"


class Unprotected(RuntimeError):
    """A function was called without the transaction or the lock that it needs: a fault of the program."""


def in_transaction(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function run only inside a transaction: what it writes belongs to what its caller writes."""

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        if not _blocks():
            raise Unprotected(f"{function.__qualname__} must be called inside a transaction.")
        return function(*args, **kwargs)

    return checked


def outside_transaction(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function run only outside any transaction: it commits by itself, piece by piece."""

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        if _blocks():
            raise Unprotected(f"{function.__qualname__} must be called outside any transaction.")
        return function(*args, **kwargs)

    return checked


def note_lock(kind: str, key: Hashable) -> None:
    """Remember that the transaction holds this lock; forgotten with the transaction, as the database does.

    Raises Unprotected outside a transaction, where a lock would be gone as soon as it was taken.
    """
    if not (blocks := _blocks()):
        raise Unprotected(f"The lock of {kind} {key} needs a transaction that keeps it.")
    vars(blocks[0]).setdefault(_LOCKED, set()).add((kind, key))


def require_lock(kind: str, key: Hashable) -> None:
    """Return when the transaction holds this lock. Raises Unprotected otherwise."""
    blocks = _blocks()
    if not blocks or (kind, key) not in vars(blocks[0]).get(_LOCKED, ()):
        raise Unprotected(f"This needs the lock of {kind} {key}: take it first, in the same transaction.")


def after_commit(act: Callable[[], object]) -> None:
    """Call this once the current transaction is committed; an error in it is logged and never reaches the caller."""
    transaction.on_commit(act, robust=True)


def kept_in_transaction(what: str) -> dict[Any, Any]:
    """Return what this transaction keeps under a name until it ends; empty and of no use outside of one."""
    blocks = _blocks()
    return vars(blocks[0]).setdefault(_KEPT, {}).setdefault(what, {}) if blocks else {}


def is_in_transaction() -> bool:
    """Return whether a transaction is open, that of a test aside."""
    return bool(_blocks())


def _blocks() -> list[Atomic]:
    """Return the transactions that are open, the outermost first; not those in which tests are wrapped.

    Django's `atomic(durable=True)` asks the same of a block.
    """
    return [block for block in connection.atomic_blocks if not getattr(block, "_from_testcase", False)]


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


@contextmanager
def lasting_connection() -> Iterator[None]:
    """Work with the connection that this thread has, as a request does: one that was lost or is old is not kept.

    For loops of our own that come again soon: what a new connection has to learn of thousands of tables takes longer
    than to ask them.
    """
    close_old_connections()
    try:
        yield
    finally:
        close_old_connections()


def forget_connections() -> None:
    """Close the connections of this thread; the next statement opens a new one. Inside a transaction they stay."""
    if not connection.in_atomic_block:
        connections.close_all()
