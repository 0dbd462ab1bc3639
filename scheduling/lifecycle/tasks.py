"""Moves of runs, tasks and attempts. Each is an update that names the state it believes in; False = someone was faster.

Locks are always taken in the order queue, run, attempt, task, configuration.
"""

import json
import os
import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Coalesce

from scheduling import statements
from scheduling.lifecycle import tasks as process
from scheduling.lifecycle.guard import release_of_run
from scheduling.models import Attempt, Run, Task, TaskDependency
from scheduling.states import AttemptOutcome, RunKind, RunStatus, TaskStatus
from staging.transactions import in_transaction, note_lock, require_lock
from staging.wording import both

_AT_ONCE = 200
LET_GO: dict[str, Any] = {"held_at": None, "held_by": ""}

_LOCK_RUN = "UPDATE scheduling_run SET kind = kind WHERE id = %s AND status IN ('pending', 'running')"

_QUEUE_WAITING = """
UPDATE scheduling_task SET status = 'queued', turn = given.column2, queued_at = %s, sent_at = %s
FROM (VALUES {pairs}) AS given WHERE scheduling_task.id = given.column1 AND scheduling_task.status = 'waiting'
    AND scheduling_task.held_at IS NULL
"""

_BEGIN_TASK = """
UPDATE scheduling_task SET status = 'running', attempts_made = attempts_made + 1,
    started_at = COALESCE(waits_since, CASE workload WHEN 'wait' THEN queued_at END, %s),
    waits_since = COALESCE(waits_since, CASE workload WHEN 'wait' THEN queued_at END),
    next_attempt_at = NULL, waits_for_entity = FALSE, message = '', message_said = NULL
WHERE id = %s AND status = 'queued' AND attempts_made = %s
"""
# Of what is not over when it was looked at nothing stays of its look, unless a person asked to cancel it.
_TAKE_BACK_LOOK = """
DELETE FROM scheduling_attempt WHERE token = %s AND outcome = 'running' AND task_id IN
    (SELECT id FROM scheduling_task WHERE id = %s AND status = 'running' AND NOT cancel_requested)
"""
_BEAT = "UPDATE scheduling_attempt SET heartbeat_at = %s WHERE token = %s AND outcome = 'running'"
_HOLD = "SELECT 1 FROM scheduling_attempt WHERE token = %s AND outcome = 'running' FOR SHARE"
_END_ATTEMPT = """
UPDATE scheduling_attempt SET outcome = %s, finished_at = %s, heartbeat_at = %s, message = %s, message_said = %s
WHERE token = %s AND outcome = 'running'
"""
_END_RUN = """
UPDATE scheduling_run SET status = %s, finished_at = %s, next_attempt_at = %s, error = %s, error_said = %s, warnings =
    COALESCE((SELECT SUM(warnings) FROM scheduling_task WHERE run_id = scheduling_run.id AND mapped_by_id IS NULL), 0)
WHERE id = %s AND status IN ('pending', 'running') RETURNING restart_of_id
"""
_BEGIN_RUN = "UPDATE scheduling_run SET status = 'running', started_at = %s WHERE id = %s AND status = 'pending'"
_END_TASK = """
UPDATE scheduling_task SET status = %s, finished_at = %s, message = %s, message_said = %s,
    rows_done = COALESCE(%s, rows_done), rows_total = COALESCE(%s, rows_total), warnings = %s, is_fatal = %s
WHERE id = %s AND status IN ('waiting', 'queued', 'running')
"""
# All that this run repeats, however often it was tried in between; a part of a run does not stand for all of it.
_MAKE_GOOD = """
UPDATE scheduling_run SET made_good_by_id = %s WHERE made_good_by_id IS NULL AND status <> 'completed' AND id IN (
    WITH RECURSIVE before (id) AS (
        SELECT restart_of_id FROM scheduling_run WHERE id = %s AND NOT is_partial
        UNION SELECT run.restart_of_id
        FROM scheduling_run AS run JOIN before ON run.id = before.id AND NOT run.is_partial
    ) SELECT id FROM before WHERE id IS NOT NULL
)
"""

