"""Writes any value of ours as the text form that staging accepts, so that an export can be delivered again."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any


def as_text(value: Any) -> str:
    """Return a value as text: instants in UTC with `Z`, decimals without exponent, `true` or `false`, None as ""."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return _instant(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return f"{value:f}"
    return str(value)


def decimal_text(value: Decimal | str) -> str:
    """Return a decimal as the shortest text of the same value, without exponent; all its digits stay."""
    text = as_text(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _instant(value: datetime) -> str:
    if value.tzinfo is None:
        return value.isoformat()
    return value.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
