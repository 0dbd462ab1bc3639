"""Values that no two members may share, judged against the state after the batch (docs/merging.md, Unique values).

A row that brings a value stands or falls with the row that frees it, so both are edges of the cascade: a chain or a
swap passes as a whole. Rows that bring the same value fall together, whoever frees it.
"""

from staging.batches import messages, modes, worktable
from staging.batches.actions import DELETING
from staging.batches.context import BatchContext, Field
from staging.batches.order import VALUES, Special
from staging.batches.references import waiting_bit
from staging.batches.reject import blame
from staging.batches.removals import REMOVED
from staging.identifiers import production_table
from staging.sql.compose import Sql, column, name, run, sql
from staging.sql.statement import statement
from staging.states import DataType

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
    return blame(context, messages.UNIQUE, field, _shown(context, field), condition)


def tell_rejected(context: BatchContext, found: Special) -> None:
    """Tell rows that are rejected for something else when the value they bring is somebody else's afterwards."""
    for number, field in enumerate(context.unique_fields):
        suffix = f"_r{number}"
        if _find_new_values(context, field, suffix, "w.outcome = {RowOutcome.REJECTED} AND w.error & {told} = 0"):
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
        if field in context.self_references:
            blame_unique(context, field, _shares_a_newcomer(context, field))


def _shares_a_newcomer(context: BatchContext, field: Field) -> Sql:
    """Return that a rejected row `w` refers to a member without an id yet to whom a good row refers, too."""
    return statement(
        "shares_a_newcomer",
        told=int(messages.UNIQUE.bit),
        value=name(f"v_{field.name}"),
        late=column("w", f"l_{field.name}"),
        theirs=column("o", f"l_{field.name}"),
        work=context.work,
        bit=waiting_bit(context, field),
    )


def firm(context: BatchContext, field: Field) -> Sql:
    """Return 1 when a row `w` falls with what its field cannot have, 0 when it only skips the field."""
    if not modes.skips(field):
        return Sql("1")
    if not modes.is_required(field):
        return Sql("0")
    query = (
        "CASE WHEN EXISTS (SELECT 1 FROM {production} p WHERE p.id = w.target_id AND {v} IS NOT NULL) THEN 0 ELSE 1 END"
    )
    return sql(query, production=context.production, v=modes.stored(context, field))


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


def _find_new_values(context: BatchContext, field: Field, suffix: str, which: str) -> int:
    """Note the rows that bring a value their member does not have yet."""
    worktable.create_beside(context, suffix, [("row_id", "bigint"), ("taken", context.sql.type_of(field.data_type))])
    found = run(
        statement(
            "find_new_values",
            which=sql(which, told=int(messages.UNIQUE.bit)),
            new=context.table(suffix),
            work=context.work,
            production=context.production,
            wanted=name(f"v_{field.name}"),
            same=context.sql.same(column("w", f"v_{field.name}"), column("p", field.name)),
        )
    )
    if found:
        worktable.index(context, suffix, "taken")
        worktable.analyze(context, suffix)
    return found