_LOCK_QUEUE = "SELECT 1 FROM scheduling_queue WHERE id = %s FOR NO KEY UPDATE"
_LOCK_QUEUE_IF_FREE = f"{_LOCK_QUEUE} SKIP LOCKED"
_TAKE_PLACE = """
UPDATE scheduling_queue SET turn = CASE WHEN turn < %s THEN %s ELSE turn + 1 END, last_claim_at = %s
WHERE id = %s AND paused_at IS NULL
    AND max_running > (SELECT count(*) FROM scheduling_task WHERE queue_id = %s AND status = 'running')
"""

_START = 19  # of the fields of /proc/PID/stat after the name in parentheses: when it was started


def lock_run(run_id: int) -> bool:
    """Let nobody else move the order of this run until the transaction ends; False when the run has ended.

    Two tasks that end at the same instant would otherwise each see the other unfinished, and release nothing.
    """
    note_lock("run", run_id)
    return bool(statements.run(_LOCK_RUN, run_id))


def begin_run(run_id: int, *, now: datetime) -> None:
    """Move a run that has not started to running."""
    statements.run(_BEGIN_RUN, now, run_id)


def queue_waiting(turns: Mapping[int, int], *, now: datetime) -> int:
    """Move waiting tasks to queued, each with its turn; return how many still waited."""
    moved, pairs = 0, list(turns.items())
    for start in range(0, len(pairs), _AT_ONCE):
        some = pairs[start : start + _AT_ONCE]
        statement = _QUEUE_WAITING.format(pairs=", ".join(["(%s, %s)"] * len(some)))
        moved += statements.run(statement, now, now, *(value for pair in some for value in pair))
    return moved


def put_off(task_id: int, *, until: datetime, now: datetime, message: str) -> bool:
    """Move a running task whose attempt ended back to queued, for another attempt at `until`; False when it moved."""
    return bool(
        Task.objects.filter(pk=task_id, status=TaskStatus.RUNNING, cancel_requested=False).update(
            status=TaskStatus.QUEUED, queued_at=now, sent_at=now, next_attempt_at=until, **both("message", message)
        )
    )


def queue_again(task_id: int, *, now: datetime, message: str) -> bool:
    """Move a running task whose attempt was interrupted back to queued, with one attempt more; False when it moved.

    Every attempt stays counted, so that its number is its own; the one more makes up for the one that was taken away.
    """
    return bool(
        Task.objects.filter(pk=task_id, status=TaskStatus.RUNNING, cancel_requested=False).update(
            status=TaskStatus.QUEUED,
            attempts_allowed=F("attempts_allowed") + 1,
            queued_at=now,
            sent_at=now,
            next_attempt_at=None,
            **both("message", message),
        )
    )


@in_transaction
def wait_on(task_id: int, token: uuid.UUID, *, until: datetime, message: str) -> bool:
    """Move a wait that was looked at back to queued until its next look; no attempt is used, and none is kept.

    False when its attempt was released, or a person asked to cancel it. With the run locked.
    """
    if not statements.run(_TAKE_BACK_LOOK, token, task_id):
        return False
    # In line from then on: what waits for its time has not waited for a worker.
    Task.objects.filter(pk=task_id, status=TaskStatus.RUNNING).update(
        status=TaskStatus.QUEUED,
        attempts_made=F("attempts_made") - 1,
        queued_at=until,
        sent_at=until,
        next_attempt_at=until,
        **both("message", message),
    )
    return True


@in_transaction
def wait_for_items(task: Task, token: uuid.UUID, items: list[Any], pieces: list[Task], *, message: str) -> bool:
    """Store the list of a step's items with their tasks, and let the step wait for these, as `wait_on`.

    `pieces` are empty where they are stored. Its time counts from its first look.
    """
    if not statements.run(_TAKE_BACK_LOOK, token, task.pk):
        return False
    stored = Task.objects.bulk_create(pieces, batch_size=_AT_ONCE)
    links = [TaskDependency(task_id=task.pk, depends_on=piece) for piece in stored]
    TaskDependency.objects.bulk_create(links, batch_size=_AT_ONCE)
    Task.objects.filter(pk=task.pk, status=TaskStatus.RUNNING).update(
        status=TaskStatus.WAITING,
        items=items,
        attempts_made=F("attempts_made") - 1,
        waits_since=Coalesce("waits_since", "started_at"),
        queued_at=None,
        sent_at=None,
        **both("message", message),
    )
    return True


