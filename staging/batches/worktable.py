"""The work table of a batch: one row per staged row, with its typed values, what will become of it, and its turn.

Turns are the order of merging; each sees what the ones before it wrote. Rejected rows come first where a value or a
code is free only once: were they still pending after a crash, what good rows have changed meanwhile could make them
look good. Then members are taken away, so that their unique values are free; then the plain rows; then those that wait
for the ids of new members; and last the renames, so that until the end every code means what it meant when the rows
were delivered, together with the rows that pass unique values on from member to member. Removals are one transaction,
and so are those that come together.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from math import isqrt

from django.db import Error, OperationalError, transaction

from staging.batches.context import WORK_PREFIX, BatchContext, takes_several
from staging.batches.judging import intent
from staging.models import Batch
from staging.sql.compose import Sql, column, fetch, join, name, run, sql, statement
from staging.sql.dialect import dialect
from staging.states import BatchStatus, DataType

# Chunks of one connection; with fewer of them, sorting the rows costs as much as it saves.
_WORTH_TILES = 16
# What stands for a unique field among the edges of the cascade, plus its place among the unique fields.
VALUES = 1000
_TRADERS = "_traders"


def create(context: BatchContext, rows: int) -> None:
    """Create the work table for about so many rows: on SQLite temporary and therefore private to the connection.

    On PostgreSQL it is unlogged, unless it will be kept (decisions.py): to log it later is to write all of it again.
    """
    run(creation(context, logged=not context.is_preview and takes_several(context, rows)))


def creation(context: BatchContext, more: Sequence[tuple[str, str]] = (), *, logged: bool = False) -> Sql:
    """Return the statement that creates the work table, perhaps with more columns."""
    return _creation(context, "", [*_columns(context), *more], logged=logged)


def create_beside(context: BatchContext, suffix: str, columns: list[tuple[str, str]]) -> None:
    """Create a table with these columns and types, named after the work table."""
    run(_creation(context, suffix, columns))


def _creation(context: BatchContext, suffix: str, columns: list[tuple[str, str]], *, logged: bool = False) -> Sql:
    kind = Sql("TABLE") if logged else context.sql.unlogged_table
    body = join(", ", (sql(f"{{column}} {type_}", column=name(column)) for column, type_ in columns))
    return statement("create_table", kind=kind, table=context.table(suffix), body=body)


def index(context: BatchContext, suffix: str, column: str) -> None:
    """Index a column of the work table, or of one beside it, for looking values up."""
    _index(context, suffix, column, context.sql.lookup_index)


def index_numbers(context: BatchContext) -> None:
    """Index the numbers by which chunks are taken, where they are not the table's own key."""
    if context.sql.indexes_numbers:
        _index(context, "", "seq", Sql(""))


def _index(context: BatchContext, suffix: str, column: str, kind: Sql) -> None:
    label = f"{context.work_name}{suffix}_{column}"[-60:]
    run(
        statement(
            "create_index",
            place=_place(context.sql.work_schema),
            label=name(label),
            table=name(context.work_name + suffix),
            kind=kind,
            column=name(column),
        )
    )


def analyze(context: BatchContext, suffix: str = "") -> None:
    """Let the planner look at the table: a context made for an empty one takes for ever."""
    context.sql.analyze(context.table(suffix))


def drop(context: BatchContext) -> None:
    """Drop the work table and those beside it; when the connection is no good the next start will."""
    with suppress(Error):
        start_afresh(context)


def start_afresh(context: BatchContext, *but: str) -> None:
    """Drop the work table and those beside it, but for these suffixes: they are made again. Raises when that fails."""
    stays = {context.work_name + suffix for suffix in but}
    with transaction.atomic():
        for table in _tables(f"{context.work_name}%"):
            if table not in stays:
                _drop(table)


def drop_kept(table: str) -> None:
    """Drop a table of kept decisions and those beside it."""
    for found in _tables(f"{table}%", kept=True):
        _drop(found, kept=True)


def drop_leftovers(batch: Batch) -> None:
    """Drop the work tables of this batch's dead attempts and of batches that have ended.

    One that is still in use by an attempt that does not know of its end stays until the next batch.
    """
    if dialect().has_private_tables:
        for table in _tables(f"{WORK_PREFIX}%"):
            _drop(table)
    for table in _orphans(batch, _tables(f"{WORK_PREFIX}%", kept=True)):
        _drop_unless_used(table)


def _orphans(batch: Batch, tables: Iterable[str]) -> list[str]:
    """Return the work tables of dead attempts, without those that hold decisions which are still to be carried out."""
    kept = tuple(Batch.objects.exclude(decisions="").values_list("decisions", flat=True))
    keys = {table: table.removeprefix(WORK_PREFIX).split("_")[0] for table in tables if not table.startswith(kept)}
    alive = set(
        Batch.objects.filter(pk__in={int(key) for key in keys.values() if key.isdigit()})
        .exclude(status__in=[*BatchStatus.final(), BatchStatus.HELD])
        .exclude(pk=batch.pk)
        .values_list("pk", flat=True)
    )
    return [table for table, key in keys.items() if key.isdigit() and int(key) not in alive]


def columns(context: BatchContext) -> list[str]:
    """Return the names of the work table's columns."""
    return [column for column, _ in _columns(context)]


def _columns(context: BatchContext) -> list[tuple[str, str]]:
    kind = context.sql.type_of
    version = [("row_version", "tid")] if context.sql.has_row_versions else []
    late = [(f"l_{f.name}", kind(DataType.TEXT)) for f in context.self_references]
    return [
        ("seq", context.sql.numbering),
        ("row_id", "bigint"),
        *version,
        ("code", kind(DataType.TEXT)),
        ("action", "smallint"),
        ("new_code", kind(DataType.TEXT)),
        ("target_id", "bigint"),
        ("outcome", "smallint"),
        ("turn", "smallint"),
        ("waits", "bigint"),
        ("error", "bigint"),
        ("message", kind(DataType.TEXT)),
        *((f"v_{f.name}", kind(f.data_type)) for f in context.fields),
        *late,
    ]


def _tables(pattern: str, *, kept: bool = False) -> list[str]:
    """Return the tables with such a name; private ones, but for those that are `kept`."""
    return dialect().work_tables(pattern.replace("_", r"\_"), kept=kept)


def _drop(table: str, *, kept: bool = False) -> None:
    place = _place(dialect().kept_schema if kept else dialect().work_schema)
    run(statement("drop_table", place=place, table=name(table)))


def _place(schema: str) -> Sql:
    return Sql(f"{schema}." if schema else "")


def _drop_unless_used(table: str) -> None:
    try:
        with transaction.atomic():
            dialect().give_up_soon()
            _drop(table, kept=True)
    except OperationalError:
        return


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
        removes=intent.removes("w"),
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
    # Only there a value or a code can come free that would make a rejected row look good (see above).
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
    create_beside(context, _TRADERS, [("row_id", "bigint")])
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
