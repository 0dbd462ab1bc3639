"""How a piece of work ended, whatever kind it was."""

import re
import threading
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from scheduling.errors import FatalJobError, TryLater
from scheduling.states import TaskStatus
from staging.wording import counted, one_line, said_together, say, storable

_LONGEST_WARNING = 200
_HOPELESS = f"{FatalJobError.__module__}.{FatalJobError.__qualname__}"
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


@dataclass(frozen=True)
class Outcome:
    """The end of an attempt's work: a final task state, a sentence, and the rows it went through.

    `error_classes` are the names of the error and its bases, for steps that retry on some of them only.
    `is_held`: it did what it could, and people must decide about the rest. `longest_wait`, `shortest_wait`: the most
    and the least that is waited before it is tried again, where the work says so. `result`: a value as JSON has it, for
    programs. `warnings`: how many things it did that somebody should look at. `again_at`: it is not over (`status` is
    queued) and is looked at again then; no attempt is used. `items`: these are the items of a step, which waits
    for them (`status` is waiting; each becomes a task), or ends as they did.
    """

    status: TaskStatus
    message: str
    rows: int | None = None
    batch_id: int | None = None
    duration_ms: int | None = None
    error_classes: tuple[str, ...] = ()
    is_fatal: bool = False  # the work said that trying again is pointless
    is_lost: bool = False  # its worker gave no sign of life
    is_held: bool = False
    longest_wait: timedelta | None = None
    shortest_wait: timedelta = timedelta()
    result: Any = None
    warnings: int = 0
    again_at: datetime | None = None
    items: list[Any] | None = None

    @property
    def is_hopeless(self) -> bool:
        """Return whether the work said that nothing can help, however it is begun again; less is fatal for a step."""
        return _HOPELESS in self.error_classes


def holds_nul(json_text: str) -> bool:
    """Return whether a value as JSON holds a NUL, which PostgreSQL does not keep; a text that tells of one does not."""
    return _NUL.search(json_text) is not None


class Judged(Exception):
    """An error of the work, with what the work itself says of another try. Raise it from the error."""

    def __init__(self, error: Exception, *, is_fatal: bool = False, longest_wait: timedelta | None = None):
        super().__init__(str(error))
        self.error, self.is_fatal, self.longest_wait = error, is_fatal, longest_wait


def failure(error: Exception, *, is_fatal: bool = False) -> Outcome:
    """Return the outcome of work that raised: the error as one line a person can read and search for."""
    if isinstance(error, Judged):
        return replace(failure(error.error, is_fatal=error.is_fatal), longest_wait=error.longest_wait)
    names = [kind for kind in type(error).__mro__ if issubclass(kind, Exception)]
    classes = tuple(name for kind in names for name in (kind.__name__, f"{kind.__module__}.{kind.__qualname__}"))
    after = error.after if isinstance(error, TryLater) else timedelta()
    ended = Outcome(TaskStatus.FAILED, describe_error(error), error_classes=classes, shortest_wait=after)
    return replace(ended, is_fatal=is_fatal)


class Warnings:
    """How often work warned, and of what first; a loop may do so a million times, and from several threads."""

    def __init__(self) -> None:
        self.number, self._first, self._lock = 0, "", threading.Lock()

    def add(self, text: str) -> None:
        """Count one more."""
        with self._lock:
            self.number += 1
            self._first = self._first or " ".join(text.split())[:_LONGEST_WARNING]

    def after(self, done: str) -> str:
        """Return what was done, with how many there were and the first of them."""
        if not self.number:
            return done
        warnings, first = counted(self.number, "warning", "warnings"), storable(self._first)
        if self.number == 1:
            return said_together(done, say("{warnings}: {first}", warnings=warnings, first=first))
        return said_together(done, say("{warnings}, the first: {first}", warnings=warnings, first=first))


def describe_error(error: Exception) -> str:
    """Return an error as one line."""
    kind, text = type(error).__name__, one_line(error)
    return say("{kind}: {error}", kind=kind, error=text) if text else kind
