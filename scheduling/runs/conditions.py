"""What may start of all that waits for nothing any more: steps whose conditions hold, items that there is room for."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from django.db.models import Q

from scheduling.dag.conditions import stored_conditions, why_not
from scheduling.lifecycle.tasks import skip
from scheduling.models import Task, TaskDependency
from scheduling.states import RunIf, RunKind, TaskStatus
from scheduling.workloads.given import given_in
from staging.wording import say

Asking = tuple[int, str, Any]  # a task, on what condition it runs, and what it asks about others

_DID_NOT_SUCCEED = (TaskStatus.FAILED, TaskStatus.BLOCKED)


def skip_where_not(asking: Iterable[Asking], run_id: int, now: datetime) -> set[int]:
    """Skip those of these tasks whose condition does not hold, each with the reason; return them.

    With the run locked.
    """
    asking = list(asking)
    # A step whose items ran was asked before they did.
    ran = Task.objects.filter(pk__in=[each[0] for each in asking], items__isnull=False, waits_since__isnull=False)
    spread = set(ran.values_list("pk", flat=True))
    asking = [each for each in asking if each[0] not in spread]
    after_failure = {task_id for task_id, run_if, _ in asking if run_if == RunIf.ANY_FAILED}
    reasons: dict[int, str] = {
        task_id: say("Skipped: nothing before it failed.")
        for task_id in after_failure - _behind_a_failure(after_failure)
    }
    left = {task_id: stored_conditions(stored) for task_id, _, stored in asking if task_id not in reasons}
    given = given_in(run_id, {condition.step for conditions in left.values() for condition in conditions})
    for task_id, conditions in left.items():
        if reason := next((why for each in conditions if (why := why_not(each, given))), None):
            reasons[task_id] = say("Skipped: {reason}.", reason=reason)
    skipped = reasons.keys() - _begun(reasons)
    for message in {reasons[task_id] for task_id in skipped}:
        skip([pk for pk in skipped if reasons[pk] == message], run_id=run_id, now=now, message=message)
    return skipped


def _begun(task_ids: Collection[int]) -> set[int]:
    """Return those of the tasks that began before they were held: what they ask was answered then, or is not asked."""
    if not task_ids:
        return set()
    has_begun = Q(started_at__isnull=False) | Q(waits_since__isnull=False) | Q(runs_anyway=True)
    return set(Task.objects.filter(has_begun, pk__in=task_ids).values_list("pk", flat=True))


def _behind_a_failure(task_ids: Collection[int]) -> set[int]:
    """Return those of the tasks that depend on one that failed, or did not run because of that.

    One that nothing comes before was named by a person in a restart: it runs, whatever it asks.
    """
    if not task_ids:
        return set()
    before = TaskDependency.objects.filter(task__in=task_ids)
    failed = before.filter(depends_on__status__in=_DID_NOT_SUCCEED).values_list("task_id", flat=True)
    return set(failed) | (set(task_ids) - set(before.values_list("task_id", flat=True)))


def items_with_room(run_id: int, step_id: int | None = None) -> list[tuple[int, int, int, str, Any]]:
    """Return the waiting items of steps of a run that may start: as many as each step may have side by side.

    None of a step that a person holds; of one that a person ended there may be one that a worker had then. `step_id`:
    of this step only. They are rows of queue, priority and task, as those of steps that are ready. With the run locked.
    """
    spread = [TaskStatus.WAITING, *TaskStatus.final()]
    steps = Task.objects.filter(run=run_id, workload=RunKind.MAP, status__in=spread, items__isnull=False)
    steps = steps.filter(held_at__isnull=True)
    steps = steps if step_id is None else steps.filter(pk=step_id)
    found: list[tuple[int, int, int, str, Any]] = []
    for pk, most in steps.values_list("pk", "arguments__side_by_side"):
        items = Task.objects.filter(mapped_by=pk)
        waiting = items.filter(status=TaskStatus.WAITING, held_at__isnull=True).order_by("item_number")
        if most:
            at_work = items.filter(status__in=[TaskStatus.QUEUED, TaskStatus.RUNNING]).count()
            waiting = waiting[: max(most - at_work, 0)]
        found += waiting.values_list("queue_id", "priority", "pk", "run_if", "only_when")
    return found
