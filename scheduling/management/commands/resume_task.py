"""`resume_task`: let a task that is held go on."""

from datetime import datetime

from django.utils.translation import gettext_noop

from scheduling.management.steps import StepCommand
from scheduling.models import Task
from scheduling.runs.intervene import let_step_go_on


class Command(StepCommand):
    """Let a held task start as soon as it waits for nothing else."""

    help = gettext_noop("Let a held task of a live run go on. Exit code 2: nobody holds it, or its run has ended.")

    def do(self, task: Task, *, by: str, now: datetime) -> None:
        """Let it go on."""
        let_step_go_on(task, by=by, now=now)
