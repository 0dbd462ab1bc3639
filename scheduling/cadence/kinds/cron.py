"""The cadence of a cron expression."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from scheduling.cadence.base import MonthByMonth
from scheduling.cadence.document import Document
from scheduling.cadence.kinds.cron_fields import CronFields, DayRule, ever_matches, matching_days, read_cron
from scheduling.cadence.resolve import BOTH, SKIP
from scheduling.cadence.sentences import months, ordinal, weekday
from staging.phrases import Phrase, listed, numbered, phrase


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
            document.refuse("expr", *error.args)
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

    def rhythm(self) -> Phrase:
        """Return "Cron 0 6 * * 1-5: at 06:00, Monday to Friday"."""
        return phrase("Cron {expression}: {words}", expression=self.expression, words=in_words(self.fields))


@lru_cache(maxsize=256)
def _seconds(hours: tuple[int, ...], minutes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(hour * 3600 + minute * 60 for hour in hours for minute in minutes)


_FEW = 6  # clock times that are still read at a glance


def in_words(fields: CronFields) -> Phrase:
    """Return "at 06:00, Monday to Friday" or "every 15 minutes from 08:00 to 18:45, every day"."""
    every_month = len(fields.months) == 12
    times, period = _times(fields), phrase("the month") if every_month else months(fields.months)
    days, names_months = _days(fields.rule, period)
    if every_month or names_months:
        return phrase("{times}, {days}", times=times, days=days)
    return phrase("{times}, {days}, in {months}", times=times, days=days, months=period)


def _times(fields: CronFields) -> Phrase:
    minutes, hours = fields.minutes, fields.hours
    if len(minutes) * len(hours) <= _FEW:
        return _at(f"{hour:02}:{minute:02}" for hour in hours for minute in minutes)
    step = _step(minutes, 60)
    even = step if minutes[0] == 0 else 0
    if len(hours) == 24:
        return _every_hour(minutes, even)
    if step and len(hours) > 1 and _is_run(hours):
        first, last = f"{hours[0]:02}:{minutes[0]:02}", f"{hours[-1]:02}:{minutes[-1]:02}"
        return phrase("{every} from {first} to {last}", every=_every_minutes(step), first=first, last=last)
    if len(minutes) == 1:
        return _single_minute(minutes[0], hours)
    if even:
        return phrase("{every} in {hours}", every=_every_minutes(even), hours=_hours(hours))
    return phrase("at {minutes} past {hours}", minutes=_minutes(minutes), hours=_hours(hours))


def _every_hour(minutes: tuple[int, ...], even: int) -> Phrase:
    if even:
        return _every_minutes(even)
    if minutes == (0,):
        return phrase("every hour on the hour")
    return phrase("every hour at {minutes}", minutes=_minutes(minutes))


def _hours(hours: tuple[int, ...]) -> Phrase:
    step = _step(hours, 24)
    if step > 1:
        return phrase("every {nth} hour from {first}", nth=ordinal(step), first=f"{hours[0]:02}")
    named = listed(f"{hour:02}" for hour in hours)
    if len(hours) == 1:
        return phrase("the hour {hours}", hours=named)
    return phrase("the hours {hours}", hours=named)


def _single_minute(minute: int, hours: tuple[int, ...]) -> Phrase:
    step = _step(hours, 24)
    first, last = f"{hours[0]:02}:{minute:02}", f"{hours[-1]:02}:{minute:02}"
    if step:
        return phrase("every {step} hours from {first} to {last}", step=step, first=first, last=last)
    if _is_run(hours):
        return phrase("every hour from {first} to {last}", first=first, last=last)
    return _at(f"{hour:02}:{minute:02}" for hour in hours)


def _at(times: Iterable[str]) -> Phrase:
    return phrase("at {times}", times=listed(times))


def _every_minutes(step: int) -> Phrase:
    return numbered(step, "every minute", "every {number} minutes")


def _minutes(minutes: tuple[int, ...]) -> Phrase:
    named = listed(map(str, minutes))
    if len(minutes) == 1:
        return phrase("minute {minutes}", minutes=named)
    return phrase("minutes {minutes}", minutes=named)


def _step(values: tuple[int, ...], size: int) -> int:
    """Return the distance when the values run round the clock evenly from below one step, else 0."""
    step = values[1] - values[0] if len(values) > 1 else 0
    even = step and size % step == 0 and values == tuple(range(values[0], size, step)) and values[0] < step
    return step if even else 0


def _is_run(values: tuple[int, ...]) -> bool:
    return values == tuple(range(values[0], values[-1] + 1))


def _days(rule: DayRule, period: str) -> tuple[str, bool]:
    """Return the words for the days, and whether they name the months, which `period` does."""
    by_day, by_weekday = _month_days(rule, period), _weekdays(rule, period)
    if rule.either and not (by_day and by_weekday):
        return phrase("every day"), False
    names_months = bool(by_day or (by_weekday and rule.nth))
    if rule.either:
        return phrase("{days} or {weekdays} (either)", days=by_day, weekdays=by_weekday), names_months
    if by_day and by_weekday:
        both = phrase("{days}, but only when it is {weekdays} (both must match)", days=by_day, weekdays=by_weekday)
        return both, names_months
    return by_day or by_weekday or phrase("every day"), names_months


def _month_days(rule: DayRule, period: str) -> str:
    if len(rule.days) == 31:
        return ""
    plain = not rule.from_end and not rule.nearest
    if plain and len(rule.days) > 2 and _is_run(rule.days):
        first, last = ordinal(rule.days[0]), ordinal(rule.days[-1])
        return phrase("on the {first} to the {last} of {months}", first=first, last=last, months=period)
    step = rule.days[1] - rule.days[0] if len(rule.days) > 3 else 0
    if plain and step and rule.days == tuple(range(rule.days[0], 32, step)):
        nth, first = ordinal(step), ordinal(rule.days[0])
        return phrase("on every {nth} day from the {first} of {months}", nth=nth, first=first, months=period)
    days = [
        *(phrase("the {nth}", nth=ordinal(day)) for day in rule.days),
        *(_nearest_weekday(day) for day in rule.nearest),
        *(_before_last(back) for back in rule.from_end),
    ]
    return phrase("on {days} of {months}", days=listed(days), months=period)


def _nearest_weekday(day: int) -> Phrase:
    return phrase("the weekday nearest the {nth}", nth=ordinal(day)) if day else phrase("the last weekday")


def _before_last(back: int) -> Phrase:
    if not back:
        return phrase("the last day")
    return numbered(back, "{number} day before the last", "{number} days before the last")


def _weekdays(rule: DayRule, period: str) -> str:
    if len(rule.weekdays) == 7:
        return ""
    days = sorted((day - 1) % 7 for day in rule.weekdays)
    if len(days) > 2 and _is_run(tuple(days)) and not rule.nth:
        return phrase("{first} to {last}", first=weekday(days[0]), last=weekday(days[-1]))
    words = [weekday(day) for day in days] + [_nth_weekday(*pair, period) for pair in rule.nth]
    if rule.nth and not rule.either and len(rule.days) == 31:
        words[0] = phrase("on {day}", day=words[0])
    return listed(words, "or" if rule.either or len(rule.days) != 31 else "and")


def _nth_weekday(day: int, nth: int, period: str) -> Phrase:
    which = ordinal(nth) if nth else phrase("last")
    return phrase("the {nth} {weekday} of {months}", nth=which, weekday=weekday((day - 1) % 7), months=period)
