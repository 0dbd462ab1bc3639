"""Runs as manifests again: what a run was made of, and how that differs from what it would be now."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import fields, replace

from scheduling.dag.graph import restricted
from scheduling.dag.manifest import Manifest, ManifestTask
from scheduling.models import Attempt, Run, Task, TaskDependency
from scheduling.states import AttemptOutcome, TaskStatus


def manifest_of(run: Run) -> Manifest:
    """Return the manifest a run was made of, what was appended included."""
    before: dict[str, set[str]] = defaultdict(set)
    pairs = TaskDependency.objects.filter(task__run=run).values_list("task__key", "depends_on__key")
    for key, prior in pairs:
        before[key].add(prior)
    tasks = run.tasks.select_related("queue").order_by("step_index", "id")
    interrupted = Counter(
        Attempt.objects.filter(task__run=run, outcome=AttemptOutcome.INTERRUPTED).values_list("task_id", flat=True)
    )
    return tuple(item_of(task, frozenset(before[task.key]), interrupted[task.pk]) for task in tasks)


def without_completed(manifest: Manifest, run: Run) -> Manifest:
    """Return what of the manifest did not complete in `run` or in a restart of it, in the same order.

    An order through the rest is kept.
    """
    completed = Task.objects.filter(run__in=_repeats(run), status=TaskStatus.COMPLETED)
    done = set(completed.values_list("key", flat=True))
    chosen = {item.key for item in manifest} - done
    graph = restricted({item.key: item.depends_on for item in manifest}, chosen)
    return tuple(replace(item, depends_on=frozenset(graph[item.key])) for item in manifest if item.key in chosen)


def _repeats(run: Run) -> set[int]:
    """Return the run and all restarts of it, however deep."""
    found, ahead = set[int](), {run.pk}
    while ahead:
        found |= ahead
        ahead = set(Run.objects.filter(restart_of__in=ahead).values_list("pk", flat=True)) - found
    return found


def differences(was: Manifest, is_now: Manifest) -> list[str]:
    """Return, a line each, what was added, taken out or changed from one manifest to another."""
    before, after = {item.key: item for item in was}, {item.key: item for item in is_now}
    added = [f"added: {key}" for key in after if key not in before]
    gone = [f"taken out: {key}" for key in before if key not in after]
    changed = [
        f"changed: {key} ({', '.join(names)})"
        for key, item in after.items()
        if key in before and (names := list(_differing(before[key], item)))
    ]
    return added + gone + changed


def _differing(one: ManifestTask, other: ManifestTask) -> Iterator[str]:
    """Yield the names of the fields that differ; a wave's number is only for reading."""
    for field in fields(ManifestTask):
        if field.name != "step_index" and getattr(one, field.name) != getattr(other, field.name):
            yield field.name.replace("_", " ")


def item_of(task: Task, depends_on: frozenset[str] = frozenset(), interrupted: int = 0) -> ManifestTask:
    """Return one task as it was ordered: without the attempts it got for those that were interrupted."""
    return ManifestTask(
        key=task.key,
        workload=task.workload,
        target_id=task.target_id,
        queue=task.queue.name,
        priority=task.priority,
        step_index=task.step_index,
        depends_on=depends_on,
        continue_on_failure=task.continue_on_failure,
        attempts=task.attempts_allowed - interrupted,
        retry_interval_seconds=task.retry_interval_seconds,
        retry_backoff=task.retry_backoff,
        retry_on=tuple(task.retry_on),
        timeout_seconds=task.timeout_seconds,
        arguments=dict(task.arguments),
    )
