"""`restart_run`: start an ended run again."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.errors import CannotRestart
from scheduling.management import base
from scheduling.runs.by_hand import run_document
from scheduling.runs.restart import RunPart, differences, manifest_now, manifest_of, restart_run
from staging.wording import say


class Command(base.Command):
    """Start an ended run again as a new run, whole or only what failed or never ran."""

    help = gettext_noop("Start an ended run again as a new run. Exit code 3: it has not ended.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the run, what of it, and by which plan."""
        base.add_run(parser)
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--failed", action="store_true", help=say("Only what failed, was cancelled or never ran."))
        what.add_argument(
            "--from", metavar="STEP", default="", dest="start_at", help=say("Only this step and all after it.")
        )
        what.add_argument("--only", metavar="STEP", default="", help=say("Only this step."))
        parser.add_argument(
            "--without", metavar="STEP", action="append", default=[], help=say("Not this step: it counts as done.")
        )
        parser.add_argument("--current", action="store_true", help=say("Its plans as they are now, not as they were."))

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Create the new run; workers execute it."""
        run, manifest = base.find_run(options["run"]), None
        if options["current"]:
            if not run.plans:
                raise CannotRestart(say("Run {run} was made of no plan: leave out --current.", run=run.pk))
            manifest = manifest_now(run)
        part = RunPart(options["start_at"], options["only"], options["without"])
        started = restart_run(
            run, only_failed=options["failed"], part=part, manifest=manifest, started_by="command", now=clock.now()
        )
        document = run_document(started)
        return document | ({"differences": differences(manifest_of(run), manifest)} if manifest else {}), 0

    def text(self, document: dict[str, Any]) -> str:
        """Return one line a difference and one a task."""
        return "\n".join([*document.get("differences", []), base.run_text(document)])
