"""`run_task`: run a task of a run that goes on now, whatever stands before it."""

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_noop

from scheduling.management.steps import StepCommand
from scheduling.models import Task
from scheduling.runs.intervene import run_from, run_only
from staging.wording import say


class Command(StepCommand):
    """Run one task that no worker has, also once more; with all that comes after it where that is asked for."""

    help = gettext_noop(
        "Run a task of a live run now, whatever it waits for. Exit code 2: it is at work or held, or its run has ended."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the task, and whether all after it runs, too."""
        super().add_arguments(parser)
        parser.add_argument("--on", action="store_true", help=say("And all that comes after it, once more."))

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Do it; a refusal ends with exit code 2."""
        self._verb = run_from if options["on"] else run_only
        return super().answer(**options)

    def do(self, task: Task, *, by: str, now: datetime) -> None:
        """Run it."""
        self._verb(task, by=by, now=now)
