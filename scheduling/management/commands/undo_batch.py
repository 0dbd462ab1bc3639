"""`undo_batch`: put back what a batch changed."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling.management import base
from scheduling.runs.by_hand import start_undo
from scheduling.runs.execute import work_off_run
from staging.batches.undo.undo import in_the_way
from staging.models import Batch
from staging.states import BatchStatus
from staging.wording import say


class Command(base.Command):
    """Undo one batch here, and wait for the end."""

    help = gettext_noop(
        "Put members back as they were before a batch. Exit code 1: members were changed since, or it failed;"
        " 3: a batch of the entity is running."
    )
    takes_now = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the batch and what to do with members that were changed since."""
        base.add_batch(parser)
        parser.add_argument(
            "--skip-changed",
            action="store_true",
            help=say("Leave alone what cannot be put back, and undo the rest."),
        )

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Undo the batch, or tell what stands in the way."""
        time = self.time_source(**options)
        of = base.find_batch(options["batch"])
        answer = start_undo(of, skip_changed=options["skip_changed"], by="command", now=time())
        conflicts = answer.foreseen.conflicts
        document: dict[str, Any] = {"batch": None, "undoes": of.pk, "restored": 0, "conflicts": [*map(str, conflicts)]}
        if answer.started is None:
            return document | {"error": in_the_way(of, conflicts)}, base.EXIT_FAILED
        work_off_run(answer.started.run, time=time)
        done = Batch.objects.get(pk=answer.started.batch.pk)
        document |= {"batch": done.pk, "restored": done.rows_done}
        if done.status == BatchStatus.COMPLETED:
            return document, 0
        return document | {"error": done.error or _ended(done)}, base.EXIT_FAILED


def _ended(batch: Batch) -> str:
    """Return how an undo ended that tells nothing itself."""
    return say("The undo was {status}.", status=batch.get_status_display())
