"""`show_run`: a run and its tasks as they are now."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.management import base
from scheduling.runs.by_hand import run_document
from scheduling.runs.spent import path_document


class Command(base.Command):
    """Print a run with the state, attempts and message of each task."""

    help = gettext_noop("Show a run and its tasks.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        base.add_run(parser)

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        run = base.find_run(options["run"])
        return run_document(run) | path_document(run, clock.now()), 0

    def text(self, document: dict[str, Any]) -> str:
        """Return one line a task."""
        return base.run_text(document)
