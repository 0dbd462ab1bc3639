"""Functions that SQLite lacks: the rare forms of values, user patterns and text that is safe to show.

Values arrive as bytes: SQLite text may be broken UTF-8, and an error in a function would end the whole statement.
"""

import re
import sqlite3
from datetime import UTC, datetime
from decimal import Decimal
from typing import cast

from staging.patterns import compiled
from staging.sql.dialect import BIGINT_MAX, DECIMAL_DIGITS, NUMBER_TEXT

_INTEGER = re.compile(rb"-?[0-9]+\Z")
_DECIMAL = re.compile(rb"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?\Z")
_INSTANT = re.compile(
    rb"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,6}))?)?"
    rb"(?:(Z)|([+-])(0[0-9]|1[0-4])(?::?([0-5][0-9]))?)?)?\Z"
)


def add_functions(connection: sqlite3.Connection) -> None:
    """Make our functions known to a connection; doing it again changes nothing."""
    for name, arguments, function in (
        ("staging_is_text", 1, is_text),
        ("staging_integer", 1, integer),
        ("staging_decimal", 1, decimal),
        ("staging_less", 2, less),
        ("staging_instant", 1, read_instant),
        ("staging_matches", 2, matches),
        ("staging_shown", 1, showable),
    ):
        connection.create_function(name, arguments, function, deterministic=True)


def is_text(value: bytes) -> bool:
    """Return whether the bytes are text that every client can read."""
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def integer(value: bytes) -> int | None:
    """Return a whole number that fits a bigint, else None."""
    if len(value) > NUMBER_TEXT or not _INTEGER.match(value):
        return None
    number = int(value)
    return number if -BIGINT_MAX - 1 <= number <= BIGINT_MAX else None


def decimal(value: bytes) -> str | None:
    """Return a decimal in canonical text: no exponent, no zeros at the ends, "0" for any zero."""
    if len(value) > NUMBER_TEXT or not _DECIMAL.match(value):
        return None
    sign, digits, exponent = Decimal(value.decode()).as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + cast(int, exponent)
    whole = (text[:point] if point > 0 else "").ljust(point, "0").lstrip("0")
    rest = text[point:] if point > 0 else "0" * -point + text
    rest = rest.rstrip("0")
    if len(whole) > DECIMAL_DIGITS or len(rest) > DECIMAL_DIGITS:
        return None
    plain = (whole or "0") + (f".{rest}" if rest else "")
    return f"-{plain}" if sign and plain != "0" else plain


def less(left: str, right: str) -> bool:
    """Return whether one canonical decimal is smaller than the other, exactly."""
    return Decimal(left) < Decimal(right)


def read_instant(value: bytes) -> str | None:
    """Return an ISO-8601 date-time as stored text in UTC, None when it is not one between the years 1 and 9999."""
    found = _INSTANT.match(value)
    if not found:
        return None
    day, minute, second, fraction, _, sign, hours, minutes = (part and part.decode() for part in found.groups())
    offset = f"{sign}{hours}:{minutes or '00'}" if sign else "+00:00"
    text = f"{day}T{minute or '00:00'}:{second or '00'}.{(fraction or '').ljust(6, '0')}{offset}"
    try:
        return instant_text(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None


def instant_text(value: datetime) -> str:
    """Return an aware instant as `YYYY-MM-DD HH:MM:SS.ffffff` in UTC."""
    return value.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")


def matches(pattern: str, value: bytes) -> bool:
    """Return whether a user's pattern is found somewhere in the text."""
    return bool(compiled(pattern).search(value.decode(errors="replace")))


def showable(value: bytes | None) -> str | None:
    """Return the first 80 characters, with a mark for each that cannot be shown; of nothing nothing, as SQL does."""
    if value is None:
        return None
    text = value[:400].decode(errors="replace").replace("\x00", "\N{REPLACEMENT CHARACTER}")
    return text if len(text) <= 80 else f"{text[:80]}…"
