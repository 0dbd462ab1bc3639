"""Reads an Excel workbook as a table: row by row, numbers and days in the forms that staging accepts."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from openpyxl import load_workbook

from staging.errors import BadFile
from staging.exports.guard import unguard
from staging.exports.text import as_text
from staging.uploads.reading.formats import Format
from staging.uploads.reading.limits import Limits, megabytes
from staging.uploads.reading.table import Cell, Row, Table, check_width, named, numbered
from staging.wording import say

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
        raise BadFile(say("This workbook cannot be read; it may be damaged.")) from error
    except Exception as error:
        raise BadFile(
            say("This workbook cannot be read; it may be damaged ({error}).", error=type(error).__name__)
        ) from error


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
    raise BadFile(say("The workbook is empty."))


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
                raise BadFile(
                    say("The sheet {sheet!r} has more than {last_row:,} rows.", sheet=sheet.title, last_row=_LAST_ROW)
                )
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
            raise BadFile(
                say(
                    "Row {line} has a value in column {cells}, and the table has {width} columns.",
                    line=row.line,
                    cells=len(row.cells),
                    width=width,
                )
            )
        yield Row(row.line, [*row.cells, *[None] * (width - len(row.cells))])


def _text(cell: Any, line: int, limits: Limits) -> Cell:
    value = cell.value
    if value is None:
        return None
    if isinstance(value, str):
        if cell.data_type == "e":
            raise BadFile(
                say(
                    "Row {line}, column {column}: the cell holds the error {value}.",
                    line=line,
                    column=cell.column,
                    value=value,
                )
            )
        if len(value) > limits.cell:
            raise BadFile(
                say(
                    "Row {line}, column {column}: the text is longer than {cell:,} characters.",
                    line=line,
                    column=cell.column,
                    cell=limits.cell,
                )
            )
        if "\x00" in value:
            raise BadFile(
                say("Row {line}, column {column}: the text holds a NUL character.", line=line, column=cell.column)
            )
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


_PARTS = 2_000  # files in a workbook
_PIECE = 1 << 20
# Text and numbers of people shrink to a tenth or a fiftieth; what shrinks more than this holds one thing over and over.
_MOST_SHRUNK, _SMALL = 250, 32 << 20
_ROW = re.compile(rb"<(?:\w+:)?row\b")
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml\Z", re.IGNORECASE)
# Each part but the sheets is held in memory as a whole: texts, styles.
_MARKS_IN_MEMORY = 5_000_000
_MARKS_PER_COLUMN = 8  # a cell with its value, its text and their ends


def check_unpacked(path: Path, limits: Limits) -> None:
    """Raise BadFile for a workbook that is none, or that would unpack to more than is allowed."""
    try:
        with ZipFile(path) as archive:
            parts = archive.infolist()
            _check_sizes(parts, limits)
            for part in parts:
                if part.filename.lower().endswith((".xml", ".rels")):
                    _check_marks(archive, part, limits)
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise BadFile(say("This workbook cannot be read; it may be damaged or protected by a password.")) from error


def _check_sizes(parts: list[ZipInfo], limits: Limits) -> None:
    names = {part.filename for part in parts}
    if "[Content_Types].xml" not in names or not any(name.startswith("xl/") for name in names):
        raise BadFile(say("This is a ZIP archive and no Excel workbook. Unpack it and choose the file in it."))
    if len(parts) > _PARTS:
        raise BadFile(
            say("The workbook consists of {parts:,} parts; at most {most:,} may be.", parts=len(parts), most=_PARTS)
        )
    if (size := sum(part.file_size for part in parts)) > limits.unpacked_bytes:
        raise BadFile(
            say(
                "The workbook would unpack to {size}; at most {most} may be. Save it as CSV.",
                size=megabytes(size),
                most=megabytes(limits.unpacked_bytes),
            )
        )
    if any(part.file_size > max(_SMALL, part.compress_size * _MOST_SHRUNK) for part in parts):
        raise BadFile(say("The workbook holds the same over and over, far more than people fill in. Save it as CSV."))


def _check_marks(archive: ZipFile, part: ZipInfo, limits: Limits) -> None:
    """Count the marks of XML: in a sheet between two rows, for it is read row by row; in other parts in all.

    The size of a part is what its archive says; reading stops there, so it cannot lie.
    """
    is_sheet, marks = bool(_SHEET.match(part.filename)), 0
    most = limits.columns * _MARKS_PER_COLUMN + 10_000 if is_sheet else _MARKS_IN_MEMORY
    with archive.open(part) as file:
        while piece := file.read(_PIECE):
            stretches = _ROW.split(piece) if is_sheet else [piece]
            for position, stretch in enumerate(stretches):
                marks = stretch.count(b"<") + (marks if position == 0 else 0)
                if marks > most:
                    raise BadFile(
                        say("A row of the workbook has more than {columns:,} columns.", columns=limits.columns)
                        if is_sheet
                        else say("The workbook holds more texts or styles than can be read. Save it as CSV.")
                    )
