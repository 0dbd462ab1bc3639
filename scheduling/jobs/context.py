"""What declared code is given: its task, when it started, a way to hear of a cancel, to tell progress and to log."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scheduling.errors import AttemptCancelled, AttemptInterrupted, AttemptLost, TimedOut
from scheduling.models import Task

_LONGEST_MESSAGE = 200


class Signals:
    """What a running attempt and its surroundings tell each other; reading and writing it touches no database.

    But for `look`, which is called whenever the attempt asks: where nobody else can look for it, as inside the
    transaction of a test, it does so itself. `stop` is why the attempt is to end, None while it may go on; `was_heard`
    whether the attempt asked and was told. `progress` is what it told last.
    """

    def __init__(self) -> None:
        self.stop: Exception | None = None
        self.was_heard = False
        self.progress: tuple[int, int | None, str] = (0, None, "")
        self.look: Callable[[], object] = lambda: None
        self._changed = threading.Event()

    def ask(self) -> Exception | None:
        """Return why the attempt is to end, None while it may go on, and note that it knows."""
        self.look()
        self.was_heard = self.was_heard or self.stop is not None
        return self.stop

    def end(self, why: Exception) -> None:
        """Tell the attempt to end; the first reason stays."""
        self.stop = self.stop or why

    def told(self, done: int, total: int | None, message: str) -> None:
        """Note progress."""
        self.progress = (done, total, message)
        self._changed.set()

    def take_change(self) -> bool:
        """Return whether progress was told since the last call."""
        changed = self._changed.is_set()
        self._changed.clear()
        return changed


@dataclass(frozen=True)
class JobEnd:
    """How a job ended for good, as its hooks are told: completed or failed, its message, and the value it returned.

    `warnings`: how many it gave.
    """

    status: str
    message: str
    result: Any = None
    warnings: int = 0


class JobContext:
    """The first argument of a job, and of a task. Nothing here touches the database: async functions may use it.

    But for tests of own code, in whose transaction whoever asks whether to stop looks for it.
    """

    def __init__(
        self,
        task: Task,
        *,
        job: str,
        attempt: int,
        now: datetime,
        arguments: Mapping[str, Any],
        logger: logging.Logger,
        signals: Signals,
        on_warning: Callable[[str], None],
        last_completed_at: datetime | None = None,
    ):
        self.task = task
        self.run = task.run
        self.job = job
        self.attempt = attempt
        self.now = now
        self.arguments = arguments
        self.logger = logger
        self._last_completed_at = last_completed_at
        self._signals = signals
        self._on_warning = on_warning

    @property
    def last_completed_at(self) -> datetime | None:
        """Return when the last run that completed began, for work that goes on from there; None before any has."""
        return self._last_completed_at

    @property
    def scheduled_for(self) -> datetime | None:
        """Return the slot that this run is for, None when people or a plan started it."""
        return self.run.scheduled_for

    @property
    def slot(self) -> datetime | None:
        """Return the same by the word of the glossary."""
        return self.scheduled_for

    @property
    def item(self) -> Any:
        """Return the item of the list for which this is called; None where a plan's step does not run for each item."""
        return self.task.item

    @property
    def item_number(self) -> int | None:
        """Return its place in that list, from 1; None where there is no item."""
        return self.task.item_number

    @property
    def cancelled(self) -> bool:
        """Return whether the job is to stop: cancelled, out of time, given up, or because its worker is to stop."""
        return self._signals.ask() is not None

    def check_cancelled(self) -> None:
        """Raise when the job is to stop; call it where it is safe to. Let what it raises pass."""
        stop = self._signals.ask()
        if isinstance(stop, AttemptCancelled | AttemptInterrupted | AttemptLost | TimedOut):
            raise type(stop)(str(stop))

    def progress(self, done: int, total: int | None = None, message: str = "") -> None:
        """Tell how far the job is; people see it within seconds."""
        least = max(int(done), 0)
        self._signals.told(least, None if total is None else max(int(total), 0), str(message)[:_LONGEST_MESSAGE])

    def warn(self, text: str) -> None:
        """Tell of something that somebody should look at: a job that completes has completed with warnings then."""
        line = " ".join(str(text).split())
        self.logger.warning("%s", line)
        self._on_warning(line)
