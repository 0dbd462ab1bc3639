"""Rejects rows that need another row of the same batch which was rejected, until nothing changes.

A row needs the rows that bring the members it refers to; when it renames, the row that renames the holder of its new
code away; and when it brings a unique value, the row that has its holder give it up. The rows that fall are found by
one recursive query over the edges (who needs whom), however deep the chain; circles of good rows stay good.

References and renames come first: only rows without another error take part in who has which unique value.
"""

from staging.batches import actions, messages, worktable
from staging.batches.business_rules import judge_by_rules
from staging.batches.context import BatchContext, Field
from staging.batches.order import VALUES, Special
from staging.batches.reject import blame, reject
from staging.batches.unique import blame_unique, find_rivals, firm, tell_rejected
from staging.sql.compose import Sql, column, run, sql
from staging.sql.statement import statement

# What stands for the new code in the place of the number of a field, for a whole row, and for no unique field.
_NEW_CODE = -1
_ROW = -2
_NONE = -3


def cascade(context: BatchContext, found: Special) -> None:
    """Reject what depends on rejected rows, and the rows whose unique values are not theirs alone."""
    if not (context.self_references or found.renames or context.unique_fields):
        return
    edge = [(column, "bigint") for column in ("row_id", "target", "field", "gives", "firm")]
    worktable.create_beside(context, "_edges", edge)
    worktable.create_beside(context, "_lost", [(column, "bigint") for column in ("row_id", "field", "firm", "round")])
    count = sum(_find_references(context, number, field, found) for number, field in enumerate(context.self_references))
    if found.renames:
        count += _find_holders(context)
    rounds = _lose(context, found, 1) if count else 0
    if context.unique_fields and find_rivals(context, found):
        _lose(context, found, rounds + 1)
    tell_rejected(context, found)


def _find_references(context: BatchContext, number: int, field: Field, found: Special) -> int:
    """Note which row fills each late reference; a row that refers to itself needs no other."""
    late = column("w", f"l_{field.name}")
    return run(
        statement(
            "find_references",
            edges=context.table("_edges"),
            work=context.work,
            late=late,
            comes_itself=_is_active_afterwards(context),
            target=Sql("COALESCE(o.row_id, n.row_id)" if found.renames else "o.row_id"),
            number=number,
            gives=_gives(context, field),
            firm=firm(context, field),
            update_or_removal=sql("(o.action = {ImportAction.UPDATE_ONLY} OR {removes})", removes=actions.removes("o")),
            renamed=_by_rename(context, late) if found.renames else Sql(""),
        )
    )


def _is_active_afterwards(context: BatchContext) -> Sql:
    """Return whether the member of a row `w` that renames it is active under its new code."""
    query = (
        "EXISTS (SELECT 1 FROM {production} p WHERE p.id = w.target_id AND (p.is_active OR w.action ="
        " {ImportAction.UPSERT}))"
    )
    return sql(query, production=context.production)


def _by_rename(context: BatchContext, late: Sql) -> Sql:
    return statement(
        "by_rename",
        work=context.work,
        production=context.production,
        late=late,
    )


def _gives(context: BatchContext, field: Field) -> int:
    """Return what a row keeps, and so does not give up, when it skips this field."""
    return VALUES + context.unique_fields.index(field) if field in context.unique_fields else _NONE


def _find_holders(context: BatchContext) -> int:
    """Note which row renames the member away that has the new code; none does when it keeps its code."""
    return run(
        statement(
            "find_holders",
            edges=context.table("_edges"),
            work=context.work,
            production=context.production,
            number=_NEW_CODE,
            none=_NONE,
        )
    )


def _lose(context: BatchContext, found: Special, number: int) -> int:
    """Find what is lost and was not in the rounds before, and say so to the rows; return the number of the last round.

    Rows that only skip what they lost may break a rule without it; then there is another round.
    """
    if number == 1:
        worktable.index(context, "_edges", "target")
    while True:
        worktable.analyze(context, "_edges")
        if not _find_lost(context, number):
            return number
        worktable.analyze(context, "_lost")
        _reject_dependants(context, found, number)
        if not _judge_skipped_by_rules(context, number):
            return number
        number += 1


def _find_lost(context: BatchContext, number: int) -> int:
    """Note what rows will not have: nobody brings it or gives it up, or a row that falls, or keeps what it has."""
    return run(
        statement(
            "find_lost",
            lost=context.table("_lost"),
            edges=context.table("_edges"),
            number=Sql(str(number)),
        )
    )


def _reject_dependants(context: BatchContext, found: Special, number: int) -> None:
    for place, field in enumerate(context.self_references):
        late = column("w", f"l_{field.name}")
        blame(context, messages.TARGET_REJECTED, field, late, _lost(context, place, number))
    if found.renames:
        reject(context, messages.TAKEN, "new_code", Sql("w.new_code"), _lost(context, _NEW_CODE, number))
    for place, field in enumerate(context.unique_fields):
        blame_unique(context, field, _lost(context, VALUES + place, number))


def _lost(context: BatchContext, field: int, number: int) -> Sql:
    return sql(
        "w.row_id IN (SELECT l.row_id FROM {lost} l WHERE l.field = {field} AND l.round = {number})",
        lost=context.table("_lost"),
        field=Sql(str(field)),
        number=Sql(str(number)),
    )


def _judge_skipped_by_rules(context: BatchContext, number: int) -> int:
    """Judge the rows that skipped a value in this round by the rules once more; note those that fall: how many."""
    skipped = sql(
        "w.row_id IN (SELECT l.row_id FROM {lost} l WHERE l.firm = 0 AND l.round = {number})",
        lost=context.table("_lost"),
        number=Sql(str(number)),
    )
    if not judge_by_rules(context, sql("{skipped} AND w.error = 0", skipped=skipped)):
        return 0
    return run(
        statement(
            "find_fallen",
            edges=context.table("_edges"),
            row=Sql(str(_ROW)),
            none=Sql(str(_NONE)),
            work=context.work,
            skipped=skipped,
        )
    )
