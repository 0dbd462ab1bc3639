"""Calls functions after a while, from one thread of this process: what is called off before costs no thread."""

import logging
import os
import threading
from collections.abc import Callable

from scheduling import clock

logger = logging.getLogger(__name__)


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
                        logger.exception("an alarm could not be answered")
                self._wakes_at = min((due for due, _ in self._calls.values()), default=float("inf"))
                self._changed.wait(None if self._wakes_at == float("inf") else max(self._wakes_at - now, 0))


ALARM = Alarm()

# A child process has no thread, and a lock that nobody would open.
os.register_at_fork(after_in_child=ALARM.__init__)  # type: ignore[misc]
