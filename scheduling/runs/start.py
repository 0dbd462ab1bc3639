"""The one start of everything that runs: a run, its tasks, its batch, the guards and the log together, or nothing."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TypeVar

from django.db import IntegrityError, InterfaceError, OperationalError, connection, transaction

from scheduling.dag.graph import CycleFound, check_order
from scheduling.dag.manifest import Manifest, ManifestTask
from scheduling.errors import (
    AlreadyRunning,
    ChangedMeanwhile,
    FiredBefore,
    InvalidManifest,
    SchedulingError,
)
from scheduling.lifecycle import events
from scheduling.lifecycle.guard import hold_schedules, live_runs_of, lock_jobs, lock_open, take_guards
from scheduling.lifecycle.tasks import lock_run
from scheduling.models import Queue, Run, Task, TaskDependency
from scheduling.queues import DEFAULT_QUEUE, Queued, default_queue, next_turns, wake_lines_after_commit
from scheduling.runs.advance import settle_run
from scheduling.runs.fire import Fire, refuse_without_right
from scheduling.states import RunKind, TaskStatus
from scheduling.workloads.batch import open_for
from staging.models import Batch
from staging.tracing import trace_context
from staging.transactions import in_transaction
from staging.wording import aloud, say

logger = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")

AT_ONCE = 100  # fires in one transaction: so long does an edit of one of their schedules wait
_UNGUARDED_AT_ONCE = 2_000  # nobody waits for those

_AT_ONCE = 500


def together(work: Callable[[Sequence[T]], Sequence[R]], items: Sequence[T]) -> list[R | Exception]:
    """Do this work for all of these at once, or, when that fails, for each alone; return an answer or error for each.

    What fails must leave nothing behind: a transaction of its own, or only reads. Raises when the connection is lost,
    for every further attempt would fail for the same reason.
    """
    if not items:
        return []
    try:
        return list(work(items))
    except Exception as error:
        raise_if_lost(error)
        if len(items) == 1:
            return [error]
        logger.warning(
            "%s failed for %d at once, and is repeated for each alone: %s",
            work.__name__,
            len(items),
            error,
            extra={"event": "start_repeated"},
        )
    return [answer for item in items for answer in together(work, [item])]


def raise_if_lost(error: Exception) -> None:
    """Raise the error when it comes of a lost connection."""
    if isinstance(error, (OperationalError, InterfaceError)) and not connection.is_usable():
        raise error


@dataclass(frozen=True)
class Started:
    """What a fire created. Only the run of a single batch has its batch from the start."""

    run: Run
    tasks: Sequence[Task]
    batch: Batch | None = None


def start(fire: Fire) -> Started:
    """Start one run.

    Raises what `start_many` answers: NotStarted when somebody was faster, InvalidManifest, and NotAllowed when the
    person who asked may not start something of it.
    """
    (answer,) = start_many([fire])
    if isinstance(answer, Exception):
        raise answer
    return answer


def start_many(fires: Sequence[Fire]) -> list[Started | Exception]:
    """Start these runs, in their order and set by set; return for each what it created, or why it did not start.

    What keeps one from starting keeps no other. Everything of a fire is written in one transaction, which may be the
    caller's, and workers are woken after its commit. Raises only when the connection is lost.
    """
    return [answer for some in _sets(fires) for answer in together(_start_set, some)]


def _sets(fires: Sequence[Fire]) -> Iterator[list[Fire]]:
    """Yield fires that may start in one transaction: no two of them want the same guard."""
    some: list[Fire] = []
    wanted: set[tuple[str, int]] = set()
    for fire in fires:
        guards = fire.subject.guards()
        most = AT_ONCE if wanted or guards else _UNGUARDED_AT_ONCE
        if some and (len(some) >= most or wanted & guards):
            yield some
            some, wanted = [], set()
        some.append(fire)
        wanted |= guards
    if some:
        yield some


def _start_set(fires: Sequence[Fire]) -> list[Started | Exception]:
    """Start those of these fires that may start, in one transaction; return what became of each."""
    try:
        with transaction.atomic():
            seen = _look(fires)
            refused = [seen.refusal(fire) for fire in fires]
            started = iter(_create([fire for fire, why in zip(fires, refused, strict=True) if why is None]))
            return [next(started) if why is None else why for why in refused]
    except IntegrityError:
        # Somebody else used the key since it was looked for; alone, it is known whose.
        if len(fires) == 1 and Run.objects.filter(fire_key=fires[0].cause.fire_key).exists():
            return [_fired_before(fires[0])]
        raise


@dataclass(frozen=True)
class _Seen:
    """What holds of everything that a set of fires wants, from now until the transaction ends."""

    fired: Set[str]  # fire keys of runs that exist
    jobs: Mapping[int, bool]  # whether each is paused
    busy: Mapping[int, int]  # the run in which a job runs or is in line
    guards: Set[tuple[str, int]]  # of schedules that may be taken

    def refusal(self, fire: Fire) -> Exception | None:
        """Return why this may not start; None when it may."""
        subject, cause = fire.subject, fire.cause
        try:
            refuse_without_right(fire.manifest, cause.person)
            check_manifest(fire.manifest)
        except SchedulingError as error:
            return error
        if cause.fire_key in self.fired:
            return _fired_before(fire)
        if (job := subject.guarded_job) is not None:
            if self.jobs.get(job.pk, True) and (cause.by_itself or job.pk not in self.jobs):
                return ChangedMeanwhile(say("Job {job} was paused or taken away meanwhile.", job=job.name))
            if job.pk in self.busy:
                return AlreadyRunning(
                    say("Job {job} is already running (run {run}).", job=job.name, run=self.busy[job.pk])
                )
        for schedule in subject.guarded_schedules:
            if (schedule.KIND, schedule.pk) not in self.guards:
                changed = ChangedMeanwhile(say("{schedule} was fired or changed meanwhile.", schedule=schedule.what))
                return changed if cause.by_itself else AlreadyRunning(schedule.busy)
        return None


def _look(fires: Sequence[Fire]) -> _Seen:
    """Lock what these fires want and look at it; jobs before their schedules, as everybody does."""
    job_ids = [job.pk for fire in fires if (job := fire.subject.guarded_job) is not None]
    keys = [fire.cause.fire_key for fire in fires]
    return _Seen(
        jobs=lock_jobs(job_ids),
        busy=live_runs_of(job_ids),
        guards=lock_open([bid for fire in fires for bid in fire.bids()]),
        fired=set(Run.objects.filter(fire_key__in=keys).values_list("fire_key", flat=True)),
    )


def _create(fires: Sequence[Fire]) -> list[Started]:
    """Write everything of these fires, whose guards are locked; wake workers after the commit."""
    if not fires:
        return []
    now = fires[0].cause.now
    created = create_runs(fires)
    batches = iter(
        open_for([tasks[0] for fire, (_, tasks) in zip(fires, created, strict=True) if _is_batch(fire)], now)
    )
    started = [
        Started(run, tasks, next(batches) if _is_batch(fire) else None)
        for fire, (run, tasks) in zip(fires, created, strict=True)
    ]
    pairs = list(zip(fires, started, strict=True))
    take_guards([(bid, each.run, each.tasks[0]) for fire, each in pairs for bid in fire.bids()], now)
    guarded = [(fire.subject.guarded_job, each.run) for fire, each in pairs]
    hold_schedules({job.pk: run for job, run in guarded if job is not None}, now=now)
    events.record_all([event for fire, each in pairs for event in fire.events(each.run, each.batch)])
    queued = Counter(task.queue_id for each in started for task in each.tasks if _is_in_line(task))
    for fire, each in pairs:
        if any(item.only_when and not item.depends_on for item in fire.manifest):
            queued.update(_ask(each.run, now))
    wake_lines_after_commit(queued, now)
    return started


def _ask(run: Run, now: datetime) -> Queued:
    """Move a new run on in which steps that come after nothing ask what earlier runs gave; they are queued, or skipped.

    Such are in a restart, and where what they ask about is cancelled.
    """
    lock_run(run.pk)
    return settle_run(run.pk, now)


def _is_in_line(task: Task) -> bool:
    return task.status == TaskStatus.QUEUED and task.next_attempt_at is None


def _is_batch(fire: Fire) -> bool:
    return fire.subject.kind == RunKind.BATCH


def _fired_before(fire: Fire) -> FiredBefore:
    return FiredBefore(say("{subject} was started for this moment before.", subject=fire.subject.title or fire.message))


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
        parameters=fire.parameters,
        timeout_seconds=fire.timeout_seconds,
        expected=fire.expected,
        deadline_at=fire.deadline_at,
        entity_id=subject.entity_id,
        fire_key=cause.fire_key,
        scheduled_for=cause.slot,
        trigger_source=cause.trigger_source[:200],
        started_by=cause.started_by[:150],
        restart_of=cause.restart_of,
        is_partial=cause.is_partial,
        created_at=cause.now,
        trace=trace_context(),
        **fire.tries,
    )


def check_manifest(manifest: Manifest) -> None:
    """Raise InvalidManifest when this cannot run: empty, a name twice, an unknown dependency, a circle."""
    if not manifest:
        raise InvalidManifest(say("There is nothing to run."))
    twice = sorted(key for key, number in Counter(task.key for task in manifest).items() if number > 1)
    if twice:
        raise InvalidManifest(say("Named twice: {twice}.", twice=", ".join(twice)))
    graph = {task.key: task.depends_on for task in manifest}
    for task in manifest:
        if unknown := sorted(task.depends_on - graph.keys()):
            raise InvalidManifest(
                say("{task} depends on what is not there: {unknown}.", task=task.key, unknown=", ".join(unknown))
            )
    try:
        check_order(graph)
    except CycleFound as error:
        raise InvalidManifest(aloud(error)) from None


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
        raise InvalidManifest(say("There is no queue named {queues}.", queues=", ".join(map(repr, unknown))))
    if cancelled := sorted(queue.name for queue in queues.values() if queue.is_cancelled):
        raise InvalidManifest(say("The queue {queue!r} is cancelled: nothing new goes into it.", queue=cancelled[0]))
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
    """Return the rows of tasks by key, not stored yet; `turns` gives those that may start at once their turns.

    What asks about others waits, whatever it depends on: whoever moves the run on asks.
    """
    places: dict[tuple[int, int], Iterator[int]] = {}
    found: dict[str, Task] = {}
    for item in manifest:
        queue, turn = queues[item.queue], None
        if not item.depends_on and not item.only_when and item.key not in waiting:
            place = queue.pk, item.priority
            if place not in places:
                places[place] = iter(turns(*place))
            turn = next(places[place])
        found[item.key] = _row(run, item, queue, turn, now)
    return found


def _row(run: Run, item: ManifestTask, queue: Queue, turn: int | None, now: datetime) -> Task:
    """Return the row of a task, not stored yet: queued when it has a turn, else waiting."""
    is_queued = turn is not None
    since = (
        max(now, item.not_before or now) if is_queued else None
    )  # what waits for its time has not waited for a worker
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
        queued_at=since,
        sent_at=since,
        next_attempt_at=item.not_before if is_queued and item.not_before and item.not_before > now else None,
        side_by_side=item.side_by_side,
        unique_key=item.unique_key,
        key_place=item.key_place,
        run_if=item.run_if,
        only_when=[condition.as_json() for condition in item.only_when] or None,
        continue_on_failure=item.continue_on_failure,
        attempts_allowed=max(item.attempts, 1),
        attempts_ordered=max(item.attempts, 1),
        retry_interval_seconds=item.retry_interval_seconds,
        retry_backoff=item.retry_backoff,
        retry_on=list(item.retry_on),
        timeout_seconds=item.timeout_seconds,
        expected=item.expected,
        deadline_at=item.deadline_at,
        items=None if item.items is None else list(item.items),
    )
