"""Carries out what a person decided against held rows, and logs it; approvals start a batch (approve.py)."""

from collections.abc import Sequence
from datetime import datetime

from scheduling import events
from scheduling.states import EventType
from staging.batches.review import discard, send_back
from staging.models import Batch
from staging.states import ReviewVerb

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
