"""What keeps a batch from writing after it was released: a check inside each of its transactions."""

from typing import Protocol


class Fence(Protocol):
    """Given by whoever runs the batch; the engine's fence is also the heartbeat and reads the wish to cancel."""

    def check(self, rows_done: int, rows_total: int | None) -> None:
        """Return when the batch may go on; raise to stop it. Runs first in every transaction that writes."""

    def hold(self) -> None:
        """Keep the batch from being released until the current transaction ends; raise when it was released before.

        Takes the place of `check` in transactions that run side by side: all of them may hold at once.
        """


class NoFence:
    """For a batch that nobody else can release: direct use, tests, benchmarks."""

    def check(self, rows_done: int, rows_total: int | None) -> None:
        """Let the batch go on."""

    def hold(self) -> None:
        """Let the batch go on."""
