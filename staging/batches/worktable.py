"""The work table of a batch: one row per staged row, with its typed values and what will become of it."""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from django.db import Error, OperationalError, transaction

from staging.batches.context import WORK_PREFIX, BatchContext
from staging.batches.lanes import takes_several
from staging.models import Batch
from staging.sql.choose import dialect
from staging.sql.compose import Sql, join, name, run, sql
from staging.sql.statement import statement
from staging.states import BatchStatus, DataType


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
