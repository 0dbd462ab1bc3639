"""`discard_batch`: reject what a held batch holds."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.management import base
from staging.batches.shown.held import discard
from staging.wording import say


class Command(base.Command):
    """Reject all rows that a batch holds as not wanted."""

    help = gettext_noop("Discard all rows that a batch holds. Exit code 2: it is not held.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the batch and a comment."""
        base.add_batch(parser)
        parser.add_argument("--comment", default=say("Discarded by command."), help=say("Why; each row says it."))

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        held = base.find_batch(options["batch"])
        discarded = discard(held, comment=options["comment"], by="command", now=clock.now())
        return {"batch": held.pk, "discarded": discarded}, 0
