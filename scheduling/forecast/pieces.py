"""The tasks of a plan's run as a load on queues: those of a run to come, and those left of one that goes on."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from scheduling.dag.manifest import Manifest
from scheduling.dag.pace import starts
from scheduling.forecast.load import UNKNOWN
from scheduling.forecast.values import Piece
from scheduling.models import Task, TaskDependency
from scheduling.states import TaskStatus

Durations = Mapping[tuple[str, int], timedelta]  # by workload and target


def pieces_of(manifest: Manifest, durations: Durations) -> tuple[Piece, ...]:
    """Return the tasks of a run that is to come, each in its queue after all that it depends on."""
    known = {task.key: durations.get((task.workload, task.target_id or 0)) for task in manifest}
    taken = {key: UNKNOWN if lasts is None else lasts for key, lasts in known.items()}
    after = starts({task.key: task.depends_on for task in manifest}, taken)
    return tuple(Piece(task.queue, after[task.key], known[task.key]) for task in manifest)


def pieces_left(runs: Mapping[int, int], durations: Durations, now: datetime) -> dict[int, tuple[Piece, ...]]:
    """Return what is left of each run, counted from its start, by the key that `runs` gives it; two statements.

    A task that runs goes on for the rest of its usual time, at least until now; the others follow it in their order.
    """
    live = Task.objects.filter(run__in=runs.values()).exclude(status__in=TaskStatus.final())
    tasks: dict[int, list[Task]] = {}
    for task in live.select_related("queue", "run"):
        tasks.setdefault(task.run_id, []).append(task)
    order: dict[str, set[str]] = {}
    known = TaskDependency.objects.filter(task__in=live, depends_on__in=live)
    for task_id, prior in known.values_list("task_id", "depends_on_id"):
        order.setdefault(str(task_id), set()).add(str(prior))
    return {key: _left(tasks.get(run_id, []), order, durations, now) for key, run_id in runs.items()}


def _left(tasks: list[Task], order: Mapping[str, set[str]], durations: Durations, now: datetime) -> tuple[Piece, ...]:
    """Return the live tasks of one run as pieces."""
    rest = {}
    for task in tasks:
        usual = durations.get((task.workload, task.target_id or 0), UNKNOWN)
        begun = now - task.started_at if task.status == TaskStatus.RUNNING and task.started_at else timedelta()
        rest[str(task.pk)] = max(usual - begun, timedelta())
    after = starts({str(task.pk): order.get(str(task.pk), ()) for task in tasks}, rest)
    return tuple(
        Piece(task.queue.name, now - task.run.created_at + after[str(task.pk)], rest[str(task.pk)]) for task in tasks
    )
