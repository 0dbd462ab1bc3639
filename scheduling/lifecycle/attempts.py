"""Moves of runs, tasks and attempts. Each is an update that names the state it believes in; False = someone was faster.

Locks are always taken in the order queue, run, attempt, task, configuration.
"""

import uuid
from datetime import datetime, timedelta

from django.db import transaction

from scheduling import process, statements
from scheduling.lifecycle.guard import release_of_run
from scheduling.models import Attempt, Run, Task
from scheduling.states import AttemptOutcome, RunStatus, TaskStatus
from staging.transactions import in_transaction

_BEGIN_TASK = """
UPDATE scheduling_task SET status = 'running', attempts_made = attempts_made + 1, started_at = %s,
    next_attempt_at = NULL, waits_for_entity = FALSE, message = ''
WHERE id = %s AND status = 'queued' AND attempts_made = %s
"""
_BEAT = "UPDATE scheduling_attempt SET heartbeat_at = %s WHERE token = %s AND outcome = 'running'"
_HOLD = "SELECT 1 FROM scheduling_attempt WHERE token = %s AND outcome = 'running' FOR SHARE"
_END_ATTEMPT = """
UPDATE scheduling_attempt SET outcome = %s, finished_at = %s, heartbeat_at = %s, message = %s
WHERE token = %s AND outcome = 'running'
"""
_END_TASK = """
UPDATE scheduling_task SET status = %s, finished_at = %s, message = %s,
    rows_done = COALESCE(%s, rows_done), rows_total = COALESCE(%s, rows_total)
WHERE id = %s AND status IN ('waiting', 'queued', 'running')
"""
# All that this run repeats, however often it was tried in between.
_MAKE_GOOD = """
UPDATE scheduling_run SET made_good_by_id = %s WHERE made_good_by_id IS NULL AND status <> 'completed' AND id IN (
    WITH RECURSIVE before (id) AS (
        SELECT restart_of_id FROM scheduling_run WHERE id = %s
        UNION SELECT run.restart_of_id FROM scheduling_run AS run JOIN before ON run.id = before.id
    ) SELECT id FROM before WHERE id IS NOT NULL
)
"""


@in_transaction
def begin_attempt(task: Task, *, worker: str, now: datetime) -> Attempt | None:
    """Move a queued task to running and open its next attempt; None when another worker has it.

    The attempt is counted before any work starts, so work that kills its worker
    cannot be tried for ever.
    """
    if not statements.run(_BEGIN_TASK, now, task.pk, task.attempts_made):
        return None
    task.status, task.started_at, task.next_attempt_at, task.message = TaskStatus.RUNNING, now, None, ""
    task.attempts_made += 1
    limit = task.timeout_seconds
    attempt = Attempt(
        task=task,
        number=task.attempts_made,
        worker=worker,
        process=process.identity(),
        token=uuid.uuid4(),
        claimed_at=now,
        heartbeat_at=now,
        deadline_at=now + timedelta(seconds=limit) if limit else None,
    )
    statements.insert(attempt)
    return attempt


def beat(token: uuid.UUID, now: datetime) -> bool:
    """Record a sign of life; False when this attempt no longer owns its task."""
    return bool(statements.run(_BEAT, now, token))


def hold(token: uuid.UUID) -> bool:
    """Keep an attempt from being released until this transaction ends; False when it no longer owns its task.

    The lock is shared: several transactions of one attempt may hold it at once (PostgreSQL only).
    """
    return bool(statements.rows(_HOLD, token))


def end_attempt(token: uuid.UUID, outcome: AttemptOutcome, *, now: datetime, message: str = "") -> bool:
    """End a live attempt with its outcome; False when it was ended before (released, cancelled)."""
    return bool(statements.run(_END_ATTEMPT, outcome, now, now, message, token))


def lose_attempt(attempt: Attempt, *, now: datetime, message: str) -> bool:
    """Release a silent attempt, unless it gave a sign of life since `attempt` was read."""
    return bool(
        Attempt.objects.filter(pk=attempt.pk, outcome=AttemptOutcome.RUNNING, heartbeat_at=attempt.heartbeat_at).update(
            outcome=AttemptOutcome.LOST, finished_at=now, message=message
        )
    )


def end_task(
    task_id: int, status: TaskStatus, *, now: datetime, message: str = "", row_count: int | None = None
) -> bool:
    """Move a task that has not ended to a final state; False when it had ended. `row_count`: rows it went through."""
    return bool(statements.run(_END_TASK, status, now, message, row_count, row_count, task_id))


def end_run(run_id: int, status: RunStatus, *, now: datetime, error: str = "") -> bool:
    """Move a run that has not ended to a final state and free the plan that it belongs to; False when it had ended.

    A restart that completes makes good what it repeats.
    """
    with transaction.atomic():
        live = Run.objects.filter(pk=run_id).exclude(status__in=RunStatus.final())
        ended = bool(live.update(status=status, finished_at=now, error=error))
        if ended:
            release_of_run(run_id, status, now=now)
        if ended and status == RunStatus.COMPLETED:
            statements.run(_MAKE_GOOD, run_id, run_id)
    return ended


def request_cancel(task_id: int, *, now: datetime) -> bool:
    """Ask a running task to stop at its next safe point; False when it is not running. Asking again changes nothing."""
    running = Task.objects.filter(pk=task_id, status=TaskStatus.RUNNING)
    running.filter(cancel_requested=False).update(cancel_requested=True, cancel_requested_at=now)
    return running.exists()
