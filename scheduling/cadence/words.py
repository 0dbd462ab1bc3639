"""Times, days, numbers and zones as people write them, read and written in one way for every door."""

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime, time
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, NoReturn, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from staging.phrases import Phrase, listed, marked, phrase

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WEEKDAY_NAMES = (
    marked("Monday"),
    marked("Tuesday"),
    marked("Wednesday"),
    marked("Thursday"),
    marked("Friday"),
    marked("Saturday"),
    marked("Sunday"),
)
MONTH_NAMES = (
    marked("January"),
    marked("February"),
    marked("March"),
    marked("April"),
    marked("May"),
    marked("June"),
    marked("July"),
    marked("August"),
    marked("September"),
    marked("October"),
    marked("November"),
    marked("December"),
)
DAY_GROUPS = {
    "weekdays": WEEKDAYS[:5],
    "weekend": WEEKDAYS[5:],
    "weekends": WEEKDAYS[5:],
    "daily": WEEKDAYS,
    "all": WEEKDAYS,
}
_ENDLESS = 2_147_483_647  # the most that the columns hold: no limit that anybody would name
T = TypeVar("T")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?", re.ASCII)
_HOUR = re.compile(r"(\d{1,2})(?:[:.h](\d{2}))?\s*([ap])?\.?\s*(?:m\.?)?", re.IGNORECASE | re.ASCII)

_NOT_A_PLACE = re.compile(
    r"localtime|posixrules|Factory|posix/|right/"
)  # files beside the zones; some differ by machine


def read_time(text: object) -> time:
    """Return "6:00" or "06:00:30" as a time; raises ValueError with the mend in it."""
    return _time_of(text) if isinstance(text, str) else _no_time(text)


@lru_cache(maxsize=2048)  # the times that people write are few
def _time_of(text: str) -> time:
    found = _TIME.fullmatch(text.strip())
    if found is not None:
        hour, minute, second = (int(part or 0) for part in found.groups())
        if hour <= 23 and minute <= 59 and second <= 59:
            return time(hour, minute, second)
        raise ValueError(
            phrase("'{text}' is not a time of day; hours go from 00 to 23, minutes from 00 to 59.", text=text)
        )
    return _no_time(text)


def _no_time(text: object) -> NoReturn:
    if likely := _likely_time(text):
        raise ValueError(phrase("'{text}' is not a time; write {likely}.", text=text, likely=likely))
    raise ValueError(phrase("'{text}' is not a time; write it like 06:00.", text=text))


def write_time(at: time) -> str:
    """Return "06:00", with seconds only when there are any."""
    return at.strftime("%H:%M:%S" if at.second else "%H:%M")


def read_weekday(text: object) -> int:
    """Return Monday 0 … Sunday 6 for "mon", "Monday", "MON"; raises ValueError with the likely word."""
    if isinstance(text, str) and text in WEEKDAYS:
        return WEEKDAYS.index(text)
    word = str(text).strip().lower()
    for index, name in enumerate(WEEKDAY_NAMES):
        if len(word) >= 3 and (name.lower() == word or WEEKDAYS[index] == word):
            return index
    likely = get_close_matches(word, WEEKDAYS, n=1, cutoff=0.4) if len(word) > 1 else []
    if likely:
        raise ValueError(
            phrase("'{text}' is not a day of the week; did you mean {likely}?", text=text, likely=likely[0])
        )
    raise ValueError(phrase("'{text}' is not a day of the week; write {days}.", text=text, days=listed(WEEKDAYS, "or")))


def read_weekdays(value: object) -> tuple[int, ...]:
    """Return days (Monday 0), sorted, from "mon, Fri", ["mon", "fri"] or a group of DAY_GROUPS; raises ValueError."""
    items = [day for item in items_of(value) for day in DAY_GROUPS.get(str(item).strip().lower(), (item,))]
    return tuple(sorted(set(read_each(items, read_weekday))))


def read_month_day(text: object) -> int | str:
    """Return 1-31 or "last"; raises ValueError."""
    if type(text) is int and 1 <= text <= 31:
        return text
    word = str(text).strip().lower()
    if word == "last":
        return "last"
    if re.fullmatch(r"\d{1,2}", word, re.ASCII) and 1 <= int(word) <= 31:
        return int(word)
    raise ValueError(phrase("'{text}' is not a day of the month; write 1 to 31 or last.", text=text))


