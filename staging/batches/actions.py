"""What rows ask for (docs/merging.md, Actions and Renames), as conditions on the staged row `s` or the row read `t`."""

from staging.batches.plan import Plan
from staging.sql.compose import Sql, sql
from staging.states import ImportAction

_FIRST_REMOVAL, _LAST = ImportAction.DEACTIVATE.value, max(ImportAction.values)
DELETING = f"{ImportAction.DELETE.value}, {ImportAction.DELETE_CLEAR.value}"
CLEARING = f"{ImportAction.DEACTIVATE_CLEAR.value}, {ImportAction.DELETE_CLEAR.value}"
_RENAMING = f"{ImportAction.UPSERT.value}, {ImportAction.UPDATE_ONLY.value}"


def action(plan: Plan) -> Sql:
    """Return the action of a staged row `s`: its own, or the entity's default."""
    return sql("COALESCE(s.import_action, {default})", default=plan.entity.default_import_action)


def removes(alias: str) -> Sql:
    """Return whether a row takes a member away; such a row looks at nothing but the code."""
    return _is_removal(Sql(f"{alias}.action"))


def takes_away(plan: Plan) -> Sql:
    """Return whether a staged row `s` takes a member away."""
    return _is_removal(action(plan))


def _is_removal(asked: Sql) -> Sql:
    return sql(f"({{asked}} BETWEEN {_FIRST_REMOVAL} AND {_LAST})", asked=asked)


def is_known() -> Sql:
    """Return whether a row `t` asks for an action that there is."""
    return Sql(f"t.action BETWEEN 0 AND {_LAST}")


def renames() -> Sql:
    """Return whether a row `t` renames; null or false when it does not."""
    return Sql(f"(t.new_code <> t.code AND t.action IN ({_RENAMING}))")


def brings(plan: Plan) -> Sql:
    """Return whether a staged row `s` makes its code an active member, if nothing is wrong with it."""
    return _may_bring(action(plan))


def may_bring(alias: str) -> Sql:
    """Return whether a row of the work table asks for an action that may bring a member of its code."""
    return _may_bring(Sql(f"{alias}.action"))


def _may_bring(asked: Sql) -> Sql:
    return sql(f"({{asked}} NOT BETWEEN {ImportAction.UPDATE_ONLY.value} AND {_LAST})", asked=asked)


def brings_new_code(plan: Plan) -> Sql:
    """Return whether a staged row `s` of the member `p` makes its new code an active member."""
    return sql(
        "(s.new_code IS NOT NULL AND ({action} = {upsert} OR ({action} = {update} AND p.is_active)))",
        action=action(plan),
        upsert=ImportAction.UPSERT.value,
        update=ImportAction.UPDATE_ONLY.value,
    )


def outcome_of_removal(outcomes: dict[str, int]) -> Sql:
    """Return what becomes of a row `t` that takes the member `p` away; 0 for other rows."""
    return sql(
        "CASE WHEN {removes} THEN CASE WHEN t.action IN ({deleting}) THEN {DELETE}"
        " WHEN p.is_active THEN {DEACTIVATE} ELSE {UNCHANGED} END ELSE 0 END",
        removes=removes("t"),
        deleting=Sql(DELETING),
        **{word: Sql(str(number)) for word, number in outcomes.items()},
    )
