"""`process_batch`: start an entity's batch now, outside its schedule."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.management import base
from scheduling.models import Task
from scheduling.runs.by_hand import start_batch_now
from scheduling.runs.execute import execute_task
from scheduling.states import TaskStatus
from staging.models import OUTCOMES, Batch
from staging.states import BatchStatus
from staging.wording import say


class Command(base.Command):
    """Queue a batch of one entity, or run it here and wait."""

    help = gettext_noop("Start an entity's batch now. Exit code 1: the batch failed; 3: one is already running.")
    takes_now = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the entity, the tag and where to run."""
        base.add_entity(parser)
        parser.add_argument("--tag", default="", help=say("Process only rows with this batch tag."))
        parser.add_argument("--inline", action="store_true", help=say("Run in this process and wait for the end."))

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Start the batch; with --inline also execute it."""
        time = self.time_source(**options)
        configuration = base.find_configuration(options["entity"])
        base.refuse_unknown_tag(configuration.entity, options["tag"])
        started = start_batch_now(configuration, tag=options["tag"], started_by="command", now=time())
        if options["inline"]:
            _run_here(started.task.pk, time)
        batch = Batch.objects.get(pk=started.batch.pk)
        failed = options["inline"] and batch.status not in (BatchStatus.COMPLETED, BatchStatus.HELD)
        return batch_document(batch), base.EXIT_FAILED if failed else 0


def _run_here(task_id: int, time: clock.TimeSource) -> None:
    """Execute the task in this process; wait while its queue is full, or while another worker was faster and has it."""
    while not execute_task(task_id, worker="command", time=time):
        if Task.objects.filter(pk=task_id, status__in=TaskStatus.final()).exists():
            return
        clock.sleep(0.2)


def batch_document(batch: Batch) -> dict[str, Any]:
    """Return a batch as `--json` prints it."""
    counts = {outcome: getattr(batch, outcome) for outcome in OUTCOMES}
    document = {"batch": batch.pk, "status": batch.status, **counts, "duration_ms": batch.duration_ms}
    held = {"held": batch.hold_reason} if batch.status == BatchStatus.HELD else {}
    return document | held | ({"error": batch.error} if batch.error else {})
