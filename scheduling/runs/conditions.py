"""Asks, of steps that wait for nothing any more, whether their conditions hold, and skips those of which one does not.

What a step gave is what its job returned, or the counts of its batch or its script; only what completed by work gave
anything. Of a restart, what earlier runs gave counts for the steps that are not run again.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Q

from scheduling.dag.conditions import stored_conditions, why_not
from scheduling.lifecycle.tasks import skip
from scheduling.models import Run, Task, TaskDependency
from scheduling.plans.conditions import CHANGED, OF_BATCH
from scheduling.states import RunIf, RunKind, TaskStatus
from staging.models import Batch
from staging.states import BatchStatus
from staging.wording import say

Asking = tuple[int, str, Any]  # a task, on what condition it runs, and what it asks about others

_DID_NOT_SUCCEED = (TaskStatus.FAILED, TaskStatus.BLOCKED)


def skip_where_not(asking: Iterable[Asking], run_id: int, now: datetime) -> set[int]:
    """Skip those of these tasks whose condition does not hold, each with the reason; return them.

    With the run locked.
    """
    asking = list(asking)
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
    """Return those of the tasks that began before they were held: what they ask was answered then."""
    if not task_ids:
        return set()
    has_begun = Q(attempts_made__gt=0) | Q(waits_since__isnull=False)
    return set(Task.objects.filter(has_begun, pk__in=task_ids).values_list("pk", flat=True))


def _behind_a_failure(task_ids: Collection[int]) -> set[int]:
    """Return those of the tasks that depend on one that failed, or did not run because of that."""
    if not task_ids:
        return set()
    failed = TaskDependency.objects.filter(task__in=task_ids, depends_on__status__in=_DID_NOT_SUCCEED)
    return set(failed.values_list("task_id", flat=True))


def given_in(run_id: int, steps: Collection[str]) -> dict[str, Any]:
    """Return what these steps gave, by name: in this run, or, where it does not have them, in those that it repeats.

    What is not in it gave nothing: it did not complete, or a person said that it had, or its job returned nothing.
    """
    if not steps:
        return {}
    found = {task.key: task for task in Task.objects.filter(run=run_id, key__in=steps)}
    if absent := set(steps) - found.keys():
        found |= _before(run_id, absent)
    completed = {key: task for key, task in found.items() if task.status == TaskStatus.COMPLETED}
    batches = _batches(task.pk for task in completed.values() if task.workload == RunKind.BATCH)
    given = {key: _given(task, batches) for key, task in completed.items()}
    return {key: value for key, value in given.items() if value is not None}


def _before(run_id: int, steps: Collection[str]) -> dict[str, Task]:
    """Return the tasks that did these steps last, in the runs that this one repeats and in their other restarts."""
    above = Run.objects.filter(pk=run_id).values_list("restart_of", flat=True).first()
    if above is None:
        return {}
    first = above
    while above is not None:
        first, above = above, Run.objects.filter(pk=above).values_list("restart_of", flat=True).first()
    others = Run.objects.repeating(first) - {run_id}
    ended_well = Task.objects.filter(run__in=others, key__in=steps, status=TaskStatus.COMPLETED).order_by("pk")
    return {task.key: task for task in ended_well}


def _batches(task_ids: Iterable[int]) -> dict[int | None, Batch]:
    """Return the batch that each of these tasks worked off."""
    ids = list(task_ids)
    worked = (BatchStatus.COMPLETED, BatchStatus.HELD, BatchStatus.REVIEWED)
    batches = Batch.objects.filter(task_id__in=ids, status__in=worked).order_by("pk") if ids else ()
    return {batch.task_id: batch for batch in batches}


def _given(task: Task, batches: Mapping[int | None, Batch]) -> Any:
    """Return what a completed task gave; None for nothing."""
    if task.workload == RunKind.BATCH:
        batch = batches.get(task.pk)
        if batch is None:
            return None
        counts = {"rows": batch.rows_total or 0, "changed": sum(getattr(batch, name) for name in CHANGED)}
        return {name: getattr(batch, name) if name not in counts else counts[name] for name in OF_BATCH}
    if task.workload == RunKind.SCRIPT:
        return None if task.rows_total is None else {"rows": task.rows_total, "warnings": task.warnings}
    return task.result
