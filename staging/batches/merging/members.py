"""Writes members: the statements that insert and update production rows from some rows `w` of the work table."""

from collections.abc import Sequence
from enum import StrEnum
from functools import partial

from staging.batches.context import BatchContext, Field
from staging.batches.judging.references import waiting_bit
from staging.batches.merging.history import insert_noted, kept_history, note
from staging.models import Entity
from staging.sql.compose import Sql, column, fetch, join, name, run, sql, tree
from staging.sql.statement import statement
from staging.states import HistoryAction, RowOutcome
from staging.transactions import in_transaction


def told(context: BatchContext, rows: Sql, outcome: RowOutcome) -> Sql:
    """Return the members `p` of the rows `w` with one outcome, as `changing` is told them."""
    members = _in_order_of_members(context, rows, outcome)
    return sql(" JOIN ({members}) w ON p.id = w.target_id", members=members)


def _in_order_of_members(context: BatchContext, rows: Sql, *outcomes: RowOutcome) -> Sql:
    """Return the rows `w` with these outcomes one after the other as their members lie on the pages.

    Rows are delivered in any order; each page of members and of their indexes is then visited once.
    """
    return statement(
        "in_order_of_members",
        work=context.work,
        rows=rows,
        outcomes=Sql(", ".join(str(outcome.value) for outcome in outcomes)),
        fence=context.sql.fence,
    )


def resolve(context: BatchContext, rows: Sql) -> None:
    """Fill the references whose members had no id yet when the rows were classified."""
    for field in context.self_references:
        run(
            statement(
                "resolve",
                work=context.work,
                value=name(f"v_{field.name}"),
                production=context.production,
                rows=rows,
                bit=waiting_bit(context, field),
                late=name(f"l_{field.name}"),
            )
        )


def update(context: BatchContext, rows: Sql) -> None:
    """Write the members that exist and would look different afterwards.

    A member that is only updated stays inactive. A database that rewrites the index of every column it is given is
    given indexed ones only for the members in which they change, and looks for these only when there are any.
    """
    changing(context, ChangeKind.UPDATE, context.entity, told(context, rows, RowOutcome.UPDATE))
    write(context, rows)


def write(context: BatchContext, rows: Sql) -> None:
    """Give members their values, once their change is told."""
    indexed = [
        f for f in context.fields if context.sql.rewrites_indexes and (f.is_reference or f in context.unique_fields)
    ]
    if not indexed:
        _set(context, rows, context.fields, Sql("TRUE"))
        return
    alike = (context.sql.same(column("w", f"v_{f.name}"), column("p", f.name)) for f in indexed)
    same = tree("AND", alike, "TRUE")
    if _set(context, rows, [f for f in context.fields if f not in indexed], same) < _existing(context, rows):
        _set(context, rows, context.fields, sql("NOT {same}", same=same))


def free(context: BatchContext, rows: Sql) -> None:
    """Have members give up the unique values that change, so that those who get them meet none that is still there."""
    for field in context.unique_fields:
        run(
            statement(
                "free",
                production=context.production,
                field=name(field.name),
                work=context.work,
                rows=rows,
                stored=column("p", field.name),
                same=context.sql.same(column("w", f"v_{field.name}"), column("p", field.name)),
            )
        )


def _set(context: BatchContext, rows: Sql, fields: Sequence[Field], where: Sql) -> int:
    """Write these fields of the members `p` for which the condition holds; return how many they are."""
    values = [sql("{to} = w.{v}", to=name(f.name), v=name(f"v_{f.name}")) for f in fields]
    system = sql(
        "is_active = (p.is_active OR w.action <> {ImportAction.UPDATE_ONLY}), updated_at = {now},"
        " updated_batch_id = {batch}",
        now=context.instant,
        batch=context.batch.pk,
    )
    return run(
        statement(
            "update_members",
            production=context.production,
            work=context.work,
            changes=join(", ", [*values, system]),
            members=_in_order_of_members(context, rows, RowOutcome.INSERT, RowOutcome.UPDATE),
            where=where,
        )
    )


def _existing(context: BatchContext, rows: Sql) -> int:
    return int(fetch(statement("count_existing", work=context.work, rows=rows))[0][0])


def insert(context: BatchContext, rows: Sql, *, active: bool = True) -> None:
    """Write the members that are new, in the order of their codes, as the index has them.

    Those that are not `active` yet are told when they are complete.
    """
    columns = ["code", *(f.name for f in context.fields)]
    system = ["is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id"]
    write = partial(inserting, context) if active else run
    write(
        statement(
            "insert_members",
            production=context.production,
            columns=join(", ", map(name, [*columns, *system])),
            values=join(", ", (column("w", f"v_{f.name}") for f in context.fields)),
            active=active,
            now=context.instant,
            batch=context.batch.pk,
            work=context.work,
            rows=rows,
        )
    )


def insert_bare(context: BatchContext, rows: Sql) -> None:
    """Give new members that wait for one another their ids; they stay inactive until they are complete."""
    insert(context, rows, active=False)
    run(
        statement(
            "note_ids",
            work=context.work,
            production=context.production,
            rows=rows,
        )
    )


class ChangeKind(StrEnum):
    """What happens to a member."""

    INSERT = "insert"  # a member born in two steps (merge.py) is complete now; others go through `inserting`
    UPDATE = "update"  # values; the member may also be made active again, or get its new_code
    DEACTIVATE = "deactivate"
    DELETE = "delete"
    CLEAR = "clear"  # a reference to a member that goes away becomes empty; `entity` may be another one


@in_transaction
def changing(context: BatchContext, change: ChangeKind, entity: Entity, members: Sql) -> None:
    """Take note that members of an entity change; they are `SELECT ... FROM <its production table> p {members}`."""
    history = context.history if entity.pk == context.entity.pk else kept_history(entity)
    if history is None:
        return
    if change == ChangeKind.CLEAR and context.sql.locks_rows:
        # Another entity's own batch may be changing the same members: what is kept must be what is changed.
        members = sql("{members} FOR UPDATE OF p", members=members)
    note(history, context.batch, context.now, _ACTIONS[change], members)


@in_transaction
def inserting(context: BatchContext, statement: Sql) -> None:
    """Run the statement that inserts whole members of the batch's entity, and take note of them."""
    if context.history is None:
        run(statement)
    else:
        insert_noted(context.history, context.batch, context.now, statement)


_ACTIONS = {
    ChangeKind.INSERT: HistoryAction.INSERTED,
    ChangeKind.UPDATE: HistoryAction.UPDATED,
    ChangeKind.DEACTIVATE: HistoryAction.DEACTIVATED,
    ChangeKind.DELETE: HistoryAction.DELETED,
    ChangeKind.CLEAR: HistoryAction.CLEARED,
}
