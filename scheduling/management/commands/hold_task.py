"""`hold_task`: keep a task of a run that goes on from starting."""

from datetime import datetime

from django.utils.translation import gettext_noop

from scheduling.management.steps import StepCommand
from scheduling.models import Task
from scheduling.runs.intervene import hold_step


class Command(StepCommand):
    """Hold one task that no worker has; the run stays alive."""

    help = gettext_noop(
        "Hold a task of a live run until resume_task. Exit code 2: it does not wait, is held, or its run has ended."
    )

    def do(self, task: Task, *, by: str, now: datetime) -> None:
        """Hold it."""
        hold_step(task, by=by, now=now)
