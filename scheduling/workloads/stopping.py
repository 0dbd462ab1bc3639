"""Whether this process was told to stop; what it works on then is told at once, and handed back after a grace."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from scheduling import clock
from scheduling.brief_connection import forget_connections
from scheduling.errors import AttemptInterrupted
from scheduling.workloads.alarm import ALARM

logger = logging.getLogger(__name__)

REASON = "Interrupted: its worker was told to stop."

# What a program that was ended by SIGTERM leaves as its return code: as a signal, and as a shell tells it.
_TERMINATED = (-15, 143)
_NOTICED_WITHIN_SECONDS = 1.0
_LOOKS_EVERY_SECONDS = 0.05


class Stopping:
    """What one process knows of its own end. The attempts it works on tell here how to hand them back."""

    def __init__(self) -> None:
        self._is_told = False
        self._held: dict[object, Callable[[], object]] = {}
        # What to do about work that was given up and does not end: whoever runs it knows how to get on without it.
        self.when_deaf: Callable[[int], object] = lambda attempt_id: None

    def tell(self, *, grace: float, then: Callable[[], object]) -> None:
        """Tell this process to stop: what it works on ends at its next safe point, or is handed back after `grace`.

        `then` is called after that, to end what does not listen. Telling again changes nothing. Fits into a signal
        handler: it takes no lock that the thread it interrupts may hold.
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
            raise AttemptInterrupted(REASON)

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
                clock.pause(_LOOKS_EVERY_SECONDS)
        return self._is_told

    def _end(self, then: Callable[[], object]) -> None:
        """Hand back what has not ended, each apart from the others; then go on to the end of the process."""
        for hand_back in list(self._held.values()):
            try:
                hand_back()
            except Exception as error:
                logger.warning("could not hand back what runs; recovery finds it: %s", error)
        forget_connections()
        then()


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
