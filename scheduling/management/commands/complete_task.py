"""`complete_task`: mark a task of a run that goes on as succeeded."""

from datetime import datetime

from django.utils.translation import gettext_noop

from scheduling.management.steps import StepCommand
from scheduling.models import Task
from scheduling.runs.intervene import complete_step


class Command(StepCommand):
    """Mark one task that no worker has, or that failed, as succeeded; what comes after it goes on."""

    help = gettext_noop(
        "Mark a waiting or failed task of a live run as succeeded. Exit code 2: it is neither, or its run has ended."
    )

    def do(self, task: Task, *, by: str, now: datetime) -> None:
        """Mark it."""
        complete_step(task, by=by, now=now)
