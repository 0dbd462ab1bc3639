"""What every kind of file is read as: named columns and rows of texts, each row with the place it stands at."""

from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass

from staging.errors import BadFile
from staging.uploads.reading.limits import Limits
from staging.wording import say

Cell = str | None


class Number(str):
    """A cell that is a number in its file, in the digits that stand there."""


@dataclass(frozen=True)
class Row:
    """One row of a file: where it stands (line, or row of a sheet) and its cells, as many as the table has columns."""

    line: int
    cells: Sequence[Cell]


@dataclass(frozen=True)
class Table:
    """A file as a table; `rows` can be walked through once."""

    columns: list[str]
    rows: Iterator[Row]


def named(cells: Sequence[Cell], limits: Limits, line: int) -> list[str]:
    """Return the names of the columns from a head; raises BadFile for a name that comes twice or too many columns."""
    names = [" ".join((cell or "").split()) or nameless(number) for number, cell in enumerate(cells, start=1)]
    check_width(names, limits, line)
    for position, name in enumerate(names):
        if name in names[:position]:
            raise BadFile(say("Line {line}: two columns have the name {name!r}.", line=line, name=name))
        if len(name) > 200:
            raise BadFile(
                say(
                    "Line {line}: the name of column {position} is longer than 200 characters.",
                    line=line,
                    position=position + 1,
                )
            )
    return names


def numbered(cells: Sequence[Cell], limits: Limits, line: int) -> list[str]:
    """Return names for the columns of a file without a head."""
    check_width(cells, limits, line)
    return [nameless(number) for number in range(1, len(cells) + 1)]


def nameless(number: int) -> str:
    """Return what a column without a name of its own is called."""
    return say("Column {number}", number=number)


def check_width(cells: Sized, limits: Limits, line: int) -> None:
    """Raise BadFile for a row of too many columns."""
    if len(cells) > limits.columns:
        raise BadFile(
            say(
                "Line {line} has {cells:,} columns; at most {columns:,} may be.",
                line=line,
                cells=len(cells),
                columns=limits.columns,
            )
        )


def at_most(rows: Iterator[Row], limits: Limits) -> Iterator[Row]:
    """Yield the rows as long as there are not too many; raises BadFile then."""
    for count, row in enumerate(rows, start=1):
        if count > limits.rows:
            raise BadFile(say("The file has more than {rows:,} rows. Cut it into several files.", rows=limits.rows))
        yield row
