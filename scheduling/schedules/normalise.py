"""Reads what people and files write into a schedule's columns and gives each value its one stored form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from difflib import get_close_matches
from typing import Any

from scheduling.cadence.cron_fields import read_cron
from scheduling.cadence.words import WEEKDAYS, read_month_day, read_time, read_weekday, read_zone, write_time
from scheduling.schedules.columns import CHOICES, CLEARED, FLAGS, LIMITS, SETTINGS, TEXT_LIMITS

_DAY_GROUPS = {"weekdays": WEEKDAYS[:5], "weekends": WEEKDAYS[5:], "daily": WEEKDAYS, "all": WEEKDAYS}


def normalise(column: str, value: Any) -> Any:
    """Return the stored form of a value ("Mon, Fri" is "mon,fri", "6:00" is "06:00"); raises ValueError.

    Nothing (None, an empty text or list) is the cleared form of the column. Several faults in a list are joined.
    """
    if column not in CLEARED:
        likely = get_close_matches(column, SETTINGS, n=1)
        raise ValueError(f"A schedule has no field {column}" + (f"; did you mean {likely[0]}?" if likely else "."))
    if isinstance(value, str):
        value = value.strip()
    if value is None or value == "" or value == []:
        return CLEARED[column]
    stored = _READERS[column](column, value)
    limit = TEXT_LIMITS.get(column)
    if limit is not None and len(stored) > limit:
        raise ValueError(f"This is too long: {len(stored)} characters, at most {limit} are kept.")
    return stored


def normalised(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return the stored form of every readable value, and the faults of the others by column."""
    stored: dict[str, Any] = {}
    errors: dict[str, list[str]] = {}
    for column, value in values.items():
        try:
            stored[column] = normalise(column, value)
        except ValueError as error:
            errors[column] = [str(text) for text in error.args]
    return stored, errors


def _choice(column: str, value: Any) -> str:
    word = str(value).strip().lower()
    if word not in CHOICES[column]:
        raise ValueError(f"'{value}' is not known; write {_either(CHOICES[column])}.")
    return word


def _flag(column: str, value: Any) -> bool:
    words = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False, "on": True, "off": False}
    if str(value).lower() not in words:
        raise ValueError(f"'{value}' is neither true nor false.")
    return words[str(value).lower()]


def _number(column: str, value: Any) -> int:
    least, most = LIMITS[column]
    whole = isinstance(value, int) and not isinstance(value, bool)
    digits = isinstance(value, str) and value.isascii() and value.lstrip("-").isdigit() and len(value) < 20
    number = int(value) if whole or digits else None
    if number is None or not least <= number <= most:
        span = f"from {least} to {most}" if column in ("interval_minutes", "every_n_weeks") else f"of at least {least}"
        raise ValueError(f"Write a whole number {span}, not {value}.")
    return number


def _clock(column: str, value: Any) -> time:
    return value if isinstance(value, time) else read_time(value)


def _date(column: str, value: Any) -> date:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError(f"'{value}' is not a date; write it like 2026-01-31.") from None


def _times(column: str, value: Any) -> str:
    times = _each(value, lambda item: item if isinstance(item, time) else read_time(item))
    return ",".join(write_time(at) for at in sorted(set(times)))


def _days(column: str, value: Any) -> str:
    items = [day for item in _items(value) for day in _DAY_GROUPS.get(str(item).strip().lower(), (item,))]
    return ",".join(WEEKDAYS[day] for day in sorted(set(_each(items, read_weekday))))


def _month_days(column: str, value: Any) -> str:
    found = set(_each(value, read_month_day))
    return ",".join(str(day) for day in sorted(found, key=lambda day: 99 if isinstance(day, str) else day))


def _cron(column: str, value: Any) -> str:
    expression = " ".join(str(value).split())
    read_cron(expression)
    return expression


def _zone(column: str, value: Any) -> str:
    return read_zone(str(value)).key


def _items(value: Any) -> list[Any]:
    if isinstance(value, str):
        return [item.strip() for item in value.split(",") if item.strip()]
    return list(value) if isinstance(value, list | tuple | set | frozenset) else [value]


def _each(value: Any, read: Callable[[Any], Any]) -> list[Any]:
    found, faults = [], []
    for item in _items(value):
        try:
            found.append(read(item))
        except ValueError as error:
            faults.append(str(error))
    if faults:
        raise ValueError(*faults)
    return found


def _either(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


_READERS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(CHOICES, _choice),
    **dict.fromkeys(FLAGS, _flag),
    **dict.fromkeys(LIMITS, _number),
    **dict.fromkeys(("window_start", "window_end"), _clock),
    **dict.fromkeys(("starts_on", "ends_on"), _date),
    "run_times": _times,
    "run_days": _days,
    "run_days_of_month": _month_days,
    "cron_expression": _cron,
    "timezone": _zone,
}
