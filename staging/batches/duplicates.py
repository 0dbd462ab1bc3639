"""Several rows of one code in one batch: identical copies collapse, others follow the entity's policy."""

from staging.batches import messages, worktable
from staging.batches.context import BatchContext
from staging.batches.reject import reject
from staging.batches.staged import trimmed
from staging.sql.compose import Sql, join, run, sql
from staging.sql.statement import statement
from staging.states import DataType, DuplicatePolicy


def settle_duplicates(context: BatchContext) -> None:
    """Give each code of the work table at most one row that counts."""
    if not _find(context):
        return
    _compare(context)
    policy = context.entity.duplicates
    which = Sql("d.alike = 1" if policy == DuplicatePolicy.REJECT_ALL else "TRUE")
    run(
        statement(
            "supersede",
            which=which,
            work=context.work,
            twice=context.table("_twice"),
        )
    )
    if policy == DuplicatePolicy.REJECT_ALL:
        reject(
            context,
            messages.DUPLICATE,
            "code",
            Sql("w.code"),
            sql("w.code IN (SELECT d.code FROM {twice} d WHERE d.alike = 0)", twice=context.table("_twice")),
        )


def _find(context: BatchContext) -> int:
    """Note each code with several rows; return how many there are.

    A table of their own: only for a few codes is it worth looking each row of them up.
    """
    worktable.create_beside(context, "_again", [("code", context.sql.type_of(DataType.TEXT))])
    found = run(
        statement(
            "find_duplicates",
            again=context.table("_again"),
            work=context.work,
        )
    )
    if found:
        worktable.analyze(context, "_again")
    return found


def _compare(context: BatchContext) -> None:
    """Note of each of these codes the row that is kept, and whether the copies are alike in every column."""
    worktable.create_beside(
        context, "_twice", [("code", context.sql.type_of(DataType.TEXT)), ("kept", "bigint"), ("alike", "smallint")]
    )
    staged = ["new_code", *(f.name for f in context.fields)]
    alike = [sql("count(DISTINCT COALESCE({v}, '')) = 1", v=trimmed(context, column)) for column in staged]
    kept = Sql("max" if context.entity.duplicates == DuplicatePolicy.LAST_WINS else "min")
    run(
        statement(
            "compare_duplicates",
            again=context.table("_again"),
            twice=context.table("_twice"),
            kept=kept,
            work=context.work,
            staging=context.staging,
            action=context.entity.default_import_action,
            alike=join(" AND ", alike),
        )
    )
    worktable.analyze(context, "_twice")
