"""Opens a file of any kind as a table."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from staging.uploads.reading.delimited import open_text, read_delimited
from staging.uploads.reading.formats import FileKind, Format
from staging.uploads.reading.json_lines import read_json_lines
from staging.uploads.reading.limits import limits
from staging.uploads.reading.table import Row, Table, at_most
from staging.uploads.reading.workbook import read_workbook


@contextmanager
def open_table(path: Path, form: Format) -> Iterator[Table]:
    """Give the table in a file; whatever its size, a few rows are in memory. Raises BadFile, also while it is read."""
    bounds = limits()
    if form.kind == FileKind.XLSX:
        with read_workbook(path, form, bounds) as table:
            yield Table(table.columns, at_most(table.rows, bounds))
        return
    with open_text(path, form) as file:
        table = (
            read_json_lines(file, bounds) if form.kind == FileKind.JSON_LINES else read_delimited(file, form, bounds)
        )
        yield Table(table.columns, at_most(table.rows, bounds))


def first_rows(path: Path, form: Format, count: int) -> tuple[list[str], list[Row]]:
    """Return the columns of a file and its first rows. Raises BadFile."""
    with open_table(path, form) as table:
        return table.columns, list(islice(table.rows, count))
