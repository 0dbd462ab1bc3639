"""What rows ask for (docs/merging.md, Actions and Renames), as conditions on the staged row `s` or the row read `t`."""

from staging.batches.context import BatchContext
from staging.batches.judging import problems as messages
from staging.batches.judging.reject import reject
from staging.sql.compose import Sql, run, sql
from staging.sql.statement import statement

# Which actions delete, and which clear the references to the member they take away: for `IN ({...})`.
DELETING = sql("{ImportAction.DELETE}, {ImportAction.DELETE_CLEAR}")
CLEARING = sql("{ImportAction.DEACTIVATE_CLEAR}, {ImportAction.DELETE_CLEAR}")


def action(context: BatchContext) -> Sql:
    """Return the action of a staged row `s`: its own, or the entity's default."""
    return sql("COALESCE(s.import_action, {default})", default=context.entity.default_import_action)


def removes(alias: str) -> Sql:
    """Return whether a row takes a member away; such a row looks at nothing but the code."""
    return _is_removal(Sql(f"{alias}.action"))


def takes_away(context: BatchContext) -> Sql:
    """Return whether a staged row `s` takes a member away."""
    return _is_removal(action(context))


def _is_removal(asked: Sql) -> Sql:
    return sql("({asked} BETWEEN {ImportAction.DEACTIVATE} AND {ImportAction.DELETE_CLEAR})", asked=asked)


def is_known() -> Sql:
    """Return whether a row `t` asks for an action that there is."""
    return sql("t.action BETWEEN {ImportAction.UPSERT} AND {ImportAction.DELETE_CLEAR}")


def renames() -> Sql:
    """Return whether a row `t` renames; null or false when it does not."""
    return sql("(t.new_code <> t.code AND t.action IN ({ImportAction.UPSERT}, {ImportAction.UPDATE_ONLY}))")


def brings(context: BatchContext) -> Sql:
    """Return whether a staged row `s` makes its code an active member, if nothing is wrong with it."""
    return _may_bring(action(context))


def may_bring(alias: str) -> Sql:
    """Return whether a row of the work table asks for an action that may bring a member of its code."""
    return _may_bring(Sql(f"{alias}.action"))


def _may_bring(asked: Sql) -> Sql:
    return sql("({asked} NOT BETWEEN {ImportAction.UPDATE_ONLY} AND {ImportAction.DELETE_CLEAR})", asked=asked)


def brings_new_code(context: BatchContext) -> Sql:
    """Return whether a staged row `s` of the member `p` makes its new code an active member."""
    return sql(
        "(s.new_code IS NOT NULL AND ({action} = {ImportAction.UPSERT} OR ({action} = {ImportAction.UPDATE_ONLY}"
        " AND p.is_active)))",
        action=action(context),
    )


def outcome_of_removal() -> Sql:
    """Return what becomes of a row `t` that takes the member `p` away; 0 for other rows."""
    return statement(
        "removal",
        removes=removes("t"),
        deleting=DELETING,
    )


def settle_renames(context: BatchContext) -> None:
    """Reject the rows whose new code another row of the batch wants too, be it rejected for something else or not."""
    inserted = statement(
        "codes_inserted",
        work=context.work,
    )
    twice = statement(
        "codes_wanted_twice",
        work=context.work,
    )
    condition = sql("w.new_code IN ({inserted}) OR w.new_code IN ({twice})", inserted=inserted, twice=twice)
    reject(context, messages.WANTED_TWICE, "new_code", Sql("w.new_code"), condition)


def give_new_codes(context: BatchContext, within: Sql) -> None:
    """Change the codes of the members; a code begins with no blank, so the first step can meet none."""
    for code in (Sql("' ' || p.id"), Sql("w.new_code")):
        run(
            statement(
                "give_codes",
                production=context.production,
                code=code,
                work=context.work,
                within=within,
            )
        )
