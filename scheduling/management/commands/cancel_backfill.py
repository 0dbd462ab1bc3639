"""`cancel_backfill`: stop a backfill and what runs of it."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.errors import NothingToCancel
from scheduling.management import base
from scheduling.management.commands.backfill import backfill_text
from scheduling.models import Backfill
from scheduling.runs.backfill import backfill_document
from scheduling.runs.cancel import cancel_backfill
from staging.wording import say


class Command(base.Command):
    """End a backfill; what is still to come does not run."""

    help = gettext_noop("Cancel a backfill: what is still to come does not run, and what runs of it is cancelled.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("backfill", metavar="BACKFILL", type=int, help=say("The number of the backfill."))

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Cancel; exit code 2 when it has ended."""
        number = options["backfill"]
        backfill = Backfill.objects.filter(pk=number).first() if 0 < number < 2**63 else None
        if backfill is None:
            raise base.refused(say("There is no backfill {number}.", number=number))
        if not cancel_backfill(backfill, by="command", now=clock.now()):
            raise NothingToCancel(say("Backfill {number} has ended: there is nothing to cancel.", number=number))
        return backfill_document(backfill), 0

    def text(self, document: dict[str, Any]) -> str:
        """Return how it stands."""
        return backfill_text(document)
