"""Files for tests, made where the test wants them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openpyxl import Workbook


def text_file(folder: Path, text: str, encoding: str = "utf-8", name: str = "file.csv") -> Path:
    """Write text as it is, in an encoding."""
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def workbook(folder: Path, *sheets: Sequence[Sequence[Any]]) -> Path:
    """Write a workbook of these sheets."""
    book = Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(list(row))
    path = folder / "book.xlsx"
    book.save(path)
    return path
