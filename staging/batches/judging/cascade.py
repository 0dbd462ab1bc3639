"""Rejects rows that need another row of the same batch which was rejected, until nothing changes.

A row needs the rows that bring the members it refers to; when it renames, the row that renames the holder of its new
code away; and when it brings a unique value, the row that has its holder give it up. The rows that fall are found by
one recursive query over the edges (who needs whom), however deep the chain; circles of good rows stay good.

References and renames come first: only rows without another error take part in who has which unique value.
"""

from staging.batches import worktable
from staging.batches.context import BatchContext, Field
from staging.batches.judging import checks, delivered, intent
from staging.batches.judging.business_rules import judge_by_rules
from staging.batches.judging.intent import DELETING, waiting_bit
from staging.batches.judging.reject import blame, reject
from staging.batches.judging.removals import REMOVED
from staging.batches.worktable import VALUES, Special
from staging.identifiers import production_table
from staging.sql.compose import Sql, column, name, run, sql, statement
from staging.states import DataType

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
            update_or_removal=sql("(o.action = {ImportAction.UPDATE_ONLY} OR {removes})", removes=intent.removes("o")),
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
        blame(context, checks.TARGET_REJECTED, field, late, _lost(context, place, number))
    if found.renames:
        reject(context, checks.TAKEN, "new_code", Sql("w.new_code"), _lost(context, _NEW_CODE, number))
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


_GOOD = "w.outcome IN ({RowOutcome.INSERT}, {RowOutcome.UPDATE}, {RowOutcome.UNCHANGED})"


def find_rivals(context: BatchContext, found: Special) -> int:
    """Note for each good row whom it needs to give up the value it brings; nobody, when it cannot have it."""
    edges = 0
    for number, field in enumerate(context.unique_fields):
        brought = _find_new_values(context, field, f"_u{number}", _GOOD)
        if brought:
            edges += _edges_to_equals(context, field, VALUES + number, f"_u{number}")
            edges += _edges_to_holders(context, field, VALUES + number, f"_u{number}", found)
        if field in context.self_references and _find_newcomers(context, field, f"_m{number}"):
            edges += _edges_to_equals(context, field, VALUES + number, f"_m{number}")
    return edges


def blame_unique(context: BatchContext, field: Field, condition: Sql) -> int:
    """Reject the rows that bring a value that is not theirs alone, or have them skip it."""
    return blame(context, checks.UNIQUE, field, _shown(context, field), condition)


def tell_rejected(context: BatchContext, found: Special) -> None:
    """Tell rows that are rejected for something else when the value they bring is somebody else's afterwards.

    Fields that are skipped come first: what is told of another one tells rows apart that are told already.
    """
    for number, field in sorted(enumerate(context.unique_fields), key=lambda one: not delivered.skips(one[1])):
        suffix = f"_r{number}"
        rejected = "w.outcome = {RowOutcome.REJECTED} AND w.error & {told} = 0"
        if _find_new_values(context, field, suffix, rejected, _meant(context, field)):
            taken = statement(
                "taken_afterwards",
                new=context.table(suffix),
                value=name(field.name),
                production=context.production,
                work=context.work,
                stays=_stays(context, found),
                same=context.sql.same(column("o", f"v_{field.name}"), column("p", field.name)),
                brought=name(f"v_{field.name}"),
            )
            blame_unique(context, field, taken)
        if field in context.self_references and _find_sharers(context, field, f"_s{number}"):
            shares = sql("w.row_id IN (SELECT n.row_id FROM {new} n)", new=context.table(f"_s{number}"))
            blame_unique(context, field, shares)


def _find_sharers(context: BatchContext, field: Field, suffix: str) -> int:
    """Note the rejected rows that refer to a member without an id yet to whom a good row refers, too.

    They are noted because a row that skips the field forgets to whom it referred before all is said to it.
    """
    worktable.create_beside(context, suffix, [("row_id", "bigint")])
    return run(
        statement(
            "find_sharers",
            new=context.table(suffix),
            told=int(checks.UNIQUE.bit),
            value=name(f"v_{field.name}"),
            late=column("w", f"l_{field.name}"),
            theirs=column("o", f"l_{field.name}"),
            work=context.work,
            bit=waiting_bit(context, field),
        )
    )


