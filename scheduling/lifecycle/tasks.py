"""Moves of tasks between their states, before and after attempts: queued, put off, blocked, cancelled, released again.

Locks are always taken in the order queue, run, attempt, task, configuration.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db.models import F

from scheduling import statements
from scheduling.figures.roll_up import take_back_failure
from scheduling.models import Run, Task
from scheduling.states import RunStatus, TaskStatus
from staging.transactions import note_lock, require_lock

_AT_ONCE = 200

_LOCK_RUN = "UPDATE scheduling_run SET kind = kind WHERE id = %s AND status IN ('pending', 'running')"

_QUEUE_WAITING = """
UPDATE scheduling_task SET status = 'queued', turn = given.column2, queued_at = %s, sent_at = %s
FROM (VALUES {pairs}) AS given WHERE scheduling_task.id = given.column1 AND scheduling_task.status = 'waiting'
"""


def lock_run(run_id: int) -> bool:
    """Let nobody else move the order of this run until the transaction ends; False when the run has ended.

    Two tasks that end at the same instant would otherwise each see the other unfinished, and release nothing.
    """
    note_lock("run", run_id)
    return bool(statements.run(_LOCK_RUN, run_id))


def begin_run(run_id: int, *, now: datetime) -> None:
    """Move a run that has not started to running."""
    Run.objects.filter(pk=run_id, status=RunStatus.PENDING).update(status=RunStatus.RUNNING, started_at=now)


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
            status=TaskStatus.QUEUED, queued_at=now, sent_at=now, next_attempt_at=until, message=message
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
            message=message,
        )
    )


def block(task_ids: Iterable[int], *, by: Task, now: datetime, message: str) -> list[int]:
    """Block waiting tasks because `by` failed; return those that still waited. With its run locked."""
    require_lock("run", by.run_id)
    waiting = list(Task.objects.filter(pk__in=list(task_ids), status=TaskStatus.WAITING).values_list("id", flat=True))
    Task.objects.filter(pk__in=waiting, status=TaskStatus.WAITING).update(
        status=TaskStatus.BLOCKED, blocked_by=by, finished_at=now, message=message
    )
    return waiting


def cancel_unstarted(run_id: int, *, now: datetime, message: str) -> int:
    """Cancel those tasks of a run that no worker has claimed; return how many. With the run locked."""
    require_lock("run", run_id)
    return Task.objects.filter(run_id=run_id, status__in=[TaskStatus.QUEUED, TaskStatus.WAITING]).update(
        status=TaskStatus.CANCELLED, finished_at=now, message=message, waits_for_entity=False
    )


def release_again(task: Task, *, turn: int, now: datetime, message: str) -> bool:
    """Move a failed task to queued for one more attempt, and what it blocked to waiting; False when it moved.

    The one way out of a final state: a person asked for it, while the run goes on. With the run locked.
    """
    require_lock("run", task.run_id)
    failed = Task.objects.filter(pk=task.pk, status=TaskStatus.FAILED)
    ended = failed.values_list("finished_at", flat=True).first()
    moved = failed.update(
        status=TaskStatus.QUEUED,
        attempts_allowed=F("attempts_made") + 1,
        next_attempt_at=None,
        finished_at=None,
        turn=turn,
        queued_at=now,
        sent_at=now,
        message=message,
    )
    if moved and ended is not None:
        take_back_failure(task, ended)
        Task.objects.filter(run_id=task.run_id, blocked_by=task, status=TaskStatus.BLOCKED).update(
            status=TaskStatus.WAITING, blocked_by=None, finished_at=None, message=""
        )
    return bool(moved)
