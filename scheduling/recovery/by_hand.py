"""Releases a task because a person knows that its worker is dead."""

from datetime import datetime

from django.db import transaction

from scheduling.errors import NothingToRelease
from scheduling.models import Attempt, Run
from scheduling.recovery.recover import release
from scheduling.states import AttemptOutcome


def release_task(task_id: int, *, by: str, now: datetime) -> Run:
    """Release a running task as recovery does; return its run. Whatever its worker still writes is refused.

    Raises NothingToRelease when the task does not run.
    """
    running = Attempt.objects.filter(task_id=task_id, outcome=AttemptOutcome.RUNNING)
    attempt = running.select_related("task__run", "task__entity").first()
    if attempt is not None:
        with transaction.atomic():
            if release(attempt, f"Released by {by}: its worker {attempt.worker} is taken for dead.", now):
                return attempt.task.run
    raise NothingToRelease(f"Task {task_id} does not run, or gave a sign of life just now: nothing was released.")
