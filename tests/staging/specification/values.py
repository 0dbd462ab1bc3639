"""Reads staged text as docs/delivery-contract.md says, in plain Python: the value, or that there is none."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

BLANKS = " \t\r\n\u00a0"
BIGGEST = 2**63 - 1
LONGEST_NUMBER = 100
MOST_DIGITS = 40
# Codes and values of unique attributes are indexed, so they may not be longer.
LONGEST_INDEXED = 500


class Wrong:
    """What a text is that is not of its type."""


WRONG = Wrong()


def trim(text: str | None) -> str:
    """Return the text without surrounding blanks; null is as good as empty."""
    return (text or "").strip(BLANKS)


def read(data_type: str, text: str) -> Any:
    """Return the value of a trimmed text that is not empty, or WRONG."""
    if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        return WRONG
    try:
        return READERS[data_type](text)
    except ValueError:
        return WRONG


def _integer(text: str) -> Any:
    if len(text) > LONGEST_NUMBER or not re.fullmatch("-?[0-9]+", text):
        return WRONG
    return int(text) if -BIGGEST - 1 <= int(text) <= BIGGEST else WRONG


def _decimal(text: str) -> Any:
    if len(text) > LONGEST_NUMBER or not re.fullmatch(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?", text):
        return WRONG
    whole, _, rest = f"{Decimal(text):f}".lstrip("-").partition(".")
    fits = len(whole.lstrip("0")) <= MOST_DIGITS and len(rest.rstrip("0")) <= MOST_DIGITS
    return Decimal(text) if fits else WRONG


def _boolean(text: str) -> Any:
    word = text.lower()
    if word in ("true", "1", "yes", "y", "t"):
        return True
    return False if word in ("false", "0", "no", "n", "f") else WRONG


def _date(text: str) -> Any:
    return date.fromisoformat(text) if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text) else WRONG


def _datetime(text: str) -> Any:
    offset_form = r"(Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?"
    found = re.fullmatch(rf"([0-9-]{{10}})(?:[T ]([0-9:]{{5}})(:[0-9]{{2}})?(\.[0-9]{{1,6}})?{offset_form})?", text)
    if not found or (found[4] and not found[3]):
        return WRONG
    day, minute, second, fraction, offset = (part or "" for part in found.groups())
    whole = f"{day}T{minute or '00:00'}{second or ':00'}{fraction}{offset or 'Z'}"
    instant = datetime.fromisoformat(whole)
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        return WRONG


READERS: dict[str, Callable[[str], Any]] = {
    "text": str,
    "integer": _integer,
    "decimal": _decimal,
    "boolean": _boolean,
    "date": _date,
    "datetime": _datetime,
}
