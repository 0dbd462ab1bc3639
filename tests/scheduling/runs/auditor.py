"""Reads the tables and tells which promise of the engine does not hold; independent of the code that writes them."""

from collections.abc import Iterator

from django.db.models import Count, Exists, F, OuterRef, Q

from scheduling.models import Attempt, Queue, Run, SchedulerConfiguration, SchedulerLog, Task, TaskDependency
from scheduling.states import AttemptOutcome, RunIf, RunKind, RunStatus, TaskStatus

_NOT_CANCELLED = (RunStatus.COMPLETED, RunStatus.FAILED)
LIVE = [TaskStatus.QUEUED, TaskStatus.RUNNING]


def audit() -> list[str]:
    """Return every violation, in words; empty when all promises hold between two transactions."""
    return [*_attempts(), *_order(), *_items(), *_holds(), *_runs(), *_queues(), *_guards()]


def _attempts() -> Iterator[str]:
    """One live attempt for what runs, none for what does not; every attempt counted, none too many."""
    live = Q(attempts__outcome=AttemptOutcome.RUNNING)
    for task in Task.objects.annotate(live=Count("attempts", filter=live), made=Count("attempts")):
        if task.live != (task.status == TaskStatus.RUNNING):
            yield f"{task} is {task.status} with {task.live} live attempts"
        if task.made != task.attempts_made:
            yield f"{task} counts {task.attempts_made} attempts, there are {task.made}"
        if task.attempts_made > task.attempts_allowed:
            yield f"{task} was tried {task.attempts_made} times, {task.attempts_allowed} allowed"
    for task in Task.objects.filter(status=TaskStatus.COMPLETED, started_at=None):
        if not task.message.startswith("Marked as succeeded by "):
            yield f"{task} completed without work and without a person"
    for task in Task.objects.filter(status=TaskStatus.COMPLETED).exclude(started_at=None):
        outcomes = list(task.attempts.order_by("number").values_list("outcome", flat=True))
        once_more = SchedulerLog.objects.filter(run_id=task.run_id, message__contains=" run now by ")
        is_once = outcomes.count(AttemptOutcome.COMPLETED) == 1 or once_more.exists()
        if not is_once or outcomes[-1] != AttemptOutcome.COMPLETED:
            yield f"{task} completed with the attempts {outcomes}"


def _order() -> Iterator[str]:
    """Nothing starts before what it depends on; nothing waits for what is done; what is blocked has a reason.

    What a person ended by hand ended whenever the person said so, and what a person lets run anyway runs whenever the
    person says so: before what it waits for, and once more after what waited for it.
    """
    passed = Q(depends_on__status=TaskStatus.FAILED, depends_on__continue_on_failure=True)
    well = passed | Q(depends_on__status__in=[TaskStatus.COMPLETED, TaskStatus.SKIPPED])
    plain, live = Q(task__run_if=RunIf.ALL_SUCCEEDED), Q(depends_on__status__in=TaskStatus.live())
    unmet = TaskDependency.objects.filter((plain & ~well) | (~plain & live))
    started = Q(task__status__in=[*LIVE, TaskStatus.COMPLETED, TaskStatus.FAILED])
    # A person may release a failed task again after what is behind it ran, if it might be passed over.
    passes_over = Q(depends_on__continue_on_failure=True) | (~plain & Q(task__attempts_made__gt=0))
    by_hand = Q(task__status=TaskStatus.COMPLETED, task__started_at=None)
    anyway = Q(task__runs_anyway=True) | Q(depends_on__runs_anyway=True)
    early = unmet.filter(started & ~passes_over & ~by_hand & ~anyway)
    for pair in early.select_related("task", "depends_on"):
        yield f"{pair.task} is {pair.task.status} while {pair.depends_on} is {pair.depends_on.status}"
    waiting = Task.objects.filter(status=TaskStatus.WAITING, held_at=None, mapped_by=None)
    waiting = waiting.exclude(run__kind=RunKind.ORDERED)
    for task in waiting.filter(~Exists(unmet.filter(task=OuterRef("pk")))):
        yield f"{task} waits for nothing"
    did_not = [TaskStatus.FAILED, TaskStatus.BLOCKED]
    failed = TaskDependency.objects.filter(depends_on__status__in=did_not, depends_on__runs_anyway=False)
    skipped = Task.objects.filter(status=TaskStatus.SKIPPED).exclude(message__startswith="Skipped by ")
    # What asks what others gave may be skipped for want of an answer, too.
    for task in skipped.filter(Exists(failed.filter(task=OuterRef("pk"))), only_when__isnull=True):
        yield f"{task} was skipped behind a failure"
    for task in Task.objects.filter(status=TaskStatus.BLOCKED):
        if task.blocked_by is None or task.blocked_by.status != TaskStatus.FAILED:
            yield f"{task} is blocked by {task.blocked_by}"


