"""Writes what was decided: in one transaction what fits one, else chunk by chunk; the fence first, then rows and marks.

Each turn (worktable.py) comes after the one before it. A new member that refers to another new member has to wait until
that one has an id: such rows are first inserted bare and inactive (nobody sees half a member), then completed and
marked. When they fit one chunk both happens in one transaction; else a crash between leaves inactive members whose
staged rows are pending, and whoever carries the decisions out (decisions.py) completes them.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from staging.batches import record
from staging.batches.context import (
    BatchContext,
    Fence,
    chunks_abreast,
    guarded,
    guarded_together,
    note_new_codes,
    side_by_side,
)
from staging.batches.judging import intent
from staging.batches.judging.intent import give_new_codes
from staging.batches.judging.removals import Referring, referring_columns
from staging.batches.merging.decisions import settle_chunk, what_is_left
from staging.batches.merging.members import (
    ChangeKind,
    changing,
    fill_references,
    free_values,
    insert_bare,
    insert_members,
    members_of,
    update_members,
    write_values,
)
from staging.batches.worktable import Turn, turns
from staging.errors import RowsChanged
from staging.sql.compose import Sql, fetch, name, run, sql, statement
from staging.states import OUTCOME_COUNTERS, ImportStatus, RowOutcome
from staging.transactions import in_transaction
from staging.wording import say


@in_transaction
def take_away(context: BatchContext, within: Sql) -> None:
    """Carry out the removals among the rows `w` that are `within`, in the transaction that marks them."""
    for where in referring_columns(context.entity):
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
        clearing=intent.CLEARING,
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


Chunk = tuple[int, int]
# The numbers of a turn that no row has.
NOTHING: Chunk = (1, 0)
# What is done with the rows `w` of a chunk.
Step = Callable[[BatchContext, Sql], None]

_REFUSED = (RowOutcome.REJECTED, RowOutcome.SUPERSEDED)  # what is said of them is why
_OUTCOME_WORDS = Sql(" ".join(f"WHEN {outcome.value} THEN '{outcome.counter}'" for outcome in sorted(OUTCOME_COUNTERS)))


def merge(context: BatchContext, fence: Fence, *, in_chunks: bool = False) -> None:
    """Merge every row of the work table; raises RowsChanged when a staged row is not what was classified.

    Decisions that are kept are carried out in chunks, what earlier attempts did of them is left out; others at once,
    unless chunks are asked for.
    """
    found = turns(context)
    if context.kept or in_chunks:
        _merge_in_chunks(context, fence, found)
        return
    with guarded(context, fence):
        for turn, steps in _STEPS.items():
            if turn in found:
                for step in steps:
                    step(context, within(found[turn]))


def _merge_in_chunks(context: BatchContext, fence: Fence, found: dict[int, Chunk]) -> None:
    _one_by_one(context, fence, _chunks(context, found, Turn.REJECTED), _STEPS[Turn.REJECTED])
    _one_by_one(context, fence, _whole(context, found, Turn.REMOVALS), _STEPS[Turn.REMOVALS])
    _abreast(context, fence, list(what_is_left(context, *found.get(Turn.PLAIN, NOTHING))))
    waiting = _chunks(context, found, Turn.WAITING)
    if len(waiting) > 1:
        # Any of them may refer to any other; done again after a crash it finds nothing to do.
        for chunk in waiting:
            with guarded(context, fence):
                insert_bare(context, within(chunk))
    _one_by_one(context, fence, waiting, _STEPS[Turn.WAITING])
    _one_by_one(context, fence, _whole(context, found, Turn.TOGETHER), _STEPS[Turn.TOGETHER])


def _chunks(context: BatchContext, found: dict[int, Chunk], turn: Turn) -> list[Chunk]:
    left = what_is_left(context, *found.get(turn, NOTHING))
    return [chunk for first, last in left for chunk in chunks_of(first - 1, last, context.chunk_rows)]


def _whole(context: BatchContext, found: dict[int, Chunk], turn: Turn) -> list[Chunk]:
    return list(what_is_left(context, *found.get(turn, NOTHING)))


def chunks_of(after: int, last: int, size: int) -> Iterator[Chunk]:
    """Yield the first and last numbers of each chunk."""
    for start in range(after, last, size):
        yield start + 1, min(start + size, last)


def within(chunk: Chunk) -> Sql:
    """Return the condition on a row `w` of the work table to be in the chunk."""
    return sql("w.seq BETWEEN {first} AND {last}", first=chunk[0], last=chunk[1])


def _one_by_one(context: BatchContext, fence: Fence, chunks: list[Chunk], steps: Sequence[Step]) -> None:
    for chunk in chunks:
        with guarded(context, fence):
            for step in steps:
                step(context, within(chunk))
            settle_chunk(context, *chunk)


def _abreast(context: BatchContext, fence: Fence, left: list[Chunk]) -> None:
    """Merge the plain rows with these numbers, several chunks at once where that pays."""
    rows = sum(last - first + 1 for first, last in left)
    abreast = chunks_abreast(context, rows)
    size = max(min(context.chunk_rows, -(-rows // abreast)), 1)  # no connection without a chunk
    chunks = [chunk for first, last in left for chunk in chunks_of(first - 1, last, size)]
    for start in range(0, len(chunks), abreast):
        _merge_abreast(context, fence, chunks[start : start + abreast])


def _merge_abreast(context: BatchContext, fence: Fence, chunks: list[Chunk]) -> None:
    """Merge one chunk, or several at once; between them the fence is asked, which is also the heartbeat."""
    with guarded(context, fence):
        if len(chunks) == 1:
            return _merge_plain(context, chunks[0])
    side_by_side([partial(_merge_held, context, fence, chunk) for chunk in chunks])
    return None


def _merge_held(context: BatchContext, fence: Fence, chunk: Chunk) -> None:
    with guarded_together(context, fence):
        _merge_plain(context, chunk)


def _merge_plain(context: BatchContext, chunk: Chunk) -> None:
    settle_chunk(context, *chunk)
    _merge_rows(context, within(chunk))


def _merge_rows(context: BatchContext, rows: Sql) -> None:
    # First, because people who mend rows lock them too: who changed one since is found before any member is touched.
    counts = _mark(context, rows)
    fill_references(context, rows)
    update_members(context, rows)
    insert_members(context, rows)
    changing(context, ChangeKind.INSERT, context.entity, members_of(context, rows, RowOutcome.INSERT))
    # Last, because every chunk changes the record of the batch: those beside this one wait for it from here on.
    record.add_counts(context.batch.pk, counts)


def _merge_together(context: BatchContext, rows: Sql) -> None:
    """Merge rows that need one another's values or codes free: all give up before any of them takes."""
    counts = _mark(context, rows)
    # Told before anything is given up: history and feeds keep what the members were.
    changing(context, ChangeKind.UPDATE, context.entity, members_of(context, rows, RowOutcome.UPDATE))
    free_values(context, rows)
    insert_bare(context, rows)
    fill_references(context, rows)
    write_values(context, rows)
    changing(context, ChangeKind.INSERT, context.entity, members_of(context, rows, RowOutcome.INSERT))
    give_new_codes(context, rows)
    if context.history:
        note_new_codes(context.entity, context.history.table, context.production)
    record.add_counts(context.batch.pk, counts)


