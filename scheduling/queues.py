"""Claims queued tasks: the queue's maximum holds at every instant, under any number of workers.

Every queued task has a turn, so that runs share a queue fairly. A run's tasks stand SHARE apart, starting where the
queue has come to: a run that queues a thousand tasks at once is overtaken by the first task of a run that comes a
minute later, and the two then take turns. Every claim moves the queue at least one on, so a turn that was given is
reached: nothing starves.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_noop

from scheduling import broker, conf, statements
from scheduling.clock import TimeSource
from scheduling.lifecycle import events
from scheduling.lifecycle.guard import holds_guard, take_guard_for_task, take_job_for_task
from scheduling.lifecycle.tasks import (
    begin_attempt,
    begin_run,
    lock_queue,
    lock_queue_if_free,
    queue_waiting,
    take_place,
)
from scheduling.models import Attempt, Job, Plan, PlanStep, Queue, Run, Task
from scheduling.states import EventType, RunKind, RunStatus, TaskStatus
from staging.transactions import after_commit
from staging.wording import both, say

DEFAULT_QUEUE = "default"

Queued = dict[int, int]  # how many tasks were queued, by queue

# One point of priority is worth so much waiting, so that what is not urgent is done some day, too.
AGEING = timedelta(minutes=10)

# How long a task whose entity or job is busy stays out of the line, when nobody tells it earlier that it is free.
_BUSY_FOR = timedelta(seconds=15)
_BUSY = {
    RunKind.BATCH: gettext_noop("Waits: another batch of this entity runs."),
    RunKind.JOB: gettext_noop("Waits: another run of this job is at work."),
}

_IN_LINE = "queue_id = %s AND status = 'queued' AND next_attempt_at IS NULL"
_IS_LINE = f"SELECT 1 FROM scheduling_task WHERE {_IN_LINE} LIMIT 1"  # noqa: S608 (our own text)
# Written so that the index task_in_line answers it, whatever the database guesses about the table: it has just changed.
_HEAD = f"""
SELECT task.*, run.kind AS run_kind, run.status AS run_status, run.trigger_source AS run_trigger_source,
    run.fire_key AS run_fire_key, run.started_by AS run_started_by,
    (SELECT priority FROM scheduling_task WHERE {_IN_LINE} AND priority < task.priority
     ORDER BY priority DESC, turn, id LIMIT 1) AS next_priority
FROM scheduling_task AS task JOIN scheduling_run AS run ON run.id = task.run_id
WHERE task.id = (
    SELECT id FROM scheduling_task WHERE {_IN_LINE} AND priority <= %s ORDER BY priority DESC, turn, id LIMIT 1
)
"""  # noqa: S608 (our own text)
_HIGHEST = 32_767

SHARE = 64
# Where the queue has come to, the run's last turn in it, and the turn of who is next.
_PLACE = """
SELECT turn,
    (SELECT turn FROM scheduling_task WHERE run_id = %s AND queue_id = %s ORDER BY turn DESC LIMIT 1),
    (SELECT turn FROM scheduling_task
     WHERE queue_id = %s AND status = 'queued' AND next_attempt_at IS NULL AND priority = %s
     ORDER BY priority DESC, turn, id LIMIT 1)
FROM scheduling_queue WHERE id = %s
"""

Errors = dict[str, list[str]]


class _NotNow(Exception):
    """Rolls a claim back; `is_busy`: because another batch of the task's entity, or another run of its job, runs."""

    def __init__(self, *, is_busy: bool = False):
        self.is_busy = is_busy


def claimable(now: datetime) -> QuerySet[Task]:
    """Return the tasks that may be claimed at `now`, best first."""
    due = Q(next_attempt_at__isnull=True) | Q(next_attempt_at__lte=now)
    return Task.objects.filter(due, status=TaskStatus.QUEUED).order_by("-priority", "turn", "id")


