"""Executes one task: claim it, do its work under a heartbeat and a fence, write the outcome."""

import logging

from django.db import InterfaceError, OperationalError, close_old_connections

from scheduling import clock
from scheduling.errors import AttemptLost
from scheduling.models import Attempt, Task
from scheduling.queues.claim import claim
from scheduling.runs.finish import finish
from scheduling.states import RunKind, TaskStatus
from scheduling.workloads import batch as batch_workload
from scheduling.workloads.outcome import Outcome
from scheduling.workloads.pulse import Pulse

logger = logging.getLogger(__name__)

WORKLOADS = {RunKind.BATCH: batch_workload}


def execute(task_id: int, *, worker: str, time: clock.TimeSource = clock.now) -> bool:
    """Claim and run this task; return whether this call did the work.

    False is a normal answer: the message came twice or late, another worker was faster, or the queue is full.
    """
    attempt = claim(task_id, worker=worker, now=time())
    if attempt is None:
        return False
    run_attempt(attempt, time=time)
    return True


def run_attempt(attempt: Attempt, *, time: clock.TimeSource = clock.now) -> None:
    """Do the work of a claimed attempt and write its outcome. Never raises for a fault of the work itself."""
    task = Task.objects.select_related("entity", "run").get(pk=attempt.task_id)
    workload = WORKLOADS[RunKind(task.workload)]
    try:
        with Pulse(attempt, time=time) as pulse:
            outcome = workload.execute(task, pulse, time)
    except AttemptLost:
        logger.warning("attempt %s of task %s was released; its work was dropped", attempt.number, task.pk)
        return
    except Exception as error:
        logger.exception("task %s failed", task.pk)
        outcome = Outcome(TaskStatus.FAILED, describe_error(error))
    _finish(attempt, task, outcome, time)


def _finish(attempt: Attempt, task: Task, outcome: Outcome, time: clock.TimeSource) -> None:
    """Write the outcome; a passing database fault (a lock, a dropped connection) must not turn it into a zombie."""
    for pause in (0.2, 1.0, 5.0):
        try:
            finish(attempt, task, outcome, now=time())
            return
        except (OperationalError, InterfaceError):
            logger.warning("could not write the outcome of task %s yet", task.pk, exc_info=True)
            close_old_connections()
            clock.pause(pause)
    finish(attempt, task, outcome, now=time())


def describe_error(error: Exception) -> str:
    """Return an error as one line a person can read and search for."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
