"""What keeps a batch from writing after it was released: a check inside each of its transactions."""

from typing import Protocol


class Fence(Protocol):
    """Given by whoever runs the batch; the engine's fence is also the heartbeat and reads the wish to cancel."""

    def check(self, rows_done: int, rows_total: int | None) -> None:
        """Return when the batch may go on; raise to stop it. Runs first in every transaction that writes."""


class NoFence:
    """For a batch that nobody else can release: direct use, tests, benchmarks."""

    def check(self, rows_done: int, rows_total: int | None) -> None:
        """Let the batch go on."""
