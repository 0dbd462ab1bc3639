"""PostgreSQL: tables, and staged text of which every form is recognised before it is cast: a failed cast ends all."""

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any

from django.db import connection, transaction
from psycopg.sql import Literal

from staging.identifiers import quote
from staging.patterns import to_postgresql
from staging.sql import kept_plans
from staging.sql.compose import Database, Sql, fetch, run, sql, statement
from staging.sql.dialect import (
    BIGINT_MAX,
    BLANKS,
    DECIMAL_DIGITS,
    NO_TEXTS,
    NUMBER_TEXT,
    YES_TEXTS,
    Dialect,
    OfItself,
    Server,
    TableDialect,
    Values,
)
from staging.states import DataType
from staging.transactions import in_transaction

# The few foreign keys are put together first: grouped by column, thousands of columns would be sorted by their names.
_OF_COLUMNS = (
    " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN ("
    "SELECT k.conrelid, k.conkey[1] AS attnum, max(t.relname) AS target FROM pg_constraint k"
    " JOIN pg_class t ON t.oid = k.confrelid WHERE k.contype = 'f' AND cardinality(k.conkey) = 1 GROUP BY 1, 2"
    ") f ON f.conrelid = a.attrelid AND f.attnum = a.attnum"
    " WHERE c.relname = ANY({tables}) AND pg_table_is_visible(c.oid) AND a.attnum > 0 AND NOT a.attisdropped"
)
_COLUMNS = f"SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), coalesce(f.target, '') {_OF_COLUMNS}"
# Types by their numbers: their names take longer than all else.
_STATES_OF_COLUMNS = (
    "SELECT c.relname, bit_xor(hash_record_extended(ROW(a.attname, a.atttypid, a.atttypmod, f.target), 0))"
    " {of_columns} GROUP BY 1"
)
_OF_ITSELF = (
    "SELECT (SELECT coalesce(json_object_agg(c.relname, greatest(c.reltuples, 0)::bigint), '{{}}') FROM pg_class c"
    " WHERE c.relname = ANY({tables}) AND pg_table_is_visible(c.oid)),"
    " current_setting('server_version_num')::int / 10000, current_setting('server_encoding'),"
    " (SELECT rolsuper FROM pg_roles WHERE rolname = current_user), oldest.pid, oldest.open_for"
    " FROM (SELECT 1) AS here LEFT JOIN (SELECT pid, clock_timestamp() - xact_start AS open_for FROM pg_stat_activity"
    " WHERE xact_start IS NOT NULL AND datname = current_database() AND backend_type = 'client backend'"
    " AND pid <> pg_backend_pid() ORDER BY xact_start LIMIT 1) oldest ON true"
)

