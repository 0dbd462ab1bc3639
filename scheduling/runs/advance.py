"""Ends attempts and moves their runs on: releases what waited, blocks what may not start, ends the run, writes the log.

Everything happens in the transaction that ends the task and with the run locked, so a join is released exactly once
and a worker that dies leaves either all of it or nothing. An attempt that does not own its task any more ends nothing.
"""

import logging
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext_noop

from scheduling import clock, statements
from scheduling.lifecycle import events
from scheduling.lifecycle.tasks import (
    block,
    end_attempt,
    end_run,
    end_task,
    keep_result,
    lock_run,
    put_off,
    queue_again,
)
from scheduling.models import Attempt, Plan, Run, Task, TaskDependency
from scheduling.models.run import IS_STEP
from scheduling.queues import Queued, claim_along, line_up, wake_freed
from scheduling.runs.conditions import items_with_room, skip_where_not
from scheduling.states import AttemptOutcome, EventType, RunIf, RunKind, RunStatus, Starter, TaskStatus
from scheduling.workloads import batch, call, job, script, waits
from scheduling.workloads import items as mapped
from scheduling.workloads.outcome import Outcome
from scheduling.workloads.pulse import REASON, Pulse
from scheduling.workloads.tries import next_attempt_at, next_run_at
from staging.transactions import after_commit, require_lock
from staging.wording import reading, said_together, say

# Queue, priority, task, on what condition it runs, and what it asks about others.
Ready = Sequence[tuple[int, int, int, str, Any]]

_SATISFIED = Q(depends_on__status__in=[TaskStatus.COMPLETED, TaskStatus.SKIPPED]) | Q(
    depends_on__status=TaskStatus.FAILED, depends_on__continue_on_failure=True
)
_ENDED = Q(depends_on__status__in=TaskStatus.final())
_UNCONDITIONAL = Q(task__run_if=RunIf.ALL_SUCCEEDED)

# The same rule for what waits behind one task. Each task that ends asks, so a join of thousands must not be read from
# its start each time: what it still waits for is most often among its last.
_READY_BEHIND = """
SELECT task.queue_id, task.priority, task.id, task.run_if, task.only_when
FROM scheduling_taskdependency AS edge JOIN scheduling_task AS task ON task.id = edge.task_id
WHERE edge.depends_on_id = %s AND task.status = 'waiting' AND task.held_at IS NULL AND (
    SELECT prior.id
    FROM scheduling_taskdependency AS other JOIN scheduling_task AS prior ON prior.id = other.depends_on_id
    WHERE other.task_id = task.id AND (NOT task.runs_anyway OR prior.mapped_by_id = task.id) AND CASE
        WHEN task.run_if <> 'all_succeeded' THEN prior.status IN ('waiting', 'queued', 'running')
        ELSE NOT (prior.status IN ('completed', 'skipped') OR (prior.status = 'failed' AND prior.continue_on_failure))
    END
    ORDER BY other.depends_on_id DESC LIMIT 1
) IS NULL
ORDER BY task.step_index, task.id
"""
_STATES = """
SELECT status, SUM(CASE WHEN mapped_by_id IS NULL THEN 1 ELSE 0 END), SUM(CASE WHEN cancel_requested THEN 1 ELSE 0 END)
FROM scheduling_task WHERE run_id = %s GROUP BY status
"""
_IS_LIVE = "SELECT 1 FROM scheduling_task WHERE run_id = %s AND status IN ('queued', 'running') LIMIT 1"

logger = logging.getLogger(__name__)


class Workload(Protocol):
    """A kind of work."""

    def execute(self, task: Task, pulse: Pulse, time: clock.TimeSource) -> Outcome:
        """Do the work of an attempt and return how it ended; asks `pulse` before every write.

        Raises AttemptLost when the attempt was released, AttemptCancelled when a person asked to cancel; every other
        error makes the attempt fail.
        """

    def ended(self, task: Task, outcome: Outcome, *, now: datetime) -> str:
        """Put in order what the work leaves behind, in the transaction that writes the outcome.

        Called for every end: of an attempt that is tried again, of one whose worker died, of a task that was
        cancelled before it started. Returns what to add to the log message.
        """


# A new kind of work is one file in `workloads/` and one line here.
WORKLOADS: dict[RunKind, Workload] = {
    RunKind.BATCH: batch,
    RunKind.JOB: job,
    RunKind.SCRIPT: script,
    RunKind.CALL: call,
    RunKind.WAIT: waits,
    RunKind.MAP: mapped,
}

# Work that is nothing but statements of this database commits together with its outcome: exactly once, whatever dies.
COMMITTED_WITH_OUTCOME = {RunKind.SCRIPT}


def workload_of(task: Task) -> Workload:
    """Return the module that does this task's kind of work."""
    return WORKLOADS[RunKind(task.workload)]


