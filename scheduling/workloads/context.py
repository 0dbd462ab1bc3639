"""What running Python code may ask and tell: who it is, what time it is, whether to stop, how far it is."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from scheduling import clock
from scheduling.errors import AttemptCancelled, AttemptInterrupted
from scheduling.models import Run, Task
from scheduling.workloads.pulse import Pulse

# Code may ask in its innermost loop; the database is asked this often.
_ASKS_EVERY_SECONDS = 1.0


class WorkContext:
    """The first argument of a declared function."""

    def __init__(self, task: Task, pulse: Pulse, time: clock.TimeSource):
        self.run: Run = task.run
        self.task: Task = task
        self.arguments: Mapping[str, Any] = task.arguments
        self._pulse = pulse
        self._time = time
        self._asked_at = float("-inf")
        self._stop: AttemptCancelled | AttemptInterrupted | None = None
        self._progress: tuple[int, int | None] = (0, None)

    @property
    def now(self) -> datetime:
        """Return the current instant, aware, in UTC."""
        return self._time()

    @property
    def cancelled(self) -> bool:
        """Return whether it is to stop: a person cancelled, as of a second ago, or its worker is told to stop."""
        try:
            self.check_cancelled()
        except (AttemptCancelled, AttemptInterrupted):
            return True
        return False

    def check_interrupted(self) -> None:
        """Raise AttemptInterrupted when the code was told that its worker is to stop; it may have done a part only."""
        if isinstance(self._stop, AttemptInterrupted):
            raise self._stop

    def check_cancelled(self) -> None:
        """Raise what ends the work: a cancel, the end of its time, a worker that is to stop, an attempt given up."""
        if self._stop is not None:
            raise self._stop
        if clock.monotonic() - self._asked_at < _ASKS_EVERY_SECONDS:
            return
        self._asked_at = clock.monotonic()
        try:
            self._pulse.check(*self._progress)
        except (AttemptCancelled, AttemptInterrupted) as stop:
            self._stop = stop
            raise

    def progress(self, done: int, total: int | None = None) -> None:
        """Tell how far the work is; shown on the run's page within seconds. Raises like `check_cancelled`."""
        self._progress = (done, total)
        self._pulse.note(done, total)
        self.check_cancelled()
