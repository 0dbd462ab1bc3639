"""Which work a line of the process log is of: ids that every line carries, whoever writes it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_ids: ContextVar[dict[str, Any] | None] = ContextVar("log_line_ids", default=None)


@contextmanager
def lines_of(**ids: Any) -> Iterator[None]:
    """Let every line that is logged inside carry these ids, also those of libraries and of asyncio tasks.

    A thread that is started inside begins with none: hand it `current_ids()`.
    """
    token = _ids.set({**current_ids(), **{name: value for name, value in ids.items() if value is not None}})
    try:
        yield
    finally:
        _ids.reset(token)


def lines_also_of(**ids: Any) -> None:
    """Add what became known only inside `lines_of`, for all lines from here to its end; outside it does nothing."""
    known = _ids.get()
    if known is not None:
        known.update(ids)


def current_ids() -> Mapping[str, Any]:
    """Return the ids of the work this thread is at; empty when it is at none."""
    return _ids.get() or {}
