"""Puts rows into a staging table as any external system would: one plain INSERT, naming only the columns it has."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from staging.identifiers import quote, staging_table

Row = Mapping[str, str | None]
_SEED = Path(__file__).parent / "seed"


class Cursor(Protocol):
    """What a cursor of any database driver can do."""

    def executemany(self, sql: str, rows: Any, /) -> Any:
        """Run the statement once for each row."""


def deposit(cursor: Cursor, code: str, rows: Sequence[Row], *, placeholder: str) -> None:
    """Insert the rows into the staging table of entity `code`; all rows name the same columns.

    `placeholder` is how the driver marks a value: `%s` for psycopg and Django, `?` for sqlite3.
    """
    columns = list(rows[0])
    names = ", ".join(quote(column) for column in columns)
    marks = ", ".join(placeholder for _ in columns)
    sql = f"INSERT INTO {quote(staging_table(code))} ({names}) VALUES ({marks})"  # noqa: S608
    cursor.executemany(sql, [[row[column] for column in columns] for row in rows])


def seed_rows(code: str) -> Iterator[Row]:
    """Yield the first rows of entity `code`; an empty cell is null."""
    with (_SEED / f"{code}.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield {column: value or None for column, value in row.items()}
