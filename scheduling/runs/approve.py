"""Starts the batch that merges what a person approved: the same guard and queue as a batch started by hand."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from scheduling.models import SchedulerConfiguration
from scheduling.runs.by_hand import StartedBatch, start_batch_now
from staging.batches.review import check_approval, record_approval
from staging.models import Batch


def approve(
    held: Batch, *, ids: Sequence[int] | None = None, comment: str = "", by: str, now: datetime
) -> StartedBatch:
    """Start a batch of exactly the held rows (all, or these ids), judged afresh when it runs, and record who said so.

    Raises ReviewRefused when the batch is not held any more or the two-person rule forbids it, AlreadyRunning when a
    batch of the entity runs, EntityCancelled. Several approvals at one time: one wins.
    """
    configuration = SchedulerConfiguration.objects.select_related("entity").get(entity_id=held.entity_id)
    with transaction.atomic():
        check_approval(held, by=by, ids=ids)
        started = start_batch_now(
            configuration,
            tag=held.tag,
            started_by=by,
            trigger_source=f"Approved by {by}",
            message=f"Held batch {held.pk} approved by {by}" + (f": {comment}" if comment else "."),
            opening={"approves_id": held.pk, "selected_rows": None if ids is None else sorted(ids)},
            now=now,
        )
        record_approval(held, started.batch, by=by, comment=comment, now=now)
    return started
