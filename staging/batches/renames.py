"""Renames: which new codes are free, and giving them (docs/merging.md, Renames).

Here only what rows of the batch want from one another is decided; whether the holder of a code gives it up depends on
chains of rows and is decided in cascade.py. All codes of a batch change in one transaction and in two steps, so that
chains and swaps meet no code that is still there.
"""

from staging.batches import messages
from staging.batches.plan import Plan
from staging.batches.reject import reject
from staging.sql.compose import Sql, run, sql


def settle_renames(plan: Plan) -> None:
    """Reject the rows whose new code another row of the batch wants too, be it rejected for something else or not."""
    inserted = sql(
        "SELECT o.code FROM {work} o WHERE o.target_id IS NULL AND o.action IN ({ImportAction.UPSERT},"
        " {ImportAction.INSERT_ONLY}) AND o.new_code IS NULL"
        " AND o.code IS NOT NULL AND o.outcome <> {Outcome.SUPERSEDED}",
        work=plan.work,
    )
    twice = sql(
        "SELECT o.new_code FROM {work} o WHERE o.new_code IS NOT NULL AND o.outcome <> {Outcome.SUPERSEDED}"
        " GROUP BY o.new_code HAVING count(*) > 1",
        work=plan.work,
    )
    condition = sql("w.new_code IN ({inserted}) OR w.new_code IN ({twice})", inserted=inserted, twice=twice)
    reject(plan, messages.WANTED_TWICE, "new_code", Sql("w.new_code"), condition)


def give_new_codes(plan: Plan, within: Sql) -> None:
    """Change the codes of the members; a code begins with no blank, so the first step can meet none."""
    for code in (Sql("' ' || p.id"), Sql("w.new_code")):
        run(
            sql(
                "UPDATE {production} AS p SET code = {code} FROM {work} w WHERE {within} AND w.outcome ="
                " {Outcome.UPDATE}"
                " AND w.new_code IS NOT NULL AND p.id = w.target_id",
                production=plan.production,
                code=code,
                work=plan.work,
                within=within,
            )
        )
