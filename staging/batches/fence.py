"""What keeps a batch from writing after it was released: a check inside each of its transactions."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from django.db import transaction

from staging.batches.context import BatchContext
from staging.models import Batch


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


@contextmanager
def guarded(context: BatchContext, fence: Fence) -> Iterator[None]:
    """Open a transaction, ask the fence inside it, and let long statements run; whatever is raised rolls it back."""
    with transaction.atomic():
        batch = Batch.objects.get(pk=context.batch.pk)
        fence.check(batch.rows_done, batch.rows_total)
        context.sql.patient()
        context.sql.favour_indexes()
        yield


@contextmanager
def held(context: BatchContext, fence: Fence) -> Iterator[None]:
    """Open a transaction beside others of the same batch: the fence is held by all of them until each has ended."""
    with transaction.atomic():
        fence.hold()
        context.sql.patient()
        context.sql.favour_indexes()
        yield
