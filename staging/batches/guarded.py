"""The transaction in which a batch writes: the fence is asked first, so a released attempt changes nothing."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from staging.batches.context import BatchContext
from staging.batches.fence import Fence
from staging.models import Batch


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
