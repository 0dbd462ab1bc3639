"""Hears the signals that ask a process to end in a thread of its own, so that no handler ever waits for a lock."""

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

logger = logging.getLogger(__name__)

_NOTHING_MORE = 0  # no signal has this number


class Ear:
    """A pipe, and a thread at its end that calls `heard` with each number that was told. `heard` must be short."""

    def __init__(self, heard: Callable[[int], object]):
        self._heard = heard
        self._read_end, self.write_end = os.pipe()
        os.set_blocking(self.write_end, False)
        self._thread = threading.Thread(target=self._listen, name="ear", daemon=True)
        self._thread.start()

    def tell(self, number: int, *_: object) -> None:
        """Let `heard` be called with this number, 1 to 255. Takes no lock and never waits: fits as a signal handler."""
        with suppress(BlockingIOError):  # it is full of what says the same
            os.write(self.write_end, bytes((number,)))

    def close(self) -> None:
        """Return when all that was told before has been heard."""
        os.set_blocking(self.write_end, True)
        os.write(self.write_end, bytes((_NOTHING_MORE,)))
        self._thread.join()
        os.close(self.write_end)
        os.close(self._read_end)

    def _listen(self) -> None:
        while (number := os.read(self._read_end, 1)[0]) != _NOTHING_MORE:
            try:
                self._heard(number)
            except Exception:
                logger.exception("signal %s could not be answered", number, extra={"event": "signal_not_answered"})


# What to put back, in a child that is forked while its parent listens: the pipe is the parent's.
_before: dict[int, tuple[dict[int, Any], int]] = {}


@contextmanager
def hearing(numbers: tuple[int, ...], heard: Callable[[], object]) -> Iterator[None]:
    """Call `heard`, from a thread of its own, whenever one of these signals comes; only in a main thread.

    Python runs handlers in the main thread, between any two of its steps: one that takes a lock may wait for the very
    step it interrupts. And the system gives a signal to any thread: a main thread that waits for a lock is not even
    woken up then. So the handler only writes to a pipe, and the system's own part of it has written there at once.
    """
    ear = Ear(lambda number: heard() if number in numbers else None)
    fd_before = signal.set_wakeup_fd(ear.write_end, warn_on_full_buffer=False)
    before = {number: signal.signal(number, ear.tell) for number in numbers}
    process, key = os.getpid(), id(ear)
    _before[key] = (before, fd_before)
    try:
        yield
    finally:
        if process == os.getpid():
            del _before[key]
            _put_back(before, fd_before)
            ear.close()


def _put_back(before: dict[int, Any], fd_before: int) -> None:
    """Let signals do again what they did; one that comes before the pipe is let go is still heard."""
    for number, handler in before.items():
        signal.signal(number, handler)
    signal.set_wakeup_fd(fd_before)


# A signal that comes between the fork and the forgetting would be told to the parent, and lost to the child: it waits.
_masks: dict[int, set[int]] = {}


def _let_signals_wait() -> None:
    numbers = {number for before, _ in _before.values() for number in before}
    if numbers:
        _masks[threading.get_ident()] = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)


def _let_signals_come() -> None:
    mask = _masks.pop(threading.get_ident(), None)
    if mask is not None:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _forget_the_parents() -> None:
    """Let signals to a forked child be its own, and not be written into its parent's pipe."""
    while _before:
        before, _ = _before.popitem()[1]
        _put_back(before, -1)
    _let_signals_come()


os.register_at_fork(before=_let_signals_wait, after_in_parent=_let_signals_come, after_in_child=_forget_the_parents)
