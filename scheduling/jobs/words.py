"""Days, weeks, months and units as developers write them in a decorator, and as they stand in a schedule's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import time
from difflib import get_close_matches
from typing import TypeVar

from django.utils.translation import gettext_noop

from scheduling.cadence.words import (
    WEEKDAY_NAMES,
    WEEKDAYS,
    items_of,
    read_each,
    read_month,
    read_month_day,
    read_time,
    read_weekdays,
)
from staging.wording import said_together, say

T = TypeVar("T")

Words = str | int | Iterable[str | int]

LAST = "last"
WEEKS = ("first", "second", "third", "fourth", "fifth")
_GROUPS_OF_MONTHS = {"quarters": (1, 4, 7, 10), "all": tuple(range(1, 13))}
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_UNITS = {"seconds": "s", "minutes": "m", "hours": "h", "days": "d", "sec": "s", "min": "m", "hour": "h", "day": "d"}


def read_days(words: Words) -> tuple[int, ...]:
    """Return weekdays (Monday 0), sorted, from "mon, fri", ["mon", "fri"] or a group; raises ValueError."""
    return _some(_joined(words, read_weekdays), gettext_noop("a day such as mon"))


def read_months(words: Words) -> tuple[int, ...]:
    """Return months 1-12, sorted, from "jan, jul", [1, 7] or "quarters"; raises ValueError."""
    items = [item for word in items_of(words) for item in _GROUPS_OF_MONTHS.get(str(word).strip().lower(), (word,))]
    return _some(
        tuple(sorted(set(_joined(items, lambda each: read_each(each, read_month))))),
        gettext_noop("a month such as jan"),
    )


def read_weeks(words: Words) -> tuple[int | str, ...]:
    """Return weeks of the month, 1-5 and "last", in order, from "first, last" or [1, "last"]; raises ValueError."""
    found = {_week(item) for item in items_of(words)}
    return _in_order(found, gettext_noop("a week of the month such as first"))


def read_month_days(words: Words) -> tuple[int | str, ...]:
    """Return days of the month, 1-31 and "last", in order, from "1, 15, last" or [1, "last"]; raises ValueError."""
    return _in_order({read_month_day(item) for item in items_of(words)}, gettext_noop("a day of the month such as 15"))


def read_between(value: str | Sequence[str]) -> tuple[time, time]:
    """Return the first and the last time of "09:00-17:00" or ("09:00", "17:00"); raises ValueError."""
    parts = value.split("-") if isinstance(value, str) else list(value)
    if len(parts) != 2:
        raise ValueError(say("{value!r} is not a stretch of the day; write it like 09:00-17:00.", value=value))
    start, end = read_time(str(parts[0]).strip()), read_time(str(parts[1]).strip())
    if start == end:
        raise ValueError(say("{value!r} ends when it starts; write a later end, or leave it out.", value=value))
    return start, end


def read_distance(count: int | str, unit: str) -> tuple[int, str]:
    """Return (300, "5m") for 5 and "minutes", or for "5m"; raises ValueError."""
    text, letter = (str(count).strip().lower(), "") if not isinstance(count, int) else (str(count), unit)
    if not letter:
        text, letter = (text[:-1], text[-1:]) if text[-1:] in _SECONDS else (text, unit)
    letter = _unit(letter)
    if isinstance(count, bool) or not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise ValueError(
            say("{count!r} is not a distance; write a whole number from 1, such as 5, or 5m.", count=count)
        )
    return int(text) * _SECONDS[letter], f"{int(text)}{letter}"


def day_slug(days: Sequence[int]) -> str:
    """Return "Mon-Fri" for Monday and Friday, "Weekdays", "Weekends" or "All"."""
    groups = {tuple(range(5)): "Weekdays", (5, 6): "Weekends", tuple(range(7)): "All"}
    return groups.get(tuple(days)) or "-".join(WEEKDAY_NAMES[day][:3] for day in days)


def week_slug(weeks: Sequence[int | str]) -> str:
    """Return "First-Last"."""
    return "-".join("Last" if isinstance(week, str) else WEEKS[week - 1].capitalize() for week in weeks)


def month_day_slug(days: Sequence[int | str]) -> str:
    """Return "01-Last"."""
    return "-".join("Last" if isinstance(day, str) else f"{day:02}" for day in days)


def comma_list(items: Iterable[int | str]) -> str:
    """Return the items as the comma list that a schedule's column holds."""
    return ",".join(str(item) for item in items)


def weekday_list(days: Iterable[int]) -> str:
    """Return "mon,fri", as a schedule's column holds it."""
    return ",".join(WEEKDAYS[day] for day in days)


def _joined(words: Words | Sequence[object], read: Callable[[object], T]) -> T:
    """Read the words; raises ValueError with the texts of all faults in one."""
    try:
        return read(words)
    except ValueError as error:
        raise ValueError(said_together(*error.args)) from None


def _some(found: tuple[int, ...], example: str) -> tuple[int, ...]:
    if not found:
        raise ValueError(say("Write at least {example}, or leave it out.", example=say(example)))
    return found


def _in_order(found: set[int | str], example: str) -> tuple[int | str, ...]:
    if not found:
        raise ValueError(say("Write at least {example}.", example=say(example)))
    return tuple(sorted(found, key=lambda item: 99 if isinstance(item, str) else item))


def _week(item: str | int) -> int | str:
    word = str(item).strip().lower()
    if word == LAST:
        return LAST
    if word in WEEKS:
        return WEEKS.index(word) + 1
    if word in ("1", "2", "3", "4", "5"):
        return int(word)
    likely = get_close_matches(word, [*WEEKS, LAST], n=1)
    if likely:
        text = say("'{item}' is not a week of the month; did you mean {likely}?", item=item, likely=likely[0])
        raise ValueError(text)
    text = say("'{item}' is not a week of the month; write first, second, third, fourth, fifth or last.", item=item)
    raise ValueError(text)


def _unit(word: str) -> str:
    unit = str(word).strip().lower()
    if unit in _SECONDS:
        return unit
    if unit in _UNITS or f"{unit}s" in _UNITS:
        return _UNITS.get(unit) or _UNITS[f"{unit}s"]
    likely = get_close_matches(unit, _UNITS, n=1)
    if likely:
        raise ValueError(say("'{word}' is not a unit; did you mean {likely}?", word=word, likely=likely[0]))
    raise ValueError(say("'{word}' is not a unit; write minutes, hours or days.", word=word))