def _mark_and_count(context: BatchContext, rows: Sql) -> None:
    record.add_counts(context.batch.pk, _mark(context, rows))


def _mark(context: BatchContext, rows: Sql) -> dict[str, int]:
    """Mark the staged rows and return how many have which outcome.

    Raises RowsChanged unless all of them are pending and as they were when they were classified.
    """
    counts, warned = _counts(context, rows)
    expected = sum(counts.values())
    marked = _mark_staged(context, rows)
    if marked != expected:
        raise RowsChanged(
            say(
                "{number} staged rows were changed or removed by others while they were merged.",
                number=expected - marked,
            )
        )
    return {**counts, "warned": warned} if warned else counts


# What is done with the rows of each turn, in this order.
_STEPS: dict[Turn, tuple[Step, ...]] = {
    Turn.REJECTED: (_mark_and_count,),
    Turn.REMOVALS: (_mark_and_count, take_away),
    Turn.PLAIN: (_merge_rows,),
    Turn.WAITING: (insert_bare, _merge_rows),
    Turn.TOGETHER: (_merge_together,),
}


def _counts(context: BatchContext, rows: Sql) -> tuple[dict[str, int], int]:
    """Return how many rows have which outcome, and how many are processed with a warning."""
    found = fetch(
        statement(
            "count_outcomes",
            work=context.work,
            rows=rows,
        )
    )
    warned = sum(told for outcome, _, told in found if outcome not in _REFUSED)
    return {RowOutcome(outcome).counter: count for outcome, count, _ in found}, warned


def _mark_staged(context: BatchContext, rows: Sql) -> int:
    """Mark the rows one after the other as they lie on the pages; return how many they are."""
    versions = context.sql.has_row_versions
    return run(
        statement(
            "mark_staged",
            staging=context.staging,
            work=context.work,
            words=_OUTCOME_WORDS,
            bad=ImportStatus.REJECTED.value,
            good=ImportStatus.PROCESSED.value,
            batch=context.batch.pk,
            rows=rows,
            barrier=context.sql.barrier,
            pending=context.awaits.value,
            version=Sql(", w.row_version" if versions else ""),
            as_it_was=Sql(" AND s.ctid = w.row_version" if versions else ""),
        )
    )
