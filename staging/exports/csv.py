"""Writes rows as CSV, as spreadsheets read it: UTF-8 with its mark, commas, formulas guarded."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import Any

from staging.exports.guard import guard
from staging.exports.text import as_text

CONTENT_TYPE = "text/csv; charset=utf-8"
_MARK = "\ufeff"  # without it Excel takes UTF-8 for the code page of the machine
_ROWS_AT_ONCE = 500


def write_csv(rows: Iterable[Sequence[Any]], columns: Sequence[str]) -> Iterator[bytes]:
    """Yield the file in pieces, the head first; as many rows as there are, in the memory of a few hundred."""
    buffer = StringIO()
    buffer.write(_MARK)
    writer = csv.writer(buffer)
    writer.writerow([guard(column) for column in columns])
    for number, row in enumerate(rows, start=1):
        writer.writerow([_cell(value) for value in row])
        if number % _ROWS_AT_ONCE == 0:
            yield _take(buffer)
    yield _take(buffer)


def _cell(value: Any) -> str:
    return guard(value) if isinstance(value, str) else as_text(value)


def _take(buffer: StringIO) -> bytes:
    piece = buffer.getvalue().encode(errors="replace")
    buffer.seek(0)
    buffer.truncate()
    return piece
