"""Reads the file of an SQLite installation as it is, while nobody else may write to it: what a copy is made from."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scheduling.errors import CannotCopy
from staging.identifiers import quote
from staging.sql.compose import join, name, sql
from staging.wording import one_line, say

_WAITS_SECONDS = 20
_AT_ONCE = 2_000


class DatabaseFile:
    """The tables of a file, their columns with the declared types, and their rows."""

    def __init__(self, connection: sqlite3.Connection):
        self._connection = connection
        names = self._rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
        )
        self.columns = {table: self._columns(table) for (table,) in names}

    def migrations(self) -> set[tuple[str, str]]:
        """Return the migrations that were applied, as app and name."""
        if "django_migrations" not in self.columns:
            return set()
        return set(self._rows("SELECT app, name FROM django_migrations"))

    def count(self, table: str) -> int:
        """Return how many rows a table has."""
        return int(next(self._rows(sql("SELECT count(*) FROM {table}", table=name(table)).text))[0])

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a table, a few at a time in memory. Raises CannotCopy for what is no text."""
        query = sql("SELECT {columns} FROM {table}", columns=join(", ", map(name, columns)), table=name(table))
        return self._rows(query.text, table)

    def last_ids(self) -> dict[str, int]:
        """Return the highest id that each table ever gave; what was deleted must not come back as another row."""
        has_any = any(self._rows("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'"))
        return dict(self._rows("SELECT name, seq FROM sqlite_sequence")) if has_any else {}

    def _columns(self, table: str) -> dict[str, str]:
        return {row[1]: str(row[2]).upper() for row in self._rows(f"PRAGMA table_info({quote(table)})")}

    def _rows(self, query: str, table: str = "") -> Iterator[tuple[Any, ...]]:
        try:
            cursor = self._connection.execute(query)
            while rows := cursor.fetchmany(_AT_ONCE):
                yield from rows
        except sqlite3.Error as error:
            text = say("Table {table} of the file cannot be read: {error}", table=table or "-", error=one_line(error))
            raise CannotCopy(text) from error


@contextmanager
def opened(path: Path) -> Iterator[DatabaseFile]:
    """Yield what is in a file; until the end nobody else writes to it. Raises CannotCopy when it is no database."""
    if not path.is_file():
        raise CannotCopy(say("There is no file {path}.", path=str(path)))
    connection = sqlite3.connect(path, timeout=_WAITS_SECONDS, isolation_level=None)
    try:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            text = say("{path} cannot be opened: {error}", path=str(path), error=one_line(error))
            raise CannotCopy(text) from error
        yield DatabaseFile(connection)
    finally:
        connection.close()