def _items() -> Iterator[str]:
    """No more items of a step are at work than may be side by side, and none waits where there is room for it."""
    for step in Task.objects.filter(workload=RunKind.MAP):
        most = step.arguments["side_by_side"]
        at_work = step.mapped.filter(status__in=LIVE).count()
        if most is not None and at_work > most:
            yield f"{step} has {at_work} items at work, {most} allowed"
        looks = step.is_held or step.status in LIVE
        waiting = step.mapped.filter(status=TaskStatus.WAITING, held_at=None).exists()
        if waiting and not looks and (most is None or at_work < most):
            yield f"an item of {step} waits for nothing"


def _holds() -> Iterator[str]:
    """What is held waits, or is blocked, and somebody holds it."""
    for task in Task.objects.exclude(held_at=None, held_by=""):
        if task.status not in (TaskStatus.WAITING, TaskStatus.BLOCKED) or not task.held_by or task.held_at is None:
            yield f"{task} is {task.status} and held by {task.held_by!r} since {task.held_at}"


def _runs() -> Iterator[str]:
    """A run has ended exactly when all its tasks have; one that has not has something that moves, or that is held."""
    moves = Q(tasks__status__in=LIVE) | Q(tasks__status=TaskStatus.WAITING, tasks__held_at__isnull=False)
    open_tasks = Count("tasks", filter=~Q(tasks__status__in=TaskStatus.final()))
    for run in Run.objects.annotate(open=open_tasks, moving=Count("tasks", filter=moves)):
        if (run.status in RunStatus.final()) != (run.open == 0):
            yield f"{run} is {run.status} with {run.open} open tasks"
        if run.status not in RunStatus.final() and not run.moving:
            yield f"{run} is {run.status} and nothing of it moves"
        ends = set(run.tasks.values_list("status", flat=True))
        if run.status == RunStatus.COMPLETED and ends - {TaskStatus.COMPLETED, TaskStatus.SKIPPED}:
            yield f"{run} completed with {ends}"
        if run.timed_out_at is not None and run.status in (RunStatus.COMPLETED, RunStatus.CANCELLED):
            yield f"{run} is {run.status} although its time was up"
        if TaskStatus.CANCELLED in ends and run.status in _NOT_CANCELLED and run.timed_out_at is None:
            yield f"{run} is {run.status} with cancelled tasks"


def _queues() -> Iterator[str]:
    """No queue runs more than it may."""
    running = Count("tasks", filter=Q(tasks__status=TaskStatus.RUNNING))
    for queue in Queue.objects.annotate(running=running).filter(running__gt=F("max_running")):
        yield f"{queue} runs {queue.running} of {queue.max_running}"


def _guards() -> Iterator[str]:
    """A guard is held for a task that has not ended, and a running batch holds its entity's guard."""
    for held in SchedulerConfiguration.objects.filter(is_running=True, running_task__status__in=TaskStatus.final()):
        yield f"{held} is held for {held.running_task}, which has ended"
    for attempt in Attempt.objects.filter(outcome=AttemptOutcome.RUNNING, task__workload=RunKind.BATCH):
        if not SchedulerConfiguration.objects.filter(running_task_id=attempt.task_id, is_running=True).exists():
            yield f"{attempt} runs without the guard of its entity"
