"""Small pieces of the sentences a business user reads."""

from collections.abc import Iterable, Sequence
from datetime import time

from scheduling.cadence.words import MONTH_NAMES, WEEKDAY_NAMES, write_time


def listed(words: Iterable[str], last: str = "and") -> str:
    """Return "a, b and c"."""
    found = list(words)
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} {last} {found[-1]}" if found else ""


def ordinal(number: int) -> str:
    """Return "1st", "22nd", "13th"."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def at_times(times: Sequence[time]) -> str:
    """Return "at 06:00 and 18:00"."""
    return f"at {listed(write_time(at) for at in times)}"


def every_weekday(days: Sequence[int]) -> str:
    """Return "Every day", "Every weekday" or "Every Monday and Friday" (Monday 0)."""
    if len(days) == 7:
        return "Every day"
    if tuple(days) == (0, 1, 2, 3, 4):
        return "Every weekday"
    return f"Every {listed(WEEKDAY_NAMES[day] for day in days)}"


def on_weekdays(days: Sequence[int]) -> str:
    """Return " on weekdays", " on Mondays and Fridays", or nothing for all seven (Monday 0)."""
    if len(days) == 7:
        return ""
    if tuple(days) == (0, 1, 2, 3, 4):
        return " on weekdays"
    if tuple(days) == (5, 6):
        return " at weekends"
    return f" on {listed(f'{WEEKDAY_NAMES[day]}s' for day in days)}"


def months(numbers: Sequence[int]) -> str:
    """Return "January, April and July"."""
    return listed(MONTH_NAMES[number - 1] for number in numbers)


def length_in_words(seconds: int) -> str:
    """Return "15 minutes", "2 hours", "24 hours", "7 days"; a single one without its number: "minute"."""
    if seconds == 86400:
        return "24 hours"
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
        if seconds % size == 0:
            count = seconds // size
            return unit if count == 1 else f"{count} {unit}s"
    raise ValueError("A duration is a whole number of seconds.")
