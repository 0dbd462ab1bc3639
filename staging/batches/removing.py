"""Takes members away: clears the references that were asked to be cleared, deactivates, deletes.

All members of a batch go in one transaction and one statement each: members that refer to one another cannot go one
after the other.
"""

from staging.batches import actions
from staging.batches.changing import ChangeKind, changing
from staging.batches.context import BatchContext
from staging.batches.referring import Referring, referring
from staging.sql.compose import Sql, name, run, sql
from staging.sql.statement import statement
from staging.transactions import in_transaction


@in_transaction
def take_away(context: BatchContext, within: Sql) -> None:
    """Carry out the removals among the rows `w` that are `within`, in the transaction that marks them."""
    for where in referring(context.entity):
        if not where.is_required:
            _clear(context, within, where)
    _deactivate(context, within)
    _delete(context, within)


def _clear(context: BatchContext, within: Sql, where: Referring) -> None:
    """Empty the references to members that go with their references; members that are deleted keep theirs."""
    rows = statement("members_taken", work=context.work, within=within)
    cleared = sql(
        "{column} IN ({rows} AND w.action IN ({clearing})"
        " AND w.outcome IN ({RowOutcome.DEACTIVATE}, {RowOutcome.DELETE}))",
        column=where.column,
        rows=rows,
        clearing=actions.CLEARING,
    )
    if where.is_own:
        cleared = sql(
            "{cleared} AND p.id NOT IN ({rows} AND w.outcome = {RowOutcome.DELETE})", cleared=cleared, rows=rows
        )
    changing(context, ChangeKind.CLEAR, where.entity, sql(" WHERE {cleared}", cleared=cleared))
    change = sql("{column} = NULL", column=name(where.attribute.name))
    _write(context, where.production, change, cleared)


def _deactivate(context: BatchContext, within: Sql) -> None:
    rows = sql("{within} AND w.outcome = {RowOutcome.DEACTIVATE} AND p.is_active", within=within)
    changing(context, ChangeKind.DEACTIVATE, context.entity, _joined(context, rows))
    active = sql(
        "p.is_active AND p.id IN (SELECT w.target_id FROM {work} w WHERE {within} AND w.outcome ="
        " {RowOutcome.DEACTIVATE})",
        work=context.work,
        within=within,
    )
    _write(context, context.production, sql("is_active = {no}", no=False), active)


def _delete(context: BatchContext, within: Sql) -> None:
    rows = sql("{within} AND w.outcome = {RowOutcome.DELETE}", within=within)
    changing(context, ChangeKind.DELETE, context.entity, _joined(context, rows))
    run(
        statement(
            "delete_members",
            production=context.production,
            work=context.work,
            rows=rows,
        )
    )


def _joined(context: BatchContext, rows: Sql) -> Sql:
    return sql(" JOIN {work} w ON w.target_id = p.id WHERE {rows}", work=context.work, rows=rows)


def _write(context: BatchContext, production: Sql, change: Sql, condition: Sql) -> None:
    run(
        statement(
            "write_members",
            production=production,
            change=change,
            now=context.instant,
            batch=context.batch.pk,
            condition=condition,
        )
    )
