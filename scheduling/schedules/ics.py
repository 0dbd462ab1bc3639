"""Reads holidays from iCalendar (RFC 5545): whole days only, and what recurs without end as a recurring period.

- A whole-day event is days; one from midnight to midnight counts as such. An event with times of day is refused: a
  calendar has no period for it but a weekly window, and darkening its whole day would hold back too much.
- A yearly event on its own date, without end, is a yearly period; a single day each week, without end, is a weekly
  one. Any other recurrence becomes single days, from its start until five years from today.
- Exceptions and additions (EXDATE, RDATE, RECURRENCE-ID) are followed. Cancelled events are left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any

from dateutil.rrule import rrulestr
from icalendar import Calendar
from icalendar.cal import Component
from icalendar.prop import vRecur

from scheduling.cadence.words import WEEKDAYS
from scheduling.schedules.drafts import PeriodDraft
from scheduling.states import PeriodKind
from staging.wording import say

HORIZON_YEARS = 5
MOST_OCCURRENCES = 500
_DAY = timedelta(days=1)
_READ = ("DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID")
_TIMES = {"SECONDLY", "MINUTELY", "HOURLY"}
_ICS_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_UNTIL = re.compile(r"(UNTIL=\d{8})T\d{6}Z?", re.IGNORECASE)


def read_ics(text: str, *, today: date) -> tuple[list[PeriodDraft], list[tuple[int, str]]]:
    """Return the periods of an iCalendar text, and each fault with the line on which its event begins."""
    try:
        calendars = Calendar.from_ical(text, multiple=True)
    except (ValueError, KeyError, IndexError) as error:
        return [], [(1, say("This is not an iCalendar file: {error}", error=" ".join(str(error).split())[:200]))]
    events = [event for calendar in calendars for event in calendar.walk("VEVENT")]
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.strip().upper() == "BEGIN:VEVENT"]
    changed = _changed_occurrences(events)
    drafts: list[PeriodDraft] = []
    faults: list[tuple[int, str]] = []
    for event, line in zip(events, lines, strict=False):
        if str(event.get("STATUS", "")).upper() == "CANCELLED":
            continue
        try:
            drafts += _periods(event, line, changed, today)
        except _Endless as error:
            return [], [*faults, (line, f"{_name(event)}: {error}")]
        except ValueError as error:
            faults.append((line, f"{_name(event)}: {error}"))
    return drafts, faults


class _Endless(ValueError):
    """A recurrence that never comes takes seconds to find out; one in a file is enough."""


def _periods(event: Component, line: int, changed: dict[str, set[date]], today: date) -> list[PeriodDraft]:
    """Return what one event darkens; raises ValueError with the reason for which it cannot be read."""
    for name, reason in event.errors:
        if name in _READ:
            raise ValueError(say("its {name} cannot be read: {reason}.", name=name, reason=reason))
    first, last = _span(event)
    note = " ".join(str(event.get("SUMMARY", "")).split())[:100]
    rule: Any = event.get("RRULE")
    recurring = isinstance(rule, vRecur)
    left_out = set(_dates(event, "EXDATE"))
    if "RECURRENCE-ID" not in event:
        left_out |= changed.get(str(event.get("UID", "")), set())
    added = set(_dates(event, "RDATE"))
    if rule is not None and not recurring:
        raise ValueError(say("it has several recurrence rules; leave one."))
    if recurring and not left_out and not added:
        whole = _recurring_period(rule, first, last, note, line)
        if whole is not None:
            return [whole]
    starts = set(_occurrences(rule, first, today)) if recurring else {first}
    length = last - first
    return [
        PeriodDraft(start, start + length if length else None, note, line=line)
        for start in sorted((starts | added) - left_out)
    ]


def _span(event: Component) -> tuple[date, date]:
    """Return the first and the last day. The end of an event is the day after its last."""
    start, end, length = (_value(event, name) for name in ("DTSTART", "DTEND", "DURATION"))
    if not isinstance(start, date):
        raise ValueError(say("it has no start (DTSTART)."))
    if not isinstance(end, date):
        end = (
            start + length if isinstance(length, timedelta) else start if isinstance(start, datetime) else start + _DAY
        )
    first, after = _midnight(start), _midnight(end)
    if first is None or after is None or (isinstance(start, datetime) and after <= first):
        raise ValueError(say("it has times of day; only whole days are read. Take it out, or make a weekly window."))
    if after < first:
        raise ValueError(say("it ends before it starts."))
    return first, max(after - _DAY, first)


def _value(event: Component, name: str) -> object:
    """Return what a property holds as Python's own value, None without it."""
    return getattr(event.get(name), "dt", None)


