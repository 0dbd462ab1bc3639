"""A cron expression in plain words."""

from __future__ import annotations

from scheduling.cadence.cron_fields import CronFields, DayRule
from scheduling.cadence.sentences import listed, months, ordinal
from scheduling.cadence.words import WEEKDAY_NAMES

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
