"""Reads CSV as a table, line by line, and names the line of everything that is wrong."""

import csv
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from staging.errors import BadFile
from staging.exports.guard import unguard
from staging.uploads.reading.formats import Format
from staging.uploads.reading.limits import Limits
from staging.uploads.reading.table import Row, Table, named, numbered
from staging.wording import say

_ROWS_AT_ONCE, _SIZE_AT_ONCE = 1_000, 4 << 20
_LIMITED = threading.Lock()


class RowGroup(NamedTuple):
    """Rows that follow one another, and the line that each of them ends on."""

    lines: list[int]
    rows: list[list[str]]


def read_delimited(file: TextIO, form: Format, limits: Limits) -> Table:
    """Return the table of an open text file. Raises BadFile, also while its rows are read.

    A line that has more or fewer values than the first is refused: its values would land in the wrong columns.
    """
    columns, groups = read_groups(file, form, limits)
    return Table(columns, (Row(line, cells) for group in groups for line, cells in zip(*group, strict=True)))


def read_groups(
    file: TextIO, form: Format, limits: Limits, *, any_text: bool = False
) -> tuple[list[str], Iterator[RowGroup]]:
    """Return the columns of an open text file, and its rows some at a time; as `read_delimited`.

    `any_text` lets characters pass that no database can store: the caller tells of them row by row.
    """
    groups = _groups(file, form, limits, any_text)
    first = next(groups, None)
    if first is None:
        raise BadFile(say("The file is empty."))
    (line,), (cells,) = first
    if form.has_header:
        columns = named(cells, limits, line)
        return columns, _fitting(groups, len(columns))
    columns = numbered(cells, limits, line)
    return columns, _fitting(chain([first], groups), len(columns))


def open_text(path: Path, form: Format) -> TextIO:
    """Open a file in its encoding; line ends are left to the reader of CSV."""
    return path.open(encoding=form.encoding.value, newline="")


def lines(file: TextIO, limits: Limits, *, any_text: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines; raises BadFile for bytes that are no text, and for a line that does not end."""
    number, most = 0, limits.line
    try:
        for number, line in enumerate(iter(partial(file.readline, most + 1), ""), start=1):
            if len(line) > most:
                raise BadFile(say("Line {number} is longer than {most:,} characters.", number=number, most=most))
            if not any_text and "\x00" in line:
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


def _groups(file: TextIO, form: Format, limits: Limits, any_text: bool) -> Iterator[RowGroup]:
    """Yield what is not blank, the first row alone; what was read before a mistake comes before its BadFile.

    A value in quotes may go over several lines, and its row is called by the last.
    """
    texts = _Measured(lines(file, limits, any_text=any_text))
    reader = csv.reader(texts, delimiter=form.delimiter.value, strict=True)
    most, has_more = 1, True
    while has_more:
        group, failed = RowGroup([], []), None
        try:
            with _values_up_to(limits.cell):
                has_more = _read(reader, texts, group, most)
        except csv.Error as error:
            failed = BadFile(say("Line {line}: {reason}", line=reader.line_num, reason=_reason(error, limits)))
        except BadFile as error:
            failed = error
        if group.rows:
            yield group
            most = _ROWS_AT_ONCE
        if failed:
            raise failed


@contextmanager
def _values_up_to(length: int) -> Iterator[None]:
    """Let values be so long. The limit is one of the whole process: others read CSV, too, each in its turn."""
    with _LIMITED:
        usual = csv.field_size_limit(length)
        try:
            yield
        finally:
            csv.field_size_limit(usual)


class _Measured:
    """Lines for the reader of CSV; `size` is how long all were that it took so far."""

    def __init__(self, numbered: Iterable[tuple[int, str]]):
        self._numbered, self.size = numbered, 0

    def __iter__(self) -> Iterator[str]:
        for _, line in self._numbered:
            self.size += len(line)
            yield line


def _read(reader: Any, texts: _Measured, group: RowGroup, most: int) -> bool:
    """Add so many rows to a group, fewer when they are long; return whether there may be more."""
    line_numbers, rows = group
    until = texts.size + _SIZE_AT_ONCE
    for cells in reader:
        if cells:
            line_numbers.append(reader.line_num)
            rows.append(cells)
            if len(rows) == most or texts.size > until:
                return True
    return False


def _reason(error: csv.Error, limits: Limits) -> str:
    text = str(error)
    if "field limit" in text:
        return say("a value is longer than {most:,} characters; is a quotation mark missing?", most=limits.cell)
    if "unexpected end" in text:
        return say("the file ends inside a value in quotation marks.")
    if "expected after" in text:
        return say("there is something between a closing quotation mark and the delimiter.")
    return say("this is no CSV ({text}).", text=text)


def _fitting(groups: Iterable[RowGroup], width: int) -> Iterator[RowGroup]:
    """Yield the groups with as many values in each row as there are columns, and as they were before an export."""
    for lines_, rows in groups:
        if set(map(len, rows)) != {width}:
            fitted: list[list[str]] = []
            try:
                fitted += (_fit(cells, width, line) for line, cells in zip(lines_, rows, strict=True))
            except BadFile:
                if fitted:
                    yield RowGroup(lines_[: len(fitted)], _unguarded(fitted))
                raise
            rows = fitted
        yield RowGroup(lines_, _unguarded(rows))


def _fit(cells: list[str], width: int, line: int) -> list[str]:
    if len(cells) > width and not any(cells[width:]):
        del cells[width:]
    if len(cells) != width:
        raise BadFile(
            say(
                "Line {line} has {cells:,} values and the first line has {width:,}.",
                line=line,
                cells=len(cells),
                width=width,
            )
        )
    return cells


def _unguarded(rows: list[list[str]]) -> list[list[str]]:
    if "\x00'" not in "\x00".join(chain([""], chain.from_iterable(rows))):
        return rows
    return [[unguard(cell) if cell and cell[0] == "'" else cell for cell in cells] for cells in rows]
