"""What the commands share that do something to one step of a live run."""

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from scheduling import clock
from scheduling.management import base
from scheduling.models import Task
from scheduling.runs.by_hand import run_document
from staging.wording import say

_MOST_DIGITS = 19


class StepCommand(base.Command):
    """A command that does one thing to one task; workers execute what becomes ready by it."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "task", metavar="TASK", help=say("RUN/NAME, as show_run prints them, or the task's number.")
        )

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Do it; a refusal ends with exit code 2."""
        task = _found(str(options["task"]))
        self.do(task, by="command", now=clock.now())
        return run_document(task.run), 0

    def do(self, task: Task, *, by: str, now: datetime) -> None:
        """Call the verb."""
        raise NotImplementedError

    def text(self, document: dict[str, Any]) -> str:
        """Return one line a task."""
        return base.run_text(document)


def _found(text: str) -> Task:
    """Return the task that RUN/NAME or a number names."""
    number, slash, key = text.partition("/")
    task = None
    if number.isascii() and number.isdecimal() and len(number) < _MOST_DIGITS:
        named = {"run": number, "key": key} if slash else {"pk": number}
        task = Task.objects.select_related("run", "entity").filter(**named).first()
    if task is None:
        raise base.refused(say("There is no task {task!r}.", task=text))
    return task
