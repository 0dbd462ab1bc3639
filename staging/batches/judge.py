"""Decides about every row that waits, in the work table only: batches act on it, previews show it."""

from staging.batches import second_look, worktable
from staging.batches.business_rules import judge_by_rules
from staging.batches.cascade import cascade
from staging.batches.classify import classify, extent, settled
from staging.batches.duplicates import settle_duplicates
from staging.batches.lanes import lanes
from staging.batches.order import Special, put_in_order, special
from staging.batches.pieces import classify_in_pieces
from staging.batches.plan import Plan
from staging.batches.removals import settle_removals
from staging.batches.renames import settle_renames


def judge(plan: Plan) -> int:
    """Fill the work table with the outcome of every waiting row; return how many wait.

    What is settled here is final: a preview and the batch that follows it differ only by what changed meanwhile.
    Raises RowsChanged when others changed rows under our hands in a way that has to be judged afresh.
    """
    first, last, rows = extent(plan)
    pieces = lanes(rows)
    if pieces > 1:
        rows = classify_in_pieces(plan, (first, last), rows, pieces)
    with plan.sql.private():
        if pieces == 1:
            worktable.create(plan, rows)
            rows = classify(plan, rows)
        found = _settle_what_goes(plan)
        if second_look.is_needed(plan, found):
            plan, rows = _again(plan, rows, found)
        _settle(plan, found)
    return rows - settled(plan)


def _again(plan: Plan, rows: int, found: Special) -> tuple[Plan, int]:
    """Start again, now that it is known which members go and which rows count."""
    plan = second_look.remember(plan, found)
    worktable.create(plan, rows)
    rows = classify(plan, rows)
    _settle_what_goes(plan)
    second_look.check(plan)
    return plan, rows


def _settle_what_goes(plan: Plan) -> Special:
    """Settle which rows count and which members go, once all rows are classified."""
    worktable.index_numbers(plan)
    worktable.analyze(plan)
    settle_duplicates(plan)
    found = special(plan)
    if found.removals:
        settle_removals(plan)
    return found


def _settle(plan: Plan, found: Special) -> None:
    """Judge the rows beside one another and beside what will be there."""
    if found.renames:
        settle_renames(plan)
    judge_by_rules(plan)
    cascade(plan, found)
    put_in_order(plan, found)
    worktable.analyze(plan)
