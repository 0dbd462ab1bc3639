"""Puts a wait back that is not over: until its next look it holds no worker and no place of its queue."""

from datetime import datetime

from django.db import transaction

from scheduling.lifecycle.tasks import lock_run, wait_on
from scheduling.models import Attempt, Task
from scheduling.queues import wake_freed
from scheduling.runs.advance import finish
from scheduling.states import TaskStatus
from scheduling.workloads.outcome import Outcome
from staging.transactions import after_commit
from staging.wording import say


def look_again(attempt: Attempt, task: Task, outcome: Outcome, *, now: datetime) -> None:
    """Queue the task of an attempt until `again_at` of the outcome; no attempt is used, and none is kept.

    One that a person asked to cancel ends as cancelled; of one that was released nothing is written.
    """
    with transaction.atomic():
        lock_run(task.run_id)
        if wait_on(task.pk, attempt.token, until=outcome.again_at or now, message=outcome.message):
            after_commit(lambda: wake_freed(task.queue_id, {}, now))
            return
        finish(attempt, task, Outcome(TaskStatus.CANCELLED, say("Cancelled on request.")), now=now)
