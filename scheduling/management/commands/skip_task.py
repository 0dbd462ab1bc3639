"""`skip_task`: leave out a task of a run that goes on."""

from datetime import datetime

from django.utils.translation import gettext_noop

from scheduling.management.steps import StepCommand
from scheduling.models import Task
from scheduling.runs.intervene import skip_step


class Command(StepCommand):
    """Skip one task that no worker has, or that failed; what comes after it goes on."""

    help = gettext_noop(
        "Skip a waiting or failed task of a live run. Exit code 2: it is neither, or its run has ended."
    )

    def do(self, task: Task, *, by: str, now: datetime) -> None:
        """Skip it."""
        skip_step(task, by=by, now=now)
