"""Executes tasks: claim one, do its work under a heartbeat and a fence, write the outcome, go on with the next."""

import logging
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeVar

from django.db import InterfaceError, OperationalError, close_old_connections, transaction

from scheduling import clock
from scheduling.errors import (
    AttemptCancelled,
    AttemptInterrupted,
    AttemptLost,
    EntityCancelled,
    FatalJobError,
    SchedulingError,
    TimedOut,
)
from scheduling.lifecycle.tasks import lock_run, wait_for_items, wait_on
from scheduling.models import Attempt, Run, Task
from scheduling.queues import claim, claim_of, wake_freed, wake_line
from scheduling.runs.advance import (
    COMMITTED_WITH_OUTCOME,
    WORKLOADS,
    finish,
    finish_and_go_on,
    hand_back,
    settle_run,
    workload_of,
)
from scheduling.states import RunKind, RunStatus, TaskStatus
from scheduling.workloads import items
from scheduling.workloads.outcome import Outcome, failure
from scheduling.workloads.pulse import STOPPING, Pulse
from staging.tracing import is_traced, lines_of, span
from staging.transactions import after_commit
from staging.wording import say

__all__ = ["WORKLOADS", "execute_task", "run_attempt", "work_off_line"]

logger = logging.getLogger(__name__)

T = TypeVar("T")

# A worker that was woken goes on with the same queue for so long; then the broker may give it something else.
_GOES_ON_SECONDS = 5.0
# Between tries to write how an attempt ended; those of a worker that is to stop have to fit into what is left to it.
_PAUSES_AT_END, _PAUSES_AT_STOP = (0.2, 1.0, 5.0), (0.2, 1.0)


def execute_task(task_id: int, *, worker: str, time: clock.TimeSource = clock.now) -> bool:
    """Claim and run this task; return whether this call did the work.

    False is a normal answer: the message came twice or late, another worker was faster, or the queue is full. Raises
    SchedulingError when this host's clock is too far off.
    """
    clock.follow()
    if trouble := clock.trouble():
        raise SchedulingError(trouble)
    attempt = claim(task_id, worker=worker, now=time(), time=time)
    if attempt is None:
        return False
    run_attempt(attempt, time=time)
    return True


def work_off_line(task_id: int, *, worker: str, time: clock.TimeSource = clock.now) -> int:
    """Run the best tasks of this task's queue, one after another, until there is none; return how many.

    This is what a wake-up does. It names a task and means its queue, so that the best goes first, whichever message
    comes first. After a few seconds it passes the queue on to another wake-up.
    """
    clock.follow()
    queue_id = Task.objects.filter(pk=task_id).values_list("queue_id", flat=True).first()
    if queue_id is None:
        return 0
    if clock.trouble():  # recovery sends the wake-up again, and another host may take it
        return 0
    if STOPPING.is_told():
        wake_line(queue_id, time(), 1)  # another worker's
        return 0
    done, until = 0, clock.monotonic() + _GOES_ON_SECONDS
    attempt = claim_of(queue_id, worker=worker, now=time(), time=time)
    while attempt is not None:
        goes_on = clock.monotonic() < until and not STOPPING.is_told()
        attempt = run_attempt(attempt, time=time, goes_on=goes_on)
        done += 1
        if attempt is None and clock.monotonic() < until and not STOPPING.is_told():
            attempt = claim_of(queue_id, worker=worker, now=time(), time=time)
        elif attempt is None and goes_on:
            wake_line(queue_id, time(), 1)
    return done


def run_attempt(attempt: Attempt, *, time: clock.TimeSource = clock.now, goes_on: bool = False) -> Attempt | None:
    """Do the work of a claimed attempt and write its outcome. Never raises for a fault of the work itself.

    `goes_on`: the caller takes the next task of the same queue; when that was claimed together with the outcome, its
    attempt is returned, and the caller must run it.
    """
    ids = _ids(attempt)
    parent = attempt.task.run.trace if is_traced() else ""
    with lines_of(**ids), span("task", parent=parent, **ids, task=attempt.task.key):
        return _run(attempt, attempt.task, time, goes_on)


def _ids(attempt: Attempt) -> dict[str, int | None]:
    """Return what every log line of this attempt carries."""
    task = attempt.task
    job_id = task.target_id if task.workload == RunKind.JOB else None
    of = {"entity_id": task.entity_id, "job_id": job_id}
    return {"run_id": task.run_id, "task_id": task.pk, "attempt": attempt.number, **of}


def _run(attempt: Attempt, task: Task, time: clock.TimeSource, goes_on: bool) -> Attempt | None:
    pulse = Pulse(attempt, time=time)
    try:
        with STOPPING.working(lambda: hand_back(attempt, task, now=time())), pulse:
            if task.workload in COMMITTED_WITH_OUTCOME:
                return _work_and_finish(attempt, task, pulse, time, goes_on)
            outcome = workload_of(task).execute(task, pulse, time)
    except AttemptLost:
        logger.warning(
            "attempt %s of task %s was released; its work was dropped",
            attempt.number,
            task.pk,
            extra={"event": "attempt_fenced_off"},
        )
        return None
    except AttemptCancelled as cancelled:
        outcome = Outcome(TaskStatus.CANCELLED, str(cancelled))
    except (FatalJobError, EntityCancelled) as error:
        outcome = failure(error, is_fatal=True)
    except (KeyboardInterrupt, SystemExit):
        _hand_back(attempt, task, time)
        raise
    except Exception as error:
        if isinstance(error, AttemptInterrupted) or (not isinstance(error, TimedOut) and STOPPING.interrupted(error)):
            logger.info(
                "attempt %s of task %s is handed back: this worker is to stop",
                attempt.number,
                task.pk,
                extra={"event": "attempt_handed_back"},
            )
            _hand_back(attempt, task, time)
            return None
        logger.exception("task %s failed", task.pk, extra={"event": "task_failed"})
        outcome = failure(error)
    following = _finish(attempt, task, outcome, time, goes_on)
    if pulse.after_end is not None and _is_final(attempt, outcome):
        pulse.after_end(outcome)
    return following