def claim(task_id: int, *, worker: str, now: datetime, time: TimeSource | None = None) -> Attempt | None:
    """Claim this task; None when it is not queued (a doubled or late message), its queue full, or it runs elsewhere.

    `time` tells when the attempt starts, after the waits for locks; without it that is `now`.
    """
    task = claimable(now).filter(pk=task_id).select_related("run", "entity").first()
    if task is None:
        return None
    try:
        with transaction.atomic():
            lock_queue(task.queue_id)
            return _claim(task, worker, now, time)
    except _NotNow as refusal:
        if refusal.is_busy:
            _wait(task, now)
        return None


def claim_next(*, worker: str, now: datetime, time: TimeSource | None = None) -> Attempt | None:
    """Claim the best task of any queue with room; None when there is none. Full queues hide nobody else's tasks.

    The queue that was served longest ago goes first. `time` as in `claim`.
    """
    put_in_line(now)
    for queue_id in Queue.objects.order_by(F("last_claim_at").asc(nulls_first=True), "id").values_list("id", flat=True):
        if is_line(queue_id) and (attempt := claim_of(queue_id, worker=worker, now=now, time=time)):
            return attempt
    return None


def claim_of(queue_id: int, *, worker: str, now: datetime, time: TimeSource | None = None) -> Attempt | None:
    """Claim the best task of this queue; None when there is none, or no room. What is busy elsewhere is passed.

    `time` as in `claim`.
    """
    while True:
        task: Task | None = None
        try:
            with transaction.atomic():
                lock_queue(queue_id)
                task = _best(queue_id, now)
                return _claim(task, worker, now, time) if task else None
        except _NotNow as refusal:
            if task is not None and refusal.is_busy:
                _wait(task, now)
            elif _room(queue_id) < 1:  # else somebody else took that task, and there may be a next one
                return None


def claim_along(queue_id: int, *, worker: str, now: datetime) -> Attempt | None:
    """Claim the best task of this queue in the caller's transaction; None when there is none, or not without waiting.

    None is no last word: `claim_of` looks again, and waits. It also takes the batches: only they can be refused after
    something was taken for them.
    """
    if not lock_queue_if_free(queue_id):
        return None
    task = _best(queue_id, now)
    if task is None or task.workload == RunKind.BATCH:
        return None
    try:
        return _claim(task, worker, now, waits=False)
    except _NotNow:
        return None


def next_in_line(queue_id: int, now: datetime) -> list[int]:
    """Return the queued tasks that the queue has room for now, best first."""
    room = _room(queue_id)
    return list(claimable(now).filter(queue_id=queue_id).values_list("id", flat=True)[:room]) if room > 0 else []


def put_in_line(now: datetime) -> int:
    """Let tasks whose waiting time is over stand in line again; return how many."""
    over = Task.objects.filter(status=TaskStatus.QUEUED, next_attempt_at__lte=now)
    return over.update(next_attempt_at=None, waits_for_entity=False) if over.exists() else 0


def default_queue() -> Queue:
    """Return the queue of everything that names none."""
    return Queue.objects.get_or_create(name=DEFAULT_QUEUE)[0]


def _claim(task: Task, worker: str, now: datetime, time: TimeSource | None = None, *, waits: bool = True) -> Attempt:
    """Take a job, a place in the queue, the entity of a batch, and the task. With the queue locked.

    It starts when `time` says that it has all of them: what it waited for ended before. `waits`: for who else decides
    on the job at this moment. Raises _NotNow.
    """
    if task.workload == RunKind.JOB and not take_job_for_task(task, waits=waits):
        raise _NotNow(is_busy=True)
    # Counted with the queue locked: of two claims that see the last free place, the second counts the first.
    if not take_place(task.queue_id, task.turn, now=now):
        raise _NotNow
    if task.run.status == RunStatus.PENDING:
        begin_run(task.run_id, now=now)
    # A plan's batch takes the guard only here: until then a batch that people start goes first. One that was started by
    # itself has held it since its run was created.
    if task.workload == RunKind.BATCH and not (holds_guard(task) or take_guard_for_task(task, now=now)):
        raise _NotNow(is_busy=True)
    attempt = begin_attempt(task, worker=worker, now=max(now, time()) if time else now)
    if attempt is None:  # cancelled, or claimed by its own message, since it was looked up
        raise _NotNow
    return attempt