def firm(context: BatchContext, field: Field) -> Sql:
    """Return 1 when a row `w` falls with what its field cannot have, 0 when it only skips the field."""
    if not delivered.skips(field):
        return Sql("1")
    if not delivered.is_required(field):
        return Sql("0")
    query = (
        "CASE WHEN EXISTS (SELECT 1 FROM {production} p WHERE p.id = w.target_id AND {v} IS NOT NULL) THEN 0 ELSE 1 END"
    )
    return sql(query, production=context.production, v=delivered.stored(context, field))


def _edges_to_equals(context: BatchContext, field: Field, number: int, suffix: str) -> int:
    """Note that rows which bring the same value cannot have it."""
    return run(
        statement(
            "find_equals",
            edges=context.table("_edges"),
            number=Sql(str(number)),
            firm=firm(context, field),
            new=context.table(suffix),
            work=context.work,
        )
    )


def _edges_to_holders(context: BatchContext, field: Field, number: int, suffix: str, found: Special) -> int:
    """Note which good row, if any, gives up the value that another row brings."""
    return run(
        statement(
            "find_value_holders",
            edges=context.table("_edges"),
            number=Sql(str(number)),
            firm=firm(context, field),
            new=context.table(suffix),
            work=context.work,
            production=context.production,
            value=name(field.name),
            same=context.sql.same(column("o", f"v_{field.name}"), column("p", field.name)),
            stays=_stays(context, found),
        )
    )


def _stays(context: BatchContext, found: Special) -> Sql:
    """Return that a member `p` is not deleted by this batch, which frees its values."""
    if not found.removals:
        return Sql("")
    query = " AND p.id NOT IN (SELECT g.id FROM {removed} g WHERE g.action IN ({deleting}))"
    return sql(query, removed=context.table(REMOVED), deleting=DELETING)


def _shown(context: BatchContext, field: Field) -> Sql:
    """Return the value as a person knows it: of a reference the code."""
    value = column("w", f"v_{field.name}")
    target = field.attribute.reference if field.attribute else None
    if target is None:
        return value
    production = name(production_table(target.code))
    code = sql("(SELECT r.code FROM {production} r WHERE r.id = {value})", production=production, value=value)
    if field not in context.self_references:
        return code
    return sql("COALESCE({code}, {late})", code=code, late=column("w", f"l_{field.name}"))


def _find_newcomers(context: BatchContext, field: Field, suffix: str) -> int:
    """Note the good rows that refer to members without an id yet, by their codes."""
    worktable.create_beside(context, suffix, [("row_id", "bigint"), ("taken", context.sql.type_of(DataType.TEXT))])
    return run(
        statement(
            "find_newcomers",
            good=sql(_GOOD),
            new=context.table(suffix),
            late=column("w", f"l_{field.name}"),
            work=context.work,
            bit=waiting_bit(context, field),
        )
    )


def _meant(context: BatchContext, field: Field) -> Sql:
    """Return the value that a rejected row `w` means, now that it is known which rows bring their codes.

    Where no row that counts brings a code, a row that asks for it as its own new code refers to itself.
    """
    value = column("w", f"v_{field.name}")
    if field not in context.self_references:
        return value
    taken = delivered.is_taken(context, field)
    return statement(
        "meant_by_rejected",
        late=column("w", f"l_{field.name}"),
        taken=Sql("") if taken is None else sql(" AND {taken}", taken=taken),
        work=context.work,
        brings=intent.may_bring("o"),
        value=value,
    )


def _find_new_values(context: BatchContext, field: Field, suffix: str, which: str, wanted: Sql | None = None) -> int:
    """Note the rows that bring a value (`wanted`) their member does not have yet."""
    value = wanted or column("w", f"v_{field.name}")
    worktable.create_beside(context, suffix, [("row_id", "bigint"), ("taken", context.sql.type_of(field.data_type))])
    found = run(
        statement(
            "find_new_values",
            which=sql(which, told=int(checks.UNIQUE.bit)),
            new=context.table(suffix),
            work=context.work,
            production=context.production,
            wanted=value,
            same=context.sql.same(value, column("p", field.name)),
        )
    )
    if found:
        worktable.index(context, suffix, "taken")
        worktable.analyze(context, suffix)
    return found