_DAY = (
    "[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    "|02-(?:0[1-9]|1[0-9]|2[0-9]))"
)
_DATE = f"^{_DAY}$"
_TIME = (
    "[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,6})?)?(?:Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?"
)
_DATETIME = f"^{_DAY}(?:{_TIME})?$"
_REAL_DAY = (
    "left({v}, 4) <> '0000' AND (substr({v}, 6, 5) <> '02-29' OR (left({v}, 4)::int %% 4 = 0"
    " AND (left({v}, 4)::int %% 100 <> 0 OR left({v}, 4)::int %% 400 = 0)))"
)
_FORMS = {
    DataType.TEXT: "{v}",
    DataType.INTEGER: (
        "CASE WHEN length({v}) <= 18 THEN CASE WHEN {v} ~ '^-?[0-9]+$' THEN {v}::bigint END"
        " WHEN length({v}) <= {most} AND {v} ~ '^-?[0-9]+$'"
        " THEN CASE WHEN {v}::numeric BETWEEN -{top} - 1 AND {top} THEN {v}::bigint END END"
    ),
    DataType.DECIMAL: (
        "CASE WHEN length({v}) <= {digits} THEN CASE WHEN {v} ~ '^-?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)$' THEN {v}::numeric"
        " WHEN {v} ~ {exponent} THEN CASE WHEN abs({v}::numeric) < 1e{digits}"
        " AND scale(trim_scale({v}::numeric)) <= {digits} THEN {v}::numeric END END"
        " WHEN length({v}) <= {most} AND {v} ~ {exponent} THEN CASE WHEN abs({v}::numeric) < 1e{digits}"
        " AND scale(trim_scale({v}::numeric)) <= {digits} THEN {v}::numeric END END"
    ),
    DataType.BOOLEAN: (
        f"CASE WHEN lower({{v}}) IN ({YES_TEXTS}) THEN true WHEN lower({{v}}) IN ({NO_TEXTS}) THEN false END"
    ),
    # Nearly all days are in the calendar; the others are read with care.
    DataType.DATE: (
        f"CASE WHEN {{day}} IS NOT NULL AND length({{v}}) = 10 THEN {{day}}"
        f" WHEN {{v}} ~ {{date}} THEN CASE WHEN {_REAL_DAY} THEN {{v}}::date END END"
    ),
    DataType.DATETIME: (
        "CASE WHEN {day} IS NOT NULL THEN CASE WHEN length({v}) = 10 THEN {day}::timestamp AT TIME ZONE 'UTC'"
        " WHEN substr({v}, 11) ~ {time} THEN {instant} END"
        f" WHEN {{v}} ~ {{datetime}} THEN CASE WHEN {_REAL_DAY} THEN CASE"
        " WHEN {instant} >= '0001-01-01 00:00:00+00' AND {instant} < '10000-01-01 00:00:00+00' THEN {instant}"
        " END END END"
    ),
}
# A date alone is midnight; a time without an offset is UTC.
_INSTANT = (
    "({v} || CASE WHEN length({v}) = 10 THEN 'T00:00Z' WHEN substr({v}, 17) ~ '[Z+-]' THEN '' ELSE 'Z' END)"
    "::timestamptz"
)
_EXPONENT = "^-?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]{1,2})?$"
_STAGED = {
    DataType.TEXT: "{v}",
    DataType.INTEGER: "{v}::text",
    DataType.DECIMAL: "trim_scale({v})::text",
    DataType.BOOLEAN: "CASE WHEN {v} THEN 'true' ELSE 'false' END",
    DataType.DATE: "to_char({v}, 'YYYY-MM-DD')",
    DataType.DATETIME: "to_char({v} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
}
# In a plan the node that writes, and what is right below it.
_WRITES = r"(Insert|Update|Delete) on "
_BELOW = r"  ->  .*\(actual .*rows=([0-9.]+) loops=(\d+)\)"
# A day is looked up faster than it is read; the calendar itself costs about as much as 20,000 readings.
CALENDAR_ROWS = 20_000
_CALENDAR = Sql(
    "WITH calendar (text, day) AS MATERIALIZED (SELECT to_char(day, 'YYYY-MM-DD'), day::date FROM"
    " generate_series(timestamp '1900-01-01', '2099-12-31', '1 day') AS series (day)) "
)


