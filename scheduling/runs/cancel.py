"""Cancels a run: at once what waits, at the next safe point what runs. Cancelled stays cancelled."""

from datetime import datetime

from django.db import transaction

from scheduling import broker, events
from scheduling.lifecycle.attempts import cancel_queued, end_run, request_cancel
from scheduling.lifecycle.guard import release_cancelled
from scheduling.models import Run, Task
from scheduling.queues.claim import next_in_line
from scheduling.states import EventType, RunStatus
from scheduling.workloads import batch as batch_workload


def cancel_run(run: Run, *, by: str, now: datetime) -> bool:
    """Cancel what has not started and ask what runs to stop; return whether there was anything to cancel."""
    tasks = list(Task.objects.filter(run=run))
    asked = [task for task in tasks if request_cancel(task.pk)]
    cancelled = [task for task in tasks if _cancel_waiting(task, by, now)]
    if cancelled and not asked:
        end_run(run.pk, RunStatus.CANCELLED, now=now)
    for queue_id in {task.queue_id for task in cancelled}:
        broker.wake(next_in_line(queue_id, now))
    return bool(asked or cancelled)


def _cancel_waiting(task: Task, by: str, now: datetime) -> bool:
    """Cancel one task that no worker has claimed, free its entity, and log it."""
    with transaction.atomic():
        message = f"Cancelled by {by} before it started."
        if not cancel_queued(task.pk, now=now, message=message):
            return False
        release_cancelled(task)
        batch_workload.cancel(task, now=now)
        events.record(EventType.CANCELLED, now=now, entity_id=task.entity_id, message=message, run_id=task.run_id)
    return True
