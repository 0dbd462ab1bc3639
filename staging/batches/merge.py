"""Writes what was decided: in one transaction what fits one, else chunk by chunk; the fence first, then rows and marks.

Each turn (order.py) comes after the one before it. A new member that refers to another new member has to wait until
that one has an id: such rows are first inserted bare and inactive (nobody sees half a member), then completed and
marked. When they fit one chunk both happens in one transaction; else a crash between leaves inactive members whose
staged rows are pending, and whoever carries the decisions out (decisions.py) completes them.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from staging.batches import record
from staging.batches.changing import Change, changing
from staging.batches.decisions import settle_chunk, what_is_left
from staging.batches.errors import RowsChanged
from staging.batches.fence import Fence
from staging.batches.guarded import guarded, held
from staging.batches.lanes import chunks_abreast, side_by_side
from staging.batches.members import free, insert, insert_bare, resolve, told, update, write
from staging.batches.order import Turn, turns
from staging.batches.plan import Plan
from staging.batches.removing import take_away
from staging.batches.renames import give_new_codes
from staging.sql.compose import Sql, fetch, run, sql
from staging.sql.statement import statement
from staging.states import OUTCOME_COUNTERS, ImportStatus, Outcome

Chunk = tuple[int, int]
# The numbers of a turn that no row has.
NOTHING: Chunk = (1, 0)
# What is done with the rows `w` of a chunk.
Step = Callable[[Plan, Sql], None]

_OUTCOME_WORDS = Sql(" ".join(f"WHEN {outcome.value} THEN '{outcome.counter}'" for outcome in sorted(OUTCOME_COUNTERS)))


def merge(plan: Plan, fence: Fence, *, in_chunks: bool = False) -> None:
    """Merge every row of the work table; raises RowsChanged when a staged row is not what was classified.

    Decisions that are kept are carried out in chunks, what earlier attempts did of them is left out; others at once,
    unless chunks are asked for.
    """
    found = turns(plan)
    if plan.kept or in_chunks:
        _merge_in_chunks(plan, fence, found)
        return
    with guarded(plan, fence):
        for turn, steps in _STEPS.items():
            if turn in found:
                for step in steps:
                    step(plan, within(found[turn]))


def _merge_in_chunks(plan: Plan, fence: Fence, found: dict[int, Chunk]) -> None:
    _one_by_one(plan, fence, _chunks(plan, found, Turn.REJECTED), _STEPS[Turn.REJECTED])
    _one_by_one(plan, fence, _whole(plan, found, Turn.REMOVALS), _STEPS[Turn.REMOVALS])
    _abreast(plan, fence, list(what_is_left(plan, *found.get(Turn.PLAIN, NOTHING))))
    waiting = _chunks(plan, found, Turn.WAITING)
    if len(waiting) > 1:
        # Any of them may refer to any other; done again after a crash it finds nothing to do.
        for chunk in waiting:
            with guarded(plan, fence):
                insert_bare(plan, within(chunk))
    _one_by_one(plan, fence, waiting, _STEPS[Turn.WAITING])
    _one_by_one(plan, fence, _whole(plan, found, Turn.TOGETHER), _STEPS[Turn.TOGETHER])


def _chunks(plan: Plan, found: dict[int, Chunk], turn: Turn) -> list[Chunk]:
    left = what_is_left(plan, *found.get(turn, NOTHING))
    return [chunk for first, last in left for chunk in chunks_of(first - 1, last, plan.chunk_rows)]


def _whole(plan: Plan, found: dict[int, Chunk], turn: Turn) -> list[Chunk]:
    return list(what_is_left(plan, *found.get(turn, NOTHING)))


def chunks_of(after: int, last: int, size: int) -> Iterator[Chunk]:
    """Yield the first and last numbers of each chunk."""
    for start in range(after, last, size):
        yield start + 1, min(start + size, last)


def within(chunk: Chunk) -> Sql:
    """Return the condition on a row `w` of the work table to be in the chunk."""
    return sql("w.seq BETWEEN {first} AND {last}", first=chunk[0], last=chunk[1])


def _one_by_one(plan: Plan, fence: Fence, chunks: list[Chunk], steps: Sequence[Step]) -> None:
    for chunk in chunks:
        with guarded(plan, fence):
            for step in steps:
                step(plan, within(chunk))
            settle_chunk(plan, *chunk)


def _abreast(plan: Plan, fence: Fence, left: list[Chunk]) -> None:
    """Merge the plain rows with these numbers, several chunks at once where that pays."""
    rows = sum(last - first + 1 for first, last in left)
    abreast = chunks_abreast(plan, rows)
    size = max(min(plan.chunk_rows, -(-rows // abreast)), 1)
    chunks = [chunk for first, last in left for chunk in chunks_of(first - 1, last, size)]
    for start in range(0, len(chunks), abreast):
        _merge_abreast(plan, fence, chunks[start : start + abreast])


def _merge_abreast(plan: Plan, fence: Fence, chunks: list[Chunk]) -> None:
    """Merge one chunk, or several at once; between them the fence is asked, which is also the heartbeat."""
    with guarded(plan, fence):
        if len(chunks) == 1:
            return _merge_plain(plan, chunks[0])
    side_by_side([partial(_merge_held, plan, fence, chunk) for chunk in chunks])
    return None


def _merge_held(plan: Plan, fence: Fence, chunk: Chunk) -> None:
    with held(plan, fence):
        _merge_plain(plan, chunk)


def _merge_plain(plan: Plan, chunk: Chunk) -> None:
    settle_chunk(plan, *chunk)
    _merge_rows(plan, within(chunk))


def _merge_rows(plan: Plan, rows: Sql) -> None:
    counts = _mark(plan, rows)
    resolve(plan, rows)
    update(plan, rows)
    insert(plan, rows)
    changing(plan, Change.INSERT, plan.entity, told(plan, rows, Outcome.INSERT))
    # Last, because every chunk changes the record of the batch: those beside this one wait for it from here on.
    record.add_counts(plan.batch.pk, counts)


def _merge_together(plan: Plan, rows: Sql) -> None:
    """Merge rows that need one another's values or codes free: all give up before any of them takes."""
    counts = _mark(plan, rows)
    changing(plan, Change.UPDATE, plan.entity, told(plan, rows, Outcome.UPDATE))
    free(plan, rows)
    insert_bare(plan, rows)
    resolve(plan, rows)
    write(plan, rows)
    changing(plan, Change.INSERT, plan.entity, told(plan, rows, Outcome.INSERT))
    give_new_codes(plan, rows)
    record.add_counts(plan.batch.pk, counts)


