"""What a file is shows in its first bytes; what it is not is said in words."""

from pathlib import Path

import pytest

from staging.errors import BadFile
from staging.uploads.reading.detect import detect
from staging.uploads.reading.formats import Delimiter, Encoding, FileKind, Format
from tests.staging.uploads.making import text_file, workbook

KNOWN = {"code", "name", "opened_on"}
LINES = "code{0}name{0}opened on\nA{0}Münster, „groß“{0}2026-01-01\nB{0}x{0}\n"


@pytest.mark.parametrize("delimiter", list(Delimiter), ids=lambda one: one.name)
@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8", Encoding.UTF_8),
        ("utf-8-sig", Encoding.UTF_8),
        ("utf-16", Encoding.UTF_16),
        ("utf-16-le", Encoding.UTF_16_LE),
        ("utf-16-be", Encoding.UTF_16_BE),
        ("cp1252", Encoding.WINDOWS_1252),
    ],
)
def test_encoding_and_delimiter_are_found(tmp_path: Path, delimiter: Delimiter, encoding: str, found: Encoding) -> None:
    quoted = LINES.replace("Münster, „groß“", '"Münster, „groß“"').format(delimiter.value)
    assert detect(text_file(tmp_path, quoted, encoding), KNOWN) == Format(FileKind.CSV, found, delimiter, True)


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("code,name\nA,x\n", True),
        ("Opened-On,2026\nA,x\n", True),
        ("A,x\nB,y\n", True),  # names of columns nobody knows look like this too
        ("1,x\n2,y\n", False),
        ("x,x\ny,y\n", False),
        ("A,\nB,y\n", False),
    ],
)
def test_a_head_is_known_names_or_at_least_names(tmp_path: Path, text: str, head: bool) -> None:
    assert detect(text_file(tmp_path, text), KNOWN).has_header is head


def test_bytes_that_are_no_utf_8_late_in_a_long_file_are_found(tmp_path: Path) -> None:
    text = "code,name\n" + "".join(f"{n},plain\n" for n in range(200_000)) + "Z,Café\n"
    assert detect(text_file(tmp_path, text, "cp1252"), KNOWN).encoding == Encoding.WINDOWS_1252


def test_json_lines_and_workbooks_are_known_by_what_is_in_them(tmp_path: Path) -> None:
    assert (
        detect(text_file(tmp_path, '\n{"code": "A"}\n{"code": "B"}\n', name="x.csv"), KNOWN).kind == FileKind.JSON_LINES
    )
    assert detect(workbook(tmp_path, [["code"], ["A"]]), KNOWN) == Format(FileKind.XLSX)
    assert not detect(workbook(tmp_path, [[1, 2], [3, 4]]), KNOWN).has_header


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"  \n ", "empty"),
        (b"%PDF-1.7 x", "PDF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Excel"),
        (b"\x1f\x8b\x08", "compressed"),
        (b"code,na\x00me\nA,B\n" * 9, "NUL"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b'[{"code": "A"}]', "one JSON list"),
        (b'{\n "code": "A"}', "several lines"),
        (b"PK\x03\x04 not really", "damaged"),
    ],
)
def test_what_cannot_be_read_is_called_by_its_name(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(BadFile, match=says):
        detect(path, KNOWN)


def test_a_file_that_is_too_big_is_not_opened(tmp_path: Path, settings) -> None:
    settings.UPLOAD_MAX_BYTES = 10
    with pytest.raises(BadFile, match="larger than 10 bytes"):
        detect(text_file(tmp_path, "code,name\nA,x\n"), KNOWN)
