"""CSV files: readable back, guarded, written piece by piece."""

import csv
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from io import StringIO
from itertools import islice

from staging.exports.csv import write_csv


def _read(data: bytes) -> list[list[str]]:
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(StringIO(data.decode("utf-8-sig"), newline="")))


def test_values_come_back_in_the_forms_that_staging_accepts():
    moment = datetime(2026, 3, 1, 12, 30, tzinfo=timezone(timedelta(hours=2)))
    row = [7, Decimal("1E+3"), True, date(2026, 3, 1), moment, None, 'a "b", c\nd', "ü€"]
    expected = ["7", "1000", "true", "2026-03-01", "2026-03-01T10:30:00Z", "", 'a "b", c\nd', "ü€"]
    assert _read(b"".join(write_csv([row], list("abcdefgh")))) == [list("abcdefgh"), expected]


def test_formulas_are_guarded_and_numbers_are_not():
    data = b"".join(write_csv([["=1+1", "-5", -5, "@x"]], ["a", "b", "c", "=d"]))
    assert _read(data) == [["a", "b", "c", "'=d"], ["'=1+1", "-5", "-5", "'@x"]]


def test_the_head_is_written_without_rows():
    assert _read(b"".join(write_csv([], ["code"]))) == [["code"]]


def test_rows_are_read_as_the_file_goes_out():
    taken = []
    rows = ([taken.append(number) or number] for number in range(1_000_000))
    pieces = list(islice(write_csv(rows, ["n"]), 2))
    assert len(pieces) == 2
    assert len(taken) < 3000


def test_text_that_no_encoding_holds_does_not_stop_the_file():
    assert _read(b"".join(write_csv([["\ud800"]], ["a"])))[1] == ["?"]


def test_an_instant_is_told_in_utc():
    assert b"2026-01-01T00:00:00Z" in b"".join(write_csv([[datetime(2026, 1, 1, tzinfo=UTC)]], ["at"]))