_EVENTS = {
    TaskStatus.COMPLETED: EventType.COMPLETED,
    TaskStatus.FAILED: EventType.ERROR,
    TaskStatus.CANCELLED: EventType.CANCELLED,
}

_TOLD = {
    RunStatus.COMPLETED: gettext_noop("{run} completed: {how}"),
    RunStatus.FAILED: gettext_noop("{run} failed: {how}"),
    RunStatus.CANCELLED: gettext_noop("{run} cancelled: {how}"),
}


def advance(task: Task, status: TaskStatus, now: datetime) -> Queued:
    """Move the run of `task`, which just ended, on; return how many tasks were queued, by queue.

    With the run locked, in the transaction that ended the task.
    """
    require_lock("run", task.run_id)
    queued: Queued = {}
    if task.run.kind not in RunKind.of_several():
        return settle_run(task.run_id, now)
    if status == TaskStatus.COMPLETED or (status == TaskStatus.FAILED and task.continue_on_failure):
        ready: list[Any] = list(statements.rows(_READY_BEHIND, task.pk))
        ready += items_with_room(task.run_id, task.mapped_by_id) if task.mapped_by_id is not None else ()
        queued = _let_go(ready, task.run_id, now)
    elif status == TaskStatus.FAILED:
        ended = {task.pk, *_block_behind([task.pk], task, now)}
        conditional = Task.objects.filter(dependencies__depends_on__in=ended).exclude(run_if=RunIf.ALL_SUCCEEDED)
        queued = _let_go(_ready(conditional), task.run_id, now)
    if not any(queued.values()) and not statements.rows(_IS_LIVE, task.run_id):
        queued = settle_run(task.run_id, now)
    return queued


def settle_run(run_id: int, now: datetime) -> Queued:
    """Look at a whole run: block and release what should have been, and end it when nothing is left.

    For ordered work this is what starts the next order. Else it is the safety net: after an ordinary advance it finds
    nothing to block or release. With the run locked.
    """
    require_lock("run", run_id)
    run = Run.objects.get(pk=run_id)
    if _ends(run, now):
        return {}
    tasks = Task.objects.filter(run_id=run_id)
    waiting = tasks.filter(status=TaskStatus.WAITING)
    for failed in tasks.filter(status=TaskStatus.FAILED, continue_on_failure=False):
        _block_behind([failed.pk, *tasks.filter(blocked_by=failed).values_list("id", flat=True)], failed, now)
        if run.kind == RunKind.ORDERED:
            block(
                waiting.values_list("id", flat=True),
                by=failed,
                now=now,
                message=say("Blocked: {task} failed.", task=failed.key),
            )
    ready = _ready(_next_order(tasks) if run.kind == RunKind.ORDERED else waiting)
    items = items_with_room(run_id) if run.kind == RunKind.PLAN else []
    queued = _let_go([*ready, *items], run_id, now)
    if not any(queued.values()):
        _ends(run, now)
    return queued


def _next_order(tasks: QuerySet[Task]) -> QuerySet[Task]:
    """Return the waiting tasks of the order of ordered work that is at work, or is next, and what runs anyway."""
    unended = tasks.exclude(status__in=TaskStatus.final())
    is_next = Q(step_index=unended.order_by("step_index").values("step_index")[:1])
    return tasks.filter(is_next | Q(runs_anyway=True))


def _ready(tasks: QuerySet[Task]) -> Ready:
    """Return those of the steps that wait for nothing any more, and that nobody holds.

    One that runs anyway waits for its items alone.
    """
    stands_in_the_way = (_UNCONDITIONAL & ~_SATISFIED) | (~_UNCONDITIONAL & ~_ENDED)
    is_waited_for = Q(task__runs_anyway=False) | Q(depends_on__mapped_by=F("task"))
    open_ends = TaskDependency.objects.filter(stands_in_the_way, is_waited_for, task=OuterRef("pk"))
    waiting = tasks.filter(IS_STEP, status=TaskStatus.WAITING, held_at__isnull=True)
    ready = waiting.filter(~Exists(open_ends)).order_by("step_index", "id").distinct()
    return list(ready.values_list("queue_id", "priority", "id", "run_if", "only_when"))


def _let_go(ready: Ready, run_id: int, now: datetime) -> Queued:
    """Queue what waits for nothing any more, or skip it where its condition does not hold, and so on behind that."""
    queued: Counter[int] = Counter()
    while ready:
        asking = [each[2:] for each in ready if each[3] == RunIf.ANY_FAILED or each[4]]
        skipped = skip_where_not(asking, run_id, now) if asking else set()
        queued.update(line_up((each[:3] for each in ready if each[2] not in skipped), run_id, now))
        ready = _ready(Task.objects.filter(dependencies__depends_on__in=skipped)) if skipped else []
    return queued


