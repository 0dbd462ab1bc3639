"""Writes members: the statements that insert and update production rows from some rows `w` of the work table."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from functools import partial

from staging.batches.context import AT_BIRTH, BatchContext, Field, History, change_set, kept_history
from staging.batches.judging.intent import waiting_bit
from staging.identifiers import before_column
from staging.models import Batch, Entity
from staging.sql.compose import Sql, column, fetch, join, name, run, sql, statement, tree
from staging.sql.dialect import dialect
from staging.states import HistoryAction, RowOutcome
from staging.transactions import in_transaction

_LONGEST_NAME = 200


def note_change(
    history: History, batch: Batch, at: datetime, action: HistoryAction, members: Sql, restored: Sql | None = None
) -> int:
    """Keep members as they are, right before they change, or that they are new; return how many.

    They are `SELECT ... FROM <production> p {members}`. `restored` is, for an undo, the batch whose values will hold
    again.
    """
    kept = [c for c in history.columns if action == HistoryAction.DELETED or c not in AT_BIRTH]
    if action == HistoryAction.INSERTED:
        kept = []
    own = ["member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by"]
    return run(
        statement(
            "note",
            history=history.table,
            columns=join(", ", map(name, [*own, *map(before_column, kept)])),
            action=action.value,
            batch=batch.pk,
            restored=restored or Sql("NULL"),
            at=dialect().instant(at),
            change_set=change_set(history.entity, history.table),
            before=join(", ", [sql("{by}", by=changed_by(batch)), *(column("p", c) for c in kept)]),
            production=history.production,
            members=members,
        )
    )


def insert_noted(history: History, batch: Batch, at: datetime, insertion: Sql) -> None:
    """Run an INSERT of new members and keep that they are new, without looking them up again."""
    if dialect().nests_inserts:
        note = _note_new(history, batch, at, Sql("new born"))
        run(statement("insert_noted", insertion=insertion, note=note))
        return
    # SQLite gives ascending ids and has one writer: what is above the last id is new.
    last = fetch(statement("last_id", production=history.production))[0][0]
    run(insertion)
    members = sql("{production} born WHERE born.id > {last}", production=history.production, last=last)
    run(_note_new(history, batch, at, members))


def _note_new(history: History, batch: Batch, at: datetime, members: Sql) -> Sql:
    own = ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
    return statement(
        "note_new",
        history=history.table,
        columns=join(", ", map(name, own)),
        action=HistoryAction.INSERTED.value,
        batch=batch.pk,
        at=dialect().instant(at),
        by=changed_by(batch),
        change_set=change_set(history.entity, history.table),
        members=members,
    )


def changed_by(batch: Batch) -> str:
    """Return who changed the members, and because of what: the record of the batch may be gone before the history."""
    who = [batch.started_by or "unknown", f"({batch.trigger_source})" if batch.trigger_source else ""]
    return " ".join(filter(None, who))[:_LONGEST_NAME]


def members_of(context: BatchContext, rows: Sql, outcome: RowOutcome) -> Sql:
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
        barrier=context.sql.barrier,
    )


def fill_references(context: BatchContext, rows: Sql) -> None:
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


def update_members(context: BatchContext, rows: Sql) -> None:
    """Write the members that exist and would look different afterwards.

    A member that is only updated stays inactive. A database that rewrites the index of every column it is given is
    given indexed ones only for the members in which they change, and looks for these only when there are any.
    """
    changing(context, ChangeKind.UPDATE, context.entity, members_of(context, rows, RowOutcome.UPDATE))
    write_values(context, rows)


def write_values(context: BatchContext, rows: Sql) -> None:
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


def free_values(context: BatchContext, rows: Sql) -> None:
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


def insert_members(context: BatchContext, rows: Sql, *, active: bool = True) -> None:
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
    insert_members(context, rows, active=False)
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
    note_change(history, context.batch, context.now, _ACTIONS[change], members)


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
