"""The only writer of a batch's status and counters; every move is guarded, so nothing late changes an end."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.db.models import F

from staging.models import Batch, Entity
from staging.states import BatchStatus
from staging.wording import both

_UNFINISHED = (BatchStatus.PENDING, BatchStatus.RUNNING)


def open_batch(
    entity: Entity,
    *,
    tag: str = "",
    trigger_source: str = "",
    started_by: str = "",
    task_id: int | None = None,
    approves_id: int | None = None,
    selected_rows: Sequence[int] | None = None,
    undoes_id: int | None = None,
    skip_changed: bool = False,
    now: datetime,
) -> Batch:
    """Record a batch that waits to be processed; an empty tag means all pending rows.

    With `approves_id` its rows are those of a held batch: all of them, or the selected ones.
    With `undoes_id` it takes another batch back instead; `skip_changed` lets it leave alone what was changed since.
    """
    batch = Batch(
        entity=entity,
        tag=tag,
        trigger_source=trigger_source,
        started_by=started_by,
        task_id=task_id,
        approves_id=approves_id,
        selected_rows=None if selected_rows is None else list(selected_rows),
        undoes_id=undoes_id,
        skip_changed=skip_changed,
        created_at=now,
    )
    return open_batches([batch])[0]


def open_batches(batches: Sequence[Batch]) -> list[Batch]:
    """Record batches that wait to be processed, in one statement."""
    return Batch.objects.bulk_create(batches)


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


def keep_decisions(batch_id: int, table: str, decided_by: str) -> None:
    """Note where the decisions of a batch are kept, and by which definitions they were made."""
    Batch.objects.filter(pk=batch_id).update(decisions=table, decided_by=decided_by)


def hand_on_decisions(left: Batch, to: Batch) -> None:
    """Give what an ended batch left to the batch that carries it out."""
    Batch.objects.filter(pk=left.pk).update(decisions="", decided_by="")
    keep_decisions(to.pk, left.decisions, left.decided_by)


def forget_decisions(batch_id: int) -> None:
    """Note that the decisions of a batch are carried out."""
    keep_decisions(batch_id, "", "")


def doubt_decisions(entity: Entity, but: int = 0) -> None:
    """Note that members changed, so that what batches of the entity left has to be judged again; `but` one's own."""
    Batch.objects.filter(entity=entity).exclude(decisions="").exclude(pk=but).update(decided_by="")


def begin_hold(batch_id: int, reason: str, foreseen: Mapping[str, int]) -> None:
    """Note, with the first rows it holds, that a running batch is being held: from here on it can only end as held."""
    Batch.objects.filter(pk=batch_id, status=BatchStatus.RUNNING, hold_reason="").update(
        foreseen=dict(foreseen), **both("hold_reason", reason)
    )


def close_review(batch_id: int, now: datetime) -> bool:
    """End a held batch when none of its rows is held any more; False when it was not held."""
    return bool(
        Batch.objects.filter(pk=batch_id, status=BatchStatus.HELD).update(status=BatchStatus.REVIEWED, finished_at=now)
    )


def complete_batch(batch_id: int, now: datetime) -> bool:
    """End a running batch as completed, or as held; False when it has ended otherwise meanwhile."""
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
    ended = {**both("error", error), "duration_ms": int(took.total_seconds() * 1000)}
    unfinished = Batch.objects.filter(pk=batch_id, status__in=_UNFINISHED)
    if batch.hold_reason:
        # Some of its rows are held already: whatever stopped it, a person has to find them.
        return bool(unfinished.update(status=BatchStatus.HELD, **ended))
    return bool(unfinished.update(status=status, finished_at=now, **ended))
