"""The heartbeat of an attempt, the fence its work must pass before every write, and the stop of its process."""

import logging
import os
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import connection, connections
from django.utils.translation import gettext_noop

from scheduling import clock, conf
from scheduling.errors import AttemptCancelled, AttemptInterrupted, AttemptLost, TimedOut
from scheduling.lifecycle.tasks import beat, hold_attempt
from scheduling.models import Attempt, Task
from scheduling.workloads.outcome import Outcome
from staging.tracing import current_ids, lines_of
from staging.transactions import forget_connections
from staging.wording import say

REASON = gettext_noop("Interrupted: its worker was told to stop.")
# What a program that was ended by SIGTERM leaves as its return code: as a signal, and as a shell tells it.
_TERMINATED = (-15, 143)
_NOTICED_WITHIN_SECONDS = 1.0
_LOOKS_EVERY_SECONDS = 0.05
# A database that is frozen or locked keeps no process from its end; what it holds is found by recovery then.
HANDS_BACK_WITHIN_SECONDS = 4.0

logger = logging.getLogger(__name__)

# No time-out and no grace period is as short; what starts within it needs no look at the fence.
_FRESH = timedelta(seconds=1)


class Alarm:
    """Rings for each owner once, unless it is called off before. Its thread starts with the first one set."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._calls: dict[object, tuple[float, Callable[[], object]]] = {}
        self._wakes_at = float("inf")
        self._thread: threading.Thread | None = None

    def set(self, owner: object, seconds: float, call: Callable[[], object]) -> None:
        """Call this in so many seconds, for `owner`, which may be anything hashable. It must be short."""
        due = clock.monotonic() + seconds
        with self._changed:
            self._calls[owner] = (due, call)
            if self._thread is None:
                self._thread = threading.Thread(target=self._ring, name="alarm", daemon=True)
                self._thread.start()
            elif due < self._wakes_at:
                self._changed.notify()

    def call_off(self, owner: object) -> None:
        """Forget what was set for `owner`; when this returns it has been called, or never will be."""
        with self._changed:
            self._calls.pop(owner, None)

    def _ring(self) -> None:
        """Call what is due, for ever; what is called holds the lock, so that nobody can call it off halfway."""
        with self._changed:
            while True:
                now = clock.monotonic()
                for owner in [owner for owner, (due, _) in self._calls.items() if due <= now]:
                    _, call = self._calls.pop(owner)
                    try:
                        call()
                    except Exception:
                        logger.exception("an alarm could not be answered", extra={"event": "alarm_failed"})
                self._wakes_at = min((due for due, _ in self._calls.values()), default=float("inf"))
                self._changed.wait(None if self._wakes_at == float("inf") else max(self._wakes_at - now, 0))


ALARM = Alarm()

# A child process has no thread, and a lock that nobody would open.
os.register_at_fork(after_in_child=ALARM.__init__)  # type: ignore[misc]


class Stopping:
    """What one process knows of its own end. The attempts it works on tell here how to hand them back."""

    def __init__(self) -> None:
        self._is_told = False
        self._held: dict[object, Callable[[], object]] = {}
        # What to do about work that was given up and does not end: whoever runs it knows how to get on without it.
        self.when_deaf: Callable[[int], object] = lambda attempt_id: None

    def tell(self, *, grace: float, then: Callable[[], object]) -> None:
        """Tell this process to stop: what it works on ends at its next safe point, or is handed back after `grace`.

        `then` is called after that, to end what does not listen. Telling again changes nothing. It takes locks: a
        signal handler tells an `Ear`, whose thread tells this.
        """
        if not self._is_told:
            self._is_told = True
            ALARM.set(self, grace, lambda: threading.Thread(target=self._end, args=(then,), daemon=True).start())

    def is_told(self) -> bool:
        """Return whether this process is to stop: it takes no more work."""
        return self._is_told

    def check(self) -> None:
        """Raise AttemptInterrupted when this process is to stop."""
        if self._is_told:
            raise AttemptInterrupted(say(REASON))

    def forget(self) -> None:
        """Go on as if nothing had been told; for tests."""
        ALARM.call_off(self)
        self.__init__()  # type: ignore[misc]

    @contextmanager
    def working(self, hand_back: Callable[[], object]) -> Iterator[None]:
        """Note how to hand back the work that is done inside, should it not end by itself."""
        key = object()
        self._held[key] = hand_back
        try:
            yield
        finally:
            self._held.pop(key, None)

    def interrupted(self, error: BaseException) -> bool:
        """Return whether work that failed so was interrupted: the process is to stop, or hears of it in a moment.

        A signal to a group of processes may end a program that the work waits for before this process has noticed.
        """
        if not self._is_told and _was_terminated(error):
            until = clock.monotonic() + _NOTICED_WITHIN_SECONDS
            while not self._is_told and clock.monotonic() < until:
                clock.sleep(_LOOKS_EVERY_SECONDS)
        return self._is_told

    def _end(self, then: Callable[[], object]) -> None:
        """Hand back what has not ended; then end the process, also when the database does not answer."""
        thread = threading.Thread(target=self._hand_back, name="hand back", daemon=True)
        thread.start()
        thread.join(HANDS_BACK_WITHIN_SECONDS)
        if thread.is_alive():
            logger.warning(
                "could not hand back what runs within %s seconds; recovery finds it",
                HANDS_BACK_WITHIN_SECONDS,
                extra={"event": "hand_back_failed"},
            )
        then()

    def _hand_back(self) -> None:
        """Hand back what has not ended, each apart from the others."""
        for hand_back in list(self._held.values()):
            try:
                hand_back()
            except Exception as error:
                logger.warning(
                    "could not hand back what runs; recovery finds it: %s", error, extra={"event": "hand_back_failed"}
                )
        forget_connections()


def _was_terminated(error: BaseException | None) -> bool:
    """Return whether the error, or one behind it, is of a program that was ended by SIGTERM."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if getattr(error, "returncode", None) in _TERMINATED:
            return True
        error = error.__cause__ or error.__context__
    return False


