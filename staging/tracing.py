"""Of which work a log line and a span are: ids that every line carries, and spans from the cycle to the batch.

Ids hold for every line that is logged meanwhile, whoever writes it. Spans go to the tracer that the project brings when
its settings name one; without a tracer they do nothing. This file knows none, and imports none.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

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


class Tracer(Protocol):
    """What makes spans and sends them somewhere."""

    def begin(self, name: str, parent: str, facts: Mapping[str, Any]) -> AbstractContextManager[None]:
        """Return the context of a span: below `parent` when that is given, else below the span that is open."""

    def context(self) -> str:
        """Return the span that is open as W3C `traceparent` writes it; empty without one."""


_brought: dict[str, Tracer] = {}


def bring_tracer(tracer: Tracer | None) -> None:
    """Let spans go to this tracer from now on; None: nowhere."""
    _brought.clear()
    if tracer is not None:
        _brought["tracer"] = tracer


def is_traced() -> bool:
    """Return whether spans go anywhere: what a span needs to know is looked up only then."""
    return bool(_brought)


def trace_context() -> str:
    """Return the span that is open, to be stored with the work that follows from it; empty without one."""
    return _brought["tracer"].context() if _brought else ""


@contextmanager
def span(name: str, *, parent: str = "", **facts: Any) -> Iterator[None]:
    """Take the time of what is done inside, with the ids of its work; log lines inside carry the id of the trace."""
    if not _brought:
        yield
        return
    tracer = _brought["tracer"]
    known = {key: value for key, value in facts.items() if value is not None}
    with tracer.begin(name, parent, known), lines_of(trace_id=tracer.context().split("-")[1]):
        yield
