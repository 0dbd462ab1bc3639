"""Small pieces of the sentences a business user reads."""

from collections.abc import Sequence
from datetime import time

from scheduling.cadence.words import MONTH_NAMES, WEEKDAY_NAMES, write_time
from staging.phrases import Phrase, listed, marked, numbered, phrase

_PLURALS = (
    marked("Mondays"),
    marked("Tuesdays"),
    marked("Wednesdays"),
    marked("Thursdays"),
    marked("Fridays"),
    marked("Saturdays"),
    marked("Sundays"),
)
_ORDINALS = {1: marked("{number}st"), 2: marked("{number}nd"), 3: marked("{number}rd")}


def ordinal(number: int) -> Phrase:
    """Return "1st", "22nd", "13th"."""
    if number % 100 not in (11, 12, 13) and (template := _ORDINALS.get(number % 10)):
        return phrase(template, number=number)
    return phrase("{number}th", number=number)


def clock_times(times: Sequence[time]) -> str:
    """Return "06:00 and 18:00"."""
    return listed(write_time(at) for at in times)


def weekday(day: int) -> Phrase:
    """Return "Monday" for 0."""
    return phrase(WEEKDAY_NAMES[day])


def every_weekday(days: Sequence[int]) -> Phrase:
    """Return "Every day", "Every weekday" or "Every Monday and Friday" (Monday 0)."""
    if len(days) == 7:
        return phrase("Every day")
    if tuple(days) == (0, 1, 2, 3, 4):
        return phrase("Every weekday")
    return phrase("Every {days}", days=listed(map(weekday, days)))


def on_weekdays(days: Sequence[int]) -> str:
    """Return "on weekdays", "on Mondays and Fridays", or nothing for all seven (Monday 0)."""
    if len(days) == 7:
        return ""
    if tuple(days) == (0, 1, 2, 3, 4):
        return phrase("on weekdays")
    if tuple(days) == (5, 6):
        return phrase("at weekends")
    return phrase("on {days}", days=listed(phrase(_PLURALS[day]) for day in days))


def months(numbers: Sequence[int]) -> str:
    """Return "January, April and July"."""
    return listed(phrase(MONTH_NAMES[number - 1]) for number in numbers)


def every_length(seconds: int) -> Phrase:
    """Return "Every minute", "Every 2 hours", "Every 24 hours", "Every 7 days"."""
    count, unit = _largest_unit(seconds)
    if unit == "day":
        return numbered(count, "Every day", "Every {number} days")
    if unit == "hour":
        return numbered(count, "Every hour", "Every {number} hours")
    if unit == "minute":
        return numbered(count, "Every minute", "Every {number} minutes")
    return numbered(count, "Every second", "Every {number} seconds")


def length_in_words(seconds: int) -> Phrase:
    """Return "1 minute", "2 hours", "24 hours", "7 days"."""
    count, unit = _largest_unit(seconds)
    if unit == "day":
        return numbered(count, "{number} day", "{number} days")
    if unit == "hour":
        return numbered(count, "{number} hour", "{number} hours")
    if unit == "minute":
        return numbered(count, "{number} minute", "{number} minutes")
    return numbered(count, "{number} second", "{number} seconds")


def _largest_unit(seconds: int) -> tuple[int, str]:
    """Return the largest unit that makes a whole number of these seconds, and the number; a single day is 24 hours."""
    if seconds == 86400:
        return 24, "hour"
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds % size == 0:
            return seconds // size, unit
    return seconds, "second"
