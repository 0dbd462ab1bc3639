"""Carries out what a person decides about held rows: approve, which starts a batch, send back, or discard."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from scheduling import events
from scheduling.models import SchedulerConfiguration
from scheduling.runs.by_hand import StartedBatch, start_batch_now
from scheduling.states import EventType
from staging.batches.shown.held import check_approval, discard, record_approval, send_back
from staging.models import Batch
from staging.states import ReviewVerb


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


_ACTS = {ReviewVerb.SEND_BACK: send_back, ReviewVerb.DISCARD: discard}


def decide(held: Batch, verb: ReviewVerb, *, ids: Sequence[int] | None, comment: str, by: str, now: datetime) -> int:
    """Send held rows back or discard them (all, or these ids); return how many. Raises ReviewRefused."""
    rows = _ACTS[verb](held, ids=ids, comment=comment, by=by, now=now)
    message = f"Held batch {held.pk}: {rows:,} rows {verb.label} by {by}" + (f": {comment}" if comment else ".")
    events.record(
        EventType.REVIEW,
        now=now,
        entity_id=held.entity_id,
        trigger_source=held.trigger_source,
        message=message,
        rows_queued=rows,
        batch_id=held.pk,
    )
    return rows