def replace_unstarted(task_id: int, **columns: Any) -> bool:
    """Let a queued task that no worker ever claimed be another: other arguments, another time; False when it moved."""
    return bool(Task.objects.filter(pk=task_id, status=TaskStatus.QUEUED, attempts_made=0).update(**columns))


def block(task_ids: Iterable[int], *, by: Task, now: datetime, message: str) -> list[int]:
    """Block waiting tasks because `by` failed; return those that still waited. With its run locked.

    Not one that runs whatever stands before it.
    """
    require_lock("run", by.run_id)
    still = Task.objects.filter(pk__in=list(task_ids), status=TaskStatus.WAITING, runs_anyway=False)
    waiting = list(still.values_list("id", flat=True))
    Task.objects.filter(pk__in=waiting, status=TaskStatus.WAITING).update(
        status=TaskStatus.BLOCKED, blocked_by=by, finished_at=now, **both("message", message)
    )
    return waiting


def skip(task_ids: Iterable[int], *, run_id: int, now: datetime, message: str) -> int:
    """Skip waiting tasks of a run whose condition does not hold; return how many. With the run locked."""
    require_lock("run", run_id)
    waiting = Task.objects.filter(pk__in=list(task_ids), status=TaskStatus.WAITING)
    return waiting.update(status=TaskStatus.SKIPPED, finished_at=now, **both("message", message))


def cancel_unstarted(run_id: int, *, now: datetime, message: str) -> int:
    """Cancel those tasks of a run that no worker has claimed; return how many. With the run locked."""
    require_lock("run", run_id)
    return Task.objects.filter(run_id=run_id, status__in=[TaskStatus.QUEUED, TaskStatus.WAITING]).update(
        status=TaskStatus.CANCELLED, finished_at=now, waits_for_entity=False, **LET_GO, **both("message", message)
    )


@in_transaction
def begin_attempt(task: Task, *, worker: str, now: datetime) -> Attempt | None:
    """Move a queued task to running and open its next attempt; None when another worker has it.

    The attempt is counted before any work starts, so work that kills its worker
    cannot be tried for ever.
    """
    if not statements.run(_BEGIN_TASK, now, task.pk, task.attempts_made):
        return None
    task.status, task.started_at, task.next_attempt_at, task.message = TaskStatus.RUNNING, now, None, ""
    if task.workload == RunKind.WAIT or task.waits_since is not None:
        task.started_at = task.waits_since = task.waits_since or task.queued_at or now
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


def hold_attempt(token: uuid.UUID) -> bool:
    """Keep an attempt from being released until this transaction ends; False when it no longer owns its task.

    The lock is shared: several transactions of one attempt may hold it at once (PostgreSQL only).
    """
    return bool(statements.rows(_HOLD, token))


def _told(message: str) -> tuple[str, str | None]:
    """Return what the two columns of a message keep of it, for a statement that is written out."""
    text, said = both("message", message).values()
    return text, None if said is None else json.dumps(said)


def end_attempt(token: uuid.UUID, outcome: AttemptOutcome, *, now: datetime, message: str = "") -> bool:
    """End a live attempt with its outcome; False when it was ended before (released, cancelled)."""
    return bool(statements.run(_END_ATTEMPT, outcome, now, now, *_told(message), token))


def lose_attempt(attempt: Attempt, *, now: datetime, message: str) -> bool:
    """Release a silent attempt, unless it gave a sign of life since `attempt` was read."""
    return bool(
        Attempt.objects.filter(pk=attempt.pk, outcome=AttemptOutcome.RUNNING, heartbeat_at=attempt.heartbeat_at).update(
            outcome=AttemptOutcome.LOST, finished_at=now, **both("message", message)
        )
    )


