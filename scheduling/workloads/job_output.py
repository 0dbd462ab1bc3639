"""Captures what an attempt of a job logs and prints, from all loggers of its thread, within bounds."""

from __future__ import annotations

import logging
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from staging.wording import say, storable

# A million lines cost the memory of these few: the first tell what it set out to do, the last how it ended.
FIRST, LAST, WIDEST = 100, 400, 400

# Marks a record that is kept with its attempt and not handed on to the worker's own log.
KEPT_ONLY = {"kept_only": True}
_KEPT = "kept_for_its_attempt"
_current: ContextVar[Captured | None] = ContextVar("captured", default=None)
_printed = logging.getLogger("scheduling.jobs.printed")


class Captured(logging.Handler):
    """Keeps the first and the last lines of one attempt; `dropped` counts those between."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.setFormatter(logging.Formatter("{asctime} {levelname} {message}", style="{"))
        self._first: list[str] = []
        self._last: deque[str] = deque(maxlen=LAST)
        self._count = 0
        self._taken = 0
        self._printed = ""  # the beginning of a line that is not at its end
        self.is_printing = False  # a handler of the site that prints what it is given goes round in no circle

    def filter(self, record: logging.LogRecord) -> bool:
        """Let pass what this attempt logs, and nothing of the attempts beside it."""
        return _current.get() is self and not hasattr(record, _KEPT) and bool(super().filter(record))

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the lines of a record."""
        try:
            lines = self.format(record).splitlines()
        except Exception:  # a broken message must not break the job
            lines = [say("(a line that could not be formatted: {msg!r})", msg=record.msg)]
        for line in lines:
            self._count += 1
            kept = line if len(line) <= WIDEST else line[: WIDEST - 1] + "…"
            (self._first if len(self._first) < FIRST else self._last).append(kept)

    def take_print(self, text: str) -> None:
        """Take what the job printed; each whole line becomes a line of its log, and of the worker's."""
        *lines, self._printed = (self._printed + text).split("\n")
        self.is_printing = True
        try:
            for line in lines:
                _printed.info("%s", line)
        finally:
            self.is_printing = False

    def end_print(self) -> None:
        """Take what the job printed last, without the end of its line."""
        if self._printed:
            self.take_print("\n")

    @property
    def dropped(self) -> int:
        """Return how many lines were not kept."""
        return self._count - len(self._first) - len(self._last)

    def text(self) -> str:
        """Return the lines that were kept, with a mark where some are missing; storable in any database."""
        self.acquire()  # the job may log while this reads
        try:
            gap = [say("… {dropped:,} lines left out …", dropped=self.dropped)] if self.dropped else []
            text = "\n".join([*self._first, *gap, *self._last])
        finally:
            self.release()
        return storable(text)

    def take_change(self) -> bool:
        """Return whether lines came since the last call."""
        changed, self._taken = self._count != self._taken, self._count
        return changed


class _Output:
    """Standard output while jobs work: what one of them prints is its own, all else goes where it went before."""

    def __init__(self, before: Any):
        self._before = before

    def write(self, text: str) -> int:
        output = _current.get()
        if output is None or output.is_printing:
            return int(self._before.write(text) or 0)
        output.take_print(text)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._before, name)


class _Printing:
    """Stands in for standard output as long as any job of this process works."""

    def __init__(self) -> None:
        self._lock, self._jobs = threading.Lock(), 0
        self._before: Any = None

    def __enter__(self) -> None:
        with self._lock:
            self._jobs += 1
            if self._jobs == 1:
                self._before, sys.stdout = sys.stdout, _Output(sys.stdout)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._jobs -= 1
            if self._jobs == 0 and isinstance(sys.stdout, _Output):
                sys.stdout = self._before


_PRINTING = _Printing()


@contextmanager
def captured() -> Iterator[Captured]:
    """Capture what this thread, and the asyncio tasks it starts, logs and prints inside."""
    handler, root = Captured(), logging.getLogger()
    token = _current.set(handler)
    root.addHandler(handler)
    try:
        with _PRINTING:
            yield handler
    finally:
        handler.end_print()
        root.removeHandler(handler)
        _current.reset(token)


class JobLogger(logging.Logger):
    """The logger of a job's context: INFO and above is kept, from any thread of the job.

    What the worker's own log shows of it follows the level of that log.
    """

    def __init__(self, job: str, output: Captured):
        super().__init__(f"job {job}", logging.INFO)  # not by getLogger: names that come and go would pile up
        self.parent = logging.getLogger("scheduling.jobs")
        self._output = output

    def callHandlers(self, record: logging.LogRecord) -> None:
        """Keep the record, then hand it on when the worker's log wants it."""
        self._output.acquire()
        try:
            self._output.emit(record)
        finally:
            self._output.release()
        setattr(record, _KEPT, True)
        if getattr(record, "kept_only", False):
            return
        if self.parent is not None and record.levelno >= self.parent.getEffectiveLevel():
            super().callHandlers(record)
