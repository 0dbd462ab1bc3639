"""The batch workload: opens a batch with its run, processes it under the attempt's fence, says how it ended."""

from datetime import datetime

from scheduling import clock
from scheduling.errors import AttemptCancelled
from scheduling.models import Task
from scheduling.states import TaskStatus
from scheduling.workloads.outcome import Outcome
from scheduling.workloads.pulse import Pulse
from staging.batches.pipeline import process
from staging.batches.record import cancel_batch, fail_batch, open_batch
from staging.models import Batch
from staging.states import BatchStatus


def open_for(task: Task, *, tag: str, trigger_source: str, started_by: str, now: datetime) -> Batch:
    """Open the batch that `task` will process; call inside the transaction that creates the task."""
    if task.entity is None:
        raise ValueError(f"{task} has no entity to process.")
    return open_batch(
        task.entity, tag=tag, trigger_source=trigger_source, started_by=started_by, task_id=task.pk, now=now
    )


def execute(task: Task, pulse: Pulse, time: clock.TimeSource) -> Outcome:
    """Process the task's batch; return how it ended.

    Raises AttemptLost when the attempt was released meanwhile. Every other error ends the batch as failed with the
    error's text: rows that were not merged are still pending.
    """
    batch = Batch.objects.get(task_id=task.pk)
    started = clock.monotonic()
    try:
        batch = process(batch, fence=pulse, now=time())
    except AttemptCancelled as cancelled:
        cancel_batch(batch.pk, time())
        return _outcome(batch, TaskStatus.CANCELLED, str(cancelled), started)
    status = TaskStatus.COMPLETED if batch.status == BatchStatus.COMPLETED else TaskStatus.FAILED
    return _outcome(batch, status, batch.error or summary(batch), started)


def abandon(task: Task, *, error: str, now: datetime) -> None:
    """End the batch of a task whose worker failed or died; rows it had not merged are still pending."""
    for batch_id in Batch.objects.filter(task_id=task.pk).values_list("id", flat=True):
        fail_batch(batch_id, error, now)


def cancel(task: Task, *, now: datetime) -> None:
    """Cancel the batch of a task that no worker has started."""
    for batch_id in Batch.objects.filter(task_id=task.pk).values_list("id", flat=True):
        cancel_batch(batch_id, now)


def summary(batch: Batch) -> str:
    """Return one sentence with the counts that are not zero."""
    counts = [f"{getattr(batch, name):,} {name}" for name in _COUNTED if getattr(batch, name)]
    return f"{', '.join(counts)}." if counts else "No rows were waiting."


_COUNTED = ("inserted", "updated", "unchanged", "deactivated", "deleted", "rejected", "superseded")


def _outcome(batch: Batch, status: TaskStatus, message: str, started: float) -> Outcome:
    """Return the outcome with what the batch counted."""
    batch.refresh_from_db()
    elapsed = int((clock.monotonic() - started) * 1000)
    return Outcome(status, message, rows=batch.rows_done, batch_id=batch.pk, duration_ms=elapsed)
