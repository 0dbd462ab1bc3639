"""Renames: which new codes are free, and giving them (docs/merging.md, Renames).

Here only what rows of the batch want from one another is decided; whether the holder of a code gives it up depends on
chains of rows and is decided in cascade.py. All codes of a batch change in one transaction and in two steps, so that
chains and swaps meet no code that is still there.
"""

from staging.batches import actions, messages, worktable
from staging.batches.plan import Field, Plan
from staging.batches.reject import blame, reject
from staging.batches.worktable import OUTCOMES
from staging.sql.compose import Sql, column, name, run, sql


def settle_renames(plan: Plan) -> None:
    """Reject the rows whose new code another row of the batch wants too, be it rejected for something else or not."""
    inserted = sql(
        "SELECT o.code FROM {work} o WHERE o.target_id IS NULL AND o.action IN (0, 1) AND o.new_code IS NULL"
        " AND o.code IS NOT NULL AND o.outcome <> {SUPERSEDED}",
        work=plan.work,
        **OUTCOMES,
    )
    twice = sql(
        "SELECT o.new_code FROM {work} o WHERE o.new_code IS NOT NULL AND o.outcome <> {SUPERSEDED}"
        " GROUP BY o.new_code HAVING count(*) > 1",
        work=plan.work,
        **OUTCOMES,
    )
    condition = sql("w.new_code IN ({inserted}) OR w.new_code IN ({twice})", inserted=inserted, twice=twice)
    reject(plan, messages.WANTED_TWICE, "new_code", Sql("w.new_code"), condition)
    for field in plan.self_references:
        _follow_who_counts(plan, field)


def lose_superseded(plan: Plan) -> None:
    """Blame the references to codes that only superseded rows would have brought."""
    for number, field in enumerate(plan.self_references):
        _lose_superseded(plan, field, f"_nobody{number}")


def give_new_codes(plan: Plan, within: Sql) -> None:
    """Change the codes of the members; a code begins with no blank, so the first step can meet none."""
    for code in (Sql("' ' || p.id"), Sql("w.new_code")):
        run(
            sql(
                "UPDATE {production} AS p SET code = {code} FROM {work} w WHERE {within} AND w.outcome = {UPDATE}"
                " AND w.new_code IS NOT NULL AND p.id = w.target_id",
                production=plan.production,
                code=code,
                work=plan.work,
                within=within,
                **OUTCOMES,
            )
        )


def _follow_who_counts(plan: Plan, field: Field) -> None:
    """Let references to a new code mean the member whose row counts, where another row for it was superseded."""
    run(
        sql(
            "UPDATE {work} AS w SET {value} = o.target_id,"
            " outcome = CASE WHEN w.outcome = {UNCHANGED} THEN {UPDATE} ELSE w.outcome END FROM {work} o"
            " WHERE w.{late} IS NOT NULL AND o.new_code = w.{late} AND o.outcome = {UPDATE} AND w.{value} IN"
            " (SELECT x.target_id FROM {work} x WHERE x.outcome = {SUPERSEDED} AND x.new_code = w.{late})",
            work=plan.work,
            value=name(f"v_{field.name}"),
            late=name(f"l_{field.name}"),
            **OUTCOMES,
        )
    )


def _lose_superseded(plan: Plan, field: Field, suffix: str) -> None:
    """Blame references to a new code that only a superseded row would have brought: nobody was rejected for it."""
    worktable.create_beside(plan, suffix, [("row_id", "bigint")])
    late = column("w", f"l_{field.name}")
    counts = sql("o.outcome <> {SUPERSEDED}", **OUTCOMES)
    found = run(
        sql(
            "INSERT INTO {nobody} (row_id) SELECT w.row_id FROM {work} w WHERE {late} IS NOT NULL AND {late} NOT IN"
            " (SELECT o.code FROM {work} o WHERE o.code IS NOT NULL AND NOT (o.action = 2 OR {removes}) AND {counts})"
            " AND {late} NOT IN (SELECT o.new_code FROM {work} o WHERE o.new_code IS NOT NULL"
            " AND o.target_id IS NOT NULL AND {counts})",
            nobody=plan.table(suffix),
            work=plan.work,
            late=late,
            removes=actions.removes("o"),
            counts=counts,
        )
    )
    if not found:
        return
    condition = sql("w.row_id IN (SELECT row_id FROM {nobody})", nobody=plan.table(suffix))
    target = field.attribute.reference.name if field.attribute and field.attribute.reference else ""
    blame(plan, messages.NOT_FOUND, field, late, condition, target)
    parts = {"work": plan.work, "late": name(f"l_{field.name}"), "condition": condition}
    run(sql("UPDATE {work} AS w SET {late} = NULL WHERE {condition}", **parts))
