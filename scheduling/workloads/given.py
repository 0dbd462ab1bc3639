"""What steps gave, by name: what their jobs returned, or the counts of their batches and scripts.

Only what completed by work gave anything. Of a restart, what earlier runs gave counts for the steps that are not run
again.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from scheduling.models import Run, Task
from scheduling.plans.conditions import CHANGED, OF_BATCH
from scheduling.states import RunKind, TaskStatus
from staging.models import Batch
from staging.states import BatchStatus


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
    ended_well = Task.objects.filter(run__in=_others(run_id), key__in=steps, status=TaskStatus.COMPLETED)
    return {task.key: task for task in ended_well.order_by("pk")}


def items_before(step: Task) -> dict[int, Task]:
    """Return the items that earlier runs ended well, by number, of a step that goes on with a list of theirs.

    Of runs before one that ran the whole list nothing counts, nor of one whose list, or work, was another: the numbers
    are the same, the items are not.
    """
    first = step.run_id
    while (above := _above(first)) is not None:
        first = above
        there = Task.objects.filter(run=first, key=step.key, workload=RunKind.MAP).first()
        if there is not None and there.mapped.count() == len(there.items or ()):
            break
    others = Run.objects.repeating(first) - {step.run_id}
    theirs = Task.objects.filter(run__in=others, key=step.key, items__isnull=False)
    same = [each.pk for each in theirs if each.items == step.items and each.arguments == step.arguments]
    ended_well = Task.objects.filter(mapped_by__in=same, status__in=[TaskStatus.COMPLETED, TaskStatus.SKIPPED])
    return {item.item_number or 0: item for item in ended_well.order_by("pk")}


def _others(run_id: int) -> set[int]:
    """Return the runs that this one repeats, and their other restarts."""
    first = run_id
    while (above := _above(first)) is not None:
        first = above
    return Run.objects.repeating(first) - {run_id} if first != run_id else set()


def _above(run_id: int) -> int | None:
    """Return the run that this one repeats."""
    return Run.objects.filter(pk=run_id).values_list("restart_of", flat=True).first()


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
    if task.workload == RunKind.MAP:
        return _given_by_items(task)
    return task.result


def _given_by_items(task: Task) -> Any:
    """Return what the items of a completed step gave, in their order: None for one that gave nothing.

    Nothing when a person marked the step as succeeded, which has no start then, also when some items were done before.
    """
    if task.items is None or task.started_at is None:
        return task.result
    found = {item.item_number or 0: item for item in task.mapped.all()}
    if len(found) < len(task.items):
        found = items_before(task) | found
    numbers = range(1, len(task.items) + 1)
    done = {number: item for number, item in found.items() if item.status == TaskStatus.COMPLETED}
    return [_given(done[number], {}) if number in done else None for number in numbers]
