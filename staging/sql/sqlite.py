"""SQLite: tables with one writer, and staged text, its common forms in SQL, the rare ones by `sqlite_functions`."""

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import date, datetime
from typing import Any

from django.db import connection, transaction

from staging.identifiers import quote
from staging.sql import sqlite_functions
from staging.sql.compose import Database, Sql, fetch, name, run, sql
from staging.sql.dialect import (
    BLANKS,
    CLEARED,
    DECIMAL_DIGITS,
    NO_TEXTS,
    TOO_BIG,
    WRONG,
    YES_TEXTS,
    Dialect,
    OfItself,
    TableDialect,
    Values,
)
from staging.sql.other_process import MAPPED
from staging.states import DataType

# Text may hold a NUL or broken UTF-8 here (PostgreSQL can hold neither), which no client could read back.
_BAD_TEXT = (
    "(instr({v}, char(0)) OR CASE WHEN {v} GLOB {beyond_ascii} THEN NOT staging_is_text(CAST({v} AS BLOB)) ELSE 0 END)"
)
# The forms that nearly all values have, which no blanks can surround: a condition, and the value when it holds.
_PLAIN = {
    # What reads as itself when it comes back as text is canonical; all else is for the function to say.
    DataType.INTEGER: ("CAST(CAST({v} AS INTEGER) AS TEXT) = {v}", "CAST({v} AS INTEGER)"),
    # Digits, one point, digits, no zero at either end; or a whole number. Both are canonical as they are.
    DataType.DECIMAL: (
        "CASE WHEN {v} GLOB '[1-9]*.*[1-9]' AND {v} NOT GLOB '*[^0-9.]*' AND {v} NOT GLOB '*.*.*'"
        " AND length({v}) <= {digits} AND instr({v}, char(0)) = 0 THEN 1"
        " ELSE CAST(CAST({v} AS INTEGER) AS TEXT) = {v} END",
        "{v}",
    ),
    # A modifier makes these functions move 30 February to March; without one they give it back as it came. What comes
    # back equal therefore is a day of the calendar, in exactly this form.
    DataType.DATE: ("date({v}, '+0 days') = {v} AND {v} >= '0001'", "{v}"),
    DataType.DATETIME: (
        "datetime({v}, '+0 days') = replace({v}, 'T', ' ') AND {v} >= '0001'",
        "replace({v}, 'T', ' ') || '.000000'",
    ),
}
_RARE = {
    DataType.INTEGER: "staging_integer(CAST({v} AS BLOB))",
    DataType.DECIMAL: "staging_decimal(CAST({v} AS BLOB))",
    DataType.DATE: "NULL",
    DataType.DATETIME: "staging_instant(CAST({v} AS BLOB))",
}
_FORMS = {
    DataType.TEXT: f"CASE WHEN NOT {_BAD_TEXT} THEN {{v}} END",
    DataType.BOOLEAN: (f"CASE WHEN lower({{v}}) IN ({YES_TEXTS}) THEN 1 WHEN lower({{v}}) IN ({NO_TEXTS}) THEN 0 END"),
    **{kind: f"CASE WHEN {_PLAIN[kind][0]} THEN {_PLAIN[kind][1]} ELSE {_RARE[kind]} END" for kind in _PLAIN},
}
_WIDE_BLANK, _BEYOND_BLANKS = "\u00a0", "\u00a1"  # the last of BLANKS, and what comes after it
# Trimmed text decides what is blank and what clears; it costs more than all the rest, so the usual texts go without.
_WITH_CARE = (
    "CASE WHEN {v} IS NOT NULL THEN CASE {trimmed} WHEN '' THEN NULL WHEN {clears} THEN {CLEARED}"
    " ELSE COALESCE({form}, {wrong}) END END"
)
_MARKED = {
    # Bytes, above any text, become text by being trimmed. A text that clears or is blank begins with a blank or is the
    # sentinel with blanks behind it.
    DataType.TEXT: (
        f"CASE WHEN {{v}} >= x'' THEN {{care}} WHEN {_BAD_TEXT} THEN {{WRONG}}"
        " WHEN {v} < '!' OR {v} BETWEEN {clears} AND {beyond} OR {v} BETWEEN {wide_blank} AND {beyond_it} THEN"
        " CASE {trimmed} WHEN '' THEN NULL WHEN {clears} THEN {CLEARED} ELSE {trimmed} END ELSE {trimmed} END"
    ),
    DataType.BOOLEAN: (
        "CASE {v} WHEN {clears} THEN {CLEARED} WHEN 'true' THEN 1 WHEN 'false' THEN 0 WHEN '1' THEN 1 WHEN '0' THEN 0"
        " WHEN 'yes' THEN 1 WHEN 'no' THEN 0 ELSE {care} END"
    ),
    **{
        kind: f"CASE WHEN {{v}} <> {{clears}} AND {condition} THEN {value} ELSE {{care}} END"
        for kind, (condition, value) in _PLAIN.items()
    },
}
_TOO_BIG = "CASE WHEN length({v}) > 18 AND ltrim(ltrim({v}, '-'), '0123456789') = '' THEN {TOO_BIG} ELSE {WRONG} END"
_STAGED = {
    DataType.TEXT: "{v}",
    DataType.INTEGER: "CAST({v} AS TEXT)",
    DataType.DECIMAL: "{v}",
    DataType.BOOLEAN: "CASE WHEN {v} THEN 'true' ELSE 'false' END",
    DataType.DATE: "{v}",
    DataType.DATETIME: "replace({v}, ' ', 'T') || 'Z'",
}
_BEYOND_ASCII = "*[^\x01-\x7f]*"


