"""Reads what people and files write into a schedule's columns and gives each value its one stored form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, time
from difflib import get_close_matches
from enum import Enum, auto
from typing import Any

from scheduling.cadence.kinds.cron_fields import read_cron
from scheduling.cadence.words import (
    WEEKDAYS,
    a_whole_number,
    is_whole,
    items_of,
    read_date,
    read_each,
    read_moment,
    read_month,
    read_month_day,
    read_time,
    read_weekdays,
    read_zone,
    write_moment,
    write_time,
)
from scheduling.models import BlackoutCalendar
from staging.phrases import listed
from staging.wording import say

_EXAMPLE = "2026-06-15 09:00"
_YEARS = (1970, 9998)  # whatever the zone, such a moment is an instant


class Shape(Enum):
    """What a file writes for a value: one text or number, a whole number, true or false, or a list of them."""

    TEXT = auto()
    SCALAR = auto()
    WHOLE = auto()
    YES_NO = auto()
    LIST = auto()


@dataclass(frozen=True)
class Reader:
    """Gives a value its stored form; raises ValueError, with one text for each fault.

    `shape` is how files write it; `limits` are the least and the most of a whole number, the most only if there is one.
    """

    read: Callable[[Any], Any]
    shape: Shape = Shape.TEXT
    limits: tuple[int, ...] = ()

    def __call__(self, value: Any) -> Any:
        """Return the stored form of a value that is not empty."""
        return self.read(value)


def choice(words: Iterable[Any]) -> Reader:
    """Return the reader of one of these words."""
    known = [str(word.value) for word in words]

    def read(value: Any) -> str:
        word = str(value).strip().lower()
        if word not in known:
            raise ValueError(say("'{value}' is not known; write {known}.", value=value, known=listed(known, "or")))
        return word

    return Reader(read)


def number(*limits: int) -> Reader:
    """Return the reader of a whole number from the first limit on, up to the second if there is one."""

    def read(value: Any) -> int:
        digits = isinstance(value, str) and value.isascii() and value.lstrip("-").isdigit() and len(value) < 20
        found = int(value) if digits else value
        if not is_whole(found, *limits):
            raise ValueError(say("Write {number}, not {value}.", number=a_whole_number(*limits), value=value))
        return int(found)

    return Reader(read, Shape.WHOLE, limits)


def _flag(value: Any) -> bool:
    words = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False, "on": True, "off": False}
    if str(value).lower() not in words:
        raise ValueError(say("'{value}' is neither true nor false.", value=value))
    return words[str(value).lower()]


def _time(value: Any) -> time:
    return value if isinstance(value, time) else read_time(value)


def _times(value: Any) -> str:
    return ",".join(write_time(at) for at in sorted(set(read_each(value, _time))))


def _days(value: Any) -> str:
    return ",".join(WEEKDAYS[day] for day in read_weekdays(value))


def _month_days(value: Any) -> str:
    found = set(read_each(value, read_month_day))
    return ",".join(str(day) for day in sorted(found, key=lambda day: 99 if isinstance(day, str) else day))


def _week_of_month(value: Any) -> str:
    items = items_of(value)
    word = str(items[0]).strip().lower() if len(items) == 1 else ""
    if word not in ("1", "2", "3", "4", "5", "last"):
        shown = ", ".join(str(item) for item in items)
        raise ValueError(say("'{shown}' is not a week of the month; write one of 1, 2, 3, 4, 5 or last.", shown=shown))
    return word


def _months(value: Any) -> str:
    return ",".join(str(month) for month in sorted(set(read_each(value, read_month))))


def _local_moment(value: Any) -> str:
    found = _moment(value)
    if found.tzinfo is not None:
        raise ValueError(
            say(
                "'{value}' has an offset; write local time like {example}, the time zone is a field of its own.",
                value=value,
                example=_EXAMPLE,
            )
        )
    return write_moment(found)


def _instant(value: Any) -> datetime:
    """Return an instant in UTC; local text stays without a zone, which `rules` adds: the zone is another setting."""
    found = _moment(value)
    return found if found.tzinfo is None else found.astimezone(UTC)


def _moment(value: Any) -> datetime:
    found = read_moment(value)
    if not _YEARS[0] <= found.year <= _YEARS[1]:
        raise ValueError(
            say(
                "The year {year} is too far away; write one from {first} to {last}.",
                year=found.year,
                first=_YEARS[0],
                last=_YEARS[1],
            )
        )
    return found


def _calendar(value: Any) -> BlackoutCalendar:
    if isinstance(value, BlackoutCalendar):
        return value
    known = {calendar.name: calendar for calendar in BlackoutCalendar.objects.all()}
    if str(value) not in known:
        raise ValueError(no_calendar(str(value), known))
    return known[str(value)]


def no_calendar(name: str, known: Iterable[str]) -> str:
    """Return the sentence that refuses an unknown blackout calendar, with the likely name."""
    likely = get_close_matches(name, list(known), n=1)
    if likely:
        return say("There is no blackout calendar '{name}'; did you mean {likely}?", name=name, likely=likely[0])
    return say("There is no blackout calendar '{name}'; define it first.", name=name)


def _cron(value: Any) -> str:
    expression = " ".join(str(value).split())
    read_cron(expression)
    return expression


def _zone(value: Any) -> str:
    return read_zone(str(value)).key


FLAG = Reader(_flag, Shape.YES_NO)
clock = Reader(_time)
day: Reader = Reader(read_date)
times = Reader(_times, Shape.LIST)
days = Reader(_days, Shape.LIST)
month_days = Reader(_month_days, Shape.LIST)
week_of_month = Reader(_week_of_month, Shape.SCALAR)
months = Reader(_months, Shape.LIST)
local_moment = Reader(_local_moment)
instant = Reader(_instant)
calendar = Reader(_calendar)
cron = Reader(_cron)
zone = Reader(_zone)
