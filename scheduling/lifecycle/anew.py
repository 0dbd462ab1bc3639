"""Moves of steps that a person lets run anew while their run goes on: one at once, those after it in their order.

As those of `steps`, each is an update that names the state it believes in, with the run locked.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db.models import F, Q
from django.db.models.functions import Coalesce

from scheduling.figures.roll_up import take_back
from scheduling.lifecycle.steps import wait_again
from scheduling.models import Task, TaskDependency
from scheduling.models.run import IS_AWAITING, IS_SPREAD
from scheduling.states import RunKind, TaskStatus
from staging.transactions import require_lock
from staging.wording import both

_ENDED = (TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.BLOCKED, TaskStatus.SKIPPED)
_PUT_OFF = Q(status=TaskStatus.QUEUED, next_attempt_at__isnull=False)
_IS_AT_WORK = IS_AWAITING | IS_SPREAD
_MAY_RUN = Q(Q(status__in=[TaskStatus.WAITING, *_ENDED]) | _PUT_OFF, ~_IS_AT_WORK, held_at__isnull=True)
_HAS_NOT_BEGUN = Q(started_at__isnull=True, waits_since__isnull=True)

# The attempts tell of the rounds before; the step itself is as if nothing had been done.
_NEW_ROUND: dict[str, Any] = {
    "attempts_allowed": F("attempts_made") + Coalesce("attempts_ordered", "attempts_allowed"),
    "blocked_by": None,
    "next_attempt_at": None,
    "waits_for_entity": False,
    "waits_since": None,
    "started_at": None,
    "finished_at": None,
    "is_fatal": False,
    "rows_total": None,
    "rows_done": 0,
    "warnings": 0,
    "result": None,
}


def may_run_anew(task: Task) -> bool:
    """Return of a step of a live run that was read before whether `run_anyway` would take it; no statement."""
    is_put_off = task.status == TaskStatus.QUEUED and task.next_attempt_at is not None and not task.is_awaiting
    is_idle = task.status in (TaskStatus.WAITING, *_ENDED) and task.shown_status != TaskStatus.RUNNING
    return task.mapped_by_id is None and task.held_at is None and (is_put_off or is_idle)


def run_anyway(task: Task, *, turn: int, now: datetime, message: str) -> bool:
    """Move a step that is not at work to queued, for a new round of attempts and whatever stands before it.

    False when it moved, or is held. What comes after it and has not begun waits for it again. No worker may have any of
    its items.
    """
    require_lock("run", task.run_id)
    may = Task.objects.filter(_MAY_RUN, pk=task.pk)
    before = list(may)
    queued = {"status": TaskStatus.QUEUED, "turn": turn, "queued_at": now, "sent_at": now, "runs_anyway": True}
    if not may.update(**_NEW_ROUND, **queued, **both("message", message)):
        return False
    _forget(before)
    behind = Task.objects.filter(pk__in=behind_of(task))
    behind.filter(status=TaskStatus.BLOCKED).update(**_WAITS, blocked_by=None, finished_at=None)
    nearest = behind if task.run.kind == RunKind.ORDERED else behind.filter(dependencies__depends_on=task)
    ids = list(nearest.values_list("pk", flat=True))
    unbegun = Task.objects.filter(_HAS_NOT_BEGUN, pk__in=ids, status=TaskStatus.QUEUED, runs_anyway=False)
    unbegun.update(**_WAITS, next_attempt_at=None, waits_for_entity=False)
    wait_again(task.run_id)
    return True


def take_out_of_line(task: Task, behind: Collection[int]) -> list[Task]:
    """Let no worker take any of those behind this step, nor any item of all of them; return what was queued of it.

    And what an interrupted worker left that waits since, the step included: a person held it, say. Whoever was faster
    has it: see `at_work`. With the run locked.
    """
    require_lock("run", task.run_id)
    queued = Task.objects.filter(Q(pk__in=behind) | Q(mapped_by__in=[task.pk, *behind]), status=TaskStatus.QUEUED)
    left = Task.objects.filter(pk__in=[task.pk, *behind], status=TaskStatus.WAITING, started_at__isnull=False)
    found = [*queued.select_related("run"), *left.select_related("run")]
    queued.update(**_WAITS)
    return found


def at_work(task_ids: Collection[int]) -> Task | None:
    """Return one of these steps, or of their items, that a worker has; None when there is none."""
    running = Task.objects.filter(Q(pk__in=task_ids) | Q(mapped_by__in=task_ids), status=TaskStatus.RUNNING)
    return running.order_by("step_index", "pk").first()


def wait_anew(run_id: int, task_ids: Collection[int]) -> None:
    """Let these steps, none of which a worker has or may take, wait for a new round. Who holds one still does."""
    require_lock("run", run_id)
    idle = Task.objects.filter(pk__in=task_ids).exclude(status__in=[TaskStatus.QUEUED, TaskStatus.RUNNING])
    before = list(idle)
    idle.update(**_NEW_ROUND, **_WAITS, runs_anyway=False)
    _forget(before)


def behind_of(task: Task) -> set[int]:
    """Return all steps of its run that come after this one, however far behind."""
    if task.run.kind == RunKind.ORDERED:
        later = Task.objects.filter(run=task.run_id, step_index__gt=task.step_index)
        return set(later.values_list("pk", flat=True))
    found, ahead = set[int](), {task.pk}
    while ahead:
        pairs = TaskDependency.objects.filter(depends_on__in=ahead)
        ahead = set(pairs.values_list("task_id", flat=True)) - found
        found |= ahead
    return found


_WAITS: dict[str, Any] = {"status": TaskStatus.WAITING, "queued_at": None, "sent_at": None, **both("message", "")}


def _forget(before: list[Task]) -> None:
    """Let the ends of these steps be none any more; the list of one that ran for each item is decided anew."""
    ran = [task.pk for task in before if task.items is not None and (task.started_at or task.waits_since)]
    items = list(Task.objects.filter(mapped_by__in=ran)) if ran else []
    if ran:
        Task.objects.filter(mapped_by__in=ran).delete()
        Task.objects.filter(pk__in=ran).update(items=None)
    take_back([*before, *items])
