"""Ends an attempt: outcome, task, what waits for it, run and log in one transaction, if it still owns the task."""

import hashlib
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from scheduling import broker, events
from scheduling.lifecycle.attempts import end_attempt, end_task
from scheduling.lifecycle.tasks import lock_run, put_off, queue_again
from scheduling.models import Attempt, Task
from scheduling.queues.claim import claim_along
from scheduling.queues.wake import wake_line, wake_lines
from scheduling.runs.advance import Queued, advance
from scheduling.states import AttemptOutcome, EventType, RunKind, TaskStatus
from scheduling.workloads.outcome import Outcome
from scheduling.workloads.registry import workload_of
from scheduling.workloads.stopping import REASON
from staging.transactions import require_lock

logger = logging.getLogger(__name__)

_EVENTS = {
    TaskStatus.COMPLETED: EventType.COMPLETED,
    TaskStatus.FAILED: EventType.ERROR,
    TaskStatus.CANCELLED: EventType.CANCELLED,
}


@dataclass(frozen=True)
class Ended:
    """Whether an outcome was written, and the attempt its worker goes on with when it was claimed at once."""

    is_written: bool
    following: Attempt | None = None


def finish(attempt: Attempt, task: Task, outcome: Outcome, *, now: datetime) -> bool:
    """Write how an attempt ended; False when it had been released, in which case nothing is written."""
    return finish_and_go_on(attempt, task, outcome, now=now, goes_on=False).is_written


def finish_and_go_on(attempt: Attempt, task: Task, outcome: Outcome, *, now: datetime, goes_on: bool) -> Ended:
    """Write how an attempt ended, unless it had been released; then nothing is written.

    `goes_on`: the worker that calls this takes the next task of the same queue itself. When this end queued one, as
    along a chain, the best of the queue is claimed in the same transaction.
    """
    following = None
    with transaction.atomic():
        lock_run(task.run_id)
        if not end_attempt(attempt.token, AttemptOutcome(outcome.status), now=now, message=outcome.message):
            logger.warning("attempt %s of task %s ended after it was released; ignored", attempt.number, task.pk)
            return Ended(False)
        queued = conclude(task, outcome, now=now)
        # Not after a batch: its end calls back tasks of other runs, and with their rows in hand no more may be locked.
        if goes_on and queued.get(task.queue_id) and task.workload != RunKind.BATCH:
            following = claim_along(task.queue_id, worker=attempt.worker, now=now)
        broker.after_commit(lambda: wake_freed(task.queue_id, queued, now, goes_on=goes_on))
    return Ended(True, following)


def hand_back(attempt: Attempt, task: Task, *, now: datetime) -> bool:
    """Queue the task of an attempt again because its worker is to stop; False when the attempt had ended before.

    No attempt is used, there is no wait and no back-off: what it holds (its entity, its batch) stays its own, and the
    next worker carries on.
    """
    with transaction.atomic():
        lock_run(task.run_id)
        if not end_attempt(attempt.token, AttemptOutcome.INTERRUPTED, now=now, message=REASON):
            return False
        queued: Queued = {task.queue_id: 1}
        if queue_again(task.pk, now=now, message=f"{REASON} It is queued again; no attempt is used."):
            _record(EventType.INTERRUPTED, task, Outcome(TaskStatus.QUEUED, REASON), f"{REASON} It goes on.", now)
        else:  # a person asked to cancel it
            queued = conclude(task, Outcome(TaskStatus.CANCELLED, "Cancelled on request."), now=now)
        broker.after_commit(lambda: wake_freed(task.queue_id, queued, now))
    return True


def conclude(task: Task, outcome: Outcome, *, now: datetime, event_type: EventType | None = None) -> Queued:
    """Move a task on whose attempt just ended: to another attempt, or to its end and the run with it.

    With the run locked, in the transaction that ended the attempt. Returns how many tasks were queued, by queue.
    """
    require_lock("run", task.run_id)
    if outcome.status == TaskStatus.FAILED:
        task.refresh_from_db(fields=["cancel_requested", "attempts_made", "attempts_allowed"])
    again = next_attempt_at(task, outcome, now)
    if again is not None and put_off(task.pk, until=again, now=now, message=outcome.message):
        workload_of(task).ended(task, outcome, now=now)
        tries = f"Attempt {task.attempts_made} of {task.attempts_allowed} failed, next at {again:%H:%M:%S} UTC."
        _record(event_type or EventType.RETRIED, task, outcome, f"{tries} {outcome.message}", now)
        return {}
    end_task(task.pk, outcome.status, now=now, message=outcome.message, row_count=outcome.rows)
    message = f"{outcome.message}{workload_of(task).ended(task, outcome, now=now)}"
    ended_as = EventType.REVIEW if outcome.is_held else _EVENTS[outcome.status]
    _record(event_type or ended_as, task, outcome, message, now)
    return advance(task, outcome.status, now)


def wake_freed(queue_id: int, queued: Queued, now: datetime, *, goes_on: bool = False) -> None:
    """Wake workers for what was queued by the end of a task, and for the place it left free in its queue."""
    mine = queued.get(queue_id, 0)
    wake_line(queue_id, now, max(mine - 1, 0) if goes_on else mine + 1)
    wake_lines({other: number for other, number in queued.items() if other != queue_id}, now)


def _record(event_type: EventType, task: Task, outcome: Outcome, message: str, now: datetime) -> None:
    """Log the end of an attempt; what has no entity is named in the message."""
    events.record(
        event_type,
        now=now,
        entity_id=task.entity_id,
        job_id=task.target_id if task.workload == RunKind.JOB else None,
        trigger_source=task.run.trigger_source,
        message=message if task.entity_id else f"{task.key}: {message}",
        rows_queued=outcome.rows,
        duration_ms=outcome.duration_ms,
        batch_id=outcome.batch_id,
        run_id=task.run_id,
    )


_LONGEST = timedelta(hours=24)
_JITTER = 0.2


def next_attempt_at(task: Task, outcome: Outcome, now: datetime) -> datetime | None:
    """Return when a task whose attempt ended so is tried again; None when it is not.

    Not after a success or a cancel, nor when a person asked to cancel, nor when the work said it is pointless, nor when
    the attempts are used up, nor when the step names the classes of error it retries and this is none of them. A lost
    worker is no error of the work, and is always retried while attempts are left.
    """
    if outcome.status != TaskStatus.FAILED or outcome.is_fatal or task.cancel_requested:
        return None
    if task.attempts_made >= task.attempts_allowed:
        return None
    if task.retry_on and not outcome.is_lost and not set(task.retry_on) & set(outcome.error_classes):
        return None
    return now + wait(task)


def wait(task: Task) -> timedelta:
    """Return the wait after the attempts made so far.

    The same each time, or twice the one before up to a day, then with up to a fifth more: a stable hash of task and
    attempt, so that what failed together is not tried again at the same instant.
    """
    interval = timedelta(seconds=task.retry_interval_seconds)
    if not task.retry_backoff:
        return interval
    doubled = min(interval * 2 ** min(task.attempts_made - 1, 20), _LONGEST)
    digest = hashlib.sha256(f"{task.run_id}:{task.key}:{task.attempts_made}".encode()).digest()
    return doubled * (1 + _JITTER * int.from_bytes(digest[:4], "big") / 2**32)
