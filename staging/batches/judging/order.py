"""In which order the rows of a batch are merged; each turn sees what the turns before it wrote.

Rejected rows come first where a value or a code is free only once: were they still pending after a crash, what good
rows have changed meanwhile could make them look good. Then members are taken away, so that their unique values are
free; then the plain rows; then those that wait for the ids of new members; and last the renames, so that until the end
every code means what it meant when the rows were delivered, together with the rows that pass unique values on from
member to member. Removals are one transaction, and so are those that come together.
"""

from dataclasses import dataclass
from enum import IntEnum
from math import isqrt

from staging.batches import worktable
from staging.batches.context import BatchContext
from staging.batches.judging import actions
from staging.sql.compose import Sql, column, fetch, name, run, sql
from staging.sql.statement import statement

# Chunks of one connection; with fewer of them, sorting the rows costs as much as it saves.
_WORTH_TILES = 16
# What stands for a unique field among the edges of the cascade, plus its place among the unique fields.
VALUES = 1000
_TRADERS = "_traders"


class Turn(IntEnum):
    """Whose turn it is; the work table holds null for plain rows."""

    REJECTED = -2
    REMOVALS = -1
    PLAIN = 0
    WAITING = 1
    TOGETHER = 2


@dataclass(frozen=True)
class Special:
    """Which rows the batch has that need more than being inserted or updated."""

    removals: bool
    renames: bool
    superseded: bool


def special(context: BatchContext) -> Special:
    """Look once at the classified rows; a batch without special rows does nothing for them but this."""
    query = statement(
        "special",
        removes=actions.removes("w"),
        work=context.work,
    )
    removals, renames, superseded = fetch(query)[0]
    return Special(removals > 0, renames > 0, superseded > 0)


def put_in_order(context: BatchContext, found: Special) -> None:
    """Number the rows so that each turn is a range of numbers."""
    traded, waits = _find_traders(context), _some_wait(context)
    if waits and not traded:
        _put(
            context,
            Turn.WAITING,
            "w.waits <> 0 AND w.new_code IS NULL AND w.outcome IN ({RowOutcome.INSERT}, {RowOutcome.UPDATE})",
        )
    if found.renames or traded:
        together = ["w.new_code IS NOT NULL"] if found.renames else []
        # Who waits may wait for a member that is born there.
        together += ["w.row_id IN (SELECT trader.row_id FROM {traders} trader)"] if traded else []
        together += ["w.waits <> 0"] if traded and waits else []
        condition = f"w.outcome IN ({{RowOutcome.INSERT}}, {{RowOutcome.UPDATE}}) AND ({' OR '.join(together)})"
        _put(context, Turn.TOGETHER, condition, traders=context.table(_TRADERS))
    if found.removals:
        _put(context, Turn.REMOVALS, "w.outcome IN ({RowOutcome.DEACTIVATE}, {RowOutcome.DELETE})")
    if found.removals or found.renames or context.unique_fields:
        _put(context, Turn.REJECTED, "w.outcome = {RowOutcome.REJECTED}")


def in_tiles(context: BatchContext, rows: int) -> Sql:
    """Return the order in which the judged rows `j` of a large batch are numbered; empty where any order will do.

    In the order of delivery each chunk would visit pages all over production, in the order of production pages all
    over staging. So numbers go from tile to tile: a stretch of the delivery, within it from member to member, and the
    new codes as the index has them. A tile as wide as the root of rows times rows of a chunk meets the fewest pages.
    """
    if context.is_preview or not context.sql.merges_in_tiles or rows < _WORTH_TILES * context.chunk_rows:
        return Sql("")
    width = isqrt(context.chunk_rows * rows)
    code = context.sql.by_bytes(column("j", "code"))
    return sql(" ORDER BY j.row_id / {width}, j.target_id, {code}", width=Sql(str(width)), code=code)


def turns(context: BatchContext) -> dict[int, tuple[int, int]]:
    """Return the first and the last number of each turn that there is.

    Rows that got a turn are behind all others, so the last row tells whether there are any.
    """
    for turn, first, last in fetch(statement("last_turn", work=context.work)):
        if turn is None:
            return {Turn.PLAIN: (first, last)}
    return {turn: (first, last) for turn, first, last in fetch(statement("turns", work=context.work))}


def _some_wait(context: BatchContext) -> bool:
    if not context.self_references:
        return False
    return bool(fetch(statement("some_wait", work=context.work)))


def _find_traders(context: BatchContext) -> int:
    """Note the rows that bring a unique value which another row has its member give up, and these."""
    if not context.unique_fields:
        return 0
    worktable.create_beside(context, _TRADERS, [("row_id", "bigint")])
    parts = {"traders": context.table(_TRADERS), "edges": context.table("_edges"), "work": context.work}
    ends = (name("row_id"), name("target"))
    return sum(run(statement("find_traders", one=one, values=Sql(str(VALUES)), **parts)) for one in ends)


def _put(context: BatchContext, turn: Turn, condition: str, **parts: Sql) -> None:
    """Give rows their turn, and numbers after all others: a turn is a range of numbers, whatever its place."""
    run(
        statement(
            "put",
            work=context.work,
            turn=Sql(str(int(turn))),
            condition=sql(condition, **parts),
        )
    )
