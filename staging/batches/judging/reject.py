"""Rejects rows of the work table for what shows only when all rows are seen together, or warns about them."""

from staging.batches.context import BatchContext, Field
from staging.batches.judging import checks, delivered, intent
from staging.batches.judging.checks import Problem, sentence
from staging.sql.compose import Sql, column, name, run, sql, statement, tree


def reject(context: BatchContext, problem: Problem, shown: str, value: Sql, condition: Sql, limit: str = "") -> int:
    """Add a problem to every row `w` that meets the condition, beside what is wrong with it already."""
    change = sql("outcome = {RowOutcome.REJECTED}, error = w.error | {bit},", bit=int(problem.bit))
    return _say(context, change, sentence(context, problem, shown, context.sql.shown(value), limit), condition)


def warn(context: BatchContext, problem: Problem, shown: str, value: Sql, condition: Sql, limit: str = "") -> int:
    """Add the sentence of a problem as a warning to every row `w` that meets the condition, once; its outcome stays."""
    text = sentence(context, problem, shown, context.sql.shown(value), limit, warns=True)
    once = sql("(w.message IS NULL OR replace(w.message, {text}, '') = w.message)", text=text)
    return _say(context, Sql(""), text, sql("({condition}) AND {once}", condition=condition, once=once))


def blame(context: BatchContext, problem: Problem, field: Field, value: Sql, condition: Sql, limit: str = "") -> int:
    """Add a problem of one field to the rows `w` that meet the condition: rejected, or the field is skipped.

    The condition must not depend on the outcome or on the value of the field, which are changed on the way.
    """
    if not delivered.skips(field):
        return reject(context, problem, field.name, value, condition, limit)
    count = warn(context, problem, field.name, value, condition, limit)
    _leave(context, field, condition)
    if delivered.is_required(field):
        empty = sql("{condition} AND {value} IS NULL", condition=condition, value=column("w", f"v_{field.name}"))
        reject(context, checks.REQUIRED, field.name, Sql("NULL"), empty)
    return count


def _say(context: BatchContext, change: Sql, text: Sql, condition: Sql) -> int:
    return run(
        statement(
            "say",
            work=context.work,
            change=change,
            text=text,
            condition=condition,
        )
    )


def _leave(context: BatchContext, field: Field, condition: Sql) -> None:
    """Leave a field as it was; a row that changes nothing else is unchanged."""
    value, late = name(f"v_{field.name}"), Sql("")
    waits = Sql("w.waits")
    if field in context.self_references:
        waits = Sql(f"(w.waits & ~{intent.waiting_bit(context, field)})")
        late = sql(", {late} = NULL, waits = {waits}", late=name(f"l_{field.name}"), waits=waits)
    counts = sql(
        "w.outcome NOT IN ({RowOutcome.SUPERSEDED}, {RowOutcome.DONE}, {RowOutcome.DONE_REJECTED}) AND ({it})",
        it=condition,
    )
    parts = {"work": context.work, "value": value, "late": late, "counts": counts}
    empty = Sql("NULL")
    run(
        statement(
            "skip_field", **parts, stored=empty, outcome=Sql(""), member=Sql(""), whose=Sql("w.target_id IS NULL")
        )
    )
    same = unchanged(context, waits, [f for f in context.fields if f != field])
    outcome = sql(
        ", outcome = CASE WHEN w.outcome = {RowOutcome.UPDATE} AND {same} THEN {RowOutcome.UNCHANGED}"
        " ELSE w.outcome END",
        same=same,
    )
    member = sql(" FROM {production} p", production=context.production)
    whose = Sql("p.id = w.target_id")
    run(
        statement(
            "skip_field", **parts, stored=delivered.stored(context, field), outcome=outcome, member=member, whose=whose
        )
    )


def unchanged(context: BatchContext, waits: Sql, fields: list[Field]) -> Sql:
    """Return whether a row `w` leaves its member `p` as it is, as far as these fields go."""
    alike = (context.sql.same(column("w", f"v_{f.name}"), delivered.stored(context, f)) for f in fields)
    return sql(
        "({waits} = 0 AND w.new_code IS NULL AND (p.is_active OR w.action = {ImportAction.UPDATE_ONLY}) AND {same})",
        waits=waits,
        same=tree("AND", alike, "TRUE"),
    )
