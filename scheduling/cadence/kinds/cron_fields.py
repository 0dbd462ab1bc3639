"""Reads a cron expression: croniter expands the plain fields, the special day words are taken out before."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from croniter import croniter

from scheduling.cadence.words import MONTH_NAMES, WEEKDAY_NAMES
from staging.phrases import Phrase, marked, phrase

ALIASES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_NAMES = {name: number for number, name in enumerate(("sun", "mon", "tue", "wed", "thu", "fri", "sat"))}
_DAY_SPECIAL = re.compile(r"l|lw|l-(\d{1,2})|(\d{1,2})w", re.ASCII)
_WEEKDAY = rf"([0-7]|{'|'.join(_NAMES)})"
_WEEKDAY_SPECIAL = re.compile(rf"{_WEEKDAY}#([1-5])|l{_WEEKDAY}|{_WEEKDAY}l", re.ASCII)
_UNREADABLE = (
    marked("The minute '{field}' cannot be read; write 0-59, *, lists, ranges or steps."),
    marked("The hour '{field}' cannot be read; write 0-23, *, lists, ranges or steps."),
    marked("The day of the month '{field}' cannot be read; write 1-31, *, lists, ranges or steps."),
    marked("The month '{field}' cannot be read; write 1-12 or jan-dec, *, lists, ranges or steps."),
    marked("The day of the week '{field}' cannot be read; write 0-7 or sun-sat, *, lists, ranges or steps."),
)
_ALL = (tuple(range(60)), tuple(range(24)), tuple(range(1, 32)), tuple(range(1, 13)), tuple(range(7)))

_LENGTHS = tuple((28, 29) if month == 2 else (30,) if month in (4, 6, 9, 11) else (31,) for month in range(1, 13))


@dataclass(frozen=True)
class DayRule:
    """Which days of a month match. Cron counts Sunday as 0.

    `from_end`: days before the last one (L is 0). `nearest`: the weekday nearest to that day, inside the month (0
    stands for the month's last weekday). `nth`: pairs of weekday and 1-5, or 0 for the last one.
    """

    days: tuple[int, ...]
    from_end: tuple[int, ...]
    nearest: tuple[int, ...]
    weekdays: tuple[int, ...]
    nth: tuple[tuple[int, int], ...]
    either: bool  # both fields restricted: a day matches when either does


@dataclass(frozen=True)
class CronFields:
    """The five fields, expanded."""

    text: tuple[str, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    months: tuple[int, ...]
    rule: DayRule

    @property
    def is_grid(self) -> bool:
        """Return whether the minute or the hour field starts with `*`: then clock changes move nothing."""
        return self.text[0].startswith("*") or self.text[1].startswith("*")


@lru_cache(maxsize=1024)
def read_cron(expression: str) -> CronFields:
    """Return the fields of a five-field expression or an alias; raises ValueError that names the field."""
    text = " ".join(expression.lower().split())
    text = ALIASES.get(text, text)
    fields = tuple("*" + field[1:] if field.startswith("?") else field for field in text.split())
    if len(fields) == 5:
        fields = (*fields[:3], _shortened(fields[3], MONTH_NAMES), _shortened(fields[4], WEEKDAY_NAMES))
    if text.startswith("@"):
        known = ", ".join(ALIASES)
        raise ValueError(
            phrase("'{expression}' is not known; write one of {known}.", expression=expression, known=known)
        )
    if len(fields) != 5:
        raise ValueError(
            phrase(
                "A cron expression has five fields (minute hour day month weekday), not {number}.", number=len(fields)
            )
        )
    day_field, day_specials = _take_out(fields[2], _DAY_SPECIAL)
    weekday_field, weekday_specials = _take_out(fields[4], _WEEKDAY_SPECIAL)
    minutes, hours, days, months, weekdays = _expand(fields, day_field, weekday_field)
    rule = DayRule(
        days=days,
        from_end=tuple(sorted(_from_end(part) for part in day_specials if not part.endswith("w"))),
        nearest=tuple(sorted(_nearest(part) for part in day_specials if part.endswith("w"))),
        weekdays=weekdays,
        nth=tuple(sorted(_nth(part) for part in weekday_specials)),
        either=not fields[2].startswith("*") and not fields[4].startswith("*"),
    )
    return CronFields(fields, minutes, hours, months, rule)


@lru_cache(maxsize=4096)
def matching_days(rule: DayRule, first_weekday: int, length: int) -> tuple[int, ...]:
    """Return the matching days of a month that begins on this weekday (Monday 0) and is this long."""
    by_day = {day for day in rule.days if day <= length}
    by_day |= {length - back for back in rule.from_end if back < length}
    by_day |= {_workday_near(day or length, first_weekday, length) for day in rule.nearest if day <= length}
    first = (first_weekday + 1) % 7  # cron's count: Sunday 0
    by_weekday = {day for day in range(1, length + 1) if (first + day - 1) % 7 in rule.weekdays}
    for weekday, nth in rule.nth:
        such = range(1 + (weekday - first) % 7, length + 1, 7)
        by_weekday |= set(such[nth - 1 : nth] if nth else such[-1:])
    return tuple(sorted(by_day | by_weekday if rule.either else by_day & by_weekday))


@lru_cache(maxsize=1024)
def ever_matches(months: tuple[int, ...], rule: DayRule) -> bool:
    """Return whether any year holds a matching day; every month has begun, and begins again, on every weekday."""
    lengths = {length for month in months for length in _LENGTHS[month - 1]}
    return any(matching_days(rule, weekday, length) for length in lengths for weekday in range(7))


def _workday_near(day: int, first_weekday: int, length: int) -> int:
    weekday = (first_weekday + day - 1) % 7
    if weekday == 5:
        return day - 1 if day > 1 else day + 2
    if weekday == 6:
        return day + 1 if day < length else day - 2
    return day


def _shortened(field: str, names: tuple[str, ...]) -> str:
    """Return the field with names of days or months as croniter knows them: "sunday" and "sept" as their first three.

    An L of a weekday stays where it stood.
    """

    def short(found: re.Match[str]) -> str:
        before, word, after = found.groups()
        known = any(name.lower().startswith(word) for name in names)
        return f"{before}{word[:3]}{after}" if known else found.group()

    tails = "(l?)" if names is WEEKDAY_NAMES else "()"
    return re.sub(rf"(?<![a-z]){tails}([a-z]{{4,}}?){tails}(?![a-z])", short, field)


def _take_out(field: str, special: re.Pattern[str]) -> tuple[str, list[str]]:
    """Split a day field into its plain part ("" when there is none) and its special words."""
    parts = field.split(",")
    specials = [part for part in parts if special.fullmatch(part)]
    return ",".join(part for part in parts if part not in specials), specials


def _expand(fields: tuple[str, ...], day_field: str, weekday_field: str) -> list[tuple[int, ...]]:
    plain = [fields[0], fields[1], day_field or "*", fields[3], weekday_field or "*"]
    for index, field in enumerate(plain):
        if not re.fullmatch(r"[0-9a-z*/,-]+", field) or re.search(
            r"(?<![a-z])[hr](?![a-z])|[0-9][a-z]|l|w", _nameless(field)
        ):
            raise ValueError(_refusal(index, fields[index]))
    try:
        expanded, _ = croniter.expand(" ".join(plain), strict=False)
    except (ValueError, KeyError):
        raise ValueError(_refusal(_broken_field(plain), fields[_broken_field(plain)])) from None
    values = [
        _ALL[index] if "*" in found else tuple(sorted(int(item) for item in found))
        for index, found in enumerate(expanded)
    ]
    if not day_field:
        values[2] = ()
    if not weekday_field:
        values[4] = ()
    return values


def _nameless(field: str) -> str:
    return re.sub(r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat", "", field)


def _broken_field(plain: list[str]) -> int:
    for index, field in enumerate(plain):
        alone = ["*"] * 5
        alone[index] = field
        try:
            croniter.expand(" ".join(alone), strict=False)
        except (ValueError, KeyError):
            return index
    return 0


def _refusal(index: int, field: str) -> Phrase:
    return phrase(_UNREADABLE[index], field=field)


def _from_end(part: str) -> int:
    back = int(part[2:] or 0)
    if back > 30:
        raise ValueError(
            phrase("The day of the month '{part}' goes back further than a month; write L-1 to L-30.", part=part)
        )
    return back


def _nearest(part: str) -> int:
    day = 0 if part == "lw" else int(part[:-1])
    if part != "lw" and not 1 <= day <= 31:
        raise ValueError(phrase("The day of the month '{part}' is not in a month; write 1W to 31W.", part=part))
    return day


def _nth(part: str) -> tuple[int, int]:
    word, _, nth = part.partition("#")
    if not nth:
        word = word[1:] if word.startswith("l") else word[:-1]
    weekday = _NAMES[word] if word in _NAMES else int(word) % 7
    return weekday, int(nth or 0)
