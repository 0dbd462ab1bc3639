"""Moves of runs, tasks and attempts. Each is an update that names the state it believes in; False = someone was faster.

Locks are always taken in the order queue, run, attempt, task, configuration.
"""

import uuid
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import F

from scheduling.lifecycle.run_guard import release_of_run
from scheduling.models import Attempt, Run, Task
from scheduling.states import AttemptOutcome, RunStatus, TaskStatus


def begin_attempt(task: Task, *, worker: str, now: datetime) -> Attempt | None:
    """Move a queued task to running and open its next attempt; None when another worker has it.

    Call inside a transaction. The attempt is counted before any work starts, so work that kills its worker
    cannot be tried for ever.
    """
    claimed = Task.objects.filter(pk=task.pk, status=TaskStatus.QUEUED, attempts_made=task.attempts_made).update(
        status=TaskStatus.RUNNING,
        attempts_made=F("attempts_made") + 1,
        started_at=now,
        next_attempt_at=None,
        waits_for_entity=False,
        message="",
    )
    if not claimed:
        return None
    task.status, task.started_at, task.next_attempt_at, task.message = TaskStatus.RUNNING, now, None, ""
    task.attempts_made += 1
    limit = task.timeout_seconds
    return Attempt.objects.create(
        task=task,
        number=task.attempts_made,
        worker=worker,
        token=uuid.uuid4(),
        claimed_at=now,
        heartbeat_at=now,
        deadline_at=now + timedelta(seconds=limit) if limit else None,
    )


def beat(token: uuid.UUID, now: datetime) -> bool:
    """Record a sign of life; False when this attempt no longer owns its task."""
    return bool(Attempt.objects.filter(token=token, outcome=AttemptOutcome.RUNNING).update(heartbeat_at=now))


def hold(token: uuid.UUID) -> bool:
    """Keep an attempt from being released until this transaction ends; False when it no longer owns its task.

    The lock is shared: several transactions of one attempt may hold it at once (PostgreSQL only).
    """
    statement = "SELECT 1 FROM scheduling_attempt WHERE token = %s AND outcome = %s FOR SHARE"
    with connection.cursor() as cursor:
        cursor.execute(statement, [token, AttemptOutcome.RUNNING])
        return cursor.fetchone() is not None


def end_attempt(token: uuid.UUID, outcome: AttemptOutcome, *, now: datetime, message: str = "") -> bool:
    """End a live attempt with its outcome; False when it was ended before (released, cancelled)."""
    return bool(
        Attempt.objects.filter(token=token, outcome=AttemptOutcome.RUNNING).update(
            outcome=outcome, finished_at=now, heartbeat_at=now, message=message
        )
    )


def lose_attempt(attempt: Attempt, *, now: datetime, message: str) -> bool:
    """Release a silent attempt, unless it gave a sign of life since `attempt` was read."""
    return bool(
        Attempt.objects.filter(pk=attempt.pk, outcome=AttemptOutcome.RUNNING, heartbeat_at=attempt.heartbeat_at).update(
            outcome=AttemptOutcome.LOST, finished_at=now, message=message
        )
    )


def end_task(task_id: int, status: TaskStatus, *, now: datetime, message: str = "") -> bool:
    """Move a task that has not ended to a final state; False when it had ended."""
    return bool(
        Task.objects.filter(pk=task_id)
        .exclude(status__in=TaskStatus.final())
        .update(status=status, finished_at=now, message=message)
    )


def end_run(run_id: int, status: RunStatus, *, now: datetime, error: str = "") -> bool:
    """Move a run that has not ended to a final state and free the plan that it belongs to; False when it had ended."""
    with transaction.atomic():
        live = Run.objects.filter(pk=run_id).exclude(status__in=RunStatus.final())
        ended = bool(live.update(status=status, finished_at=now, error=error))
        if ended:
            release_of_run(run_id, status, now=now)
    return ended


def request_cancel(task_id: int, *, now: datetime) -> bool:
    """Ask a running task to stop at its next safe point; False when it is not running. Asking again changes nothing."""
    running = Task.objects.filter(pk=task_id, status=TaskStatus.RUNNING)
    running.filter(cancel_requested=False).update(cancel_requested=True, cancel_requested_at=now)
    return running.exists()