def read_month(text: object) -> int:
    """Return January 1 … December 12 for "1", 1, "jan", "January"; raises ValueError with the likely word."""
    word = str(text).strip().lower()
    if re.fullmatch(r"\d{1,2}", word, re.ASCII) and 1 <= int(word) <= 12:
        return int(word)
    names = [name.lower() for name in MONTH_NAMES]
    for index, name in enumerate(names):
        if word in (name, name[:3]):
            return index + 1
    likely = get_close_matches(word, names, n=1, cutoff=0.7)
    if likely:
        raise ValueError(phrase("'{text}' is not a month; did you mean {likely}?", text=text, likely=likely[0][:3]))
    raise ValueError(phrase("'{text}' is not a month; write 1 to 12, or jan to dec.", text=text))


def read_date(value: object) -> date:
    """Return a local day from a date or from "2026-01-31"; raises ValueError."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        return date.fromisoformat(value)  # type: ignore[arg-type]  # what is no text falls through to the message
    except (TypeError, ValueError):
        raise ValueError(phrase("'{value}' is not a date; write it like 2026-01-31.", value=value)) from None


def read_moment(value: object) -> datetime:
    """Return a date with a time of day, to the second, from either or from "2026-06-15 09:00"; raises ValueError."""
    try:
        found = value if isinstance(value, datetime) else datetime.fromisoformat(str(value).strip())
    except ValueError:
        raise ValueError(
            phrase("'{value}' is not a date with a time; write it like 2026-06-15 09:00.", value=value)
        ) from None
    if isinstance(value, str) and len(value.strip()) <= len("2026-06-15"):
        raise ValueError(
            phrase("'{value}' has no time of day; write it like {day} 09:00.", value=value, day=value.strip())
        )
    return found.replace(microsecond=0)


def write_moment(moment: datetime) -> str:
    """Return "2026-06-15 09:00", with seconds only when there are any."""
    return moment.isoformat(" ", "seconds" if moment.second else "minutes")


def is_whole(value: object, least: int, most: int = _ENDLESS) -> bool:
    """Return whether this is a whole number within these limits; True is none."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def a_whole_number(least: int, most: int = _ENDLESS) -> Phrase:
    """Return what to write: "a whole number from 1 to 1440"."""
    if most < _ENDLESS:
        return phrase("a whole number from {least} to {most}", least=least, most=most)
    return phrase("a whole number of at least {least}", least=least)


def items_of(value: object) -> list[Any]:
    """Return the items of a comma text, a list or a single value."""
    if isinstance(value, str):
        return [item.strip() for item in value.split(",") if item.strip()]
    return list(value) if isinstance(value, Iterable) else [value]


def read_each(value: object, read: Callable[[Any], T]) -> list[T]:
    """Return what each item says; raises ValueError with a text for each that cannot be read."""
    found: list[T] = []
    faults: list[Any] = []
    for item in items_of(value):
        try:
            found.append(read(item))
        except ValueError as error:
            faults += error.args
    if faults:
        raise ValueError(*faults)
    return found


@lru_cache(maxsize=256)
def read_zone(name: str) -> ZoneInfo:
    """Return the IANA zone; raises ValueError with the likely name."""
    try:
        if not _NOT_A_PLACE.match(name):
            return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    by_lower = {zone.lower(): zone for zone in available_timezones()}
    word = name.strip().lower().replace(" ", "_")
    cities = {zone.rsplit("/", 1)[-1]: zone for zone in by_lower}
    likely = get_close_matches(word, by_lower, n=1, cutoff=0.75) or [
        cities[city] for city in get_close_matches(word.rsplit("/", 1)[-1], cities, n=1, cutoff=0.75)
    ]
    if likely:
        raise ValueError(
            phrase("'{name}' is not a time zone; did you mean {likely}?", name=name, likely=by_lower[likely[0]])
        )
    raise ValueError(phrase("'{name}' is not a time zone; write for example Europe/Amsterdam or UTC.", name=name))


def _likely_time(text: object) -> str:
    """Return the time that was meant, empty when nobody can tell."""
    found = _HOUR.fullmatch(str(text).strip())
    if found is None:
        return ""
    hour, minute = int(found[1]), int(found[2] or 0)
    if found[3] and found[3].lower() == "p" and hour < 12:
        hour += 12
    elif found[3] and found[3].lower() == "a" and hour == 12:
        hour = 0
    return f"{hour:02}:{minute:02}" if hour <= 23 and minute <= 59 else ""
