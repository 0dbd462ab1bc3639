"""`retry_task`: let a failed task of a run that goes on start again."""

from datetime import datetime

from django.utils.translation import gettext_noop

from scheduling.management.steps import StepCommand
from scheduling.models import Task
from scheduling.runs.intervene import retry_now


class Command(StepCommand):
    """Release one task again, or let one that waits for its next attempt start at once."""

    help = gettext_noop(
        "Release a failed task of a live run again. Exit code 2: it did not fail, or its run has ended."
    )

    def do(self, task: Task, *, by: str, now: datetime) -> None:
        """Release it."""
        retry_now(task, by=by, now=now)