class SQLiteTables(TableDialect):
    """Tables on SQLite 3.37 and later: one writer, so whoever has a transaction has what it locks elsewhere.

    SQLite knows few types, so the declared name carries ours and its ending decides how values are kept: `..._TEXT` as
    text, `..._INT` as integer. Decimals are canonical text there (no exponent, no trailing zeros): SQLite's own numbers
    lose digits beyond the 15th, and exact equality decides whether a row changes. Dates are `YYYY-MM-DD`, instants
    `YYYY-MM-DD HH:MM:SS.ffffff` in UTC; both sort as text. No converter of the Python driver knows these names, so
    every client reads the same text.
    """

    stored_types = {
        DataType.TEXT: "TEXT",
        DataType.INTEGER: "INTEGER",
        DataType.DECIMAL: "DECIMAL_TEXT",
        DataType.BOOLEAN: "BOOLEAN_INT",
        DataType.DATE: "DATE_TEXT",
        DataType.DATETIME: "DATETIME_TEXT",
        DataType.REFERENCE: "REFERENCE_INT",
        "small": "INTEGER",
    }
    given_as_values = frozenset({DataType.TEXT, DataType.INTEGER, DataType.REFERENCE})
    true = "1"
    now = "(strftime('%Y-%m-%d %H:%M:%f000', 'now'))"
    renames_indexes = False
    locks_rows = False
    streams_rows = False
    nests_inserts = False
    work_schema = "temp"
    kept_schema = "main"
    has_private_tables = True
    unlogged_table = Sql("TABLE")
    numbering = "INTEGER PRIMARY KEY"
    indexes_numbers = False
    joins_texts, listed, hashed = "group_concat", "json_array({})", "SHA256({})"
    microseconds = "django_timestamp_diff({end}, {start})"
    tables_at_once = 25  # each table that a statement opens is compared with all that it has open: 200 cost double
    lookup_index = Sql("")

    def room(self, percent: int) -> str:
        """Return nothing: pages are always filled."""
        return ""

    def identity(self, table: str) -> str:
        """Return the `id`; AUTOINCREMENT, for an id that was deleted must never come back as another row."""
        return f"{quote('id')} INTEGER CONSTRAINT {quote(f'pk_{table}')} PRIMARY KEY AUTOINCREMENT"

    def index_by_pages(self, label: str, table: str, column: str, pages: int | None = None) -> str:
        """Return nothing: there is no such index."""
        return ""

    def index_exists(self, name: str) -> bool:
        """Return whether the schema has the index."""
        query = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = {name})"
        return bool(Database().fetch(sql(query, name=name))[0][0])

    def columns_of(self, tables: Sequence[str]) -> Iterator[tuple[str, str, str, str]]:
        """Yield what the schema says, in one statement: the foreign keys come first, then the columns."""
        query = (
            'SELECT n.value, f."from", f."table", 1, n.id, 0'
            " FROM json_each({names}) n JOIN pragma_foreign_key_list(n.value) f"
            " UNION ALL SELECT n.value, p.name, p.type, 0, n.id, p.cid"
            " FROM json_each({names}) n JOIN pragma_table_info(n.value) p ORDER BY 4 DESC, 5, 6"
        )
        targets: dict[tuple[str, str], str] = {}
        for table, column, told, is_key, *_ in Database().fetch(sql(query, names=json.dumps(list(tables)))):
            if is_key:
                targets[table, column] = told
            else:
                yield table, column, told.upper(), targets.get((table, column), "")

    def of_itself(self, tables: Sequence[str]) -> OfItself:
        """Return how far apart the first and the last row are."""
        there = "SELECT name FROM sqlite_schema WHERE name IN (SELECT value FROM json_each({names}))"
        spread, names = "SELECT coalesce(max(id) - min(id) + 1, 0) FROM {table}", json.dumps(list(tables))
        found = [table for (table,) in fetch(sql(there, names=names))]
        return OfItself({table: fetch(sql(spread, table=name(table)))[0][0] for table in found})

    def rows_of_each(self, statements: Sequence[str], values: Values = None, *, of_a_page: bool) -> list[Any]:
        size = 20 if of_a_page else 1  # joined they take five times as long
        parts = (" UNION ALL ".join(statements[start : start + size]) for start in range(0, len(statements), size))
        with connection.cursor() as cursor:  # without values nobody looks for their places in so long a text
            return [row for part in parts for row in cursor.execute(part, values)]

    def hold_tables(self, tables: Sequence[str]) -> None:
        """Nothing to do: this transaction is the one writer."""

    def take_turns(self, key: tuple[int, int]) -> None:
        """Nothing to do: this transaction is the one writer."""

    @contextmanager
    def begin_within(self, seconds: int) -> Iterator[None]:
        """Limit the waiting for the one write lock, with which a transaction begins."""
        usual = int(1000 * connection.settings_dict["OPTIONS"].get("timeout", 5))
        run(sql(f"PRAGMA busy_timeout = {1000 * int(seconds)}"))
        try:
            with transaction.atomic():
                run(sql(f"PRAGMA busy_timeout = {usual}"))
                yield
        finally:
            run(sql(f"PRAGMA busy_timeout = {usual}"))

    def wait_as_usual(self) -> None:
        """Nothing to do: what comes after the one lock waits for none."""

    @contextmanager
    def at_most(self, seconds: int) -> Iterator[None]:
        """Run without a limit: there is none."""
        yield

    def give_up_soon(self) -> None:
        """Nothing to do: no table is locked by itself."""

    def analyze(self, table: Sql) -> None:
        """Nothing to do: plans do not depend on it."""

    def work_tables(self, pattern: str, *, kept: bool) -> list[str]:
        """Return the temporary tables of this name, or those that are kept."""
        query = r"SELECT name FROM {schema} WHERE type = 'table' AND name LIKE {p} ESCAPE '\'"
        schema = Sql("main.sqlite_master" if kept else "sqlite_temp_master")
        return [row[0] for row in fetch(sql(query, p=pattern, schema=schema))]

    def is_in_memory(self) -> bool:
        """Return whether the name says so."""
        return ":memory:" in str(connection.settings_dict["NAME"])

    def stored(self, value: int | date) -> Any:
        """Return a number, or the text of a day."""
        return value if isinstance(value, int) else value.isoformat()

    def in_order(self, decimal: Sql) -> Sql:
        """Return the text as a float."""
        return sql("CAST({decimal} AS REAL)", decimal=decimal)

    def bulk_example(self, table: str, columns: Sequence[str], file: str) -> str:
        """Return lines of Python."""
        marks = ", ".join("?" for _ in columns)
        statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608
        return f"with sqlite3.connect(path, timeout=20) as connection:\n    connection.executemany({statement!r}, rows)"


