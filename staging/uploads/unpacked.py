"""Looks at what a workbook would unpack to before anything opens it: a small file can hold a huge table of nothing."""

import re
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo

from staging.errors import BadFile
from staging.uploads.limits import Limits, megabytes

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
        raise BadFile("This workbook cannot be read; it may be damaged or protected by a password.") from error


def _check_sizes(parts: list[ZipInfo], limits: Limits) -> None:
    names = {part.filename for part in parts}
    if "[Content_Types].xml" not in names or not any(name.startswith("xl/") for name in names):
        raise BadFile("This is a ZIP archive and no Excel workbook. Unpack it and choose the file in it.")
    if len(parts) > _PARTS:
        raise BadFile(f"The workbook consists of {len(parts):,} parts; at most {_PARTS:,} may be.")
    if (size := sum(part.file_size for part in parts)) > limits.unpacked_bytes:
        raise BadFile(
            f"The workbook would unpack to {megabytes(size)}; at most {megabytes(limits.unpacked_bytes)} may be."
            " Save it as CSV."
        )
    if any(part.file_size > max(_SMALL, part.compress_size * _MOST_SHRUNK) for part in parts):
        raise BadFile("The workbook holds the same over and over, far more than people fill in. Save it as CSV.")


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
                        f"A row of the workbook has more than {limits.columns:,} columns."
                        if is_sheet
                        else "The workbook holds more texts or styles than can be read. Save it as CSV."
                    )