class PostgreSQLTables(TableDialect):
    """Tables on PostgreSQL 15 and later."""

    stored_types = {
        DataType.TEXT: "text",
        DataType.INTEGER: "bigint",
        DataType.DECIMAL: "numeric",
        DataType.BOOLEAN: "boolean",
        DataType.DATE: "date",
        DataType.DATETIME: "timestamp with time zone",
        DataType.REFERENCE: "bigint",
        "small": "smallint",
    }
    given_as_values = frozenset(DataType) - {DataType.DATETIME}
    true = "true"
    # The start of the statement, not of the transaction: rows of a long load do not look older than they are. (The
    # clock itself would be volatile, and COPY inserts row by row when a default is volatile.)
    now = "statement_timestamp()"
    renames_indexes = True
    locks_rows = True
    streams_rows = True
    nests_inserts = True
    work_schema = ""
    kept_schema = ""
    has_private_tables = False
    unlogged_table = Sql("UNLOGGED TABLE")
    numbering = "bigint GENERATED BY DEFAULT AS IDENTITY"
    indexes_numbers = True
    joins_texts, listed = "string_agg", "CAST(to_json(ARRAY[{}]) AS text)"
    hashed = "encode(sha256(convert_to({}, 'UTF8')), 'hex')"
    microseconds = "(EXTRACT(EPOCH FROM {end} - {start}) * 1000000)::bigint"
    tables_at_once = 100  # longer statements plan slowly
    lookup_index = Sql("USING hash")

    def room(self, percent: int) -> str:
        """Return the fill factor."""
        return f" WITH (fillfactor = {percent})"

    def identity(self, table: str) -> str:
        """Return the `id` with a sequence and a key of our names, or entity `x_pkey` would meet the key of `x`."""
        key = f"CONSTRAINT {quote(f'pk_{table}')} PRIMARY KEY"
        sequence = f"GENERATED BY DEFAULT AS IDENTITY (SEQUENCE NAME {quote(f'sq_{table}')})"
        return f"{quote('id')} bigint {sequence} {key}"

    def index_by_pages(self, label: str, table: str, column: str, pages: int | None = None) -> str:
        """Return the statement of an index that holds a summary of each stretch of pages."""
        how = f"WITH ({f'pages_per_range = {pages}, ' if pages else ''}autosummarize = on)"
        return f"CREATE INDEX {quote(label)} ON {quote(table)} USING brin ({quote(column)}) {how}"

    def index_exists(self, name: str) -> bool:
        return bool(Database().fetch(sql("SELECT to_regclass({name}) IS NOT NULL", name=quote(name)))[0][0])

    def columns_of(self, tables: Sequence[str]) -> Iterator[tuple[str, str, str, str]]:
        """Yield what the catalogue says."""
        yield from Database().fetch(sql(f"{_COLUMNS} ORDER BY c.oid, a.attnum", tables=list(tables)))

    def states_of_columns(self, tables: Sequence[str]) -> dict[str, Hashable]:
        """Return what the catalogue adds up to."""
        return dict(Database().fetch(sql(_STATES_OF_COLUMNS, of_columns=sql(_OF_COLUMNS, tables=list(tables)))))

    def of_itself(self, tables: Sequence[str]) -> OfItself:
        """Return what it says, and what the planner believes of the tables."""
        told = fetch(sql(_OF_ITSELF, tables=list(tables)))[0]
        rows_about, version, encoding, is_superuser, process, open_for = told
        oldest = None if process is None else (process, open_for)
        return OfItself(rows_about, Server(version, encoding, is_superuser, oldest))

    def rows_of_each(self, statements: Sequence[str], values: Values = None, *, of_a_page: bool) -> list[Any]:
        return kept_plans.rows_planned_once(statements, values)

    def hold_tables(self, tables: Sequence[str]) -> None:
        """Lock them, against reading too."""
        if tables:
            run(Sql(f"LOCK TABLE {', '.join(map(quote, tables))} IN ACCESS EXCLUSIVE MODE"))

    def take_turns(self, key: tuple[int, int]) -> None:
        """Take an advisory lock."""
        fetch(sql("SELECT pg_advisory_xact_lock({first}, {second})", first=key[0], second=key[1]))

    @contextmanager
    def begin_within(self, seconds: int) -> Iterator[None]:
        """Limit the waiting for each lock, in a transaction of its own."""
        with transaction.atomic():
            fetch(sql("SELECT set_config('lock_timeout', {limit}, true)", limit=f"{seconds}s"))
            yield

    def wait_as_usual(self) -> None:
        """Go back to the limit of the connection."""
        run(sql("SET LOCAL lock_timeout TO DEFAULT"))

    @contextmanager
    def at_most(self, seconds: int) -> Iterator[None]:
        """Limit the time of statements, in a transaction of its own."""
        with transaction.atomic():
            fetch(sql("SELECT set_config('statement_timeout', {limit}, true)", limit=f"{seconds}s"))
            yield

    @in_transaction
    def give_up_soon(self) -> None:
        """Wait a fifth of a second for a lock."""
        run(statement("give_up_soon"))

    @in_transaction
    def analyze(self, table: Sql) -> None:
        """Look at 3,000 rows, which is enough; the usual 30,000 cost as much as merging them."""
        run(statement("small_sample"))
        run(statement("analyze_table", table=table))

    def work_tables(self, pattern: str, *, kept: bool) -> list[str]:
        """Return the tables of this name; all are kept."""
        query = "SELECT relname FROM pg_class WHERE relkind = 'r' AND pg_table_is_visible(oid) AND relname LIKE {p}"
        return [row[0] for row in fetch(sql(query, p=pattern))]

    def is_in_memory(self) -> bool:
        return False

    def stored(self, value: int | date) -> Any:
        return value

    def in_order(self, decimal: Sql) -> Sql:
        """Return the number itself."""
        return sql("{decimal}::numeric", decimal=decimal)

    def bulk_example(self, table: str, columns: Sequence[str], file: str) -> str:
        """Return a command of psql."""
        return f"\\copy {table} ({', '.join(columns)}) FROM '{file}' WITH (FORMAT csv, HEADER true)"