def _is_final(attempt: Attempt, outcome: Outcome) -> bool:
    """Return whether this outcome of this attempt is stored, and that of its task."""
    ended = Attempt.objects.filter(pk=attempt.pk, outcome=str(outcome.status), task__status=outcome.status)
    return ended.exists()


def _work_and_finish(
    attempt: Attempt, task: Task, pulse: Pulse, time: clock.TimeSource, goes_on: bool
) -> Attempt | None:
    """Do the work and write its outcome in one transaction, so that the work counts exactly once.

    Raises AttemptLost when the attempt was released meanwhile; then, as after any other error, nothing stays.
    """
    with transaction.atomic():
        outcome = workload_of(task).execute(task, pulse, time)
        ended = finish_and_go_on(attempt, task, outcome, now=time(), goes_on=goes_on)
        if not ended.is_written:
            raise AttemptLost(say("This attempt was released; its work was rolled back."))
    return ended.following


def _finish(attempt: Attempt, task: Task, outcome: Outcome, time: clock.TimeSource, goes_on: bool) -> Attempt | None:
    """Write the outcome, and claim the next task with it; what is not over is put back."""
    if outcome.items is not None:
        return _written(task, lambda: wait_on_items(attempt, task, outcome, now=time()), _PAUSES_AT_END)
    if outcome.again_at is not None:
        return _written(task, lambda: look_again(attempt, task, outcome, now=time()), _PAUSES_AT_END)
    _tell_end(task, outcome)
    claims = iter([goes_on])  # with the first try only: it may have failed by its claim

    def write() -> Attempt | None:
        return finish_and_go_on(attempt, task, outcome, now=time(), goes_on=next(claims, False)).following

    return _written(task, write, _PAUSES_AT_END)


def _tell_end(task: Task, outcome: Outcome) -> None:
    logger.info("task %s: %s. %s", task.key, outcome.status, outcome.message, extra={"event": "task_ended"})


def look_again(attempt: Attempt, task: Task, outcome: Outcome, *, now: datetime) -> None:
    """Queue the task of a wait until `again_at` of the outcome; no attempt is used, and none is kept.

    Until then it holds no worker and no place of its queue. One that a person asked to cancel ends as cancelled; of one
    that was released nothing is written.
    """
    with transaction.atomic():
        lock_run(task.run_id)
        if wait_on(task.pk, attempt.token, until=outcome.again_at or now, message=outcome.message):
            after_commit(lambda: wake_freed(task.queue_id, {}, now))
            return
        finish(attempt, task, Outcome(TaskStatus.CANCELLED, say("Cancelled on request.")), now=now)


def wait_on_items(attempt: Attempt, task: Task, outcome: Outcome, *, now: datetime) -> None:
    """Store the items of a step with a task for each, and let the first ones start; the step waits for all of them.

    All of it or nothing: a list is decided once, and an item has one task. As `look_again` otherwise. A step whose
    items have ended ends as they did, by what a person has not changed meanwhile.
    """
    with transaction.atomic():
        lock_run(task.run_id)
        if outcome.status != TaskStatus.WAITING and (outcome := items.ended_as(task)).status != TaskStatus.WAITING:
            _tell_end(task, outcome)
            finish(attempt, task, outcome, now=now)
            return
        listed = outcome.items or []
        pieces = items.tasks_of(task, listed)
        if wait_for_items(task, attempt.token, listed, pieces, message=outcome.message):
            queued = settle_run(task.run_id, now)
            after_commit(lambda: wake_freed(task.queue_id, queued, now))
            return
        finish(attempt, task, Outcome(TaskStatus.CANCELLED, say("Cancelled on request.")), now=now)


def _hand_back(attempt: Attempt, task: Task, time: clock.TimeSource) -> None:
    """Hand the attempt back; its connection may have been lost long before, while the work did without."""
    _written(task, lambda: hand_back(attempt, task, now=time()), _PAUSES_AT_STOP)


def _written(task: Task, write: Callable[[], T], pauses: Iterable[float]) -> T:
    """Write how an attempt ended; a passing database fault (a lock, a dropped connection) must not make it a zombie."""
    for pause in pauses:
        try:
            return write()
        except (OperationalError, InterfaceError):
            logger.warning(
                "could not write the outcome of task %s yet", task.pk, exc_info=True, extra={"event": "outcome_delayed"}
            )
            close_old_connections()
            clock.sleep(pause)
    return write()


_PAUSE_SECONDS = 0.2


def work_off_run(run: Run, *, worker: str = "command", time: clock.TimeSource = clock.now) -> RunStatus:
    """Execute the tasks of a run as they become ready and return how the run ended.

    Other workers may take some of them; while none is free here (a full queue, an attempt to come, a batch of the same
    entity) it waits.
    """
    while True:
        status = Run.objects.values_list("status", flat=True).get(pk=run.pk)
        if status in RunStatus.final():
            return RunStatus(status)
        ready = (
            run.tasks.filter(status=TaskStatus.QUEUED).order_by("-priority", "turn", "id").values_list("id", flat=True)
        )
        if not any(execute_task(task_id, worker=worker, time=time) for task_id in ready[:10]):
            clock.sleep(_PAUSE_SECONDS)
