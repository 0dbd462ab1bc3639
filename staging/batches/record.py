"""The only writer of a batch's status and counters; every move is guarded, so nothing late changes an end."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db.models import F

from staging.models import Batch, Entity
from staging.states import BatchStatus

_UNFINISHED = (BatchStatus.PENDING, BatchStatus.RUNNING)


def open_batch(
    entity: Entity,
    *,
    tag: str = "",
    trigger_source: str = "",
    started_by: str = "",
    task_id: int | None = None,
    now: datetime,
) -> Batch:
    """Record a batch that waits to be processed; an empty tag means all pending rows."""
    return Batch.objects.create(
        entity=entity,
        tag=tag,
        trigger_source=trigger_source,
        started_by=started_by,
        task_id=task_id,
        created_at=now,
    )


def start_batch(batch_id: int, now: datetime) -> bool:
    """Move a batch to running, or find it there after a crash; False when it has ended."""
    Batch.objects.filter(pk=batch_id, status=BatchStatus.PENDING).update(status=BatchStatus.RUNNING, started_at=now)
    return Batch.objects.filter(pk=batch_id, status=BatchStatus.RUNNING).exists()


def expect_rows(batch_id: int, pending: int) -> None:
    """Note how many rows the batch has in all: those with an outcome from an earlier attempt and those found now."""
    batch = Batch.objects.get(pk=batch_id)
    Batch.objects.filter(pk=batch_id).update(rows_total=batch.rows_done + pending)


def add_counts(batch_id: int, counts: Mapping[str, int]) -> None:
    """Add a chunk's outcomes; runs in the chunk's transaction, so counters and rows always agree."""
    if counts:
        Batch.objects.filter(pk=batch_id).update(**{outcome: F(outcome) + n for outcome, n in counts.items()})


def complete_batch(batch_id: int, now: datetime) -> bool:
    """End a running batch as completed; False when it has ended otherwise meanwhile."""
    return _finish(batch_id, BatchStatus.COMPLETED, "", now)


def fail_batch(batch_id: int, error: str, now: datetime) -> bool:
    """End a batch as failed, with the reason; rows it had not merged are still pending. False when it had ended."""
    return _finish(batch_id, BatchStatus.FAILED, error, now)


def cancel_batch(batch_id: int, now: datetime) -> bool:
    """End a batch as cancelled; False when it had ended."""
    return _finish(batch_id, BatchStatus.CANCELLED, "", now)


def _finish(batch_id: int, status: BatchStatus, error: str, now: datetime) -> bool:
    batch = Batch.objects.filter(pk=batch_id, status__in=_UNFINISHED).first()
    if batch is None:
        return False
    took = max(now - batch.started_at, timedelta()) if batch.started_at else timedelta()
    changed = Batch.objects.filter(pk=batch_id, status__in=_UNFINISHED).update(
        status=status, error=error, finished_at=now, duration_ms=int(took.total_seconds() * 1000)
    )
    return bool(changed)
