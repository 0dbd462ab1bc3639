"""The cadence of a cron expression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from scheduling.cadence.base import MonthByMonth
from scheduling.cadence.document import Document
from scheduling.cadence.kinds.cron_fields import CronFields, DayRule, ever_matches, matching_days, read_cron
from scheduling.cadence.resolve import BOTH, SKIP
from scheduling.cadence.sentences import listed, months, ordinal
from scheduling.cadence.words import WEEKDAY_NAMES


@dataclass(frozen=True, kw_only=True)
class Cron(MonthByMonth):
    """Fires at the local minutes that a five-field cron expression names.

    - Names, lists, ranges (also over the end: 22-2), steps, @daily and friends; day words L, L-3, LW, 15W, 5#2, L5, 5L.
      15W is the weekday nearest to the 15th, never leaving the month; in a month without the day it does not fire.
    - Day of the month with day of the week as Debian's cron does: either matches when both are restricted; both must
      match when one of the two fields starts with `*` (so `*/2` counts as unrestricted). The sentence says which.
    - A month without the day is passed over; an expression that can never fire (30 February) yields nothing.
    - Fixed times follow `dst_gap` and `dst_overlap`. When the minute or the hour field starts with `*` it is a grid:
      nothing in a gap, both copies in an overlap.
    - Days before `starts_on` and after `ends_on` have no fires; both days themselves do.
    """

    expression: str
    fields: CronFields

    @classmethod
    def read(cls, document: Document) -> Cron:
        """Build it from `expr`; faults are noted."""
        expression = document.value("expr")
        fields = read_cron("* * * * *")
        try:
            fields = read_cron(expression if isinstance(expression, str) else "")
        except ValueError as error:
            document.refuse("expr", str(error))
        return cls(expression=str(expression).strip(), fields=fields, **document.common())

    @property
    def policies(self) -> tuple[str, str]:
        """Return the treatment of a grid or the chosen one."""
        return (SKIP, BOTH) if self.fields.is_grid else (self.dst_gap, self.dst_overlap)

    def days_from(self, day: date) -> Iterator[date]:
        """Yield the matching days from this one on; nothing, at once, when no month has such a day."""
        return super().days_from(day) if ever_matches(self.fields.months, self.fields.rule) else iter(())

    def days_back(self, day: date) -> Iterator[date]:
        """Yield the matching days from this one back; nothing, at once, when no month has such a day."""
        return super().days_back(day) if ever_matches(self.fields.months, self.fields.rule) else iter(())

    def is_month(self, year: int, month: int) -> bool:
        """Return whether the month field names it."""
        return month in self.fields.months

    def days_of_month(self, first_weekday: int, length: int) -> Sequence[int]:
        """Return the days that the two day fields name."""
        return matching_days(self.fields.rule, first_weekday, length)

    def seconds_of_day(self) -> Sequence[int]:
        """Return every named hour with every named minute."""
        return _seconds(self.fields.hours, self.fields.minutes)

    def rhythm(self) -> str:
        """Return "Cron 0 6 * * 1-5: at 06:00, Monday to Friday"."""
        return f"Cron {self.expression}: {in_words(self.fields)}"


@lru_cache(maxsize=256)
def _seconds(hours: tuple[int, ...], minutes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(hour * 3600 + minute * 60 for hour in hours for minute in minutes)


_FEW = 6  # clock times that are still read at a glance


def in_words(fields: CronFields) -> str:
    """Return "at 06:00, Monday to Friday" or "every 15 minutes from 08:00 to 18:45, every day"."""
    words = f"{_times(fields)}, {_days(fields.rule)}"
    if len(fields.months) == 12:
        return words
    named = months(fields.months)
    return words.replace(" of the month", f" of {named}") if " of the month" in words else f"{words}, in {named}"


def _times(fields: CronFields) -> str:
    minutes, hours = fields.minutes, fields.hours
    if len(minutes) * len(hours) <= _FEW:
        return f"at {listed(f'{hour:02}:{minute:02}' for hour in hours for minute in minutes)}"
    step = _step(minutes, 60)
    even = step if minutes[0] == 0 else 0
    if len(hours) == 24:
        on_the_hour = "every hour on the hour" if minutes == (0,) else f"every hour at {_minutes(minutes)}"
        return _every_minutes(even) if even else on_the_hour
    if step and len(hours) > 1 and _is_run(hours):
        return f"{_every_minutes(step)} from {hours[0]:02}:{minutes[0]:02} to {hours[-1]:02}:{minutes[-1]:02}"
    if len(minutes) == 1:
        return _single_minute(minutes[0], hours)
    return f"{_every_minutes(even)} in {_hours(hours)}" if even else f"at {_minutes(minutes)} past {_hours(hours)}"


def _hours(hours: tuple[int, ...]) -> str:
    step = _step(hours, 24)
    if step > 1:
        return f"every {ordinal(step)} hour from {hours[0]:02}"
    return f"the hour{'s' if len(hours) > 1 else ''} {listed(f'{hour:02}' for hour in hours)}"


def _single_minute(minute: int, hours: tuple[int, ...]) -> str:
    step = _step(hours, 24)
    if step:
        return f"every {step} hours from {hours[0]:02}:{minute:02} to {hours[-1]:02}:{minute:02}"
    if _is_run(hours):
        return f"every hour from {hours[0]:02}:{minute:02} to {hours[-1]:02}:{minute:02}"
    return f"at {listed(f'{hour:02}:{minute:02}' for hour in hours)}"


def _every_minutes(step: int) -> str:
    return "every minute" if step == 1 else f"every {step} minutes"


def _minutes(minutes: tuple[int, ...]) -> str:
    return f"minute{'s' if len(minutes) > 1 else ''} {listed(str(minute) for minute in minutes)}"


def _step(values: tuple[int, ...], size: int) -> int:
    """Return the distance when the values run round the clock evenly from below one step, else 0."""
    step = values[1] - values[0] if len(values) > 1 else 0
    even = step and size % step == 0 and values == tuple(range(values[0], size, step)) and values[0] < step
    return step if even else 0


def _is_run(values: tuple[int, ...]) -> bool:
    return values == tuple(range(values[0], values[-1] + 1))


def _days(rule: DayRule) -> str:
    by_day, by_weekday = _month_days(rule), _weekdays(rule)
    if rule.either:
        if not by_day or not by_weekday:
            return "every day"
        return f"{by_day} or {by_weekday} (either)"
    if by_day and by_weekday:
        return f"{by_day}, but only when it is {by_weekday} (both must match)"
    return by_day or by_weekday or "every day"


def _month_days(rule: DayRule) -> str:
    if len(rule.days) == 31:
        return ""
    if len(rule.days) > 2 and _is_run(rule.days) and not rule.from_end and not rule.nearest:
        return f"on the {ordinal(rule.days[0])} to the {ordinal(rule.days[-1])} of the month"
    step = rule.days[1] - rule.days[0] if len(rule.days) > 3 else 0
    if step and rule.days == tuple(range(rule.days[0], 32, step)) and not rule.from_end and not rule.nearest:
        return f"on every {ordinal(step)} day from the {ordinal(rule.days[0])} of the month"
    words = [f"the {ordinal(day)}" for day in rule.days]
    words += ["the last weekday" if day == 0 else f"the weekday nearest the {ordinal(day)}" for day in rule.nearest]
    words += [
        "the last day" if back == 0 else f"{back} day{'s' if back > 1 else ''} before the last"
        for back in rule.from_end
    ]
    return f"on {listed(words)} of the month"


def _weekdays(rule: DayRule) -> str:
    if len(rule.weekdays) == 7:
        return ""
    days = sorted((day - 1) % 7 for day in rule.weekdays)
    if len(days) > 2 and _is_run(tuple(days)) and not rule.nth:
        return f"{WEEKDAY_NAMES[days[0]]} to {WEEKDAY_NAMES[days[-1]]}"
    words = [WEEKDAY_NAMES[day] for day in days]
    words += [
        f"the {ordinal(nth) if nth else 'last'} {WEEKDAY_NAMES[(day - 1) % 7]} of the month" for day, nth in rule.nth
    ]
    if rule.nth:
        words = [f"on {words[0]}", *words[1:]] if not rule.either and len(rule.days) == 31 else words
    return listed(words, "or" if rule.either or len(rule.days) != 31 else "and")
