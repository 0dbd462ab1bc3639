"""Shows what a batch would do: the same judgement on the same rows, in a work table of its own, and nothing else.

A preview holds no guard and no lock on staging or production. It is what is true at its instant: rows that arrive, and
batches that run afterwards, are not in it.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from secrets import token_hex

from django.db import Error, transaction

from staging.batches import worktable
from staging.batches.context import PREVIEW_PREFIX, BatchContext, make_context
from staging.batches.judging.judge import judge
from staging.batches.merging.merge import chunks_of
from staging.batches.pipeline import totals
from staging.batches.shown.changes import ForeseenChanges
from staging.errors import RowsChanged, TableMismatch
from staging.models import OUTCOMES, Batch, Entity, KeptPreview
from staging.sql.compose import Sql, fetch, join, name, run, statement
from staging.sql.dialect import dialect
from staging.tables.columns import real_columns, table_problems

_ROUNDS = 3


@dataclass(frozen=True)
class Preview:
    """One judgement: the context whose work table holds it, the rows of each outcome, and the way to its changes."""

    context: BatchContext
    counts: dict[str, int]
    changes: ForeseenChanges


@contextmanager
def preview_batch(entity: Entity, *, tag: str = "", held_by: Batch | None = None, now: datetime) -> Iterator[Preview]:
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


KEPT_FOR = timedelta(hours=2)
_PREFIX = "preview_"
_STEP = 50_000


def keep_preview(
    entity: Entity, *, tag: str = "", held_by: Batch | None = None, made_by: str, now: datetime
) -> KeptPreview:
    """Make a preview of the rows that wait, or that a batch holds, and keep it; older ones are dropped on the way.

    Raises as `preview` does.
    """
    drop_old_previews(now)
    with preview_batch(entity, tag=tag, held_by=held_by, now=now) as made:
        _keep_table(made)
        return KeptPreview.objects.create(
            entity=entity,
            held_by=held_by,
            tag=tag,
            token=made.context.token,
            columns=worktable.columns(made.context),
            counts=made.counts,
            made_by=made_by,
            made_at=now,
        )


def kept_changes(kept: KeptPreview, now: datetime) -> ForeseenChanges:
    """Return the changes of a kept preview; attributes that came or went since are not among its fields."""
    context = make_context(Batch(entity=kept.entity), now)
    fields = [field for field in context.fields if f"v_{field.name}" in kept.columns]
    return ForeseenChanges(name(f"{_PREFIX}{kept.token}"), kept.entity, fields)


def fresh_preview(held: Batch, now: datetime) -> KeptPreview | None:
    """Return the newest kept preview of the rows a batch holds, unless something was decided since it was made."""
    kept = KeptPreview.objects.filter(held_by=held, made_at__gt=now - KEPT_FOR).order_by("-pk").first()
    if kept is None:
        return None
    decided = held.reviews.filter(decided_at__gte=kept.made_at).exists()
    merged = held.approvals.filter(finished_at__gte=kept.made_at).exists()
    return None if decided or merged else kept


def drop_old_previews(now: datetime) -> int:
    """Drop previews older than two hours with their tables, and tables that a crash left; return how many records."""
    old = KeptPreview.objects.filter(made_at__lte=now - KEPT_FOR)
    _drop(table for table in _tables() if _made_at(table) <= (now - KEPT_FOR).timestamp())
    return old.delete()[0]


def _keep_table(made: Preview) -> None:
    kept, columns = name(_PREFIX + made.context.token), real_columns(made.context.work_name)
    if not made.context.sql.has_private_tables:
        run(statement("rename_preview", work=made.context.work, kept=kept))
        return
    body = ((name(column), "INTEGER PRIMARY KEY" if column == "seq" else real.type) for column, real in columns.items())
    run(statement("create_preview", kept=kept, body=join(", ", (Sql(f"{c.text} {t}") for c, t in body))))
    last = int(fetch(statement("last_number", work=made.context.work))[0][0])
    for first, end in chunks_of(0, last, _STEP):
        run(statement("copy_preview", kept=kept, work=made.context.work, first=first, end=end))


def _tables() -> list[str]:
    """Return the tables of previews: kept ones, and what a crash left of others."""
    found = dialect().work_tables("%preview\\_%", kept=True)
    return [table for table in found if table.startswith((_PREFIX, PREVIEW_PREFIX))]


def _made_at(table: str) -> float:
    """Return the instant that a table's name tells, in seconds; that of a table which is none of ours never comes."""
    try:
        return int(table.removeprefix(PREVIEW_PREFIX).removeprefix(_PREFIX).split("_")[0], 16)
    except ValueError:
        return float("inf")


def _drop(tables: Iterable[str]) -> None:
    """Drop tables; one that somebody reads just now goes the next time."""
    for table in tables:
        with suppress(Error), transaction.atomic():
            dialect().give_up_soon()
            run(statement("drop_table", place=Sql(""), table=name(table)))
