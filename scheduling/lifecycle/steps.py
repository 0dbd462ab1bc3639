"""Moves of single tasks that people ask for while the run lives: hold, let go, end by hand, release again.

As those of `tasks`, each is an update that names the state it believes in, and False means that someone was faster. All
are done with the run locked.
"""

from datetime import datetime
from typing import Any

from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, When
from django.db.models.functions import Coalesce

from scheduling.figures.roll_up import take_back
from scheduling.lifecycle.tasks import LET_GO
from scheduling.models import Task, TaskDependency
from scheduling.states import RunIf, RunKind, TaskStatus
from staging.transactions import require_lock
from staging.wording import both


def is_being_cancelled(run_id: int) -> bool:
    """Return whether somebody asked to cancel any of a run: nothing of it may start any more. With the run locked."""
    return Task.objects.filter(run=run_id, cancel_requested=True).exists()


def hold(task_id: int, *, by: str, now: datetime) -> bool:
    """Keep a task that no worker has from being claimed until `let_go`; False when it moved, or is held already.

    It waits, whatever it waits for besides; of an attempt to come only its time stays, and of a wait since when it was
    its turn. Its items that no worker has wait with it. With the run locked.
    """
    unheld = Task.objects.filter(pk=task_id, status__in=[TaskStatus.WAITING, TaskStatus.QUEUED], held_at__isnull=True)
    busy_elsewhere = Case(When(waits_for_entity=True, then=None), default=F("next_attempt_at"))
    waits = {"queued_at": None, "sent_at": None, "waits_for_entity": False, "next_attempt_at": busy_elsewhere}
    turn = Case(When(workload=RunKind.WAIT, then=Coalesce("waits_since", "queued_at")), default=F("waits_since"))
    held = {"held_at": now, "held_by": by[:150], "waits_since": turn}
    is_held = bool(unheld.update(status=TaskStatus.WAITING, **held, **waits))
    if is_held:
        Task.objects.filter(mapped_by=task_id, status=TaskStatus.QUEUED).update(status=TaskStatus.WAITING, **waits)
    return is_held


def let_go(task_id: int, *, now: datetime) -> bool:
    """Let a held task be queued again when it waits for nothing else; False when nobody holds it. With the run locked.

    What was blocked meanwhile is let go, too.
    """
    held = Task.objects.filter(pk=task_id, status__in=[TaskStatus.WAITING, TaskStatus.BLOCKED], held_at__isnull=False)
    due = Case(When(next_attempt_at__lte=now, then=None), default=F("next_attempt_at"))
    is_let_go = bool(held.update(**LET_GO, next_attempt_at=due))
    if is_let_go:
        Task.objects.filter(mapped_by=task_id, status=TaskStatus.WAITING).update(next_attempt_at=due)
    return is_let_go


def end_by_hand(task: Task, status: TaskStatus, *, now: datetime, message: str) -> bool:
    """End a task that no worker has, or that failed, as skipped or completed; False when it moved.

    What it blocked waits again; its items that have not started are skipped. It has no start: nothing of this end was
    work, so that no duration and no figure counts it. With the run locked.
    """
    require_lock("run", task.run_id)
    failed = Task.objects.filter(pk=task.pk, status=TaskStatus.FAILED).first()
    unended = Task.objects.filter(pk=task.pk, status__in=[TaskStatus.WAITING, TaskStatus.QUEUED, TaskStatus.FAILED])
    ended = {"finished_at": now, "started_at": None, "next_attempt_at": None, "waits_for_entity": False, **LET_GO}
    moved = bool(unended.update(status=status, **ended, **both("message", message)))
    if moved:
        unstarted = Task.objects.filter(mapped_by=task.pk, status__in=[TaskStatus.WAITING, TaskStatus.QUEUED])
        unstarted.update(status=TaskStatus.SKIPPED, **ended, **both("message", message))
    if moved and failed is not None:
        _forgive(failed)
    return moved


def release_again(task: Task, *, turn: int, now: datetime, message: str) -> bool:
    """Move a failed task to queued for one more attempt, and what it blocked to waiting; False when it moved.

    An item waits until there is room for it among those of its step. With `end_by_hand` the one way out of a final
    state: a person asked for it, while the run goes on. With the run locked.
    """
    require_lock("run", task.run_id)
    failed = Task.objects.filter(pk=task.pk, status=TaskStatus.FAILED)
    before = failed.first()
    if before is not None and release_items(task, message=message):
        _forgive(before)
        return True
    if task.mapped_by_id is not None:
        return bool(_wait_once_more(failed, message))
    moved = failed.update(
        status=TaskStatus.QUEUED,
        attempts_allowed=F("attempts_made") + 1,
        next_attempt_at=None,
        waits_since=None,
        finished_at=None,
        turn=turn,
        queued_at=now,
        sent_at=now,
        **both("message", message),
    )
    if moved and before is not None:
        _forgive(before)
    return bool(moved)


def release_items(task: Task, *, message: str) -> bool:
    """Let the failed items of a failed step run once more, and the step wait for them; False when it has none.

    Its last look may be lost as often as that of a step that never failed. With the run locked.
    """
    if not _wait_once_more(Task.objects.filter(mapped_by=task.pk, status=TaskStatus.FAILED), message):
        return False
    looks = F("attempts_made") + Coalesce(F("attempts_ordered"), 1)
    Task.objects.filter(pk=task.pk, status=TaskStatus.FAILED).update(attempts_allowed=looks, **_unended(message))
    return True


def _wait_once_more(failed: QuerySet[Task], message: str) -> list[Task]:
    """Let failed items wait for their turn once more, with one attempt more; return them."""
    items = list(failed)
    failed.update(attempts_allowed=F("attempts_made") + 1, **_unended(message))
    take_back(items)
    return items


def _unended(message: str) -> dict[str, Any]:
    """Return the columns of what ended and waits again."""
    return {"status": TaskStatus.WAITING, "finished_at": None, "next_attempt_at": None, **both("message", message)}


def _forgive(failed: Task) -> None:
    """Let a failure be none any more: it counts in no figure, and what it blocked waits again."""
    take_back([failed])
    Task.objects.filter(run_id=failed.run_id, blocked_by=failed, status=TaskStatus.BLOCKED).update(
        status=TaskStatus.WAITING, blocked_by=None, finished_at=None, **both("message", "")
    )
    wait_again(failed.run_id)


def wait_again(run_id: int) -> None:
    """Let what was queued because all before it had ended, and has not started, wait for what goes on after all.

    So does what was queued because of a failure when there is none any more. A wait that was looked at has started;
    what runs anyway waits for nothing. With the run locked.
    """
    unbegun = Task.objects.filter(run_id=run_id, started_at__isnull=True, waits_since__isnull=True, runs_anyway=False)
    queued = unbegun.filter(status=TaskStatus.QUEUED)
    before = TaskDependency.objects.filter(task=OuterRef("pk"))
    goes_on = Exists(before.filter(depends_on__status__in=TaskStatus.live()))
    failed = Exists(before.filter(depends_on__status__in=[TaskStatus.FAILED, TaskStatus.BLOCKED]))
    early = queued.exclude(run_if=RunIf.ALL_SUCCEEDED).filter(goes_on | Q(run_if=RunIf.ANY_FAILED) & ~failed)
    ids = list(early.values_list("pk", flat=True))
    queued.filter(pk__in=ids).update(status=TaskStatus.WAITING, queued_at=None, sent_at=None)
