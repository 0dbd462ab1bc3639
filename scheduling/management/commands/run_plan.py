"""`run_plan`: start one or several plans now, as one run, outside their schedules."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling.dispatch.attempts import work_off_attempts
from scheduling.management import base
from scheduling.management.names import plans_named
from scheduling.runs.by_hand import run_document, start_plans_now
from scheduling.states import RunStatus
from staging.wording import say


class Command(base.Command):
    """Queue a run of plans, or run it here and wait."""

    help = gettext_noop(
        "Start plans now, as one run in which shared steps run once. Exit code 1: the run failed; 3: one runs already."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the plans and where to run."""
        base.add_plans(parser)
        parser.add_argument(
            "--parameters", metavar="JSON", default="{}", help=say("Values of the plans' parameters, as a JSON object.")
        )
        parser.add_argument(
            "--inline",
            action="store_true",
            help=say("Run in this process and wait for the end, of all attempts of the plan."),
        )

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Start the run; with --inline also work it off, and each further attempt of its plan."""
        time = self.time_source(**options)
        parameters = base.json_object("--parameters", options["parameters"], '{"day": "2026-03-01"}')
        run = start_plans_now(plans_named(options["plans"]), parameters, started_by="command", now=time())
        if not options["inline"]:
            return run_document(run), 0
        last = work_off_attempts(run, time=time, tell=self.stderr.write)
        return run_document(last), 0 if last.status == RunStatus.COMPLETED else base.EXIT_FAILED

    def text(self, document: dict[str, Any]) -> str:
        """Return the run and one line for each task."""
        return base.run_text(document)
