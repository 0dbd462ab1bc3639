"""Writes many rows into a staging table the way that keeps others waiting least, on each database."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import islice
from secrets import token_hex
from typing import Any

from django.db import DataError, connection

from staging.errors import BadFile
from staging.sql.compose import Sql, fetch, join, name, run, sql
from staging.sql.dialect import dialect
from staging.wording import say

Write = Callable[[], int]

_VALUES_AT_ONCE = 4_000  # SQLite takes 32,766; more at once are no faster


def copied(table: str, columns: list[str], rows: Iterable[Sequence[Any]]) -> AbstractContextManager[Write]:
    """Give what writes the rows by COPY and returns how many; raises BadFile for what PostgreSQL cannot store."""
    statement = sql("COPY {table} ({columns}) FROM STDIN", table=name(table), columns=join(", ", map(name, columns)))

    def write() -> int:
        count = 0
        try:
            with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(statement.text) as copy:
                for count, row in enumerate(rows, start=1):  # noqa: B007
                    copy.write_row(row)
        except (DataError, UnicodeError) as error:
            raise BadFile(
                say("Row {count:,} holds something that the database cannot store: {error}", count=count, error=error)
            ) from error
        return count

    return nullcontext(write)


def inserted(table: str, columns: list[str], rows: Sequence[Sequence[Any]]) -> tuple[int, int]:
    """Insert a few rows with one statement; return the lowest and the highest id that they got."""
    marks = sql("({marks})", marks=_marks(len(columns))).text
    statement = sql(
        "INSERT INTO {table} ({columns}) VALUES ", table=name(table), columns=join(", ", map(name, columns))
    )
    values = tuple(value for row in rows for value in row)
    ids = [row_id for (row_id,) in fetch(Sql(f"{statement.text}{', '.join([marks] * len(rows))} RETURNING id", values))]
    return min(ids), max(ids)


def written(table: str, columns: list[str], rows: Iterator[Sequence[Any]]) -> AbstractContextManager[Write]:
    """Give what writes rows that are at hand, and returns how many."""
    into = sql("{table} ({columns})", table=name(table), columns=join(", ", map(name, columns)))
    return nullcontext(lambda: _fill(into, len(columns), rows))


@contextmanager
def spooled(table: str, columns: list[str], rows: Iterator[Sequence[Any]]) -> Iterator[Write]:
    """Read all rows into a temporary table, then give what moves them over in one statement and returns how many.

    SQLite has one writer: nobody waits while a long file is read, only while its rows are moved.
    """
    dialect().start()
    spool = Sql(f"temp.{name(f'upload_{token_hex(8)}').text}")
    cells = [name(f"c{place}") for place in range(len(columns))]
    run(sql("CREATE TABLE {spool} ({cells})", spool=spool, cells=join(", ", cells)))
    try:
        with _unless_in_one():
            _fill(spool, len(cells), rows)
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


def _fill(into: Sql, width: int, rows: Iterator[Sequence[Any]]) -> int:
    """Insert rows with statements of many; return how many rows. One row at a time takes twice as long."""
    most, count = max(_VALUES_AT_ONCE // width, 1), 0
    with connection.cursor() as cursor:
        while some := list(islice(rows, most)):
            marks = ", ".join([f"({_marks(width).text})"] * len(some))
            statement = sql("INSERT INTO {into} VALUES {marks}", into=into, marks=Sql(marks))
            cursor.execute(statement.text, [value for row in some for value in row])
            count += len(some)
    return count


def _marks(count: int) -> Sql:
    return Sql(", ".join(["%s"] * count))
