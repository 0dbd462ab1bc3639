"""Reads an arrival history: when rows landed in which staging table, as JSON lines or CSV.

One arrival a line, in any order: `{"at": "2026-03-02T06:00:00+00:00", "entity": "branch", "rows": 500}`, or
`2026-03-02T06:00:00+00:00,branch,500` with or without the header `at,entity,rows`. Empty lines do not count.
"""

import csv
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scheduling.errors import SchedulingError
from staging.wording import say

COLUMNS = ["at", "entity", "rows"]
MOST_ROWS = 10**12


class BadArrivals(SchedulingError):
    """The arrival history cannot be read; the text names the line."""


@dataclass(frozen=True, order=True)
class Arrival:
    """Rows that landed together."""

    at: datetime
    rows: int


def read_arrivals(path: Path, known: Collection[str]) -> dict[str, list[Arrival]]:
    """Return the arrivals of each entity code, in order of time.

    Raises BadArrivals for a file that cannot be read and for the first line that is not an arrival of a `known` code.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is not UTF-8 text"
        raise BadArrivals(say("{path} cannot be read: {reason}.", path=path, reason=reason)) from None
    found: dict[str, list[Arrival]] = {}
    for number, fields in _lines(path, text):
        try:
            code, arrival = _arrival(fields, known)
        except ValueError as error:
            raise BadArrivals(say("{path} line {number}: {error}", path=path, number=number, error=error)) from None
        found.setdefault(code, []).append(arrival)
    return {code: sorted(arrivals) for code, arrivals in found.items()}


def arrivals_of(listed: Iterable[Any], known: Collection[str]) -> tuple[dict[str, list[Arrival]], dict[int, str]]:
    """Return the arrivals of a list of `{"at", "entity", "rows"}` by entity code, and what is wrong by position."""
    found: dict[str, list[Arrival]] = {}
    errors: dict[int, str] = {}
    for position, fields in enumerate(listed):
        try:
            if not isinstance(fields, dict) or fields.keys() - set(COLUMNS):
                raise ValueError(say("write at, entity and rows."))
            code, arrival = _arrival(fields, known)
        except ValueError as error:
            errors[position] = str(error)
        else:
            found.setdefault(code, []).append(arrival)
    return {code: sorted(arrivals) for code, arrivals in found.items()}, errors


def _lines(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each line's number and fields."""
    header = True
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            fields = _json_fields(line) if line.lstrip().startswith("{") else _csv_fields(line)
        except ValueError as error:
            raise BadArrivals(say("{path} line {number}: {error}", path=path, number=number, error=error)) from None
        if not header or list(fields.values()) != COLUMNS:
            yield number, fields
        header = False


def _json_fields(line: str) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError(say("this is not JSON.")) from None
    unknown = [name for name in fields if name not in COLUMNS]
    if unknown:
        raise ValueError(say("{shown} is not known; write at, entity and rows.", shown=_shown(unknown[0])))
    return dict(fields)


def _csv_fields(line: str) -> dict[str, Any]:
    try:
        values = [value.strip() for value in next(csv.reader([line], strict=True))]
    except csv.Error as error:
        raise ValueError(say("this is not CSV: {error}.", error=error)) from None
    if len(values) != len(COLUMNS):
        raise ValueError(say("write three values: at,entity,rows."))
    return dict(zip(COLUMNS, values, strict=True))


def _arrival(fields: dict[str, Any], known: Collection[str]) -> tuple[str, Arrival]:
    """Return an arrival and its entity's code. Raises ValueError with a sentence for the person."""
    code = fields.get("entity")
    if not isinstance(code, str) or code not in known:
        raise ValueError(say("there is no entity with the code {shown}.", shown=_shown(code)))
    return code, Arrival(_instant(fields.get("at")), _rows(fields.get("rows")))


def _instant(value: Any) -> datetime:
    try:
        instant = datetime.fromisoformat(value)
        in_utc = instant.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            say("at: {shown} is not an instant; write 2026-03-01T06:00:00+00:00.", shown=_shown(value))
        ) from None
    if instant.tzinfo is None:
        raise ValueError(
            say("at: {shown} has no offset; write {instant}+00:00 for UTC.", shown=_shown(value), instant=value)
        )
    return in_utc


def _rows(value: Any) -> int:
    text = str(value)
    if isinstance(value, bool) or not (text.isascii() and text.isdigit()) or not 1 <= int(text[:20]) <= MOST_ROWS:
        raise ValueError(
            say("rows: {shown} is not a number of rows; write a whole number from 1.", shown=_shown(value))
        )
    return int(text)


def _shown(value: Any) -> str:
    """Return a value for a message, however long it is."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
