"""Proposes attributes from the head and the first rows of a file: legal names, and the types that every value fits."""

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from staging.entities.values import parse_value
from staging.errors import BadFile
from staging.identifiers import legal_column
from staging.states import NO, YES, DataType
from staging.uploads.reading.detect import detect, plain
from staging.uploads.reading.read import first_rows
from staging.wording import say

MOST = 200  # attributes proposed at once
_ROWS = 200  # looked at
_SHOWN = 3
_EXAMPLE = 40  # characters of a value that is shown
_LONGEST = 40  # characters of a number or an instant
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-3]):?\d\d)?)?", re.ASCII)
# The narrowest type first: what is a date is an instant too, and all are text.
_TYPES = (DataType.INTEGER, DataType.DECIMAL, DataType.DATE, DataType.DATETIME)


@dataclass(frozen=True)
class Proposal:
    """An attribute as a column of a file suggests it; `header` is what the column is called there."""

    header: str
    name: str
    data_type: DataType
    examples: str


def guess_type(values: Sequence[str]) -> DataType:
    """Return the narrowest type that accepts every value; text where there is none, or digits would get lost.

    `007` and `+31` are codes or numbers of telephones: as whole numbers they would not come back as they were.
    Columns of 0 and 1 are whole numbers; yes and no are taken by their words.
    """
    if not values or any(map(_loses_digits, values)):
        return DataType.TEXT
    words = {value.lower() for value in values}
    if words <= {*YES, *NO} and not words <= {"0", "1"}:
        return DataType.BOOLEAN
    fitting = (kind for kind in _TYPES if all(_fits(kind, value) for value in values))
    return next(fitting, DataType.TEXT)


def propose(path: Path, known: Collection[str]) -> list[Proposal]:
    """Return the attributes that a file suggests, without the columns that are known; its first line is the head.

    Raises BadFile for what cannot be read, and for a file that has no new column or too many.
    """
    columns, rows = first_rows(path, replace(detect(path, known), has_header=True), _ROWS)
    found: list[Proposal] = []
    taken = set(known)
    for at, header in enumerate(columns):
        if plain(header) in known:
            continue
        values = [value for row in rows if (value := (row.cells[at] or "").strip())]
        name = legal_column(header, taken)
        taken.add(name)
        examples = ", ".join(value[:_EXAMPLE] for value in list(dict.fromkeys(values))[:_SHOWN])
        found.append(Proposal(header, name, guess_type(values), examples))
    if not found:
        raise BadFile(say("It names no column that is not there already."))
    if len(found) > MOST:
        raise BadFile(
            say("It has {columns:,} new columns; at most {most} are proposed at once.", columns=len(found), most=MOST)
        )
    return found


def _fits(kind: DataType, value: str) -> bool:
    """Return whether a batch reads a text as a value of this type; the rarest of the forms it reads do not count."""
    if len(value) > _LONGEST or (kind == DataType.DATETIME and not _INSTANT.fullmatch(value)):
        return False
    return parse_value(kind, value) is not None


def _loses_digits(value: str) -> bool:
    digits = value.lstrip("+-")
    if digits.isdigit() and (value.startswith("+") or (len(digits) > 1 and digits.startswith("0"))):
        return True
    with suppress(ValueError):  # an identifier such as 1E5, which is no number for who wrote it
        return "e" in value.lower() and float(value) is not None
    return False
