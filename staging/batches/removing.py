"""Takes members away: clears the references that were asked to be cleared, deactivates, deletes.

All members of a batch go in one transaction and one statement each: members that refer to one another cannot go one
after the other.
"""

from staging.batches import actions
from staging.batches.changing import Change, changing
from staging.batches.plan import Plan
from staging.batches.referring import Referring, referring
from staging.sql.compose import Sql, name, run, sql
from staging.sql.statement import statement
from staging.transactions import in_transaction


@in_transaction
def take_away(plan: Plan, within: Sql) -> None:
    """Carry out the removals among the rows `w` that are `within`, in the transaction that marks them."""
    for where in referring(plan.entity):
        if not where.is_required:
            _clear(plan, within, where)
    _deactivate(plan, within)
    _delete(plan, within)


def _clear(plan: Plan, within: Sql, where: Referring) -> None:
    """Empty the references to members that go with their references; members that are deleted keep theirs."""
    rows = statement("members_taken", work=plan.work, within=within)
    cleared = sql(
        "{column} IN ({rows} AND w.action IN ({clearing}) AND w.outcome IN ({Outcome.DEACTIVATE}, {Outcome.DELETE}))",
        column=where.column,
        rows=rows,
        clearing=actions.CLEARING,
    )
    if where.is_own:
        cleared = sql("{cleared} AND p.id NOT IN ({rows} AND w.outcome = {Outcome.DELETE})", cleared=cleared, rows=rows)
    changing(plan, Change.CLEAR, where.entity, sql(" WHERE {cleared}", cleared=cleared))
    change = sql("{column} = NULL", column=name(where.attribute.name))
    _write(plan, where.production, change, cleared)


def _deactivate(plan: Plan, within: Sql) -> None:
    rows = sql("{within} AND w.outcome = {Outcome.DEACTIVATE} AND p.is_active", within=within)
    changing(plan, Change.DEACTIVATE, plan.entity, _joined(plan, rows))
    active = sql(
        "p.is_active AND p.id IN (SELECT w.target_id FROM {work} w WHERE {within} AND w.outcome ="
        " {Outcome.DEACTIVATE})",
        work=plan.work,
        within=within,
    )
    _write(plan, plan.production, sql("is_active = {no}", no=False), active)


def _delete(plan: Plan, within: Sql) -> None:
    rows = sql("{within} AND w.outcome = {Outcome.DELETE}", within=within)
    changing(plan, Change.DELETE, plan.entity, _joined(plan, rows))
    run(
        statement(
            "delete_members",
            production=plan.production,
            work=plan.work,
            rows=rows,
        )
    )


def _joined(plan: Plan, rows: Sql) -> Sql:
    return sql(" JOIN {work} w ON w.target_id = p.id WHERE {rows}", work=plan.work, rows=rows)


def _write(plan: Plan, production: Sql, change: Sql, condition: Sql) -> None:
    run(
        statement(
            "write_members",
            production=production,
            change=change,
            now=plan.instant,
            batch=plan.batch.pk,
            condition=condition,
        )
    )
