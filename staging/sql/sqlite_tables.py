"""Tables on SQLite."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Any

from django.db import connection

from staging.identifiers import quote
from staging.sql.compose import Database, Sql, fetch, sql
from staging.sql.table_dialect import TableDialect
from staging.states import DataType


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
        """Yield what the schema says, in two statements."""
        names = json.dumps(list(tables))
        query = 'SELECT n.value, f."from", f."table" FROM json_each({names}) n JOIN pragma_foreign_key_list(n.value) f'
        targets = {(table, column): target for table, column, target in Database().fetch(sql(query, names=names))}
        query = (
            "SELECT n.value, p.name, p.type FROM json_each({names}) n JOIN pragma_table_info(n.value) p"
            " ORDER BY n.id, p.cid"
        )
        for table, column, kind in Database().fetch(sql(query, names=names)):
            yield table, column, kind.upper(), targets.get((table, column), "")

    def hold_tables(self, tables: Sequence[str]) -> None:
        """Nothing to do: this transaction is the one writer."""

    def take_turns(self, key: tuple[int, int]) -> None:
        """Nothing to do: this transaction is the one writer."""

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
