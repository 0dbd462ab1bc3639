"""Reads an Excel workbook as a table: row by row, numbers and days in the forms that staging accepts."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from openpyxl import load_workbook

from staging.errors import BadFile
from staging.exports.guard import unguard
from staging.exports.text import as_text
from staging.uploads.formats import Format
from staging.uploads.limits import Limits
from staging.uploads.table import Cell, Row, Table, check_width, named, numbered
from staging.uploads.unpacked import check_unpacked

_LAST_ROW = 1_048_576  # of a sheet; a file that names a later one is not Excel's

# It warns of what it leaves out (styles, validations, pictures), which nobody here asks for.
warnings.filterwarnings("ignore", module=r"openpyxl\b")


@contextmanager
def read_workbook(path: Path, form: Format, limits: Limits) -> Iterator[Table]:
    """Open a workbook and give the table of its first sheet, with that of later sheets that have the same head.

    Raises BadFile, also while its rows are read; what it would unpack to is checked first.
    """
    check_unpacked(path, limits)
    with path.open("rb") as file:
        with _told():
            book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
        yield _table(book, form, limits)


@contextmanager
def _told() -> Iterator[None]:
    """Turn whatever a damaged or hostile workbook makes of its reader into a sentence."""
    try:
        yield
    except (BadFile, MemoryError):
        raise
    except OSError as error:
        if error.errno is not None:  # of the disk; the reader of workbooks says with one, too, that this is none
            raise
        raise BadFile("This workbook cannot be read; it may be damaged.") from error
    except Exception as error:
        raise BadFile(f"This workbook cannot be read; it may be damaged ({type(error).__name__}).") from error


def _table(book: Any, form: Format, limits: Limits) -> Table:
    sheets = [sheet for sheet in book.worksheets if getattr(sheet, "sheet_state", "visible") == "visible"]
    for position, sheet in enumerate(sheets):
        rows = _rows(sheet, limits)
        first = next(rows, None)
        if first is None:
            continue
        if not form.has_header:
            columns = numbered(first.cells, limits, first.line)
            return Table(columns, _fitting(_and_then(first, rows), len(columns)))
        columns = named(first.cells, limits, first.line)
        return Table(columns, _all(rows, sheets[position + 1 :], columns, limits))
    raise BadFile("The workbook is empty.")


def _all(rows: Iterator[Row], later: list[Any], columns: list[str], limits: Limits) -> Iterator[Row]:
    """Yield the rows of the first sheet and of those that go on under the same head."""
    yield from _fitting(rows, len(columns))
    for sheet in later:
        more = _rows(sheet, limits)
        first = next(more, None)
        if first is not None and [" ".join((cell or "").split()) for cell in first.cells] == columns:
            yield from _fitting(more, len(columns))


def _rows(sheet: Any, limits: Limits) -> Iterator[Row]:
    """Yield the rows that hold anything. What the sheet says of its own size is not believed."""
    sheet.reset_dimensions()
    with _told():
        for number, cells in enumerate(sheet.iter_rows(), start=1):
            if number > _LAST_ROW:
                raise BadFile(f"The sheet {sheet.title!r} has more than {_LAST_ROW:,} rows.")
            texts = [_text(cell, number, limits) for cell in cells]
            while texts and not texts[-1]:
                texts.pop()
            if texts:
                check_width(texts, limits, number)
                yield Row(number, texts)


def _and_then(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rest


def _fitting(rows: Iterator[Row], width: int) -> Iterator[Row]:
    for row in rows:
        if len(row.cells) > width:
            raise BadFile(f"Row {row.line} has a value in column {len(row.cells)}, and the table has {width} columns.")
        yield Row(row.line, [*row.cells, *[None] * (width - len(row.cells))])


def _text(cell: Any, line: int, limits: Limits) -> Cell:
    value = cell.value
    if value is None:
        return None
    if isinstance(value, str):
        if cell.data_type == "e":
            raise BadFile(f"Row {line}, column {cell.column}: the cell holds the error {value}.")
        if len(value) > limits.cell:
            raise BadFile(f"Row {line}, column {cell.column}: the text is longer than {limits.cell:,} characters.")
        if "\x00" in value:
            raise BadFile(f"Row {line}, column {cell.column}: the text holds a NUL character.")
        return unguard(value) if value[:1] == "'" else value
    return form_of(value)


def form_of(value: Any) -> str:
    """Return a cell that is not text in the form that staging accepts.

    Excel knows no whole numbers and no days: 12.0 is `12`, a day with midnight is the day alone.
    """
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat()
    if isinstance(value, time | timedelta):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    return as_text(value)