def _room(queue_id: int) -> int:
    """Return how many more tasks of the queue may start; none while it is paused."""
    running = Task.objects.filter(queue_id=queue_id, status=TaskStatus.RUNNING).order_by().values("queue_id")
    number = Coalesce(Subquery(running.annotate(number=Count("pk")).values("number")), 0)
    room = Queue.objects.filter(pk=queue_id, paused_at__isnull=True).annotate(room=F("max_running") - number)
    return room.values_list("room", flat=True).first() or 0


def _best(queue_id: int, now: datetime) -> Task | None:
    """Return the task of the queue to claim: the first of each priority competes, helped by how long it waits."""

    def urgency(head: Task) -> tuple[float, int]:
        return head.priority + (now - (head.queued_at or now)) / AGEING, head.priority

    return max(heads(queue_id), key=urgency, default=None)


def _wait(task: Task, now: datetime) -> None:
    """Take a task that is busy elsewhere out of the line for a while; the end of the other one calls it back."""
    Task.objects.filter(pk=task.pk, status=TaskStatus.QUEUED).update(
        next_attempt_at=now + _BUSY_FOR, waits_for_entity=True, **both("message", say(_BUSY[RunKind(task.workload)]))
    )


def is_line(queue_id: int) -> bool:
    """Return whether any task of the queue may be claimed."""
    return bool(statements.rows(_IS_LINE, queue_id))


def heads(queue_id: int) -> Iterator[Task]:
    """Yield the first task of each priority, highest first, with what a claim and the log need of its run."""
    priority: int | None = _HIGHEST
    while priority is not None:
        found: list[Any] = list(Task.objects.raw(_HEAD, (queue_id, queue_id, priority)))
        for task in found:
            # The other columns of the run are read when somebody asks for them.
            names = ("id", "kind", "status", "fire_key", "trigger_source", "started_by")  # in the order of the model
            task.run = Run.from_db(None, names, [getattr(task, f"run_{name}") for name in names])
            yield task
        priority = found[0].next_priority if found else None


def next_turns(run_id: int | None, queue_id: int, priority: int, number: int) -> list[int]:
    """Return the turns of `number` tasks of one run that are queued now, in this order; one statement.

    A run that is not stored yet has no turn before.
    """
    ((came, last_turn, head),) = statements.rows(_PLACE, run_id, queue_id, queue_id, priority, queue_id)
    first = max(came if head is None else min(came, head), 1)
    if last_turn:
        first = max(first, last_turn + SHARE)
    return [first + SHARE * number for number in range(number)]


def line_up(ready: Iterable[Sequence[int]], run_id: int, now: datetime) -> Queued:
    """Queue waiting tasks of a run, given as (queue, priority, task) in their order; return how many, by queue."""
    places: dict[tuple[int, int], list[int]] = defaultdict(list)
    for queue_id, priority, task_id in ready:
        places[queue_id, priority].append(task_id)
    queued: Counter[int] = Counter()
    for (queue_id, priority), ids in places.items():
        turns = next_turns(run_id, queue_id, priority, len(ids))
        queued[queue_id] += queue_waiting(dict(zip(ids, turns, strict=True)), now=now)
    return queued


def wake_line(queue_id: int, now: datetime, most: int | None = None) -> int:
    """Send wake-ups for the first tasks of a queue that it has room for, at most `most`; return how many were sent.

    A worker that is woken takes the best task of the queue, and then the next ones, until there is none.
    """
    if conf.is_embedded() or most == 0:
        return 0
    celery_queue = Queue.objects.values_list("celery_queue", flat=True).get(pk=queue_id)
    return broker.wake(next_in_line(queue_id, now)[:most], celery_queue)


