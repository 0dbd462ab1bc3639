"""The one place that every change of production passes, one call per statement that changes members.

In the transaction of the change: before members are changed or deleted, so that they can be read as they
were, and right after they were inserted.
"""

from enum import StrEnum

from staging.batches.context import BatchContext
from staging.batches.history import insert_noted, kept_history, note
from staging.models import Entity
from staging.sql.compose import Sql, run, sql
from staging.states import HistoryAction
from staging.transactions import in_transaction


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
