"""Rejects rows of the work table for what shows only when all rows are seen together."""

from staging.batches.messages import Problem, sentence
from staging.batches.plan import Plan
from staging.batches.worktable import OUTCOMES
from staging.sql.compose import Sql, run, sql


def reject(plan: Plan, problem: Problem, shown: str, value: Sql, condition: Sql) -> int:
    """Add a problem to every row `w` that meets the condition, beside what is wrong with it already."""
    return run(
        sql(
            "UPDATE {work} AS w SET outcome = {REJECTED}, error = w.error | {bit},"
            " message = CASE WHEN w.message IS NULL THEN '' ELSE w.message || ' ' END || {sentence}"
            " WHERE w.outcome NOT IN ({SUPERSEDED}, {DONE}, {DONE_REJECTED}) AND ({condition})",
            work=plan.work,
            bit=int(problem.bit),
            **OUTCOMES,
            sentence=sentence(problem, shown, plan.sql.shown(value)),
            condition=condition,
        )
    )
