"""The story of an undo: see what the batch changed, find what stands in the way, put the rest back."""

from dataclasses import dataclass
from datetime import datetime

from staging.batches import record, worktable
from staging.batches.context import BatchContext, Fence, guarded, make_context, stored_history
from staging.batches.undo.apply import apply
from staging.batches.undo.conflicts import Conflict, conflicts, mark_conflicts
from staging.batches.undo.part import Part, count_kept, gather
from staging.errors import UndoRefused
from staging.models import Batch
from staging.sql.compose import fetch, statement
from staging.states import BatchStatus, UndoKind
from staging.wording import said_together, say

_NAMED = 20  # conflicts named in the sentence that refuses


@dataclass(frozen=True)
class UndoOutlook:
    """What an undo would do: members that come back, get their values back, go; and those in its way."""

    revived: int
    restored: int
    removed: int
    conflicts: list[Conflict]

    @property
    def changes(self) -> int:
        """Return how many members would change."""
        return self.revived + self.restored + self.removed


def foresee(of: Batch, now: datetime) -> UndoOutlook:
    """Return what the undo of a batch would do, changing nothing; raises UndoRefused when it cannot be undone."""
    refuse_impossible(of)
    context = make_context(of, now)
    context.sql.start()
    with context.sql.private():
        try:
            return _decide(context, of)[1]
        finally:
            worktable.drop(context)


def undo(context: BatchContext, fence: Fence) -> None:
    """Take back the batch that the one of this context undoes; raises UndoRefused, before anything changed.

    Repeatable: what an earlier attempt put back is as it was before, and is not looked at again.
    """
    of = Batch.objects.select_related("entity").filter(pk__in=[context.batch.undoes_id]).first()
    if of is None:
        raise UndoRefused(
            say("Batch {number} is not there any more, so it cannot be undone.", number=context.batch.undoes_id)
        )
    refuse_impossible(of)
    try:
        with context.sql.private():
            parts, foreseen = _decide(context, of)
        if foreseen.conflicts and not context.batch.skip_changed:
            raise UndoRefused(in_the_way(of, foreseen.conflicts))
        with guarded(context, fence):
            record.expect_rows(context.batch.pk, foreseen.changes)
        apply(parts, fence)
    finally:
        worktable.drop(context)


def why_not(of: Batch) -> str:
    """Return why there is nothing to undo in a batch, or why it cannot be undone; empty while it can be tried.

    What later batches changed of single members is not looked at: `foresee` tells that.
    """
    try:
        refuse_impossible(of)
    except UndoRefused as refused:
        return str(refused)
    undos = Batch.objects.filter(undoes_id=of.pk, status=BatchStatus.COMPLETED)
    newest = undos.order_by("-pk").first()
    # An undo that left something alone may find less in its way now, and one that was itself undone counts for nothing.
    if newest is None or newest.skip_changed:
        return ""
    if Batch.objects.filter(undoes_id=newest.pk, status=BatchStatus.COMPLETED).exists():
        return ""
    return say("Batch {batch} was undone already, by batch {undo}.", batch=of.pk, undo=newest.pk)


def refuse_impossible(of: Batch) -> None:
    """Raise UndoRefused when a batch has not completed, or what it changed is not known."""
    if of.status != BatchStatus.COMPLETED:
        raise UndoRefused(
            say(
                "Batch {batch} is {status}; only a completed batch can be undone.",
                batch=of.pk,
                status=BatchStatus(of.status).label,
            )
        )
    history = stored_history(of.entity)
    if history is None:
        raise UndoRefused(
            say(
                "{entity} keeps no history, so batch {batch} cannot be undone. Switch “keep history” "
                "on, and the batches after that can be.",
                entity=of.entity.name,
                batch=of.pk,
            )
        )
    if count_kept(history, of) < _least_changes(of):
        raise UndoRefused(
            say(
                "The history of batch {batch} is not there, or not all of it: it ran while no history "
                "was kept, or retention deleted it.",
                batch=of.pk,
            )
        )


def _least_changes(of: Batch) -> int:
    """Return how many members the history must know of at least.

    An undo also counts members of other entities; a member that was inactive already counts as deactivated when it
    only lost its references.
    """
    changed = of.inserted + of.updated + of.deleted
    return min(changed, 1) if of.undoes_id else max(changed, min(of.deactivated, 1))


def _decide(context: BatchContext, of: Batch) -> tuple[list[Part], UndoOutlook]:
    parts = gather(context, of)
    mark_conflicts(parts)
    counts = dict.fromkeys(UndoKind, 0)
    for part in parts:
        for kind, count in fetch(statement("count_kinds", work=part.work)):
            counts[UndoKind(kind)] += count
    revived, restored, removed = (counts[kind] for kind in UndoKind)
    return parts, UndoOutlook(revived, restored, removed, list(conflicts(parts)))


def in_the_way(of: Batch, found: list[Conflict]) -> str:
    """Return the sentence that names what cannot be taken back."""
    members = say("1 member") if len(found) == 1 else say("{number} members", number=len(found))
    named = said_together(
        *(say("{member}: {reason}", member=str(each), reason=each.reason) for each in found[:_NAMED]), by="; "
    )
    more = say("; and {more} more", more=len(found) - _NAMED) if len(found) > _NAMED else ""
    return say(
        "Nothing was changed. {members} of batch {batch} cannot be taken back: {named}{more}.",
        members=members,
        batch=of.pk,
        named=named,
        more=more,
    )