class SQLite(SQLiteTables, Dialect):
    """Values on SQLite 3.37 and later."""

    barrier = Sql("LIMIT -1 OFFSET 0")
    rewrites_indexes = True
    chunk_rows = 200_000
    worth_connections = 50_000
    merges_in_tiles = False
    writes_abreast = False
    has_row_versions = False
    marks = True
    types = {
        DataType.TEXT: "TEXT",
        DataType.INTEGER: "INTEGER",
        DataType.DECIMAL: "TEXT",
        DataType.BOOLEAN: "INTEGER",
        DataType.DATE: "TEXT",
        DataType.DATETIME: "TEXT",
        DataType.REFERENCE: "INTEGER",
    }

    def start(self) -> None:
        """Register our functions, and keep work tables on disk: a batch of any size needs the same memory."""
        connection.ensure_connection()
        sqlite_functions.add_functions(connection.connection)
        connection.close_at = 0  # what follows is for this work: the next request gets a connection of its own
        if connection.in_atomic_block:
            return
        # The pages that a chunk changes stay in memory (192 MB) and are copied back once; the log keeps the length it
        # grew to (512 MB) until another connection writes. What is only read is mapped, which spares a copy of
        # each page.
        run(sql("PRAGMA wal_autocheckpoint = 32000"))
        run(sql("PRAGMA cache_size = -196608"))
        run(sql("PRAGMA journal_size_limit = 536870912"))
        run(sql(f"PRAGMA mmap_size = {MAPPED}"))
        if not _has_temporary_tables():
            run(sql("PRAGMA temp_store = FILE"))

    def patient(self) -> None:
        """Nothing to change: SQLite has no limit on the time of a statement."""

    def favour_indexes(self) -> None:
        """Nothing to change: SQLite always joins by index."""

    def favour_hashes(self) -> AbstractContextManager[None]:
        """Change nothing: SQLite makes an index of its own where it needs one."""
        return nullcontext()

    @contextmanager
    def private(self) -> Iterator[None]:
        """Run without a transaction: ours begin with the write lock, and reading must not keep writers waiting."""
        yield

    def trim(self, value: Sql) -> Sql:
        """Return the text without surrounding blanks, null when nothing is left."""
        return sql("NULLIF(trim({v}, {blanks}), '')", v=value, blanks=BLANKS)

    def typed(self, data_type: str, value: Sql, day: Sql) -> Sql:
        """Return the value in the form production keeps, null when the text is not one of the accepted forms."""
        return sql(_FORMS[DataType(data_type)], v=value, digits=Sql(str(DECIMAL_DIGITS)), beyond_ascii=_BEYOND_ASCII)

    def marked(self, data_type: str, staged: Sql, clears: str) -> Sql:
        """Return the typed value, or a mark (bytes, which no value is) that says why there is none."""
        trimmed = sql("trim({v}, {blanks})", v=staged, blanks=BLANKS)
        marks = {"CLEARED": CLEARED, "WRONG": WRONG, "TOO_BIG": TOO_BIG}
        care = sql(
            _WITH_CARE,
            v=staged,
            trimmed=trimmed,
            clears=clears,
            form=self.typed(data_type, trimmed, Sql("NULL")),
            wrong=sql(_TOO_BIG, v=trimmed, **marks) if data_type == DataType.INTEGER else WRONG,
            **marks,
        )
        return sql(
            _MARKED[DataType(data_type)],
            v=staged,
            trimmed=trimmed,
            clears=clears,
            beyond=f"{clears}{_BEYOND_BLANKS}",
            wide_blank=_WIDE_BLANK,
            beyond_it=_BEYOND_BLANKS,
            care=care,
            digits=Sql(str(DECIMAL_DIGITS)),
            beyond_ascii=_BEYOND_ASCII,
            **marks,
        )

    def staged_form(self, data_type: str, value: Sql) -> Sql:
        """Return the stored value as staged text."""
        return sql(_STAGED[DataType(data_type)], v=value)

    def constant(self, data_type: str, text: str) -> Sql:
        """Return the text in the form production keeps."""
        if data_type == DataType.INTEGER:
            return sql("{v}", v=int(text))
        convert = {DataType.DECIMAL: sqlite_functions.decimal, DataType.DATETIME: sqlite_functions.read_instant}
        found = convert[DataType(data_type)](text.encode()) if data_type in convert else text
        return sql("{v}", v=found)

    def less(self, data_type: str, left: Sql, right: Sql) -> Sql:
        """Compare; decimals are text here, so as floats first and exactly where these are equal."""
        if data_type != DataType.DECIMAL:
            return sql("({a} < {b})", a=left, b=right)
        return sql(
            "(CASE WHEN CAST({a} AS REAL) = CAST({b} AS REAL) THEN staging_less({a}, {b})"
            " ELSE CAST({a} AS REAL) < CAST({b} AS REAL) END)",
            a=left,
            b=right,
        )

    def matches(self, pattern: str, value: Sql) -> Sql:
        """Return whether the text matches, by RE2: its time grows with the text only."""
        return sql("staging_matches({p}, CAST({v} AS BLOB))", p=pattern, v=value)

    def same(self, left: Sql, right: Sql) -> Sql:
        """Return whether two values are equal, null being equal to null."""
        return sql("({a} IS {b})", a=left, b=right)

    def shown(self, value: Sql) -> Sql:
        """Return the text, cut, with what no client could read replaced."""
        return sql("staging_shown(CAST({v} AS BLOB))", v=value)

    def part(self, whole: Sql) -> Sql:
        """Return it as a subquery: parts in brackets are unknown here."""
        return sql("SELECT * FROM ({whole})", whole=whole)

    def among(self, value: Sql, numbers: Sequence[int]) -> Sql:
        """Return whether the number is in the list, handed over as JSON: one parameter."""
        return sql("{v} IN (SELECT value FROM json_each({numbers}))", v=value, numbers=str(list(numbers)))

    def explained(self, asked: Sql, *, analyze: bool) -> tuple[list[str], int | None]:
        """Return what EXPLAIN QUERY PLAN says, each step below the one it belongs to; it runs nothing."""
        depth = {0: 0}
        lines = []
        for number, parent, _, text in Database().fetch(Sql(f"EXPLAIN QUERY PLAN {asked.text}", asked.params)):
            depth[number] = depth.get(parent, 0) + 1
            lines.append("  " * (depth[number] - 1) + str(text))
        return lines, None

    def literal(self, value: Any) -> str:
        """Return the value in SQL; all of ours are numbers, truths and texts."""
        if value is None:
            return "NULL"
        if isinstance(value, str):
            return "'{}'".format(value.replace("'", "''"))
        return str(int(value)) if isinstance(value, bool | int) else str(value)

    def instant(self, value: datetime) -> Any:
        """Return the text form, always with six digits of fraction, so that it sorts."""
        return sqlite_functions.instant_text(value)


def _has_temporary_tables() -> bool:
    """Return whether a change of the store would drop tables of others on this connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM sqlite_temp_master")
        return bool(cursor.fetchone()[0])
