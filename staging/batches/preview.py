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
from staging.batches.changes import ForeseenChanges
from staging.batches.context import BatchContext, make_context
from staging.batches.errors import RowsChanged
from staging.batches.judge import judge
from staging.errors import TableMismatch
from staging.models import OUTCOMES, Batch, Entity
from staging.tables.inspect import table_problems

_ROUNDS = 3


@dataclass(frozen=True)
class Preview:
    """One judgement: the context whose work table holds it, the rows of each outcome, and the way to its changes."""

    context: BatchContext
    counts: dict[str, int]
    changes: ForeseenChanges


@contextmanager
def preview(entity: Entity, *, tag: str = "", held_by: Batch | None = None, now: datetime) -> Iterator[Preview]:
    """Judge the pending rows (of one tag, if given), or the rows that a batch holds, as a batch would now.

    The changes can be read until the context ends. Raises TableMismatch when the tables are not as defined.
    """
    if problems := table_problems(entity):
        raise TableMismatch(" ".join(problems))
    context = make_context(Batch(entity=entity, tag=tag, approves=held_by), now)
    # The name tells the age of a table that a crash left behind.
    context = replace(context, token=f"{int(now.timestamp()):x}_{token_hex(4)}")
    context.sql.start()
    try:
        _judge(context)
        found = totals(context)
        yield Preview(context, {outcome: found.get(outcome, 0) for outcome in OUTCOMES}, ForeseenChanges.of(context))
    finally:
        worktable.drop(context)


def _judge(context: BatchContext) -> None:
    """Judge the rows; when others change them in a way that spoils the judgement, do it afresh."""
    for rounds_left in reversed(range(_ROUNDS)):
        try:
            judge(context)
            return
        except RowsChanged:
            if not rounds_left:
                raise
            worktable.start_afresh(context)