def _midnight(moment: date | datetime) -> date | None:
    """Return the day that begins at this moment, None when none does."""
    if not isinstance(moment, datetime):
        return moment
    return moment.date() if moment.time() == time() else None


def _recurring_period(rule: vRecur, first: date, last: date, note: str, line: int) -> PeriodDraft | None:
    """Return the yearly or weekly period that a rule without end is, None when it is neither."""
    parts = {name.upper(): list(values) for name, values in rule.items() if name.upper() != "WKST"}
    frequency = str(parts.pop("FREQ")[0]).upper()
    if parts.pop("INTERVAL", [1]) != [1]:
        return None
    if frequency == "YEARLY" and parts.keys() in (set(), {"BYMONTH"}, {"BYMONTH", "BYMONTHDAY"}):
        same_date = {"BYMONTH": [first.month], "BYMONTHDAY": [first.day]}
        if (last - first).days < 365 and all([*map(int, parts[name])] == same_date[name] for name in parts):
            return PeriodDraft(first, last, note, PeriodKind.YEARLY, "", line)
    if frequency == "WEEKLY" and first == last and parts.keys() <= {"BYDAY"}:
        names = [str(day).upper() for day in parts.get("BYDAY", [_ICS_DAYS[first.weekday()]])]
        if set(names) <= set(_ICS_DAYS):
            days = ",".join(WEEKDAYS[index] for index, name in enumerate(_ICS_DAYS) if name in names)
            return PeriodDraft(note=note, kind=PeriodKind.WEEKLY, run_days=days, line=line)
    return None


def _occurrences(rule: vRecur, first: date, today: date) -> list[date]:
    """Return the days on which a rule's occurrences begin, until the horizon; raises ValueError for a bad rule."""
    text = _UNTIL.sub(r"\1", rule.to_ical().decode())
    if str(rule["FREQ"][0]).upper() in _TIMES:
        raise ValueError(say("it recurs within the day; only whole days are read."))
    end = today.replace(year=today.year + HORIZON_YEARS, day=1)
    try:
        days = [
            at.date() for at in islice(rrulestr(text, dtstart=datetime.combine(first, time())), MOST_OCCURRENCES + 1)
        ]
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(say("its recurrence rule cannot be read: {error}.", error=error)) from None
    if not days:
        raise _Endless(say("it never comes; its recurrence rule fits no day."))
    found = [day for day in days if day < end]
    if len(found) > MOST_OCCURRENCES:
        raise ValueError(
            say(
                "it recurs more than {times} times until {end}; make a weekly window of it.",
                times=MOST_OCCURRENCES,
                end=end,
            )
        )
    return found


def _dates(event: Component, name: str) -> Iterable[date]:
    """Yield the days of a property that lists dates, once or several times."""
    value: Any = event.get(name)
    for entry in value if isinstance(value, list) else [] if value is None else [value]:
        for moment in (item.dt for item in getattr(entry, "dts", [entry])):
            if not isinstance(moment, date):
                raise ValueError(say("its {name} is a period of time; only whole days are read.", name=name))
            yield moment.date() if isinstance(moment, datetime) else moment


def _changed_occurrences(events: Iterable[Component]) -> dict[str, set[date]]:
    """Return, by event, the occurrences that another entry of the file replaces."""
    changed: dict[str, set[date]] = defaultdict(set)
    for event in events:
        moment = _value(event, "RECURRENCE-ID")
        if isinstance(moment, date):
            changed[str(event.get("UID", ""))].add(moment.date() if isinstance(moment, datetime) else moment)
    return changed


def _name(event: Component) -> str:
    return f"'{' '.join(str(event.get('SUMMARY', 'event without a name')).split())[:60]}'"
