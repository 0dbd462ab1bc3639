"""The work table of a batch: one row per staged row, with its typed values and what will become of it."""

from contextlib import suppress

from django.db import Error, OperationalError, connection, transaction

from staging.batches.plan import WORK_PREFIX, Plan
from staging.models import Batch
from staging.sql.compose import Sql, fetch, join, name, run, sql
from staging.states import BatchStatus, DataType

# What will become of a staged row, by the word that statements use and by the counter of the batch.
# An attempt that goes on where another stopped also sees the rows this batch has settled: they decide about the others
# (the second of two copies must not pass because the first is done), but are not touched again.
OUTCOMES = {
    "INSERT": 1, "UPDATE": 2, "UNCHANGED": 3, "REJECTED": 4, "SUPERSEDED": 5, "DEACTIVATE": 6, "DELETE": 7,
    "DONE": 8, "DONE_REJECTED": 9,
}  # fmt: skip
COUNTERS = {
    1: "inserted", 2: "updated", 3: "unchanged", 4: "rejected", 5: "superseded", 6: "deactivated", 7: "deleted",
}  # fmt: skip


def create(plan: Plan) -> None:
    """Create the work table: unlogged on PostgreSQL, on SQLite temporary and therefore private to the connection."""
    run(creation(plan))


def creation(plan: Plan) -> Sql:
    """Return the statement that creates the work table."""
    return _creation(plan, "", _columns(plan))


def create_beside(plan: Plan, suffix: str, columns: list[tuple[str, str]]) -> None:
    """Create a table with these columns and types, named after the work table."""
    run(_creation(plan, suffix, columns))


def _creation(plan: Plan, suffix: str, columns: list[tuple[str, str]]) -> Sql:
    kind = Sql("UNLOGGED TABLE" if connection.vendor == "postgresql" else "TABLE")
    body = join(", ", (sql(f"{{column}} {type_}", column=name(column)) for column, type_ in columns))
    return sql("CREATE {kind} {table} ({body})", kind=kind, table=plan.table(suffix), body=body)


def index(plan: Plan, suffix: str, column: str) -> None:
    """Index a column of the work table, or of one beside it, for looking values up.

    Values are hashed on PostgreSQL: a staged text may be far too long for an ordered index.
    """
    kind = Sql("USING hash" if connection.vendor == "postgresql" else "")
    _index(plan, suffix, column, kind)


def index_numbers(plan: Plan) -> None:
    """Index the numbers by which chunks are taken; SQLite's are the table's own key."""
    if connection.vendor == "postgresql":
        _index(plan, "", "seq", Sql(""))


def _index(plan: Plan, suffix: str, column: str, kind: Sql) -> None:
    label = f"{plan.work_name}{suffix}_{column}"[-60:]
    place = Sql("temp." if connection.vendor == "sqlite" else "")
    statement = sql(
        "CREATE INDEX {place}{label} ON {table} {kind} ({column})",
        place=place,
        label=name(label),
        table=name(plan.work_name + suffix),
        kind=kind,
        column=name(column),
    )
    run(statement)


def analyze(plan: Plan, suffix: str = "") -> None:
    """Let PostgreSQL look at the table: a plan made for an empty one takes for ever.

    A look at 3,000 rows is enough; the usual 30,000 cost as much as merging them. Call inside a transaction.
    """
    if connection.vendor == "postgresql":
        run(sql("SET LOCAL default_statistics_target = 10"))
        run(sql("ANALYZE {table}", table=plan.table(suffix)))


def drop(plan: Plan) -> None:
    """Drop the work table and those beside it; when the connection is no good the next start will."""
    with suppress(Error):
        start_afresh(plan)


def start_afresh(plan: Plan, but: str = "") -> None:
    """Drop the work table and those beside it, except one, because they are made again; raises when that fails."""
    with transaction.atomic():
        for table in _tables(f"{plan.work_name}%"):
            if not but or table != plan.work_name + but:
                _drop(table)


def drop_leftovers(batch: Batch) -> None:
    """Drop the work tables of this batch's dead attempts and of batches that have ended.

    One that is still in use by an attempt that does not know of its end stays until the next batch.
    """
    if connection.vendor == "sqlite":
        for table in _tables(f"{WORK_PREFIX}%"):
            _drop(table)
        return
    found = {table: table.removeprefix(WORK_PREFIX).split("_")[0] for table in _tables(f"{WORK_PREFIX}%")}
    alive = set(
        Batch.objects.filter(pk__in={int(key) for key in found.values() if key.isdigit()})
        .exclude(status__in=[*BatchStatus.final(), BatchStatus.HELD])
        .exclude(pk=batch.pk)
        .values_list("pk", flat=True)
    )
    for table, key in found.items():
        if key.isdigit() and int(key) not in alive:
            _drop_unless_used(table)


def columns(plan: Plan) -> list[str]:
    """Return the names of the work table's columns."""
    return [column for column, _ in _columns(plan)]


def _columns(plan: Plan) -> list[tuple[str, str]]:
    kind = plan.sql.type_of
    version = [("row_version", "tid")] if connection.vendor == "postgresql" else []
    seq = "bigint GENERATED BY DEFAULT AS IDENTITY" if version else "INTEGER PRIMARY KEY"
    late = [(f"l_{f.name}", kind(DataType.TEXT)) for f in plan.self_references]
    return [
        ("seq", seq),
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
        *((f"v_{f.name}", kind(f.data_type)) for f in plan.fields),
        *late,
    ]


def _tables(pattern: str) -> list[str]:
    escaped = pattern.replace("_", r"\_")
    if connection.vendor == "postgresql":
        where = "SELECT relname FROM pg_class WHERE relkind = 'r' AND pg_table_is_visible(oid) AND relname LIKE {p}"
    else:
        where = r"SELECT name FROM sqlite_temp_master WHERE type = 'table' AND name LIKE {p} ESCAPE '\'"
    return [row[0] for row in fetch(sql(where, p=escaped))]


def _drop(table: str) -> None:
    place = "temp." if connection.vendor == "sqlite" else ""
    run(sql(f"DROP TABLE IF EXISTS {place}{{table}}", table=name(table)))


def _drop_unless_used(table: str) -> None:
    try:
        with transaction.atomic():
            if connection.vendor == "postgresql":
                run(sql("SET LOCAL lock_timeout = '200ms'"))
            _drop(table)
    except OperationalError:
        return