STOPPING = Stopping()

# What a child process of a job inherits of its parent's work is not its own to hand back.
os.register_at_fork(after_in_child=lambda: STOPPING._held.clear())


class Pulse:
    """Beats for one attempt from a thread with a database connection of its own, as long as the work runs.

    The thread starts with the first beat: work that is done before needs none.
    `check` is the fence: called inside the transaction of every chunk, it makes the chunk's effect conditional on
    the attempt still owning its task and having time left. Use as a context manager.
    """

    def __init__(self, attempt: Attempt, *, time: clock.TimeSource):
        self.after_end: Callable[[Outcome], None] | None = None  # called with an end that is stored and final
        self.attempt = attempt
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
        self._ids = current_ids()
        self._thread = threading.Thread(target=self._beat_for_the_work, name=f"pulse-{self._task_id}", daemon=True)

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
            raise AttemptLost(say("This attempt was released; it must not write any more."))
        self._last_beat = clock.monotonic()
        if self.is_cancel_requested():
            raise AttemptCancelled(say("Cancelled on request."))
        if self._deadline is not None and now >= self._deadline:
            raise TimedOut(
                say("It took longer than the {limit_seconds:g} seconds it may take.", limit_seconds=self._limit_seconds)
            )
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
        if self._lost.is_set() or not hold_attempt(self._token):
            raise AttemptLost(say("This attempt was released; it must not write any more."))

    def _beat_for_the_work(self) -> None:
        """Beat in a thread whose log lines carry the ids of the attempt."""
        with lines_of(**self._ids):
            self._beat_until_stopped()

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
                    logger.error(text, self._task_id, extra={"event": "heartbeat_given_up"})
                    self._lost.set()
                self._stop.wait(interval)
        finally:
            connections.close_all()

    def _beat_once(self) -> None:
        """Send one heartbeat and the progress; a failure is logged and tried again at the next interval."""
        done, total = self._progress
        try:
            clock.follow()
            if not beat(self._token, self._time()):
                self._lost.set()
            else:
                Task.objects.filter(pk=self._task_id).update(rows_done=done, rows_total=total)
                self._last_beat = clock.monotonic()
        except Exception as error:
            logger.warning("heartbeat of task %s failed: %s", self._task_id, error, extra={"event": "heartbeat_failed"})
            connection.close()