def _block_behind(ended: Collection[int], failed: Task, now: datetime) -> set[int]:
    """Block all that depends on the success of what failed, however far behind; each names the task that failed."""
    message, blocked = say("Blocked: {task} failed.", task=failed.key), set[int]()
    while ended:
        behind = TaskDependency.objects.filter(_UNCONDITIONAL, depends_on__in=ended, task__status=TaskStatus.WAITING)
        ended = block(set(behind.values_list("task_id", flat=True)), by=failed, now=now, message=message)
        blocked.update(ended)
    return blocked


def _ends(run: Run, now: datetime) -> bool:
    """End a run whose tasks have all ended: cancelled when a task was, else failed when a task was, else completed.

    A task that was asked to stop and came to its end all the same ends a cancelled run. One whose time was up failed.
    A run that failed may wait for the next attempt of its plan, which it keeps from others until then. False while a
    task has not ended.
    """
    states = statements.rows(_STATES, run.pk)
    numbers = Counter({status: steps for status, steps, _ in states})
    if not numbers.keys() <= {*TaskStatus.final()}:
        return False
    status = RunStatus.COMPLETED
    if numbers[TaskStatus.FAILED] or numbers[TaskStatus.BLOCKED]:
        status = RunStatus.FAILED
    if numbers[TaskStatus.CANCELLED] or any(asked for _, _, asked in states):
        status = RunStatus.CANCELLED
    if run.timed_out_at is not None:
        status = RunStatus.FAILED
    error = _problem(run, numbers) if status == RunStatus.FAILED else ""
    again_at = next_run_at(run, now) if status == RunStatus.FAILED else None
    if end_run(run.pk, status, now=now, error=error, again_at=again_at) and run.kind in RunKind.of_several():
        how = error or say("{number} tasks.", number=numbers.total())
        _tell(run, status, said_together(how, _tried_again(run, again_at)), again_at is not None, now)
    return True


def _tried_again(run: Run, at: datetime | None) -> str:
    """Return which attempt of its plan a run was, and when the next one comes; empty for one that is tried once."""
    if run.attempts_allowed < 2:
        return ""
    facts = {"number": run.attempt_number, "allowed": run.attempts_allowed}
    if at is None:
        return say("It was attempt {number} of {allowed}.", **facts)
    return say("It was attempt {number} of {allowed}; the next begins at {at}.", at=at, **facts)


def _problem(run: Run, numbers: Counter[str]) -> str:
    """Return what went wrong in a run, in a sentence or two."""
    if run.timed_out_at is not None:
        limit = timedelta(seconds=run.timeout_seconds or 0)
        return say("It may take {limit} and took longer: what had not ended by then was cancelled.", limit=limit)
    first = run.tasks.filter(IS_STEP, status=TaskStatus.FAILED).order_by("finished_at", "id").first()
    if first is None:
        return ""
    if numbers.total() == 1:
        return reading(first, "message")
    failed, blocked = numbers[TaskStatus.FAILED], numbers[TaskStatus.BLOCKED]
    reason = reading(first, "message")
    reason = reason if reason.endswith(".") else say("{reason}.", reason=reason)
    return said_together(
        say("{task} failed: {reason}", task=first.key, reason=reason),
        say("{failed} of {total} tasks failed.", failed=failed, total=numbers.total()) if failed > 1 else "",
        say("Blocked behind it: {blocked}.", blocked=blocked) if blocked else "",
    )


def _tell(run: Run, status: RunStatus, how: str, goes_on: bool, now: datetime) -> None:
    """Log the end of a run of several tasks; a failure after which it `goes_on` is not the end of its plan's work."""
    kinds = {RunStatus.COMPLETED: EventType.COMPLETED, RunStatus.FAILED: EventType.ERROR}
    kinds |= {RunStatus.FAILED: EventType.RETRIED} if goes_on else {}
    took = now - (run.started_at or run.created_at)
    plans = Plan.objects.filter(name__in=run.plans) if run.plans else ()
    for subject in [plan.subject for plan in plans] or [{}]:
        events.record(
            kinds.get(status, EventType.CANCELLED),
            now=now,
            **subject,
            trigger_source=run.trigger_source,
            starter=Starter.of(run.fire_key, run.started_by),
            message=say(_TOLD[status], run=run.title, how=how),
            duration_ms=int(took.total_seconds() * 1000),
            run_id=run.pk,
        )


@dataclass(frozen=True)
class Ended:
    """Whether an outcome was written, and the attempt its worker goes on with when it was claimed at once."""

    is_written: bool
    following: Attempt | None = None


def finish(attempt: Attempt, task: Task, outcome: Outcome, *, now: datetime) -> bool:
    """Write how an attempt ended; False when it had been released, in which case nothing is written."""
    return finish_and_go_on(attempt, task, outcome, now=now, goes_on=False).is_written


