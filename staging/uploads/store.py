"""Writes many rows into a staging table the way that keeps others waiting least, on each database."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import chain, groupby, islice
from secrets import token_hex
from typing import Any

from django.db import DataError, connection

from staging.errors import BadFile
from staging.sql.compose import Sql, fetch, join, name, run, sql
from staging.sql.dialect import dialect
from staging.wording import say

Write = Callable[[], int]

_VALUES_AT_ONCE = 4_000  # SQLite takes 32,766; more at once are no faster
# Statements of one text. Django reads each for marks to rewrite, once for all that it is given; `?` it leaves alone.
_AT_ONCE = 10
# Rows that are made ready for COPY together, and the characters that stand there for something else.
_COPIED_AT_ONCE, _NUL = 250, "\0"
_ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
# SQLite computes a default for each row, and what stands in the statement once.
_PLAIN, _STAMPED = "VALUES {marks}", "SELECT *, {now} FROM (VALUES {marks})"
# So many values, and characters of them, stay in memory; what is more goes by a temporary table.
_MOST_VALUES_AT_HAND, _MOST_AT_HAND = 500_000, 16 << 20


def copied(table: str, columns: list[str], rows: Iterable[Sequence[Any]]) -> AbstractContextManager[Write]:
    """Give what writes the rows by COPY and returns how many; raises BadFile for what PostgreSQL cannot store."""
    statement = sql("COPY {table} ({columns}) FROM STDIN", table=name(table), columns=join(", ", map(name, columns)))

    def write() -> int:
        count, rest = 0, iter(rows)
        try:
            with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(statement.text) as copy:
                while some := list(islice(rest, _COPIED_AT_ONCE)):
                    if (lines := _as_lines(some, len(columns))) is not None:
                        copy.write(lines)
                        count += len(some)
                        continue
                    for row in some:
                        count += 1
                        copy.write(_as_line(row))
        except (DataError, UnicodeError) as error:
            raise BadFile(
                say("Row {count:,} holds something that the database cannot store: {error}", count=count, error=error)
            ) from error
        return count

    return nullcontext(write)


def _as_lines(rows: list[Sequence[Any]], width: int) -> bytes | None:
    """Return rows as COPY reads them, all made at once; None where a value has to be looked at by itself.

    That is one which is no text, or with a character that has to be escaped or has no bytes.
    """
    values = list(chain.from_iterable(rows))
    try:
        whole = "".join(filter(None, values))
        if not width or _NUL in whole or any(chr(mark) in whole for mark in _ESCAPES):
            return None
        cells = iter([r"\N" if value is None else value for value in values])
        return ("\n".join(map("\t".join, zip(*[cells] * width, strict=True))) + "\n").encode()
    except (TypeError, UnicodeError):
        return None


def _as_line(row: Sequence[Any]) -> bytes:
    """Return a row as COPY reads it; raises DataError or UnicodeError for what PostgreSQL cannot store."""
    cells = [r"\N" if value is None else str(value).translate(_ESCAPES) for value in row]
    if any(_NUL in cell for cell in cells):
        raise DataError(say("The value holds a character that no database can store."))
    return ("\t".join(cells) + "\n").encode()


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
    sets = _sets(rows, len(columns))
    return nullcontext(lambda: _fill(_stamped(table, columns), len(columns), sets, _STAMPED, _AT_ONCE))


@contextmanager
def spooled(table: str, columns: list[str], rows: Iterator[Sequence[Any]]) -> Iterator[Write]:
    """Read all rows, many of them into a temporary table; give what moves them over and returns how many.

    SQLite has one writer: nobody waits while a long file is read, only while its rows are moved.
    """
    into = _stamped(table, columns)
    sets = _sets(rows, len(columns))
    at_hand, is_all = _at_hand(sets)
    if is_all:
        yield lambda: _fill(into, len(columns), at_hand, _STAMPED, _AT_ONCE)
        return
    dialect().start()
    spool = Sql(f"temp.{name(f'upload_{token_hex(8)}').text}")
    cells = [name(f"c{place}") for place in range(len(columns))]
    run(sql("CREATE TABLE {spool} ({cells})", spool=spool, cells=join(", ", cells)))
    try:
        with _unless_in_one():
            _fill(spool, len(cells), chain(at_hand, sets), _PLAIN)
        at_hand.clear()
        move = "INSERT INTO {into} SELECT {cells}, {now} FROM {spool} ORDER BY rowid"
        yield lambda: run(sql(move, into=into, cells=join(", ", cells), now=_now(), spool=spool))
    finally:
        run(sql("DROP TABLE {spool}", spool=spool))


def _at_hand(sets: Iterator[list[Any]]) -> tuple[list[list[Any]], bool]:
    """Return as many values as are kept in memory, and whether these are all."""
    found: list[list[Any]] = []
    count = size = 0
    while count < _MOST_VALUES_AT_HAND and size < _MOST_AT_HAND:
        some = next(sets, None)
        if some is None:
            return found, True
        found.append(some)
        count += len(some)
        size += _length(some)
    return found, False


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


def _sets(rows: Iterator[Sequence[Any]], width: int) -> Iterator[list[Any]]:
    """Yield the values of as many rows as one statement inserts. One row at a time takes twice as long."""
    most = max(_VALUES_AT_ONCE // width, 1)
    while values := list(chain.from_iterable(islice(rows, most))):
        yield values


def _stamped(table: str, columns: list[str]) -> Sql:
    """Return a staging table with these columns and the one that tells when a row came."""
    return sql("{table} ({columns})", table=name(table), columns=join(", ", map(name, [*columns, "created_at"])))


def _now() -> Sql:
    return Sql(dialect().now.replace("%", "%%"))


def _fill(into: Sql, width: int, sets: Iterable[list[Any]], form: str, at_once: int = 1) -> int:
    """Insert the values of rows, so many statements at once; return how many rows."""
    count = 0
    row = f"({', '.join('?' * width)})"
    with connection.cursor() as cursor:
        for size, some in groupby(sets, key=len):
            marks = Sql(", ".join([row] * (size // width)))
            statement = sql(f"INSERT INTO {{into}} {form}", into=into, now=_now(), marks=marks).text
            while few := list(islice(some, at_once)):
                cursor.executemany(statement, few)
                count += len(few) * size // width
    return count


def _length(values: Iterable[Any]) -> int:
    """Return how long the texts among these values are together."""
    try:
        return len("".join(filter(None, values)))
    except TypeError:  # numbers are among them
        return sum(len(each) for each in values if isinstance(each, str))


def _marks(count: int) -> Sql:
    return Sql(", ".join(["%s"] * count))
