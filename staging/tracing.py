"""Spans of one trace, from the cycle that fires to the batch that merges; without a tracer they do nothing.

A tracer is brought by the project when its settings name one. This file knows none, and imports none.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from staging.log_lines import lines_of


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
