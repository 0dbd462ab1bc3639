"""Writes many rows into a staging table the way that keeps others waiting least, on each database."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import islice
from secrets import token_hex
from typing import Any

from django.db import DataError, connection

from staging.errors import BadFile
from staging.sql.choose import dialect
from staging.sql.compose import Sql, join, name, run, sql

Write = Callable[[], int]

_ROWS_AT_ONCE = 5_000


def copied(table: str, columns: list[str], rows: Iterable[list[Any]]) -> AbstractContextManager[Write]:
    """Give what writes the rows by COPY and returns how many; raises BadFile for what PostgreSQL cannot store."""
    statement = sql("COPY {table} ({columns}) FROM STDIN", table=name(table), columns=join(", ", map(name, columns)))

    def write() -> int:
        count = 0
        try:
            with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(statement.text) as copy:
                for count, row in enumerate(rows, start=1):  # noqa: B007
                    copy.write_row(row)
        except (DataError, UnicodeError) as error:
            raise BadFile(f"Row {count:,} holds something that the database cannot store: {error}") from error
        return count

    return nullcontext(write)


@contextmanager
def spooled(table: str, columns: list[str], rows: Iterator[list[Any]]) -> Iterator[Write]:
    """Read all rows into a temporary table, then give what moves them over in one statement and returns how many.

    SQLite has one writer: nobody waits while a long file is read, only while its rows are moved.
    """
    dialect().start()
    spool = Sql(f"temp.{name(f'upload_{token_hex(8)}').text}")
    cells = [name(f"c{place}") for place in range(len(columns))]
    run(sql("CREATE TABLE {spool} ({cells})", spool=spool, cells=join(", ", cells)))
    try:
        with _unless_in_one():
            _fill(sql("INSERT INTO {spool} VALUES ({marks})", spool=spool, marks=_marks(len(cells))).text, rows)
        move = sql(
            "INSERT INTO {table} ({columns}) SELECT {cells} FROM {spool} ORDER BY rowid",
            table=name(table),
            columns=join(", ", map(name, columns)),
            cells=join(", ", cells),
            spool=spool,
        )
        yield lambda: run(move)
    finally:
        run(sql("DROP TABLE {spool}", spool=spool))


@contextmanager
def _unless_in_one() -> Iterator[None]:
    """Open a transaction that touches temporary tables only; ours would begin with the write lock."""
    if connection.in_atomic_block:
        yield
        return
    run(Sql("BEGIN"))
    try:
        yield
    except BaseException:
        run(Sql("ROLLBACK"))
        raise
    run(Sql("COMMIT"))


def _fill(statement: str, rows: Iterator[list[Any]]) -> None:
    with connection.cursor() as cursor:
        while some := list(islice(rows, _ROWS_AT_ONCE)):
            cursor.executemany(statement, some)


def _marks(count: int) -> Sql:
    return Sql(", ".join(["%s"] * count))
