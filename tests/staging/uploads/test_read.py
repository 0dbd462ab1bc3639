"""Files of every kind become columns and rows of texts; what is wrong is named with its line."""

import csv
import zipfile
from datetime import date, datetime, time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from staging.errors import BadFile
from staging.exports.csv import write_csv
from staging.exports.xlsx import write_xlsx
from staging.uploads.reading.formats import Delimiter, Encoding, FileKind, Format
from staging.uploads.reading.read import first_rows
from tests.depth import examples
from tests.staging.uploads.making import text_file, workbook

CSV, XLSX, JSON = Format(FileKind.CSV), Format(FileKind.XLSX), Format(FileKind.JSON_LINES)


def read(path: Path, form: Format = CSV) -> tuple[list[str], list[list[str | None]]]:
    columns, rows = first_rows(path, form, 10_000)
    return columns, [list(row.cells) for row in rows]


def test_csv_keeps_every_value_as_it_is(tmp_path: Path) -> None:
    text = 'code, name ,"x y"\r\nA,"two\r\nlines","say ""so"""\r\n\r\n007, spaced ,\r\n'
    columns, rows = first_rows(text_file(tmp_path, text), CSV, 10)
    assert columns == ["code", "name", "x y"]
    assert [(row.line, *row.cells) for row in rows] == [
        (3, "A", "two\r\nlines", 'say "so"'),
        (5, "007", " spaced ", ""),
    ]


def test_without_a_head_the_first_line_is_a_row(tmp_path: Path) -> None:
    form = Format(FileKind.CSV, Encoding.WINDOWS_1252, Delimiter.SEMICOLON, False)
    assert read(text_file(tmp_path, "A;é\nB;ü", "cp1252"), form) == (["Column 1", "Column 2"], [["A", "é"], ["B", "ü"]])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("code,name\nA,x\nB\n", "Line 3 has 1 values and the first line has 2"),
        ("code,name\nA,x,y\n", "Line 2 has 3 values"),
        ('code,name\nA,"x\nB,y\n', "Line 3: the file ends inside a value in quotation marks"),
        ('code,name\nA,"x"y\n', "Line 2: there is something between"),
        ("code,code\nA,x\n", "two columns have the name 'code'"),
        ("code,name\nA,x\x00\n", "Line 2 holds a NUL"),
        ("\n\n", "empty"),
        (f"code,name\nA,{'x' * 60}\n", "a value is longer than 50"),
        ("a,b,c,d,e,f\n", "Line 1 has 6 columns; at most 5"),
        ("code\n" + "A\n" * 11, "more than 10 rows"),
    ],
)
def test_what_is_wrong_with_csv_is_told_with_its_line(tmp_path: Path, text: str, says: str, settings) -> None:
    settings.UPLOAD_MAX_CELL_CHARACTERS, settings.UPLOAD_MAX_COLUMNS, settings.UPLOAD_MAX_ROWS = 50, 5, 10
    with pytest.raises(BadFile, match=says):
        read(text_file(tmp_path, text))


def test_more_values_that_are_all_empty_do_no_harm(tmp_path: Path) -> None:
    assert read(text_file(tmp_path, "code,name\nA,x,,\n"))[1] == [["A", "x"]]


def test_a_line_that_never_ends_is_not_read_to_its_end(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="Line 1 is longer"):
        read(text_file(tmp_path, "x" * 2_000_000))


def test_bytes_that_are_no_text_in_the_chosen_encoding_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="Near line 1: these bytes are no text in utf-8"):
        read(text_file(tmp_path, "code\né\n", "cp1252"))


def test_the_limit_of_a_cell_is_ours_alone(tmp_path: Path, settings) -> None:
    """Python keeps one for the whole process; another reader of CSV must not meet ours."""
    usual, settings.UPLOAD_MAX_CELL_CHARACTERS = csv.field_size_limit(), 50
    with pytest.raises(BadFile, match="longer than 50"):
        read(text_file(tmp_path, f"code\n{'x' * 60}\n"))
    assert csv.field_size_limit() == usual


