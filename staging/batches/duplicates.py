"""Several rows of one code in one batch: identical copies collapse, others follow the entity's policy."""

from staging.batches import messages, worktable
from staging.batches.plan import Plan
from staging.batches.reject import reject
from staging.batches.staged import trimmed
from staging.sql.compose import Sql, join, run, sql
from staging.sql.statement import statement
from staging.states import DataType, DuplicatePolicy


def settle_duplicates(plan: Plan) -> None:
    """Give each code of the work table at most one row that counts."""
    if not _find(plan):
        return
    _compare(plan)
    policy = plan.entity.duplicates
    which = Sql("d.alike = 1" if policy == DuplicatePolicy.REJECT_ALL else "TRUE")
    run(
        statement(
            "supersede",
            which=which,
            work=plan.work,
            twice=plan.table("_twice"),
        )
    )
    if policy == DuplicatePolicy.REJECT_ALL:
        reject(
            plan,
            messages.DUPLICATE,
            "code",
            Sql("w.code"),
            sql("w.code IN (SELECT d.code FROM {twice} d WHERE d.alike = 0)", twice=plan.table("_twice")),
        )


def _find(plan: Plan) -> int:
    """Note each code with several rows; return how many there are.

    A table of their own: only for a few codes is it worth looking each row of them up.
    """
    worktable.create_beside(plan, "_again", [("code", plan.sql.type_of(DataType.TEXT))])
    found = run(
        statement(
            "find_duplicates",
            again=plan.table("_again"),
            work=plan.work,
        )
    )
    if found:
        worktable.analyze(plan, "_again")
    return found


def _compare(plan: Plan) -> None:
    """Note of each of these codes the row that is kept, and whether the copies are alike in every column."""
    worktable.create_beside(
        plan, "_twice", [("code", plan.sql.type_of(DataType.TEXT)), ("kept", "bigint"), ("alike", "smallint")]
    )
    staged = ["new_code", *(f.name for f in plan.fields)]
    alike = [sql("count(DISTINCT COALESCE({v}, '')) = 1", v=trimmed(plan, column)) for column in staged]
    kept = Sql("max" if plan.entity.duplicates == DuplicatePolicy.LAST_WINS else "min")
    run(
        statement(
            "compare_duplicates",
            again=plan.table("_again"),
            twice=plan.table("_twice"),
            kept=kept,
            work=plan.work,
            staging=plan.staging,
            action=plan.entity.default_import_action,
            alike=join(" AND ", alike),
        )
    )
    worktable.analyze(plan, "_twice")
