"""Reads CSV as a table, line by line, and names the line of everything that is wrong."""

import csv
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TextIO

from staging.errors import BadFile
from staging.exports.guard import unguard
from staging.uploads.reading.formats import Format
from staging.uploads.reading.limits import Limits
from staging.uploads.reading.table import Row, Table, named, numbered
from staging.wording import say


def read_delimited(file: TextIO, form: Format, limits: Limits, *, any_text: bool = False) -> Table:
    """Return the table of an open text file. Raises BadFile, also while its rows are read.

    `any_text` lets characters pass that no database can store: the caller tells of them row by row. A line that has
    more or fewer values than the first is refused: its values would land in the wrong columns.
    """
    records = _records(file, form, limits, any_text)
    first = next(records, None)
    if first is None:
        raise BadFile(say("The file is empty."))
    if form.has_header:
        columns = named(first.cells, limits, first.line)
        return Table(columns, _fitting(records, columns, limits))
    columns = numbered(first.cells, limits, first.line)
    return Table(columns, _fitting(_and_then(first, records), columns, limits))


def open_text(path: Path, form: Format) -> TextIO:
    """Open a file in its encoding; line ends are left to the reader of CSV."""
    return path.open(encoding=form.encoding.value, newline="")


def lines(file: TextIO, limits: Limits, *, any_text: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines; raises BadFile for bytes that are no text, and for a line that does not end."""
    number = 0
    try:
        for number, line in enumerate(iter(partial(file.readline, limits.line + 1), ""), start=1):
            if len(line) > limits.line:
                raise BadFile(say("Line {number} is longer than {most:,} characters.", number=number, most=limits.line))
            if "\x00" in line and not any_text:
                raise BadFile(
                    say(
                        "Line {number} holds a NUL character, so this is no text or not in this encoding.",
                        number=number,
                    )
                )
            yield number, line
    except UnicodeError as error:
        raise BadFile(
            say("Near line {number}: these bytes are no text in {encoding}.", number=number + 1, encoding=file.encoding)
        ) from error


def _records(file: TextIO, form: Format, limits: Limits, any_text: bool) -> Iterator[Row]:
    """Yield what is not blank; a value in quotes may go over several lines, and its row is called by the last."""
    texts = (line for _, line in lines(file, limits, any_text=any_text))
    reader = csv.reader(texts, delimiter=form.delimiter.value, strict=True)
    while True:
        usual = csv.field_size_limit(limits.cell)  # of the whole process: others read CSV, too
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise BadFile(say("Line {line}: {reason}", line=reader.line_num, reason=_reason(error, limits))) from error
        finally:
            csv.field_size_limit(usual)
        if cells is None:
            return
        if cells:
            yield Row(reader.line_num, cells)


def _reason(error: csv.Error, limits: Limits) -> str:
    text = str(error)
    if "field limit" in text:
        return say("a value is longer than {most:,} characters; is a quotation mark missing?", most=limits.cell)
    if "unexpected end" in text:
        return say("the file ends inside a value in quotation marks.")
    if "expected after" in text:
        return say("there is something between a closing quotation mark and the delimiter.")
    return say("this is no CSV ({text}).", text=text)


def _and_then(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rest


def _fitting(records: Iterator[Row], columns: list[str], limits: Limits) -> Iterator[Row]:
    width = len(columns)
    for record in records:
        cells = list(record.cells)
        if len(cells) > width and not any(cells[width:]):
            del cells[width:]
        if len(cells) != width:
            raise BadFile(
                say(
                    "Line {line} has {cells:,} values and the first line has {width:,}.",
                    line=record.line,
                    cells=len(cells),
                    width=width,
                )
            )
        yield Row(record.line, [unguard(cell) if cell and cell[0] == "'" else cell for cell in cells])