def test_json_lines_take_single_values_in_their_plain_form(tmp_path: Path) -> None:
    text = '{"code": "A", "n": 12.50, "big": 12345678901234567890123}\n\n{"code": 7, "late": true, "n": null}\n'
    columns, rows = read(text_file(tmp_path, text), JSON)
    assert columns == ["code", "n", "big", "late"]
    assert rows == [["A", "12.50", "12345678901234567890123", None], ["7", None, None, "true"]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"code": "A"}\n{"code": ', "Line 2 is no JSON"),
        ('{"code": "A"}\n["A"]', "Line 2 is no JSON object"),
        ('{"code": ["A"]}', "Line 1, column code: the value is a list"),
        ('{"code": NaN}', "NaN is no number"),
        ('{"code": "\\u0000"}', "no database can store"),
        ('{"code": "\\ud800"}', "no database can store"),
        ('{"code": ' + "[" * 100_000 + "]" * 100_000 + "}", "Line 1 is no JSON"),
        ('{" code": 1}', "blanks around it"),
        ("{}", "empty"),
    ],
)
def test_what_is_wrong_with_json_lines_is_told_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(BadFile, match=says):
        read(text_file(tmp_path, text), JSON)


def test_a_workbook_gives_numbers_and_days_in_accepted_forms(tmp_path: Path) -> None:
    row = [
        "A",
        12,
        12.0,
        0.1,
        1e20,
        True,
        date(2026, 1, 31),
        datetime.fromisoformat("2026-01-31T08:30"),
        time(9, 5),
        None,
        " x ",
    ]
    path = workbook(tmp_path, [[], ["code", *(f"c{n}" for n in range(10))], row, [], ["B"]])
    _, rows = first_rows(path, XLSX, 10)
    assert [row.line for row in rows] == [3, 5]
    assert list(rows[0].cells) == [
        *("A", "12", "12", "0.1", "1e+20", "true", "2026-01-31", "2026-01-31T08:30:00", "09:05:00", None, " x ")
    ]
    assert rows[1].cells == ["B", *[None] * 10]


def test_sheets_that_go_on_under_the_same_head_are_read_too_and_others_are_not(tmp_path: Path) -> None:
    path = workbook(tmp_path, [["code", "name"], ["A", "x"]], [["code", "name"], ["B", "y"]], [["other"], ["z"]])
    assert read(path, XLSX)[1] == [["A", "x"], ["B", "y"]]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([["code"], ["A", "x"]], "Row 2 has a value in column 2"),
        ([["code"], ["#N/A"]], "Row 2, column 1: the cell holds the error #N/A"),
        ([["code"], ["x" * 60]], "Row 2, column 1: the text is longer"),
        ([["a", "b", "c", "d", "e", "f"]], "has 6 columns"),
        ([], "empty"),
    ],
)
def test_what_is_wrong_with_a_workbook_is_told_with_its_place(tmp_path: Path, rows, says: str, settings) -> None:
    settings.UPLOAD_MAX_CELL_CHARACTERS, settings.UPLOAD_MAX_COLUMNS = 50, 5
    with pytest.raises(BadFile, match=says):
        read(workbook(tmp_path, rows), XLSX)


def _rebuilt(path: Path, part: str, content: bytes) -> Path:
    """Return a copy of a workbook with one part replaced."""
    hostile = path.with_name("hostile.xlsx")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(hostile, "w", zipfile.ZIP_DEFLATED) as target:
        for item in source.infolist():
            target.writestr(item.filename, content if item.filename == part else source.read(item))
    return hostile


_SHEET = "xl/worksheets/sheet1.xml"
_OPEN = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
_CLOSE = b"</sheetData></worksheet>"