def _mark_and_count(plan: Plan, rows: Sql) -> None:
    record.add_counts(plan.batch.pk, _mark(plan, rows))


def _mark(plan: Plan, rows: Sql) -> dict[str, int]:
    """Mark the staged rows and return how many have which outcome.

    Raises RowsChanged unless all of them are pending and as they were when they were classified.
    """
    counts = _counts(plan, rows)
    expected = sum(counts.values())
    marked = _mark_staged(plan, rows)
    if marked != expected:
        raise RowsChanged(f"{expected - marked} staged rows were changed or removed by others while they were merged.")
    return counts


# What is done with the rows of each turn, in this order.
_STEPS: dict[Turn, tuple[Step, ...]] = {
    Turn.REJECTED: (_mark_and_count,),
    Turn.REMOVALS: (_mark_and_count, take_away),
    Turn.PLAIN: (_merge_rows,),
    Turn.WAITING: (insert_bare, _merge_rows),
    Turn.TOGETHER: (_merge_together,),
}


def _counts(plan: Plan, rows: Sql) -> dict[str, int]:
    found = fetch(
        statement(
            "count_outcomes",
            work=plan.work,
            rows=rows,
        )
    )
    return {Outcome(outcome).counter: count for outcome, count in found}


def _mark_staged(plan: Plan, rows: Sql) -> int:
    """Mark the rows one after the other as they lie on the pages; return how many they are."""
    versions = plan.sql.has_row_versions
    return run(
        statement(
            "mark_staged",
            staging=plan.staging,
            work=plan.work,
            words=_OUTCOME_WORDS,
            bad=ImportStatus.REJECTED.value,
            good=ImportStatus.PROCESSED.value,
            batch=plan.batch.pk,
            rows=rows,
            fence=plan.sql.fence,
            pending=plan.awaits.value,
            version=Sql(", w.row_version" if versions else ""),
            as_it_was=Sql(" AND s.ctid = w.row_version" if versions else ""),
        )
    )
