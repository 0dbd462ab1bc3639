"""`cancel_run`: stop a run."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.errors import NothingToCancel
from scheduling.management import base
from scheduling.runs.by_hand import run_document
from scheduling.runs.cancel import cancel_run
from staging.wording import say


class Command(base.Command):
    """Cancel what has not started and ask what runs to stop."""

    help = gettext_noop("Cancel a run: at once what has not started, at its next safe point what runs.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        base.add_run(parser)

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Cancel; exit code 2 when the run has ended."""
        run = base.find_run(options["run"])
        if not cancel_run(run, by="command", now=clock.now()):
            raise NothingToCancel(say("Run {run} has ended: there is nothing to cancel.", run=run.pk))
        return run_document(run), 0

    def text(self, document: dict[str, Any]) -> str:
        """Return one line a task."""
        return base.run_text(document)
