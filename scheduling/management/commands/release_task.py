"""`release_task`: take a running task away from a worker that is known to be dead."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.dispatch.recover import release_task
from scheduling.management import base
from scheduling.runs.by_hand import run_document
from staging.wording import say


class Command(base.Command):
    """Release a running task now, as recovery does after the zombie time-out."""

    help = gettext_noop("Release a running task whose worker is dead, without a wait for ZOMBIE_TIMEOUT_MINUTES.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("task", metavar="TASK", type=int, help=say("The task's number, as `status` tells it."))

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Release; exit code 2 when it does not run."""
        return run_document(release_task(options["task"], by="command", now=clock.now())), 0

    def text(self, document: dict[str, Any]) -> str:
        """Return one line a task."""
        return base.run_text(document)
