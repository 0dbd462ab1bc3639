"""The list of batches with what people do to many of them: decide about what they hold, or take them back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from scheduling.admin.batches.held import CommentForm
from scheduling.admin.schedules.bulk import BulkVerb, Hand
from scheduling.admin.schedules.chosen import as_action, chosen_page
from scheduling.runs.by_hand import approve, review, start_undo
from staging.admin.batches import BatchPages, why_no_undo
from staging.batches.shown.held import comment_fault
from staging.batches.undo.undo import in_the_way
from staging.errors import UndoRefused
from staging.models import Batch
from staging.pages import seen
from staging.phrases import numbered
from staging.rights import reach, visible
from staging.states import BatchStatus, ReviewVerb
from staging.tables.held import held_rows
from staging.wording import aloud, say

_ASKED_BEFORE = 100  # of more, each is asked when its turn comes: a page does not wait for thousands of counts


class CommentOnEach(CommentForm):
    """The comment on a decision about several batches."""

    def __init__(self, data: Any, decision: ReviewVerb) -> None:
        """Require the comment where the decision needs one."""
        super().__init__(data)
        comment = self.fields["comment"]
        comment.required = bool(comment_fault(decision, ""))
        comment.label = _("What is to be mended") if comment.required else _("Comment")


class _OfBatches(BulkVerb[Batch]):
    """What is done to batches; each needs the right to see rows, too."""

    def rows(self, model_admin: ModelAdmin[Batch], request: HttpRequest) -> QuerySet[Batch]:
        """Return the batches that the person sees, newest first."""
        return seen(Batch.objects.select_related("entity").order_by("-pk"), request)

    def called(self, thing: Batch) -> str:
        """Return "Batch 7 of Branch": a number alone tells nobody what it is about."""
        return say("{batch} of {entity}", batch=str(thing), entity=str(thing.entity))

    def held_for(self, request: HttpRequest, rows: QuerySet[Batch]) -> QuerySet[Batch]:
        """Return those of entities whose rows the person may see besides."""
        return visible(super().held_for(request, rows), reach(request.user, "staging.view_rows"))


class _Decide(_OfBatches):
    """Decide about all rows that each of them holds."""

    decision: ClassVar[ReviewVerb]
    needs, permission = "approve", "staging.approve_batch"

    def idle(self, things: Sequence[Batch]) -> dict[int, str]:
        """Those that hold nothing."""
        return {batch.pk: say("it holds no rows") for batch in things if batch.status != BatchStatus.HELD}

    def adds(self, things: Sequence[Batch]) -> str:
        """Return how many rows it is about; nothing of very many batches."""
        if len(things) > _ASKED_BEFORE:
            return ""
        rows = sum(held_rows(batch.entity, batch.pk) for batch in things)
        return aloud(numbered(rows, "It is about {number:,} row.", "It is about {number:,} rows."))

    def form(self, data: Any, things: Sequence[Batch]) -> forms.Form | None:
        """Ask for a comment."""
        return CommentOnEach(data, self.decision)

    def act(self, hand: Hand, thing: Batch) -> bool:
        """Decide about it; what is not this person's to decide is refused."""
        review(thing, self.decision, ids=None, comment=hand.values["comment"], by=hand.by, now=hand.now)
        return True


class ApproveEach(_Decide):
    """Merge what each holds."""

    name, words, decision = "approve_batches", gettext_noop("Approve"), ReviewVerb.APPROVE
    means = gettext_noop("A new batch of each entity merges the rows that are held.")
    did = gettext_noop("Approved: {names}.")

    def act(self, hand: Hand, thing: Batch) -> bool:
        """Start the batch that merges its rows."""
        approve(thing, ids=None, comment=hand.values["comment"], by=hand.by, now=hand.now)
        return True


class SendBackEach(_Decide):
    """Reject what each holds, for somebody to mend."""

    name, words, decision = "send_back_batches", gettext_noop("Send back"), ReviewVerb.SEND_BACK
    means = gettext_noop("The rows that are held are rejected with your comment; they can be mended and retried.")
    did = gettext_noop("Sent back: {names}.")


class DiscardEach(_Decide):
    """Reject what each holds for good."""

    name, words, decision = "discard_batches", gettext_noop("Discard"), ReviewVerb.DISCARD
    means = gettext_noop("The rows that are held are rejected and will not be merged.")
    did = gettext_noop("Discarded: {names}.")


class UndoEach(_OfBatches):
    """Take back what each changed, if nothing stands in the way."""

    name, words = "undo_batches", gettext_noop("Undo")
    means = gettext_noop(
        "A new batch of each entity takes back what its batch changed. "
        "Where members were changed again since, nothing is taken back, and you are told."
    )
    did = gettext_noop("Undo started: {names}.")
    needs, permission = "undo", "staging.undo_batch"

    def idle(self, things: Sequence[Batch]) -> dict[int, str]:
        """Those that cannot be undone at all; of very many none is known before."""
        if len(things) > _ASKED_BEFORE:
            return {}
        whys = {batch.pk: why_no_undo(batch) for batch in things}
        return {pk: why for pk, why in whys.items() if why}

    def act(self, hand: Hand, thing: Batch) -> bool:
        """Start its undo; raises UndoRefused where members stand in the way."""
        answer = start_undo(thing, by=hand.by, now=hand.now)
        if answer.started is None:
            raise UndoRefused(in_the_way(thing, answer.foreseen.conflicts))
        return True


@admin.register(Batch)
class BatchAdmin(BatchPages):
    """The pages of batches, with what is done to many of them."""

    bulk = (ApproveEach(), SendBackEach(), DiscardEach(), UndoEach())
    actions = tuple(map(as_action, bulk))
    pages = (("chosen/<int:number>/", chosen_page, "scheduling_batch_chosen"),)

    def has_approve_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this person may decide about held batches."""
        return request.user.has_perm("staging.approve_batch", obj)

    def has_undo_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this person may undo batches."""
        return request.user.has_perm("staging.undo_batch", obj)
