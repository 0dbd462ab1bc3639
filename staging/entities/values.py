"""Reads the text forms of values in a definition: limits, choices and sentinels (docs/delivery-contract.md)."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from staging.states import DataType

_BIGINT = range(-(2**63), 2**63)
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)

# The types whose values have an order: they can be limited, listed, filtered from and to, compared in rules.
FORMS: dict[str, Promise] = {
    DataType.INTEGER: _("a whole number such as 12"),
    DataType.DECIMAL: _("a number such as 12.5"),
    DataType.DATE: _("a date such as 2026-01-31"),
    DataType.DATETIME: _("an instant such as 2026-01-31T12:00:00"),
}


def parse_value(data_type: str, text: str) -> Any:
    """Return the value a text means in a data type, comparable with others of it; None when it has no such form.

    Instants without offset are UTC. Text is itself.
    """
    parsers: dict[str, Callable[[str], Any]] = {
        DataType.TEXT.value: str,
        DataType.INTEGER.value: _integer,
        DataType.DECIMAL.value: _decimal,
        DataType.DATE.value: _date,
        DataType.DATETIME.value: _datetime,
    }
    try:
        return parsers[data_type](text)
    except (KeyError, ValueError, OverflowError):  # the last: an instant whose offset leads out of the calendar
        return None


def is_storable(text: str) -> bool:
    """Return whether every database keeps this text: no NUL, no half of a surrogate pair."""
    return "\x00" not in text and (text.isascii() or _HALF_A_PAIR.search(text) is None)


def _integer(text: str) -> int | None:
    if not re.fullmatch(r"-?\d{1,19}", text, re.ASCII):
        return None
    return int(text) if int(text) in _BIGINT else None


def _decimal(text: str) -> Decimal | None:
    return Decimal(text) if _DECIMAL.fullmatch(text) else None


def _date(text: str) -> date | None:
    return date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII) else None


def _datetime(text: str) -> datetime | None:
    if not re.match(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        return None
    instant = datetime.fromisoformat(text)
    return instant.astimezone(UTC) if instant.tzinfo else instant.replace(tzinfo=UTC)
