"""Finds out what a file is from its first bytes, not from its name: kind, encoding, delimiter, head."""

import codecs
import csv
import json
from collections.abc import Collection
from pathlib import Path

from charset_normalizer import from_bytes
from django.utils.translation import gettext_noop

from staging.errors import BadFile
from staging.uploads.reading.formats import Delimiter, Encoding, FileKind, Format
from staging.uploads.reading.limits import Limits, limits, too_big
from staging.uploads.reading.read import first_rows
from staging.wording import say

_SAMPLE = 64 * 1024
_LINES = 50
_PIECE = 1 << 20
_STRANGERS = {
    b"\xd0\xcf\x11\xe0": gettext_noop(
        "This is an old Excel file (.xls) or has a password. Save it as .xlsx or CSV, without one."
    ),
    b"%PDF": gettext_noop("This is a PDF document."),
    b"\x89PNG": gettext_noop("This is a picture."),
    b"\xff\xd8\xff": gettext_noop("This is a picture."),
    b"\x1f\x8b": gettext_noop("This file is compressed (gzip). Unpack it first."),
    b"BZh": gettext_noop("This file is compressed (bzip2). Unpack it first."),
    b"7z\xbc\xaf": gettext_noop("This file is compressed (7z). Unpack it first."),
    b"\xfd7zXZ": gettext_noop("This file is compressed (xz). Unpack it first."),
    b"SQLite format 3": gettext_noop("This is an SQLite database."),
}


def detect(path: Path, known: Collection[str]) -> Format:
    """Return how a file is best read; `known` are the column names that would make its first line a head.

    Raises BadFile for a file that is empty, too big or of a kind that cannot be read.
    """
    bounds = limits()
    sample = _sample(path, bounds)
    if sample.startswith(b"PK\x03\x04"):
        _, rows = first_rows(path, Format(FileKind.XLSX, has_header=False), 1)
        return Format(FileKind.XLSX, has_header=has_header(rows[0].cells, known))
    if reason := next((text for mark, text in _STRANGERS.items() if sample.startswith(mark)), ""):
        raise BadFile(say(reason))
    encoding = _encoding(path, sample)
    text = _decoded(sample, encoding)
    if text.lstrip()[:5].lower() in ("<html", "<!doc", "<?xml"):
        raise BadFile(say("This is a web page or XML, and no CSV, Excel workbook or JSON lines."))
    if _is_json_lines(text):
        return Format(FileKind.JSON_LINES, encoding)
    delimiter = _delimiter(text)
    return Format(FileKind.CSV, encoding, delimiter, _has_header(_first_lines(text, delimiter), known))


def has_header(cells: Collection[str | None], known: Collection[str]) -> bool:
    """Return whether these first cells are names of columns rather than values."""
    names = [plain(cell or "") for cell in cells]
    if set(names) & set(known):
        return True
    return len(set(names)) == len(names) and all(name and not name[:1].isdigit() for name in names)


def plain(name: str) -> str:
    """Return the name of a column as names are compared: `Opened on`, `opened-on` and `OPENED_ON` are one."""
    return "_".join(name.replace("-", " ").replace("_", " ").lower().split())


def _sample(path: Path, bounds: Limits) -> bytes:
    if path.stat().st_size > bounds.bytes:
        raise BadFile(too_big())
    with path.open("rb") as file:
        sample = file.read(_SAMPLE)
    if not sample.strip():
        raise BadFile(say("The file is empty."))
    return sample


def _encoding(path: Path, sample: bytes) -> Encoding:
    """Return the encoding: a mark decides; else all that can be read as UTF-8 is; else what looks most like text."""
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Encoding.UTF_16
    odd, even = sample[1::2].count(0), sample[0::2].count(0)
    if max(odd, even) * 3 > len(sample):  # every other byte of plain letters
        return Encoding.UTF_16_LE if odd > even else Encoding.UTF_16_BE
    if b"\x00" in sample:
        raise BadFile(say("This file is no text: it holds NUL characters."))
    if (bad := _not_utf_8(path)) is None:
        return Encoding.UTF_8
    best = from_bytes(bad, cp_isolation=["cp1252"]).best()
    if best is None:
        raise BadFile(say("This file is no text in UTF-8, UTF-16 or Windows-1252."))
    return Encoding.WINDOWS_1252


def _not_utf_8(path: Path) -> bytes | None:
    """Return the piece of a file that is no UTF-8, None when all of it is."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as file:
        while True:
            piece = file.read(_PIECE)
            try:
                decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as error:
                start = max(error.start - _SAMPLE, 0)
                return error.object[start : start + 2 * _SAMPLE]
            if not piece:
                return None


def _decoded(sample: bytes, encoding: Encoding) -> str:
    return codecs.getincrementaldecoder(encoding.value)(errors="replace").decode(sample)


def _is_json_lines(text: str) -> bool:
    first = next((line for line in text.splitlines() if line.strip()), "").strip()
    if first == "[" or first.startswith("[{"):
        raise BadFile(say("This is one JSON list. Write one object on each line, without the brackets around them."))
    if not first.startswith("{"):
        return False
    if first == "{":
        raise BadFile(say("This JSON goes over several lines. Write one object on each line."))
    try:
        return isinstance(json.loads(first), dict) or True
    except (ValueError, RecursionError):
        return first[1:].lstrip().startswith(('"', "}"))


def _delimiter(text: str) -> Delimiter:
    """Return the delimiter that cuts most of the first lines into the same number of values, the more the better."""

    def score(delimiter: Delimiter) -> tuple[float, int]:
        widths = [len(cells) for cells in _first_lines(text, delimiter)]
        usual = max(widths, key=widths.count, default=1)
        return (widths.count(usual) / len(widths) if usual > 1 else 0.0), usual

    return max(Delimiter, key=score)


def _first_lines(text: str, delimiter: Delimiter) -> list[list[str]]:
    """Return the cells of the first lines; the last may be cut, so it is left out when there are others."""
    whole = text[: text.rfind("\n") + 1] or text
    rows = []
    try:
        for cells in csv.reader(whole.splitlines(keepends=True), delimiter=delimiter.value):
            if cells:
                rows.append(cells)
            if len(rows) == _LINES:
                break
    except csv.Error:
        return rows
    return rows


def _has_header(rows: list[list[str]], known: Collection[str]) -> bool:
    return bool(rows) and has_header(rows[0], known)