def end_task(
    task_id: int,
    status: TaskStatus,
    *,
    now: datetime,
    message: str = "",
    row_count: int | None = None,
    warnings: int = 0,
    is_fatal: bool = False,
) -> bool:
    """Move a task that has not ended to a final state; False when it had ended. `row_count`: rows it went through."""
    ended = status, now, *_told(message), row_count, row_count, warnings, is_fatal
    return bool(statements.run(_END_TASK, *ended, task_id))


def keep_result(task_id: int, value: Any) -> None:
    """Keep the value that a job returned, in the transaction that ends its attempt."""
    Task.objects.filter(pk=task_id).update(result=value)


def end_run(
    run_id: int, status: RunStatus, *, now: datetime, error: str = "", again_at: datetime | None = None
) -> bool:
    """Move a run that has not ended to a final state and free the plan that it belongs to; False when it had ended.

    A restart that completes makes good what it repeats. What failed and is tried again at `again_at` keeps its plan.
    """
    with transaction.atomic():
        ended = statements.rows(_END_RUN, status, now, again_at, *_told(error), run_id)
        if ended and again_at is None:
            release_of_run(run_id, status, now=now)
        if status == RunStatus.COMPLETED and any(repeats is not None for (repeats,) in ended):
            statements.run(_MAKE_GOOD, run_id, run_id)
    return bool(ended)


def note_time_out(run_id: int, *, now: datetime) -> bool:
    """Note that the time of a live run is up, so that it ends as failed; False when it ended, or was noted before."""
    live = Run.objects.filter(pk=run_id, timed_out_at__isnull=True).exclude(status__in=RunStatus.final())
    return bool(live.update(timed_out_at=now))


def request_cancel(task_id: int, *, now: datetime) -> bool:
    """Ask a running task to stop at its next safe point; False when it is not running. Asking again changes nothing."""
    running = Task.objects.filter(pk=task_id, status=TaskStatus.RUNNING)
    running.filter(cancel_requested=False).update(cancel_requested=True, cancel_requested_at=now)
    return running.exists()


def lock_queue(queue_id: int) -> None:
    """Let nobody else claim from this queue until the transaction ends.

    Without it two claims would both see the last free place, and go for the same task. On SQLite a transaction keeps
    all others from writing from its start.
    """
    note_lock("queue", queue_id)
    if connection.features.has_select_for_update:
        statements.rows(_LOCK_QUEUE, queue_id)


def lock_queue_if_free(queue_id: int) -> bool:
    """Lock the queue as `lock_queue`, unless that would mean to wait; return whether it is locked.

    Who does not wait may ask with other locks in hand, whatever their order.
    """
    if connection.features.has_select_for_update and not statements.rows(_LOCK_QUEUE_IF_FREE, queue_id):
        return False
    note_lock("queue", queue_id)
    return True


def take_place(queue_id: int, turn: int, *, now: datetime) -> bool:
    """Move the queue on past this turn for one more running task; False when it is full or paused.

    With the queue locked by an earlier statement: this one counts what ran when it began.
    """
    require_lock("queue", queue_id)
    return bool(statements.run(_TAKE_PLACE, turn, turn + 1, now, queue_id, queue_id))


def identity() -> str:
    """Return what tells this process from all others, on any machine; empty where that cannot be known."""
    return _identity(os.getpid())


def is_gone(told: str) -> bool:
    """Return whether the process of an `identity` ended for certain; False for unknown ones, as of other machines."""
    machine, _, rest = told.rpartition("|")[0].rpartition("|")
    number = rest
    if not machine or machine != _machine() or not number.isdecimal():
        return False
    started = _started(int(number))
    return started is None or f"{machine}|{number}|{started}" != told


@cache
def _identity(pid: int) -> str:
    started = _started(pid)
    return f"{_machine()}|{pid}|{started}" if _machine() and started else ""


def _machine() -> str:
    """Return what this boot of this machine, and this container, has alone; empty where that cannot be known."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}|{Path('/proc/self/ns/pid').readlink()}".replace("|", "/")
    except OSError:
        return ""


def _started(pid: int) -> str | None:
    """Return when a process was started, in ticks; None when there is none, or it is a body nobody has buried."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in ("Z", "X") else fields[_START]
