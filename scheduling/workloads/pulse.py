"""The heartbeat of an attempt, and the fence its work must pass before every write."""

import logging
import threading
import uuid
from datetime import timedelta

from django.db import connection, connections

from scheduling import clock, conf, database_clock
from scheduling.errors import AttemptCancelled, AttemptLost, TimedOut
from scheduling.lifecycle.attempts import beat, hold
from scheduling.models import Attempt, Task
from scheduling.workloads.alarm import ALARM
from scheduling.workloads.stopping import STOPPING

logger = logging.getLogger(__name__)


# No time-out and no grace period is as short; what starts within it needs no look at the fence.
_FRESH = timedelta(seconds=1)


class Pulse:
    """Beats for one attempt from a thread with a database connection of its own, as long as the work runs.

    The thread starts with the first beat: work that is done before needs none.
    `check` is the fence: called inside the transaction of every chunk, it makes the chunk's effect conditional on
    the attempt still owning its task and having time left. Use as a context manager.
    """

    def __init__(self, attempt: Attempt, *, time: clock.TimeSource):
        self._token: uuid.UUID = attempt.token
        self._task_id = attempt.task_id
        self._time = time
        self._claimed_at = attempt.claimed_at
        self._stop = threading.Event()
        self._lost = threading.Event()
        self._last_beat = clock.monotonic()
        self._progress: tuple[int, int | None] = (0, None)
        self._deadline = attempt.deadline_at
        until = attempt.deadline_at or attempt.claimed_at
        self._limit_seconds = (until - attempt.claimed_at).total_seconds()
        self._thread = threading.Thread(target=self._beat_until_stopped, name=f"pulse-{self._task_id}", daemon=True)

    def __enter__(self) -> "Pulse":
        ALARM.set(self, conf.heartbeat_interval().total_seconds(), self._thread.start)
        return self

    def __exit__(self, *_: object) -> None:
        ALARM.call_off(self)
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def check(self, rows_done: int, rows_total: int | None) -> None:
        """Beat inside the caller's transaction and note the progress.

        Raises AttemptLost when the attempt was released, AttemptCancelled when a person asked to cancel, TimedOut when
        its time is up, AttemptInterrupted when this process is to stop.
        """
        self._progress = (rows_done, rows_total)
        now = self._time()
        if self._lost.is_set() or not beat(self._token, now):
            raise AttemptLost("This attempt was released; it must not write any more.")
        self._last_beat = clock.monotonic()
        if self.is_cancel_requested():
            raise AttemptCancelled("Cancelled on request.")
        if self._deadline is not None and now >= self._deadline:
            raise TimedOut(f"It took longer than the {self._limit_seconds:g} seconds it may take.")
        STOPPING.check()

    def check_late_start(self) -> None:
        """Check before the work starts, unless the claim is too fresh to have been given up. Raises as `check`."""
        if self._time() - self._claimed_at > _FRESH:
            self.check(0, None)

    def note(self, rows_done: int, rows_total: int | None) -> None:
        """Note progress for the next beat to store; for work that stores it by itself in between."""
        self._progress = (rows_done, rows_total)

    def is_cancel_requested(self) -> bool:
        """Return whether a person asked to cancel; one small read."""
        return Task.objects.filter(pk=self._task_id, cancel_requested=True).exists()

    def is_lost(self) -> bool:
        """Return whether this attempt is known to own its task no more; reads nothing."""
        return self._lost.is_set()

    def hold(self) -> None:
        """Keep the attempt from being released until the caller's transaction ends.

        Raises AttemptLost when it was released before.
        """
        if self._lost.is_set() or not hold(self._token):
            raise AttemptLost("This attempt was released; it must not write any more.")

    def _beat_until_stopped(self) -> None:
        """Beat now and at intervals; give up the attempt when no beat reached the database for most of the time-out.

        By then others may hold it dead and have started it anew, so this one must stop by itself.
        """
        interval = conf.heartbeat_interval().total_seconds()
        patience = conf.zombie_timeout().total_seconds() * 0.8
        try:
            while not self._stop.is_set():
                self._beat_once()
                if not self._lost.is_set() and clock.monotonic() - self._last_beat > max(patience, interval * 3):
                    text = "task %s could not send a heartbeat for too long; from now on nothing it writes counts"
                    logger.error(text, self._task_id)
                    self._lost.set()
                self._stop.wait(interval)
        finally:
            connections.close_all()

    def _beat_once(self) -> None:
        """Send one heartbeat and the progress; a failure is logged and tried again at the next interval."""
        done, total = self._progress
        try:
            database_clock.follow()
            if not beat(self._token, self._time()):
                self._lost.set()
            else:
                Task.objects.filter(pk=self._task_id).update(rows_done=done, rows_total=total)
                self._last_beat = clock.monotonic()
        except Exception as error:
            logger.warning("heartbeat of task %s failed: %s", self._task_id, error)
            connection.close()
