"""Moves a run on when a task has ended: releases what waited for it, blocks what may not start, ends the run.

Everything happens in the transaction that ends the task and with the run locked, so a join is released exactly once
and a worker that dies leaves either all of it or nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from scheduling import events, statements
from scheduling.lifecycle.attempts import end_run
from scheduling.lifecycle.tasks import block, queue_waiting
from scheduling.models import Plan, Run, Task, TaskDependency
from scheduling.queues.turns import next_turns
from scheduling.states import EventType, RunKind, RunStatus, TaskStatus
from staging.transactions import require_lock

Queued = dict[int, int]

_SATISFIED = Q(depends_on__status=TaskStatus.COMPLETED) | Q(
    depends_on__status=TaskStatus.FAILED, depends_on__continue_on_failure=True
)
_LIVE = (TaskStatus.QUEUED, TaskStatus.RUNNING)

# The same rule for what waits behind one task. Each task that ends asks, so a join of thousands must not be read from
# its start each time: what it still waits for is most often among its last.
_READY_BEHIND = """
SELECT task.queue_id, task.priority, task.id
FROM scheduling_taskdependency AS edge JOIN scheduling_task AS task ON task.id = edge.task_id
WHERE edge.depends_on_id = %s AND task.status = 'waiting' AND (
    SELECT prior.id
    FROM scheduling_taskdependency AS other JOIN scheduling_task AS prior ON prior.id = other.depends_on_id
    WHERE other.task_id = task.id
        AND NOT (prior.status = 'completed' OR (prior.status = 'failed' AND prior.continue_on_failure))
    ORDER BY other.depends_on_id DESC LIMIT 1
) IS NULL
ORDER BY task.step_index, task.id
"""
_IS_LIVE = "SELECT 1 FROM scheduling_task WHERE run_id = %s AND status IN ('queued', 'running') LIMIT 1"


def advance(task: Task, status: TaskStatus, now: datetime) -> Queued:
    """Move the run of `task`, which just ended, on; return how many tasks were queued, by queue.

    With the run locked, in the transaction that ended the task.
    """
    require_lock("run", task.run_id)
    queued: Queued = {}
    if status == TaskStatus.COMPLETED or (status == TaskStatus.FAILED and task.continue_on_failure):
        queued = _queue(statements.rows(_READY_BEHIND, task.pk), task.run_id, now)
    elif status == TaskStatus.FAILED:
        _block_behind([task.pk], task, now)
    if not any(queued.values()) and not statements.rows(_IS_LIVE, task.run_id):
        queued = settle(task.run_id, now)
    return queued


def settle(run_id: int, now: datetime) -> Queued:
    """Look at a whole run: block and release what should have been, and end it when nothing is left.

    For ordered work this is what starts the next order. Else it is the safety net: after an ordinary advance it finds
    nothing to block or release. With the run locked.
    """
    require_lock("run", run_id)
    run, tasks = Run.objects.get(pk=run_id), Task.objects.filter(run_id=run_id)
    waiting = tasks.filter(status=TaskStatus.WAITING)
    for failed in tasks.filter(status=TaskStatus.FAILED, continue_on_failure=False):
        _block_behind([failed.pk, *tasks.filter(blocked_by=failed).values_list("id", flat=True)], failed, now)
        if run.kind == RunKind.ORDERED:
            block(waiting.values_list("id", flat=True), by=failed, now=now, message=f"Blocked: {failed.key} failed.")
    queued = _queue_ready(_next_order(tasks) if run.kind == RunKind.ORDERED else waiting, run_id, now)
    if not tasks.exclude(status__in=TaskStatus.final()).exists():
        _end(run, now)
    return queued


def _next_order(tasks: QuerySet[Task]) -> QuerySet[Task]:
    """Return the waiting tasks of ordered work that are next, or none while an order before them is at work."""
    waiting = tasks.filter(status=TaskStatus.WAITING)
    if tasks.filter(status__in=_LIVE).exists():
        return waiting.none()
    return waiting.filter(step_index=waiting.order_by("step_index").values("step_index")[:1])


def _queue_ready(waiting: QuerySet[Task], run_id: int, now: datetime) -> Queued:
    """Queue those of the waiting tasks whose dependencies are all satisfied."""
    open_ends = TaskDependency.objects.filter(task=OuterRef("pk")).exclude(_SATISFIED)
    ready = waiting.filter(~Exists(open_ends)).order_by("step_index", "id")
    return _queue(ready.values_list("queue_id", "priority", "id"), run_id, now)


def _queue(ready: Iterable[tuple[int, int, int]], run_id: int, now: datetime) -> Queued:
    """Queue waiting tasks of a run, given as (queue, priority, task) in their order."""
    lanes: dict[tuple[int, int], list[int]] = defaultdict(list)
    for queue_id, priority, task_id in ready:
        lanes[queue_id, priority].append(task_id)
    queued: Counter[int] = Counter()
    for (queue_id, priority), ids in lanes.items():
        turns = next_turns(run_id, queue_id, priority, len(ids))
        queued[queue_id] += queue_waiting(dict(zip(ids, turns, strict=True)), now=now)
    return queued


def _block_behind(ended: Collection[int], failed: Task, now: datetime) -> None:
    """Block all that depends on what failed, however far behind; each names the task that failed."""
    message = f"Blocked: {failed.key} failed."
    while ended:
        behind = TaskDependency.objects.filter(depends_on__in=ended, task__status=TaskStatus.WAITING)
        ended = block(set(behind.values_list("task_id", flat=True)), by=failed, now=now, message=message)


def _end(run: Run, now: datetime) -> None:
    """End a run whose tasks have all ended: cancelled when a task was, else failed when a task was, else completed.

    A task that was asked to stop and came to its end all the same ends a cancelled run.
    """
    numbers = Counter(dict(run.tasks.order_by().values_list("status").annotate(Count("pk"))))
    status = RunStatus.COMPLETED
    if numbers[TaskStatus.FAILED] or numbers[TaskStatus.BLOCKED]:
        status = RunStatus.FAILED
    if numbers[TaskStatus.CANCELLED] or run.tasks.filter(cancel_requested=True).exists():
        status = RunStatus.CANCELLED
    error = _problem(run, numbers) if status == RunStatus.FAILED else ""
    if not end_run(run.pk, status, now=now, error=error):
        return
    if run.kind in (RunKind.PLAN, RunKind.ORDERED):
        _tell(run, status, error, numbers.total(), now)


def _problem(run: Run, numbers: Counter[str]) -> str:
    """Return what went wrong in a run, in a sentence or two."""
    first = run.tasks.filter(status=TaskStatus.FAILED).order_by("finished_at", "id").first()
    if first is None:
        return ""
    if numbers.total() == 1:
        return first.message
    failed, blocked = numbers[TaskStatus.FAILED], numbers[TaskStatus.BLOCKED]
    more = f" {failed} of {numbers.total()} tasks failed." if failed > 1 else ""
    reason = first.message if first.message.endswith(".") else f"{first.message}."
    return f"{first.key} failed: {reason}{more}" + (f" Blocked behind it: {blocked}." if blocked else "")


def _tell(run: Run, status: RunStatus, error: str, number: int, now: datetime) -> None:
    """Log the end of a run of several tasks."""
    kinds = {RunStatus.COMPLETED: EventType.COMPLETED, RunStatus.FAILED: EventType.ERROR}
    took = now - (run.started_at or run.created_at)
    plans = Plan.objects.filter(name__in=run.plans) if run.plans else ()
    for subject in [plan.subject for plan in plans] or [{}]:
        events.record(
            kinds.get(status, EventType.CANCELLED),
            now=now,
            **subject,
            trigger_source=run.trigger_source,
            message=f"{run.title} {status.value}: {error or f'{number} tasks.'}",
            duration_ms=int(took.total_seconds() * 1000),
            run_id=run.pk,
        )
