"""Writes rows as an Excel workbook, row by row: numbers and days as such, all else as text, formulas guarded."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from tempfile import TemporaryFile
from typing import Any

from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from staging.exports.guard import guard
from staging.exports.text import as_text

CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ROWS_PER_SHEET = 1_048_576  # what a sheet holds, its head included
# openpyxl knows the control characters alone; XML holds neither of the two that are no characters.
_IN_NO_SHEET = re.compile(f"{ILLEGAL_CHARACTERS_RE.pattern}|[\ufffe\uffff]")
_LONGEST = 32_767  # characters in a cell
_DIGITS = 15  # more than these a spreadsheet forgets
_PIECE = 64 * 1024
_FIRST_DAY = date(1900, 3, 1)  # before it Excel counts a day that never was


def write_xlsx(rows: Iterable[Sequence[Any]], columns: Sequence[str]) -> Iterator[bytes]:
    """Yield the workbook in pieces; rows beyond what one sheet holds go on in the next, under the same head.

    The file grows on disk, not in memory. Characters that a workbook cannot hold are shown as `�`; text longer than a
    cell is cut, with `…` at its end. CSV has neither limit.
    """
    book = Workbook(write_only=True)
    _fill(book, rows, columns)
    with TemporaryFile() as file:
        book.save(file)
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece


def _fill(book: Workbook, rows: Iterable[Sequence[Any]], columns: Sequence[str]) -> None:
    head = [cell_text(column) for column in columns]
    sheet, used = book.create_sheet(), 1
    sheet.append(head)
    for row in rows:
        if used == ROWS_PER_SHEET:
            sheet, used = book.create_sheet(), 1
            sheet.append(head)
        sheet.append([_cell(value) for value in row])
        used += 1


def _cell(value: Any) -> Any:
    """Return what the cell holds: a number, a day or a truth where a spreadsheet keeps it exactly, else text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | Decimal) and len(str(value).lstrip("-").replace(".", "").lstrip("0")) <= _DIGITS:
        return value
    if isinstance(value, date) and not isinstance(value, datetime) and value >= _FIRST_DAY:
        return value
    return cell_text(value if isinstance(value, str) else as_text(value), guarded=isinstance(value, str))


def cell_text(value: str, *, guarded: bool = True) -> str:
    """Return the text that stands in a cell for this one."""
    text = _IN_NO_SHEET.sub("\ufffd", guard(value) if guarded else value)
    text = text.encode(errors="replace").decode()
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
