"""Turns fires into rows: the runs, their tasks with their order, those that wait for nothing queued."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache

from scheduling.dag.graph import CycleFound, check
from scheduling.dag.manifest import Manifest, ManifestTask
from scheduling.errors import InvalidManifest
from scheduling.models import Queue, Run, Task, TaskDependency
from scheduling.queues.claim import DEFAULT_QUEUE, default_queue
from scheduling.queues.turns import next_turns
from scheduling.runs.fire import Fire
from scheduling.states import RunKind, TaskStatus
from staging.transactions import in_transaction

_AT_ONCE = 500


@in_transaction
def create_runs(fires: Sequence[Fire]) -> list[tuple[Run, list[Task]]]:
    """Insert the run of each fire and its tasks in the order of its manifest, which was checked.

    A few statements for any number. Raises InvalidManifest, and IntegrityError when a fire key is taken.
    """
    queues = _queues(item for fire in fires for item in fire.manifest)
    runs = Run.objects.bulk_create([_run(fire) for fire in fires], batch_size=_AT_ONCE)
    rows: list[dict[str, Task]] = []
    # The turns of a run that has none yet are those of any other such run.
    turns = cache(lambda queue_id, priority: next_turns(None, queue_id, priority, max(len(f.manifest) for f in fires)))
    for fire, run in zip(fires, runs, strict=True):
        later = _later_orders(fire.manifest) if fire.subject.kind == RunKind.ORDERED else ()
        rows.append(_rows(run, fire.manifest, queues, turns, now=fire.cause.now, waiting=later))
    Task.objects.bulk_create([task for tasks in rows for task in tasks.values()], batch_size=_AT_ONCE)
    add_dependencies(
        (tasks[item.key], tasks[key])
        for fire, tasks in zip(fires, rows, strict=True)
        for item in fire.manifest
        for key in sorted(item.depends_on)
    )
    return [(run, list(tasks.values())) for run, tasks in zip(runs, rows, strict=True)]


def _run(fire: Fire) -> Run:
    """Return the row of a run, not stored yet."""
    subject, cause = fire.subject, fire.cause
    return Run(
        kind=subject.kind,
        title=subject.title[:200],
        plans=list(subject.plans),
        entity_id=subject.entity_id,
        fire_key=cause.fire_key,
        scheduled_for=cause.slot,
        trigger_source=cause.trigger_source[:200],
        started_by=cause.started_by[:150],
        restart_of=cause.restart_of,
        created_at=cause.now,
    )


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


@in_transaction
def add_tasks(run: Run, manifest: Manifest, *, now: datetime, waiting: Collection[str] = ()) -> list[Task]:
    """Insert further tasks of a run and return them: queued when they depend on nothing, else waiting.

    `waiting` are the keys of tasks that wait for others than those of this manifest.
    """

    def turns(queue_id: int, priority: int) -> list[int]:
        return next_turns(run.pk, queue_id, priority, len(manifest))

    rows = _rows(run, manifest, _queues(manifest), turns, now=now, waiting=waiting)
    return Task.objects.bulk_create(rows.values(), batch_size=_AT_ONCE)


def add_dependencies(pairs: Iterable[tuple[Task, Task]]) -> None:
    """Insert that the first of each pair starts after the second."""
    rows = [TaskDependency(task=task, depends_on=prior) for task, prior in pairs]
    TaskDependency.objects.bulk_create(rows, batch_size=_AT_ONCE)


def _later_orders(manifest: Manifest) -> set[str]:
    """Return the keys of ordered work that does not come first: its order is its step index, without dependencies."""
    first = min(item.step_index for item in manifest)
    return {item.key for item in manifest if item.step_index > first}


def _queues(manifest: Iterable[ManifestTask]) -> dict[str, Queue]:
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


def _rows(
    run: Run,
    manifest: Manifest,
    queues: Mapping[str, Queue],
    turns: Callable[[int, int], list[int]],
    *,
    now: datetime,
    waiting: Collection[str],
) -> dict[str, Task]:
    """Return the rows of tasks by key, not stored yet; `turns` gives those that may start at once their turns."""
    lanes: dict[tuple[int, int], Iterator[int]] = {}
    found: dict[str, Task] = {}
    for item in manifest:
        queue, turn = queues[item.queue], None
        if not item.depends_on and item.key not in waiting:
            lane = queue.pk, item.priority
            if lane not in lanes:
                lanes[lane] = iter(turns(*lane))
            turn = next(lanes[lane])
        found[item.key] = _row(run, item, queue, turn, now)
    return found


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