def finish_and_go_on(attempt: Attempt, task: Task, outcome: Outcome, *, now: datetime, goes_on: bool) -> Ended:
    """Write how an attempt ended, unless it had been released; then nothing is written.

    `goes_on`: the worker that calls this takes the next task of the same queue itself. When this end queued one, as
    along a chain, the best of the queue is claimed in the same transaction.
    """
    following = None
    with transaction.atomic():
        lock_run(task.run_id)
        if not end_attempt(attempt.token, AttemptOutcome(outcome.status), now=now, message=outcome.message):
            logger.warning(
                "attempt %s of task %s ended after it was released; ignored",
                attempt.number,
                task.pk,
                extra={"event": "attempt_fenced_off", "run_id": task.run_id, "task_id": task.pk},
            )
            return Ended(False)
        if outcome.result is not None:
            keep_result(task.pk, outcome.result)
        queued = conclude(task, outcome, now=now)
        # Not after a batch: its end calls back tasks of other runs, and with their rows in hand no more may be locked.
        if goes_on and queued.get(task.queue_id) and task.workload != RunKind.BATCH:
            following = claim_along(task.queue_id, worker=attempt.worker, now=now)
        after_commit(lambda: wake_freed(task.queue_id, queued, now, goes_on=goes_on))
    return Ended(True, following)


def hand_back(attempt: Attempt, task: Task, *, now: datetime) -> bool:
    """Queue the task of an attempt again because its worker is to stop; False when the attempt had ended before.

    No attempt is used, there is no wait and no back-off: what it holds (its entity, its batch) stays its own, and the
    next worker carries on.
    """
    with transaction.atomic():
        lock_run(task.run_id)
        reason = say(REASON)
        if not end_attempt(attempt.token, AttemptOutcome.INTERRUPTED, now=now, message=reason):
            return False
        queued: Queued = {task.queue_id: 1}
        queued_again = said_together(reason, say("It is queued again; no attempt is used."))
        if queue_again(task.pk, now=now, message=queued_again):
            goes_on = said_together(reason, say("It goes on."))
            _record(EventType.INTERRUPTED, task, Outcome(TaskStatus.QUEUED, reason), goes_on, now)
        else:  # a person asked to cancel it
            queued = conclude(task, Outcome(TaskStatus.CANCELLED, say("Cancelled on request.")), now=now)
        after_commit(lambda: wake_freed(task.queue_id, queued, now))
    return True


def conclude(task: Task, outcome: Outcome, *, now: datetime, event_type: EventType | None = None) -> Queued:
    """Move a task on whose attempt just ended: to another attempt, or to its end and the run with it.

    With the run locked, in the transaction that ended the attempt. Returns how many tasks were queued, by queue.
    """
    require_lock("run", task.run_id)
    if outcome.status == TaskStatus.FAILED:
        task.refresh_from_db(fields=["cancel_requested", "attempts_made", "attempts_allowed"])
    again = next_attempt_at(task, outcome, now) if outcome.status == TaskStatus.FAILED else None
    if again is not None and put_off(task.pk, until=again, now=now, message=outcome.message):
        workload_of(task).ended(task, outcome, now=now)
        tries = say(
            "Attempt {number} of {allowed} failed, next at {again}.",
            number=task.attempts_made,
            allowed=task.attempts_allowed,
            again=again,
        )
        _record(event_type or EventType.RETRIED, task, outcome, said_together(tries, outcome.message), now)
        return {}
    rows, warnings = outcome.rows, outcome.warnings
    end_task(
        task.pk, outcome.status, now=now, message=outcome.message, row_count=rows, warnings=warnings,
        is_fatal=outcome.status == TaskStatus.FAILED and outcome.is_hopeless,
    )  # fmt: skip
    message = said_together(outcome.message, workload_of(task).ended(task, outcome, now=now), by="")
    ended_as = EventType.REVIEW if outcome.is_held else _EVENTS[outcome.status]
    _record(event_type or ended_as, task, outcome, message, now)
    return advance(task, outcome.status, now)


def _record(event_type: EventType, task: Task, outcome: Outcome, message: str, now: datetime) -> None:
    """Log the end of an attempt; what has no entity is named in the message."""
    events.record(
        event_type,
        now=now,
        entity_id=task.entity_id,
        job_id=task.target_id if task.workload == RunKind.JOB else None,
        trigger_source=task.run.trigger_source,
        starter=Starter.of(task.run.fire_key, task.run.started_by),
        message=message if task.entity_id else say("{task}: {message}", task=task.key, message=message),
        rows_queued=outcome.rows,
        duration_ms=outcome.duration_ms,
        batch_id=outcome.batch_id,
        run_id=task.run_id,
    )
