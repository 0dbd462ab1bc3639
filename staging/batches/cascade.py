"""Rejects rows that need another row of the same batch which was rejected, until nothing changes.

A row needs the rows that bring the members it refers to; when it renames, the row that renames the holder of its new
code away; and when it brings a unique value, the row that has its holder give it up. The rows that fall are found by
one recursive query over the edges (who needs whom), however deep the chain; circles of good rows stay good.

References and renames come first: only rows without another error take part in who has which unique value.
"""

from staging.batches import actions, messages, worktable
from staging.batches.business_rules import judge_by_rules
from staging.batches.order import VALUES, Special
from staging.batches.plan import Field, Plan
from staging.batches.reject import blame, reject
from staging.batches.unique import blame_unique, find_rivals, firm, tell_rejected
from staging.sql.compose import Sql, column, run, sql
from staging.sql.statement import statement

# What stands for the new code in the place of the number of a field, for a whole row, and for no unique field.
_NEW_CODE = -1
_ROW = -2
_NONE = -3


def cascade(plan: Plan, found: Special) -> None:
    """Reject what depends on rejected rows, and the rows whose unique values are not theirs alone."""
    if not (plan.self_references or found.renames or plan.unique_fields):
        return
    edge = [(column, "bigint") for column in ("row_id", "target", "field", "gives", "firm")]
    worktable.create_beside(plan, "_edges", edge)
    worktable.create_beside(plan, "_lost", [(column, "bigint") for column in ("row_id", "field", "firm", "round")])
    count = sum(_find_references(plan, number, field, found) for number, field in enumerate(plan.self_references))
    if found.renames:
        count += _find_holders(plan)
    rounds = _lose(plan, found, 1) if count else 0
    if plan.unique_fields and find_rivals(plan, found):
        _lose(plan, found, rounds + 1)
    tell_rejected(plan, found)


def _find_references(plan: Plan, number: int, field: Field, found: Special) -> int:
    """Note which row fills each late reference; a row that refers to itself needs no other."""
    late = column("w", f"l_{field.name}")
    return run(
        statement(
            "find_references",
            edges=plan.table("_edges"),
            work=plan.work,
            late=late,
            comes_itself=_is_active_afterwards(plan),
            target=Sql("COALESCE(o.row_id, n.row_id)" if found.renames else "o.row_id"),
            number=number,
            gives=_gives(plan, field),
            firm=firm(plan, field),
            update_or_removal=sql("(o.action = {ImportAction.UPDATE_ONLY} OR {removes})", removes=actions.removes("o")),
            renamed=_by_rename(plan, late) if found.renames else Sql(""),
        )
    )


def _is_active_afterwards(plan: Plan) -> Sql:
    """Return whether the member of a row `w` that renames it is active under its new code."""
    query = (
        "EXISTS (SELECT 1 FROM {production} p WHERE p.id = w.target_id AND (p.is_active OR w.action ="
        " {ImportAction.UPSERT}))"
    )
    return sql(query, production=plan.production)


def _by_rename(plan: Plan, late: Sql) -> Sql:
    return statement(
        "by_rename",
        work=plan.work,
        production=plan.production,
        late=late,
    )


def _gives(plan: Plan, field: Field) -> int:
    """Return what a row keeps, and so does not give up, when it skips this field."""
    return VALUES + plan.unique_fields.index(field) if field in plan.unique_fields else _NONE


def _find_holders(plan: Plan) -> int:
    """Note which row renames the member away that has the new code; none does when it keeps its code."""
    return run(
        statement(
            "find_holders",
            edges=plan.table("_edges"),
            work=plan.work,
            production=plan.production,
            number=_NEW_CODE,
            none=_NONE,
        )
    )


def _lose(plan: Plan, found: Special, number: int) -> int:
    """Find what is lost and was not in the rounds before, and say so to the rows; return the number of the last round.

    Rows that only skip what they lost may break a rule without it; then there is another round.
    """
    if number == 1:
        worktable.index(plan, "_edges", "target")
    while True:
        worktable.analyze(plan, "_edges")
        if not _find_lost(plan, number):
            return number
        worktable.analyze(plan, "_lost")
        _reject_dependants(plan, found, number)
        if not _judge_skipped_by_rules(plan, number):
            return number
        number += 1


def _find_lost(plan: Plan, number: int) -> int:
    """Note what rows will not have: nobody brings it or gives it up, or a row that falls, or keeps what it has."""
    return run(
        statement(
            "find_lost",
            lost=plan.table("_lost"),
            edges=plan.table("_edges"),
            number=Sql(str(number)),
        )
    )


def _reject_dependants(plan: Plan, found: Special, number: int) -> None:
    for place, field in enumerate(plan.self_references):
        late = column("w", f"l_{field.name}")
        blame(plan, messages.TARGET_REJECTED, field, late, _lost(plan, place, number))
    if found.renames:
        reject(plan, messages.TAKEN, "new_code", Sql("w.new_code"), _lost(plan, _NEW_CODE, number))
    for place, field in enumerate(plan.unique_fields):
        blame_unique(plan, field, _lost(plan, VALUES + place, number))


def _lost(plan: Plan, field: int, number: int) -> Sql:
    return sql(
        "w.row_id IN (SELECT l.row_id FROM {lost} l WHERE l.field = {field} AND l.round = {number})",
        lost=plan.table("_lost"),
        field=Sql(str(field)),
        number=Sql(str(number)),
    )


def _judge_skipped_by_rules(plan: Plan, number: int) -> int:
    """Judge the rows that skipped a value in this round by the rules once more; note those that fall: how many."""
    skipped = sql(
        "w.row_id IN (SELECT l.row_id FROM {lost} l WHERE l.firm = 0 AND l.round = {number})",
        lost=plan.table("_lost"),
        number=Sql(str(number)),
    )
    if not judge_by_rules(plan, sql("{skipped} AND w.error = 0", skipped=skipped)):
        return 0
    return run(
        statement(
            "find_fallen",
            edges=plan.table("_edges"),
            row=Sql(str(_ROW)),
            none=Sql(str(_NONE)),
            work=plan.work,
            skipped=skipped,
        )
    )
