"""What a batch that has ended made of the members of its entity: each change with the fields before and after."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from staging.batches.shown.changes import ForeseenChange, Values
from staging.exports.text import as_text, decimal_text
from staging.members.states import HistoryRow, State, States
from staging.models import Batch
from staging.states import HistoryAction
from staging.tables.columns import named_problems

# What undo and people want to know; the rest of a member tells of the batch itself.
_UNTOLD = {"id", "updated_at", "updated_batch_id"}


def difference(batch: Batch, *, after: int = 0, limit: int = 50) -> list[ForeseenChange]:
    """Return at most `limit` changes that the batch made, behind the one numbered `after`, as a preview shows them.

    References that it cleared in other entities are in their feeds. A change that is not in the history is not here.
    """
    states = States(batch.entity)
    with named_problems(batch.entity):
        rows = states.of_batch(batch.pk, after, limit)
        left = states.next_or_now(rows)
    before = states.worded([row.was for row in rows])
    became = dict(zip(left, states.worded(list(left.values())), strict=True))
    return [_change(states, row, old, became.get(row.id, {})) for row, old in zip(rows, before, strict=True)]


def _change(states: States, row: HistoryRow, old: State, new: State) -> ForeseenChange:
    was = {} if row.action == HistoryAction.INSERTED else _told(states, old)
    now = {} if row.action == HistoryAction.DELETED else _told(states, new)
    code = new.get("code") if row.action == HistoryAction.INSERTED else old["code"]
    outcome = _outcome(row, old, new)
    if outcome in ("inserted", "deleted"):
        return ForeseenChange(row.id, 0, code, outcome, _given(was), _given(now), "")
    fields = [field for field in now if was.get(field) != now[field]]
    return ForeseenChange(row.id, 0, code, outcome, _only(was, fields), _only(now, fields), "")


def _outcome(row: HistoryRow, old: State, new: State) -> str:
    if row.action in (HistoryAction.INSERTED, HistoryAction.DELETED):
        return str(row.action)
    return "deactivated" if old["is_active"] and new.get("is_active") is False else "updated"


def _told(states: States, state: State) -> Values:
    return {c.name: _text(state.get(c.name)) for c in states.columns if c.name not in _UNTOLD}


def _text(value: Any) -> str | None:
    """Return a value as staging accepts it; references are codes."""
    if value is None:
        return None
    return decimal_text(value) if isinstance(value, Decimal) else as_text(value)


def _given(values: Values) -> Values:
    return {field: value for field, value in values.items() if value is not None and field not in ("code", "is_active")}


def _only(values: Values, fields: Sequence[str]) -> Values:
    return {field: values.get(field) for field in fields}
