"""Turns a manifest into rows: the run, its tasks with their order, those that wait for nothing queued."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from scheduling.dag.graph import CycleFound, check
from scheduling.dag.manifest import Manifest, ManifestTask
from scheduling.errors import InvalidManifest
from scheduling.models import Queue, Run, Task, TaskDependency
from scheduling.queues.claim import DEFAULT_QUEUE, default_queue
from scheduling.queues.turns import next_turns
from scheduling.states import RunKind, TaskStatus
from staging.transactions import in_transaction

_AT_ONCE = 500


@dataclass(frozen=True)
class RunHead:
    """What a run is called, why it starts and what makes it unique."""

    kind: str
    fire_key: str
    trigger_source: str
    started_by: str
    title: str = ""
    plans: Sequence[str] = ()
    scheduled_for: datetime | None = None
    restart_of: Run | None = None
    entity_id: int | None = None


@in_transaction
def create_run(manifest: Manifest, head: RunHead, now: datetime) -> tuple[Run, list[Task]]:
    """Insert a run and its tasks in the order of the manifest.

    Raises InvalidManifest, and IntegrityError when the fire key is taken.
    """
    check_manifest(manifest)
    run = Run.objects.create(
        kind=head.kind,
        title=head.title[:200],
        plans=list(head.plans),
        entity_id=head.entity_id,
        fire_key=head.fire_key,
        scheduled_for=head.scheduled_for,
        trigger_source=head.trigger_source[:200],
        started_by=head.started_by[:150],
        restart_of=head.restart_of,
        created_at=now,
    )
    tasks = add_tasks(run, manifest, now=now, waiting=_later_orders(manifest) if head.kind == RunKind.ORDERED else ())
    add_dependencies([(tasks[item.key], tasks[key]) for item in manifest for key in sorted(item.depends_on)])
    return run, list(tasks.values())


def check_manifest(manifest: Manifest) -> None:
    """Raise InvalidManifest when this cannot run: empty, a name twice, an unknown dependency, a circle."""
    if not manifest:
        raise InvalidManifest("There is nothing to run.")
    twice = sorted(key for key, number in Counter(task.key for task in manifest).items() if number > 1)
    if twice:
        raise InvalidManifest(f"Named twice: {', '.join(twice)}.")
    graph = {task.key: task.depends_on for task in manifest}
    for task in manifest:
        if unknown := sorted(task.depends_on - graph.keys()):
            raise InvalidManifest(f"{task.key} depends on what is not there: {', '.join(unknown)}.")
    try:
        check(graph)
    except CycleFound as error:
        raise InvalidManifest(str(error)) from None


def add_tasks(run: Run, manifest: Manifest, *, now: datetime, waiting: Collection[str] = ()) -> dict[str, Task]:
    """Insert tasks of a run and return them by key: queued when they depend on nothing, else waiting.

    `waiting` are the keys of tasks that wait for others than those of this manifest.
    """
    queues = _queues(manifest)
    turns = _turns(run, [item for item in manifest if not item.depends_on and item.key not in waiting], queues)
    tasks = [_row(run, item, queues[item.queue], turns.get(item.key), now) for item in manifest]
    return {task.key: task for task in Task.objects.bulk_create(tasks, batch_size=_AT_ONCE)}


def add_dependencies(pairs: Iterable[tuple[Task, Task]]) -> None:
    """Insert that the first of each pair starts after the second."""
    rows = [TaskDependency(task=task, depends_on=prior) for task, prior in pairs]
    TaskDependency.objects.bulk_create(rows, batch_size=_AT_ONCE)


def _later_orders(manifest: Manifest) -> set[str]:
    """Return the keys of ordered work that does not come first: its order is its step index, without dependencies."""
    first = min(item.step_index for item in manifest)
    return {item.key for item in manifest if item.step_index > first}


def _queues(manifest: Manifest) -> dict[str, Queue]:
    """Return the queues the manifest names. Raises InvalidManifest when one does not exist, or is cancelled."""
    names = {item.queue for item in manifest}
    queues = {queue.name: queue for queue in Queue.objects.filter(name__in=names)}
    if DEFAULT_QUEUE in names - queues.keys():
        queues[DEFAULT_QUEUE] = default_queue()
    if unknown := sorted(names - queues.keys()):
        raise InvalidManifest(f"There is no queue named {', '.join(map(repr, unknown))}.")
    if cancelled := sorted(queue.name for queue in queues.values() if queue.is_cancelled):
        raise InvalidManifest(f"The queue {cancelled[0]!r} is cancelled: nothing new goes into it.")
    return queues


def _row(run: Run, item: ManifestTask, queue: Queue, turn: int | None, now: datetime) -> Task:
    """Return the row of a task, not stored yet: queued when it has a turn, else waiting."""
    is_queued = turn is not None
    return Task(
        run=run,
        key=item.key,
        workload=item.workload,
        target_id=item.target_id,
        entity_id=item.target_id if item.workload == RunKind.BATCH else None,
        arguments=dict(item.arguments),
        queue=queue,
        priority=item.priority,
        step_index=item.step_index,
        status=TaskStatus.QUEUED if is_queued else TaskStatus.WAITING,
        turn=turn or 0,
        queued_at=now if is_queued else None,
        sent_at=now if is_queued else None,
        continue_on_failure=item.continue_on_failure,
        attempts_allowed=max(item.attempts, 1),
        retry_interval_seconds=item.retry_interval_seconds,
        retry_backoff=item.retry_backoff,
        retry_on=list(item.retry_on),
        timeout_seconds=item.timeout_seconds,
    )


def _turns(run: Run, items: Iterable[ManifestTask], queues: dict[str, Queue]) -> dict[str, int]:
    """Return the turn of each task that may start at once, by key."""
    lanes: dict[tuple[str, int], list[str]] = defaultdict(list)
    for item in items:
        lanes[item.queue, item.priority].append(item.key)
    found: dict[str, int] = {}
    for (name, priority), keys in lanes.items():
        found |= zip(keys, next_turns(run.pk, queues[name].pk, priority, len(keys)), strict=True)
    return found
