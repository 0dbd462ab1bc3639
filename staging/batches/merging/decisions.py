"""Keeps what was decided about a delivery while it is merged in several transactions: it is judged once.

A batch that is merged in one transaction merges all or nothing and needs none of this. A larger one turns its work
table into one that outlives the connection, and notes beside it which numbers are carried out, in the transaction of
each chunk.
Whatever stops it, the next attempt carries on; after a cancel or a failure so does the next batch that claims one of
the rows, before it looks at any of its own. Decisions that no longer fit, because others changed the rows or the
entity meanwhile, are made afresh for the rows that are left, beside those that are settled.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from secrets import token_hex

from staging.batches import record, worktable
from staging.batches.context import BatchContext
from staging.batches.judging.delivered import DONE_TABLE, is_left, is_open, pending, stretches_left
from staging.models import Batch, BusinessRule, RuleLine
from staging.sql.compose import Sql, column, fetch, join, name, run, sql, statement
from staging.tables.columns import real_columns
from staging.transactions import in_transaction, outside_transaction

# How many rows one step copies, and how each staged row was when it was judged, where rows have no versions.
_STEP = 50_000
_RAW = "raw"
# What of an entity decides about rows; the rest of it may change while a delivery is merged.
_DECIDING = ("default_import_action", "default_merge_mode", "duplicates", "sentinel_text", "sentinel_number",
             "sentinel_datetime")  # fmt: skip


@outside_transaction
def keep_work_table(context: BatchContext) -> BatchContext:
    """Make the work table one that stays; return the context that carries it out. The batch does not know of it yet.

    `record.keep_decisions` belongs into the next transaction of the batch.
    """
    kept = context.carrying(context.work_name)
    if not context.sql.has_private_tables:
        with context.sql.private():
            worktable.start_afresh(context, "")
            # It is already, unless more rows came than were expected when it was made; then it is written again.
            run(statement("log_decisions", work=context.work))
            _create_done(kept)
        return kept
    run(worktable.creation(kept, [(_RAW, "TEXT")]))
    _copy(context, kept)
    _create_done(kept)
    worktable.start_afresh(context)
    return kept


@in_transaction
def take_up(context: BatchContext) -> BatchContext | None:
    """Return the context that goes on with what an earlier attempt, or a batch that ended too soon, left; or None.

    What another batch left is this one's from here on.
    """
    batch = Batch.objects.get(pk=context.batch.pk)
    owner = batch if batch.decisions else next(_left_by_others(context), None)
    if owner is None:
        return None
    if owner != batch:
        record.hand_on_decisions(owner, batch)
    kept = replace(context.carrying(owner.decisions), taken_up=True)
    if owner.decided_by == fingerprint(context) and _is_as_judged(kept):
        record.expect_rows(batch.pk, _open_rows(kept))
        return kept
    return afresh(kept)


def afresh(context: BatchContext) -> BatchContext:
    """Return the context that decides again about the rows that kept decisions have left."""
    return replace(
        context, kept="", schema=context.sql.work_schema, taken_up=False, delivery=context.kept, token=token_hex(4)
    )


@in_transaction
def forget(context: BatchContext) -> None:
    """Drop the decisions of the batch, which are carried out."""
    table = Batch.objects.get(pk=context.batch.pk).decisions
    if table:
        record.forget_decisions(context.batch.pk)
        worktable.drop_kept(table)


def is_any_left(context: BatchContext) -> bool:
    """Return whether any batch of the entity has decisions that are not carried out."""
    return Batch.objects.filter(entity=context.entity).exclude(decisions="").exists()


def settle_chunk(context: BatchContext, first: int, last: int) -> None:
    """Note, in the transaction that did it, that the decisions with these numbers are carried out."""
    if context.kept:
        values = {"done": context.table(DONE_TABLE), "first": first, "last": last}
        run(statement("settle_chunk", **values))


def what_is_left(context: BatchContext, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges between these numbers that are not carried out yet."""
    if context.kept:
        yield from stretches_left(context, first, last)
    elif first <= last:
        yield first, last


def fingerprint(context: BatchContext) -> str:
    """Return what tells whether the definitions that decide about rows are those of before."""
    rules = BusinessRule.objects.filter(entity=context.entity, is_cancelled=False)
    found = [
        [getattr(context.entity, field) for field in _DECIDING],
        list(context.entity.attributes.filter(is_cancelled=False).values_list()),
        list(rules.values_list()),
        list(RuleLine.objects.filter(rule__in=rules).values_list()),
    ]
    return hashlib.sha256(repr(found).encode()).hexdigest()


def _create_done(kept: BatchContext) -> None:
    run(statement("create_done", done=kept.table(DONE_TABLE)))


def _copy(context: BatchContext, kept: BatchContext) -> None:
    """Copy the work table, in steps that keep other writers waiting for less than a second each."""
    names = [name(column) for column in worktable.columns(context)]
    last = int(fetch(statement("last_number", work=context.work))[0][0])
    for first in range(1, last + 1, _STEP):
        run(
            statement(
                "copy_decisions",
                kept=kept.work,
                columns=join(", ", names),
                theirs=join(", ", (Sql(f"w.{column.text}") for column in names)),
                raw=_raw(context),
                work=context.work,
                staging=context.staging,
                first=first,
                end=first + _STEP - 1,
            )
        )


def _raw(context: BatchContext) -> Sql:
    """Return a staged row `s` as one text."""
    columns = ["code", "new_code", "import_action", *(field.name for field in context.fields)]
    return join(" || ',' || ", (sql("quote({it})", it=column("s", it)) for it in columns))


def _left_by_others(context: BatchContext) -> Iterator[Batch]:
    """Yield the ended batches that left decisions about rows which this batch would claim; forget what is done with."""
    for other in (
        Batch.objects.filter(entity=context.entity).exclude(decisions="").exclude(pk=context.batch.pk).order_by("pk")
    ):
        # It was stopped right before it forgot what it had carried out; or only some tables were restored.
        if not real_columns(other.decisions) or not _open_rows(context.carrying(other.decisions)):
            record.forget_decisions(other.pk)
            continue
        if fetch(
            statement(
                "claims_of_others",
                staging=context.staging,
                pending=pending(context),
                open=is_open(context.carrying(other.decisions)),
            )
        ):
            yield other


def _is_as_judged(kept: BatchContext) -> bool:
    """Return whether no row that is left was changed or taken away since it was judged."""
    versions = kept.sql.has_row_versions
    changed = Sql("s.ctid <> w.row_version") if versions else sql("{raw} IS NOT w.raw", raw=_raw(kept))
    parts = {"work": kept.work, "staging": kept.staging, "awaits": kept.awaits.value, "changed": changed}
    return not fetch(statement("find_changed", **parts, left=is_left(kept, "w")))


def _open_rows(kept: BatchContext) -> int:
    return int(fetch(statement("count_open", open=is_open(kept)))[0][0])
