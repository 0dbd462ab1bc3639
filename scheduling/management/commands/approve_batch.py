"""`approve_batch`: merge what a held batch holds."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.management import base
from scheduling.runs.by_hand import approve
from staging.wording import say


class Command(base.Command):
    """Start the batch that merges the rows of a held one; workers execute it."""

    help = gettext_noop(
        "Approve all rows that a batch holds. Exit code 2: it is not held, or not to be approved; 3: one runs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the batch and a comment."""
        base.add_batch(parser)
        parser.add_argument("--comment", default="", help=say("Why, for others to read."))

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        held = base.find_batch(options["batch"])
        started = approve(held, comment=options["comment"], by="command", now=clock.now())
        return {"batch": started.batch.pk, "approves": held.pk, "run": started.run.pk, "status": started.run.status}, 0
