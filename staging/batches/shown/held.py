"""What a steward decides about the rows of a held batch: approve them, send them back, or discard them.

Approved rows are merged by a batch of their own, which the scheduler starts; here it is only checked and recorded.
Rows sent back or discarded are rejected with the person's comment, chunk by chunk: stopped between two chunks, the rest
is still held and the decision can be repeated.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext_noop, override

from staging.batches import record
from staging.errors import ReviewRefused, StagingError
from staging.models import Batch, BatchReview
from staging.phrases import person_in
from staging.states import BatchStatus, ReviewVerb
from staging.tables.held import held_rows, is_any_held, is_handled_by, reject_held
from staging.transactions import in_transaction
from staging.wording import say

_CHUNK_ROWS = 20_000
_REJECTED = {
    ReviewVerb.SEND_BACK: gettext_noop("Sent back by {by}."),
    ReviewVerb.DISCARD: gettext_noop("Discarded by {by}."),
}
_REJECTED_WITH_COMMENT = {
    ReviewVerb.SEND_BACK: gettext_noop("Sent back by {by}: {comment}"),
    ReviewVerb.DISCARD: gettext_noop("Discarded by {by}: {comment}"),
}


def comment_fault(verb: str, comment: str) -> str:
    """Return why this comment does not do for this decision; empty when it does.

    Whoever sends rows back says why: the comment is all that the others see.
    """
    return say("Say what is to be mended.") if verb == ReviewVerb.SEND_BACK and not comment else ""


def check_approval(held: Batch, *, by: str, ids: Sequence[int] | None = None) -> None:
    """Raise ReviewRefused when the batch is not held any more, is being decided about, or may not be approved by `by`.

    The two-person rule knows who started the batch, who uploaded rows of it and who mended one by hand; a token is
    the person it belongs to.
    """
    _check_held(held)
    if not held.entity.two_person_rule:
        return
    person = person_in(by)
    if person_in(held.started_by) == person:
        raise ReviewRefused(
            say(
                "{person} started batch {batch}, so somebody else has to approve it (two-person rule).",
                person=person,
                batch=held.pk,
            )
        )
    if is_handled_by(held.entity, held.pk, person, ids=ids):
        raise ReviewRefused(
            say(
                "{person} uploaded or mended some of the rows: somebody else approves them (two-person rule).",
                person=person,
            )
        )


@in_transaction
def record_approval(held: Batch, merged_by: Batch, *, by: str, comment: str, now: datetime) -> BatchReview:
    """Record who approved how many rows, in the transaction that starts the batch which merges them."""
    selected = merged_by.selected_rows
    rows = held_rows(held.entity, held.pk) if selected is None else len(selected)
    return BatchReview.objects.create(
        batch=held,
        verb=ReviewVerb.APPROVE,
        decided_by=by,
        decided_at=now,
        comment=comment,
        rows=rows,
        merged_by=merged_by,
    )


def send_back(held: Batch, *, ids: Sequence[int] | None = None, comment: str, by: str, now: datetime) -> int:
    """Reject held rows (all, or these ids) with the comment, so that they are mended; return how many.

    Raises ReviewRefused as `check_approval` does, except that whoever started a batch may send it back.
    """
    return _reject(held, ReviewVerb.SEND_BACK, ids, comment, by, now)


def discard(held: Batch, *, ids: Sequence[int] | None = None, comment: str, by: str, now: datetime) -> int:
    """Reject held rows (all, or these ids) as not wanted; return how many. Raises as `send_back`."""
    return _reject(held, ReviewVerb.DISCARD, ids, comment, by, now)


def _reject(held: Batch, verb: ReviewVerb, ids: Sequence[int] | None, comment: str, by: str, now: datetime) -> int:
    _check_held(held)
    with override(held.entity.language):
        message = say((_REJECTED_WITH_COMMENT if comment else _REJECTED)[verb], by=by, comment=comment)
    review: BatchReview | None = None
    total = 0
    while True:
        with transaction.atomic():
            rows = reject_held(held.entity, held.pk, message, ids=ids, limit=_chunk_rows())
            if not rows:
                break
            review = review or BatchReview.objects.create(
                batch=held, verb=verb, decided_by=by, decided_at=now, comment=comment
            )
            BatchReview.objects.filter(pk=review.pk).update(rows=F("rows") + rows)
            record.add_counts(held.pk, {"rejected": rows})
        total += rows
    close_if_done(held, now)
    return total


def close_if_done(held: Batch, now: datetime) -> bool:
    """End the review of a held batch none of whose rows is held any more; return whether it ended."""
    return not is_any_held(held.entity, held.pk) and record.close_review(held.pk, now)


def close_settled_reviews(now: datetime) -> int:
    """End every review without a row left, as a crash right before its end leaves it; return how many.

    An entity whose tables cannot be read is left for another time.
    """
    ended = 0
    for held in Batch.objects.filter(status=BatchStatus.HELD).select_related("entity"):
        with suppress(StagingError):
            ended += close_if_done(held, now)
    return ended


def _check_held(held: Batch) -> None:
    held.refresh_from_db()
    if held.status != BatchStatus.HELD:
        raise ReviewRefused(
            say(
                "Batch {held} is not held any more; it is {status}.",
                held=held.pk,
                status=BatchStatus(held.status).label,
            )
        )
    if merging := held.approvals.exclude(status__in=BatchStatus.final()).order_by("-pk").first():
        raise ReviewRefused(
            say(
                "Approved rows of batch {held} are being merged by batch {merging}; wait for it.",
                held=held.pk,
                merging=merging.pk,
            )
        )


def _chunk_rows() -> int:
    return int(settings.MERGE_CHUNK_ROWS) or _CHUNK_ROWS
