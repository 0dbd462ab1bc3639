"""The one place that every change of production passes, one call per statement that changes members.

In the transaction of the change: before members are changed or deleted, so that they can be read as they
were, and right after they were inserted.
"""

from enum import StrEnum

from staging.batches.history import insert_noted, kept_history, note
from staging.batches.plan import Plan
from staging.models import Entity
from staging.sql.compose import Sql, run, sql
from staging.states import HistoryAction
from staging.transactions import in_transaction


class Change(StrEnum):
    """What happens to a member."""

    INSERT = "insert"  # a member born in two steps (merge.py) is complete now; others go through `inserting`
    UPDATE = "update"  # values; the member may also be made active again, or get its new_code
    DEACTIVATE = "deactivate"
    DELETE = "delete"
    CLEAR = "clear"  # a reference to a member that goes away becomes empty; `entity` may be another one


@in_transaction
def changing(plan: Plan, change: Change, entity: Entity, members: Sql) -> None:
    """Take note that members of an entity change; they are `SELECT ... FROM <its production table> p {members}`."""
    history = plan.history if entity.pk == plan.entity.pk else kept_history(entity)
    if history is None:
        return
    if change == Change.CLEAR and plan.sql.locks_rows:
        # Another entity's own batch may be changing the same members: what is kept must be what is changed.
        members = sql("{members} FOR UPDATE OF p", members=members)
    note(history, plan.batch, plan.now, _ACTIONS[change], members)


@in_transaction
def inserting(plan: Plan, statement: Sql) -> None:
    """Run the statement that inserts whole members of the batch's entity, and take note of them."""
    if plan.history is None:
        run(statement)
    else:
        insert_noted(plan.history, plan.batch, plan.now, statement)


_ACTIONS = {
    Change.INSERT: HistoryAction.INSERTED,
    Change.UPDATE: HistoryAction.UPDATED,
    Change.DEACTIVATE: HistoryAction.DEACTIVATED,
    Change.DELETE: HistoryAction.DELETED,
    Change.CLEAR: HistoryAction.CLEARED,
}
