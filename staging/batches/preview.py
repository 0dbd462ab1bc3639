"""Shows what a batch would do: the same judgement on the same rows, in a work table of its own, and nothing else.

A preview holds no guard and no lock on staging or production. It is what is true at its instant: rows that arrive, and
batches that run afterwards, are not in it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from secrets import token_hex

from staging.batches import worktable
from staging.batches.brake import totals
from staging.batches.changes import Changes
from staging.batches.errors import RowsChanged
from staging.batches.judge import judge
from staging.batches.plan import Plan, make_plan
from staging.errors import TableMismatch
from staging.models import OUTCOMES, Batch, Entity
from staging.tables.inspect import table_problems

_ROUNDS = 3


@dataclass(frozen=True)
class Preview:
    """One judgement: the plan whose work table holds it, the rows of each outcome, and the way to its changes."""

    plan: Plan
    counts: dict[str, int]
    changes: Changes


@contextmanager
def preview(entity: Entity, *, tag: str = "", held_by: Batch | None = None, now: datetime) -> Iterator[Preview]:
    """Judge the pending rows (of one tag, if given), or the rows that a batch holds, as a batch would now.

    The changes can be read until the context ends. Raises TableMismatch when the tables are not as defined.
    """
    if problems := table_problems(entity):
        raise TableMismatch(" ".join(problems))
    plan = make_plan(Batch(entity=entity, tag=tag, approves=held_by), now)
    # The name tells the age of a table that a crash left behind.
    plan = replace(plan, token=f"{int(now.timestamp()):x}_{token_hex(4)}")
    plan.sql.start()
    try:
        _judge(plan)
        found = totals(plan)
        yield Preview(plan, {outcome: found.get(outcome, 0) for outcome in OUTCOMES}, Changes.of_plan(plan))
    finally:
        worktable.drop(plan)


def _judge(plan: Plan) -> None:
    """Judge the rows; when others change them in a way that spoils the judgement, do it afresh."""
    for rounds_left in reversed(range(_ROUNDS)):
        try:
            judge(plan)
            return
        except RowsChanged:
            if not rounds_left:
                raise
            worktable.start_afresh(plan)
