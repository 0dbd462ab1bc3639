"""Decides about every row that waits, in the work table only: batches act on it, previews show it."""

from staging.batches import second_look, worktable
from staging.batches.business_rules import judge_by_rules
from staging.batches.cascade import cascade
from staging.batches.classify import classify, extent, settled
from staging.batches.context import BatchContext
from staging.batches.duplicates import settle_duplicates
from staging.batches.lanes import lanes
from staging.batches.order import Special, put_in_order, special
from staging.batches.pieces import classify_in_pieces
from staging.batches.removals import settle_removals
from staging.batches.renames import settle_renames


def judge(context: BatchContext) -> int:
    """Fill the work table with the outcome of every waiting row; return how many wait.

    What is settled here is final: a preview and the batch that follows it differ only by what changed meanwhile.
    Raises RowsChanged when others changed rows under our hands in a way that has to be judged afresh.
    """
    first, last, rows = extent(context)
    pieces = lanes(rows)
    if pieces > 1:
        rows = classify_in_pieces(context, (first, last), rows, pieces)
    with context.sql.private():
        if pieces == 1:
            worktable.create(context, rows)
            rows = classify(context, rows)
        found = _settle_what_goes(context)
        if second_look.is_needed(context, found):
            context, rows = _again(context, rows, found)
        _settle(context, found)
    return rows - settled(context)


def _again(context: BatchContext, rows: int, found: Special) -> tuple[BatchContext, int]:
    """Start again, now that it is known which members go and which rows count."""
    context = second_look.remember(context, found)
    worktable.create(context, rows)
    rows = classify(context, rows)
    _settle_what_goes(context)
    second_look.check(context)
    return context, rows


def _settle_what_goes(context: BatchContext) -> Special:
    """Settle which rows count and which members go, once all rows are classified."""
    worktable.index_numbers(context)
    worktable.analyze(context)
    settle_duplicates(context)
    found = special(context)
    if found.removals:
        settle_removals(context)
    return found


def _settle(context: BatchContext, found: Special) -> None:
    """Judge the rows beside one another and beside what will be there."""
    if found.renames:
        settle_renames(context)
    judge_by_rules(context)
    cascade(context, found)
    put_in_order(context, found)
    worktable.analyze(context)
