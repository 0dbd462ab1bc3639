"""`retry_task`: let a failed task of a run that goes on start again."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.management import base
from scheduling.models import Task
from scheduling.runs.by_hand import run_document
from scheduling.runs.restart import retry_now
from staging.wording import say

_MOST_DIGITS = 19


class Command(base.Command):
    """Release one task again, or let one that waits for its next attempt start at once."""

    help = gettext_noop(
        "Release a failed task of a live run again. Exit code 2: it did not fail, or its run has ended."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "task", metavar="TASK", help=say("RUN/NAME, as show_run prints them, or the task's number.")
        )

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Release it; workers execute it."""
        number, slash, key = str(options["task"]).partition("/")
        task = None
        if number.isascii() and number.isdecimal() and len(number) < _MOST_DIGITS:
            named = {"run": number, "key": key} if slash else {"pk": number}
            task = Task.objects.select_related("run", "entity").filter(**named).first()
        if task is None:
            raise base.refused(say("There is no task {task!r}.", task=options["task"]))
        retry_now(task, by="command", now=clock.now())
        return run_document(task.run), 0

    def text(self, document: dict[str, Any]) -> str:
        """Return one line a task."""
        return base.run_text(document)
