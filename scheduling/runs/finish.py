"""Ends an attempt: outcome, task, run, guard and log in one transaction, all conditional on still owning the task."""

import logging
from datetime import datetime

from django.db import transaction

from scheduling import broker, events
from scheduling.lifecycle.attempts import end_attempt, end_run, end_task
from scheduling.lifecycle.guard import release_cancelled, release_completed, release_failed
from scheduling.models import Attempt, SchedulerConfiguration, Task
from scheduling.queues.claim import next_in_line
from scheduling.schedules.change import advance
from scheduling.states import AttemptOutcome, EventType, IntervalAnchor, ProcessingMode, RunStatus, TaskStatus
from scheduling.workloads import batch as batch_workload
from scheduling.workloads.outcome import Outcome

logger = logging.getLogger(__name__)

_EVENTS = {
    TaskStatus.COMPLETED: EventType.COMPLETED,
    TaskStatus.FAILED: EventType.ERROR,
    TaskStatus.CANCELLED: EventType.CANCELLED,
}


def finish(attempt: Attempt, task: Task, outcome: Outcome, *, now: datetime) -> bool:
    """Write how an attempt ended; False when it had been released, in which case nothing is written."""
    with transaction.atomic():
        if not end_attempt(attempt.token, AttemptOutcome(outcome.status), now=now, message=outcome.message):
            logger.warning("attempt %s of task %s ended after it was released; ignored", attempt.number, task.pk)
            return False
        end_task(task.pk, outcome.status, now=now, message=outcome.message)
        if outcome.rows is not None:
            Task.objects.filter(pk=task.pk).update(rows_done=outcome.rows, rows_total=outcome.rows)
        error = outcome.message if outcome.status == TaskStatus.FAILED else ""
        end_run(task.run_id, RunStatus(outcome.status), now=now, error=error)
        message = f"{outcome.message}{_release_guard(task, outcome, now)}"
        events.record(
            _EVENTS[outcome.status],
            now=now,
            entity_id=task.entity_id,
            trigger_source=task.run.trigger_source,
            message=message,
            rows_queued=outcome.rows,
            duration_ms=outcome.duration_ms,
            batch_id=outcome.batch_id,
            run_id=task.run_id,
        )
    broker.wake(next_in_line(task.queue_id, now))
    return True


def _release_guard(task: Task, outcome: Outcome, now: datetime) -> str:
    """Give the entity's guard back as the outcome demands; return what to add to the log message."""
    if outcome.status == TaskStatus.COMPLETED:
        release_completed(task, now=now)
        _rearm_from_completion(task, now)
        return ""
    if outcome.status == TaskStatus.CANCELLED:
        release_cancelled(task)
        return ""
    batch_workload.abandon(task, error=outcome.message, now=now)
    until = release_failed(task, now=now)
    return f" Not tried again before {until:%H:%M:%S} UTC." if until else ""


def _rearm_from_completion(task: Task, now: datetime) -> None:
    """Move the next run of a schedule that counts from the end of its last run."""
    configuration = SchedulerConfiguration.objects.filter(
        entity=task.entity,
        processing_mode=ProcessingMode.SCHEDULED,
        interval_anchor=IntervalAnchor.LAST_COMPLETION,
    ).first()
    if configuration is not None:
        SchedulerConfiguration.objects.filter(pk=configuration.pk, armed_from=configuration.armed_from).update(
            next_scheduled_run=advance(configuration, now)
        )
