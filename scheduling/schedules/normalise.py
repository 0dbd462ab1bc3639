"""Reads what people and files write into a schedule's columns and gives each value its one stored form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, time
from difflib import get_close_matches
from typing import Any

from scheduling.cadence.cron_fields import read_cron
from scheduling.cadence.words import (
    WEEKDAYS,
    read_month,
    read_month_day,
    read_time,
    read_weekday,
    read_zone,
    write_time,
)
from scheduling.models import BlackoutCalendar
from scheduling.schedules.columns import CHOICES, CLEARED, FLAGS, LIMITS, SETTINGS, TEXT_LIMITS

_EXAMPLE = "2026-06-15 09:00"
_YEARS = (1970, 9998)  # whatever the zone, such a moment is an instant
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
        span = f"from {least} to {most}" if most < 2_147_483_647 else f"of at least {least}"
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


def _week_of_month(column: str, value: Any) -> str:
    items = _items(value)
    word = str(items[0]).strip().lower() if len(items) == 1 else ""
    if word not in ("1", "2", "3", "4", "5", "last"):
        shown = ", ".join(str(item) for item in items)
        raise ValueError(f"'{shown}' is not a week of the month; write one of 1, 2, 3, 4, 5 or last.")
    return word


def _months(column: str, value: Any) -> str:
    return ",".join(str(month) for month in sorted(set(_each(value, read_month))))


def _local_moment(column: str, value: Any) -> str:
    found = _moment(value)
    if found.tzinfo is not None:
        raise ValueError(
            f"'{value}' has an offset; write local time like {_EXAMPLE}, the time zone is a field of its own."
        )
    return found.isoformat(" ", "seconds" if found.second else "minutes")


def _instant(column: str, value: Any) -> datetime:
    """Return an instant in UTC; local text stays without a zone, which `rules` adds: the zone is another column."""
    found = _moment(value)
    return found if found.tzinfo is None else found.astimezone(UTC)


def _moment(value: Any) -> datetime:
    try:
        found = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError(f"'{value}' is not a date with a time; write it like {_EXAMPLE}.") from None
    if isinstance(value, str) and len(value) <= len("2026-06-15"):
        raise ValueError(f"'{value}' has no time of day; write it like {_EXAMPLE}.")
    if not _YEARS[0] <= found.year <= _YEARS[1]:
        raise ValueError(f"The year {found.year} is too far away; write one from {_YEARS[0]} to {_YEARS[1]}.")
    return found.replace(microsecond=0)


def _calendar(column: str, value: Any) -> BlackoutCalendar:
    if isinstance(value, BlackoutCalendar):
        return value
    known = {calendar.name: calendar for calendar in BlackoutCalendar.objects.all()}
    if str(value) not in known:
        raise ValueError(no_calendar(str(value), known))
    return known[str(value)]


def no_calendar(name: str, known: Iterable[str]) -> str:
    """Return the sentence that refuses an unknown blackout calendar, with the likely name."""
    likely = get_close_matches(name, list(known), n=1)
    hint = f"did you mean {likely[0]}?" if likely else "define it first."
    return f"There is no blackout calendar '{name}'; {hint}"


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
    **dict.fromkeys(("starts_on", "ends_on", "anchor_date"), _date),
    "run_times": _times,
    "run_days": _days,
    "run_days_of_month": _month_days,
    "run_weeks_of_month": _week_of_month,
    "run_months": _months,
    "run_once_at": _local_moment,
    "interval_start": _instant,
    "calendar": _calendar,
    "cron_expression": _cron,
    "timezone": _zone,
}