def wake_lines(queued: Mapping[int, int], now: datetime) -> None:
    """Send wake-ups for so many tasks that were just queued, by queue."""
    for queue_id, number in queued.items():
        wake_line(queue_id, now, number)


def wake_freed(queue_id: int, queued: Queued, now: datetime, *, goes_on: bool = False) -> None:
    """Wake workers for what was queued by the end of a task, and for the place it left free in its queue."""
    mine = queued.get(queue_id, 0)
    wake_line(queue_id, now, max(mine - 1, 0) if goes_on else mine + 1)
    wake_lines({other: number for other, number in queued.items() if other != queue_id}, now)


def wake_lines_after_commit(queued: Mapping[int, int], now: datetime) -> None:
    """Send wake-ups for so many tasks, by queue, once the current transaction is committed; never raises."""
    after_commit(lambda: wake_lines(queued, now))


def queue_errors(queue: Queue) -> Errors:
    """Return every fault of a queue by field, empty when it can be saved."""
    errors: Errors = {}
    names = dict(Queue.objects.values_list("pk", "name"))
    same = [name for pk, name in names.items() if pk != queue.pk and name.casefold() == queue.name.casefold()]
    if not queue.name.strip() or queue.name != queue.name.strip() or "\n" in queue.name:
        errors["name"] = [say("A queue needs a name, on one line.")]
    elif same and names.get(queue.pk) != queue.name:
        errors["name"] = [say("There is a queue {same!r} already; write more than another case.", same=same[0])]
    if (queue.max_running or 0) < 1:
        errors["max_running"] = [say("At least one task must be able to run; write 1 or more.")]
    if queue.is_cancelled and (text := in_use(queue, but=())):
        errors["is_cancelled"] = [text]
    return errors


def in_use(queue: Queue, *, but: Collection[str]) -> str:
    """Return why a queue cannot be cancelled, empty when it can. `but` are plans that somebody else looks at."""
    if queue.name == DEFAULT_QUEUE:
        return say("This is the queue of everything that names none; it stays.")
    steps = PlanStep.objects.filter(queue__name=queue.name, is_cancelled=False, plan__is_cancelled=False)
    users = [
        say("plan {name}", name=name) for name in steps.exclude(plan__name__in=but).values_list("plan__name", flat=True)
    ]
    plans = Plan.objects.filter(default_queue__name=queue.name, is_cancelled=False).exclude(name__in=but)
    users += [say("plan {name}", name=name) for name in plans.values_list("name", flat=True)]
    jobs = Job.objects.filter(queue_name=queue.name, removed_at=None)
    users += [say("job {name}", name=name) for name in jobs.values_list("name", flat=True)]
    return say("It is used by {user}; give that another queue first.", user=users[0]) if users else ""


def pause_queue(queue: Queue, *, by: str, reason: str = "", now: datetime) -> bool:
    """Start nothing more of this queue until it is resumed; False when it was paused before."""
    changed = Queue.objects.filter(pk=queue.pk, paused_at__isnull=True).update(
        paused_at=now, paused_by=by[:150], pause_reason=reason[:200]
    )
    if changed:
        message = say("Queue {queue} paused by {by}.", queue=queue.name, by=by)
        if reason:
            message = say("Queue {queue} paused by {by}: {reason}", queue=queue.name, by=by, reason=reason)
        events.record(EventType.PAUSED, now=now, message=message)
    return bool(changed)


def resume_queue(queue: Queue, *, by: str, now: datetime) -> bool:
    """Let the queue's tasks start again; False when it was not paused."""
    paused = Queue.objects.filter(pk=queue.pk, paused_at__isnull=False)
    changed = paused.update(paused_at=None, paused_by="", pause_reason="")
    if changed:
        events.record(
            EventType.RESUMED, now=now, message=say("Queue {queue} resumed by {by}.", queue=queue.name, by=by)
        )
        after_commit(lambda: wake_line(queue.pk, now))
    return bool(changed)