class PostgreSQL(PostgreSQLTables, Dialect):
    """Values on PostgreSQL 15 and later."""

    barrier = Sql("OFFSET 0")
    rewrites_indexes = False
    chunk_rows = 50_000
    worth_connections = 10_000
    merges_in_tiles = True
    writes_abreast = True
    has_row_versions = True
    marks = False
    types = {
        DataType.TEXT: "text",
        DataType.INTEGER: "bigint",
        DataType.DECIMAL: "numeric",
        DataType.BOOLEAN: "boolean",
        DataType.DATE: "date",
        DataType.DATETIME: "timestamptz",
        DataType.REFERENCE: "bigint",
    }

    def start(self) -> None:
        """Nothing to prepare: every setting belongs to a transaction."""

    @in_transaction
    def patient(self) -> None:
        """Let a statement take an hour (it may see millions of rows), and hash in memory; 4 MB costs a quarter more."""
        for name in ("take_long", "wait_for_locks", "hash_in_memory", "compile_nothing"):
            run(statement(name))

    @in_transaction
    def favour_indexes(self) -> None:
        """Let a chunk find its rows by index: scanning whole tables for each chunk costs more than the chunk itself."""
        run(statement("favour_indexes"))

    @in_transaction
    @contextmanager
    def favour_hashes(self) -> Iterator[None]:
        """Read both sides of a join once, where the planner expects one row of those that came a moment ago."""
        run(statement("favour_hashes"))
        yield
        run(statement("favour_loops_again"))

    @contextmanager
    def private(self) -> Iterator[None]:
        """Run in one transaction: the work table appears complete or not at all."""
        with transaction.atomic():
            self.patient()
            yield

    def trim(self, value: Sql) -> Sql:
        """Return the text without surrounding blanks, null when nothing is left."""
        return sql("NULLIF(btrim({v}, {blanks}), '')", v=value, blanks=BLANKS)

    def typed(self, data_type: str, value: Sql, day: Sql) -> Sql:
        """Return the value cast to its type, null when the text is not one of the accepted forms."""
        return sql(
            _FORMS[DataType(data_type)],
            v=value,
            instant=sql(_INSTANT, v=value),
            most=Sql(str(NUMBER_TEXT)),
            digits=Sql(str(DECIMAL_DIGITS)),
            top=Sql(str(BIGINT_MAX)),
            exponent=_EXPONENT,
            day=day if self.calendar.text else Sql("NULL::date"),
            date=_DATE,
            time=f"^{_TIME}$",
            datetime=_DATETIME,
        )

    def staged_form(self, data_type: str, value: Sql) -> Sql:
        """Return the stored value as staged text, whatever the session's way of showing dates."""
        return sql(_STAGED[DataType(data_type)], v=value)

    def expect(self, rows: int) -> None:
        """Look days up when there are many."""
        self.calendar = _CALENDAR if rows >= CALENDAR_ROWS else Sql("")

    def look_up_day(self, data_type: str, value: Sql, alias: Sql) -> Sql:
        """Return the join with the calendar."""
        if not self.calendar.text or data_type not in (DataType.DATE, DataType.DATETIME):
            return Sql("")
        return sql(" LEFT JOIN calendar {a} ON {a}.text = left({v}, 10)", a=alias, v=value)

    def constant(self, data_type: str, text: str) -> Sql:
        """Return the text cast by the database."""
        kind = self.types[DataType(data_type)]
        return sql(f"{{v}}::{kind}", v=f"{text}Z" if _is_local_instant(data_type, text) else text)

    def less(self, data_type: str, left: Sql, right: Sql) -> Sql:
        """Return `left < right`."""
        return sql("({a} < {b})", a=left, b=right)

    def matches(self, pattern: str, value: Sql) -> Sql:
        """Return whether the text matches; the pattern is translated, its meaning is the same on both databases."""
        return sql("({v} ~ {p})", v=value, p=to_postgresql(pattern))

    def same(self, left: Sql, right: Sql) -> Sql:
        """Return whether two values are equal, null being equal to null."""
        return sql("({a} IS NOT DISTINCT FROM {b})", a=left, b=right)

    def shown(self, value: Sql) -> Sql:
        """Return the text, cut."""
        return sql("CASE WHEN length({v}::text) > 80 THEN left({v}::text, 80) || '…' ELSE {v}::text END", v=value)

    def by_bytes(self, value: Sql) -> Sql:
        """Return the text in no language's order."""
        return sql('{v} COLLATE "C"', v=value)

    def among(self, value: Sql, numbers: Sequence[int]) -> Sql:
        """Return whether the number is in the array: one parameter."""
        return sql("{v} = ANY({numbers}::bigint[])", v=value, numbers=list(numbers))

    def explained(self, asked: Sql, *, analyze: bool) -> tuple[list[str], int | None]:
        """Return what EXPLAIN says; with `analyze` the statement has run."""
        how = "EXPLAIN (ANALYZE, BUFFERS) " if analyze else "EXPLAIN "
        lines = [str(line) for (line,) in Database().fetch(Sql(how + asked.text, asked.params))]
        writes = analyze and re.match(_WRITES, lines[0])
        return lines, _rows_below(lines) if writes else None

    def literal(self, value: Any) -> str:
        """Return the value as the driver writes it."""
        return Literal(value).as_string(None)

    def asked_often(
        self, statement: str, parameters: Sequence[Any], places: Mapping[int, DataType]
    ) -> Callable[[Sequence[Any]], list[tuple[Any, ...]]]:
        """Return what asks it by a plan that is kept; all that stays the same is written out, for partial indexes."""
        as_it_is = super().asked_often(statement, parameters, places)
        marks = {place: f"${n}::{self.stored_types[places[place]]}" for n, place in enumerate(places, 1)}
        text = statement % tuple(marks.get(n) or self.literal(each) for n, each in enumerate(parameters))
        return lambda values: kept_plans.rows_of_kept_plan(text, values, otherwise=as_it_is)

    foreseen = staticmethod(kept_plans.foreseen)

    def instant(self, value: datetime) -> Any:
        return connection.ops.adapt_datetimefield_value(value)


def _rows_below(lines: list[str]) -> int:
    """Return how many rows came to the node that writes: it returns none itself, and writes each of them."""
    found = next((row for line in lines if (row := re.match(_BELOW, line))), None)
    return round(float(found[1]) * int(found[2])) if found else 0


def _is_local_instant(data_type: str, text: str) -> bool:
    return data_type == DataType.DATETIME and len(text) > 10 and not any(mark in text[16:] for mark in "Z+-")
