"""Workbooks: what a spreadsheet keeps exactly has its type, all else is text, nothing is a formula."""

from datetime import UTC, date, datetime
from decimal import Decimal
from io import BytesIO

import pytest
from openpyxl import load_workbook

from staging.exports import xlsx
from staging.exports.xlsx import write_xlsx


def _book(rows, columns):
    return load_workbook(BytesIO(b"".join(write_xlsx(rows, columns))))


def _cells(rows, columns):
    return [[cell.value for cell in row] for row in _book(rows, columns).worksheets[0].iter_rows()]


def test_numbers_truths_and_days_have_their_types():
    row = _cells([[7, Decimal("1.25"), True, date(2026, 3, 1), None]], list("abcde"))[1]
    assert (row[:3], row[3].date(), row[4]) == ([7, 1.25, True], date(2026, 3, 1), None)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234567890123456789, "1234567890123456789"),
        (Decimal("0.1234567890123456789"), "0.1234567890123456789"),
        (date(1899, 12, 31), "1899-12-31"),
        (datetime(2026, 3, 1, 8, tzinfo=UTC), "2026-03-01T08:00:00Z"),
        ("007", "007"),
        ("a\x00b", "a\ufffdb"),
        ("a\uffffb\ufffe", "a\ufffdb\ufffd"),
        ("x" * 40_000, "x" * 32_766 + "…"),
    ],
)
def test_what_a_cell_would_not_keep_is_text(value, text):
    assert _cells([[value]], ["a"])[1] == [text]


def test_no_cell_is_a_formula():
    sheet = _book([["=1+1", "@x", "-2+3"]], ["=a", "b", "c"]).worksheets[0]
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [["'=a", "b", "c"], ["'=1+1", "'@x", "'-2+3"]]
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} == {"s"}


def test_rows_beyond_a_sheet_go_on_in_the_next(monkeypatch):
    monkeypatch.setattr(xlsx, "ROWS_PER_SHEET", 3)
    sheets = _book([[1], [2], [3]], ["n"]).worksheets
    assert [[cell.value for row in sheet.iter_rows() for cell in row] for sheet in sheets] == [["n", 1, 2], ["n", 3]]


def test_the_head_is_written_without_rows():
    assert _cells([], ["code"]) == [["code"]]
