"""Executes tasks: claim one, do its work under a heartbeat and a fence, write the outcome, go on with the next."""

import logging

from django.db import InterfaceError, OperationalError, close_old_connections, transaction

from scheduling import clock
from scheduling.errors import AttemptCancelled, AttemptLost, EntityCancelled, FatalJobError
from scheduling.models import Attempt, Task
from scheduling.queues.claim import claim, claim_of
from scheduling.queues.wake import wake_line
from scheduling.runs.finish import finish
from scheduling.states import TaskStatus
from scheduling.workloads.outcome import Outcome, failure
from scheduling.workloads.pulse import Pulse
from scheduling.workloads.registry import COMMITTED_WITH_OUTCOME, WORKLOADS, workload_of

__all__ = ["WORKLOADS", "execute", "run_attempt", "work_off_line"]

logger = logging.getLogger(__name__)

# A worker that was woken goes on with the same queue for so long; then the broker may give it something else.
_GOES_ON_SECONDS = 5.0


def execute(task_id: int, *, worker: str, time: clock.TimeSource = clock.now) -> bool:
    """Claim and run this task; return whether this call did the work.

    False is a normal answer: the message came twice or late, another worker was faster, or the queue is full.
    """
    attempt = claim(task_id, worker=worker, now=time())
    if attempt is None:
        return False
    run_attempt(attempt, time=time)
    return True


def work_off_line(task_id: int, *, worker: str, time: clock.TimeSource = clock.now) -> int:
    """Run the best tasks of this task's queue, one after another, until there is none; return how many.

    This is what a wake-up does. It names a task and means its queue, so that the best goes first, whichever message
    comes first. After a few seconds it passes the queue on to another wake-up.
    """
    queue_id = Task.objects.filter(pk=task_id).values_list("queue_id", flat=True).first()
    done, began = 0, clock.monotonic()
    while queue_id is not None and (attempt := claim_of(queue_id, worker=worker, now=time())):
        goes_on = clock.monotonic() - began < _GOES_ON_SECONDS
        run_attempt(attempt, time=time, goes_on=goes_on)
        done += 1
        if clock.monotonic() - began >= _GOES_ON_SECONDS:
            if goes_on:
                wake_line(queue_id, time(), 1)
            break
    return done


def run_attempt(attempt: Attempt, *, time: clock.TimeSource = clock.now, goes_on: bool = False) -> None:
    """Do the work of a claimed attempt and write its outcome. Never raises for a fault of the work itself."""
    task = attempt.task
    try:
        with Pulse(attempt, time=time) as pulse:
            if task.workload in COMMITTED_WITH_OUTCOME:
                _work_and_finish(attempt, task, pulse, time, goes_on)
                return
            outcome = workload_of(task).execute(task, pulse, time)
    except AttemptLost:
        logger.warning("attempt %s of task %s was released; its work was dropped", attempt.number, task.pk)
        return
    except AttemptCancelled as cancelled:
        outcome = Outcome(TaskStatus.CANCELLED, str(cancelled))
    except (FatalJobError, EntityCancelled) as error:
        outcome = failure(error, is_fatal=True)
    except Exception as error:
        logger.exception("task %s failed", task.pk)
        outcome = failure(error)
    _finish(attempt, task, outcome, time, goes_on)


def _work_and_finish(attempt: Attempt, task: Task, pulse: Pulse, time: clock.TimeSource, goes_on: bool) -> None:
    """Do the work and write its outcome in one transaction, so that the work counts exactly once.

    Raises AttemptLost when the attempt was released meanwhile; then, as after any other error, nothing stays.
    """
    with transaction.atomic():
        outcome = workload_of(task).execute(task, pulse, time)
        if not finish(attempt, task, outcome, now=time(), goes_on=goes_on):
            raise AttemptLost("This attempt was released; its work was rolled back.")


def _finish(attempt: Attempt, task: Task, outcome: Outcome, time: clock.TimeSource, goes_on: bool) -> None:
    """Write the outcome; a passing database fault (a lock, a dropped connection) must not turn it into a zombie."""
    for pause in (0.2, 1.0, 5.0):
        try:
            finish(attempt, task, outcome, now=time(), goes_on=goes_on)
            return
        except (OperationalError, InterfaceError):
            logger.warning("could not write the outcome of task %s yet", task.pk, exc_info=True)
            close_old_connections()
            clock.pause(pause)
    finish(attempt, task, outcome, now=time(), goes_on=goes_on)