@pytest.mark.parametrize(
    ("part", "content", "says"),
    [
        (_SHEET, b" " * 3_000_000, "would unpack to 3 MB"),
        (_SHEET, _OPEN + b"<row>" + b"<c/>" * 200_000 + b"</row>" + _CLOSE, "more than 500 columns"),
        (_SHEET, _OPEN + b'<row r="999999999999"><c r="A1"><v>1</v></c></row>' + _CLOSE, "more than 1,048,576 rows"),
        (_SHEET, _OPEN + b"<row><c", "damaged"),
        (
            _SHEET,
            b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>' + _OPEN + b"<row>&b;</row>" + _CLOSE,
            "damaged",
        ),
        ("xl/workbook.xml", b"<nothing/>", "empty"),
        ("[Content_Types].xml", b"<Types/>", "cannot be read"),
    ],
    ids=["spaces", "a wide row", "a far row", "cut", "entities", "no workbook", "no sheets"],
)
def test_a_hostile_workbook_is_refused_before_it_hurts(
    tmp_path: Path, part: str, content: bytes, says: str, settings
) -> None:
    settings.UPLOAD_MAX_UNPACKED_BYTES = 2_000_000
    with pytest.raises(BadFile, match=says):
        read(_rebuilt(workbook(tmp_path, [["code"], ["A"]]), part, content), XLSX)


def test_a_small_file_that_unpacks_to_much_is_refused_from_its_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """300 MB in one cell came from 293 kB, and cost 14 s to find wrong: nothing of it is unpacked."""
    monkeypatch.setattr("staging.uploads.reading.workbook._SMALL", 1_000_000)
    monkeypatch.setattr("staging.uploads.reading.workbook._check_marks", lambda *_: pytest.fail("it was unpacked"))
    cell = _OPEN + b'<row r="1"><c r="A1" t="inlineStr"><is><t>' + b"x" * 2_000_000 + b"</t></is></c></row>" + _CLOSE
    with pytest.raises(BadFile, match="the same over and over"):
        read(_rebuilt(workbook(tmp_path, [["x"]]), _SHEET, cell), XLSX)


def test_a_file_that_unzips_to_600_megabytes_is_refused_from_its_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workbook(tmp_path, [["code"], ["A"]])
    real = zipfile.ZipFile.infolist

    def huge(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
        parts = real(archive)
        parts[-1].file_size = 600_000_000
        return parts

    monkeypatch.setattr(zipfile.ZipFile, "infolist", huge)
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_, **__: pytest.fail("a part was opened"))
    with pytest.raises(BadFile, match="would unpack to 600 MB"):
        read(path, XLSX)


def test_a_sheet_that_lies_about_its_size_is_read_by_what_it_holds(tmp_path: Path) -> None:
    content = (
        _OPEN.replace(b"<sheetData>", b'<dimension ref="A1:XFD1048576"/><sheetData>')
        + b'<row r="1"><c r="A1" t="inlineStr"><is><t>code</t></is></c></row><row r="2"><c r="A2"><v>5</v></c></row>'
        + _CLOSE
    )
    assert read(_rebuilt(workbook(tmp_path, [["x"]]), _SHEET, content), XLSX) == (["code"], [["5"]])


def test_an_archive_that_is_no_workbook_is_called_one(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data.csv", "code\nA\n")
    with pytest.raises(BadFile, match="ZIP archive"):
        read(path, XLSX)


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(60), deadline=None)
@given(rows=st.lists(st.lists(TEXTS, min_size=2, max_size=2), max_size=5))
def test_what_we_export_as_csv_comes_back_as_it_was(tmp_path: Path, rows: list[list[str]]) -> None:
    path = tmp_path / "export.csv"
    path.write_bytes(b"".join(write_csv(rows, ["code", "name"])))
    assert read(path)[1] == rows


def test_what_we_export_as_a_workbook_comes_back_as_it_was(tmp_path: Path) -> None:
    rows = [["=1+1", "-5"], ["'=x", "007"], ["@a", "+3"], ["\tx", "line\nbreak"]]
    path = tmp_path / "export.xlsx"
    path.write_bytes(b"".join(write_xlsx(rows, ["code", "name"])))
    assert read(path, XLSX)[1] == rows
