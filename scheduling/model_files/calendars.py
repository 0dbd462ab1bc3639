"""The `calendars` section of a model file: calendars with their periods, checked, compared, stored, written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from scheduling.model_files.sections import CALENDAR_KINDS, PERIOD_KINDS
from scheduling.models import BlackoutCalendar, BlackoutPeriod
from scheduling.schedules.calendars import EMPTY_PERIOD, calendar_errors, judged_period, period_value
from scheduling.states import BlackoutPolicy
from staging.model_files.shape import Problems, known_keys, path_of, scalar_text
from staging.versions.units import touch
from staging.wording import say

_DEFAULTS: dict[str, Any] = {"name": "", "description": "", "timezone": "UTC", "policy": BlackoutPolicy.SKIP.value}
_LENGTHS = {"name": 100, "description": 200}


@dataclass
class CalendarPlan:
    """One calendar of the file as it would be stored; `periods` None: the file does not speak of them, they stay."""

    calendar: BlackoutCalendar
    periods: list[dict[str, Any]] | None


def plan_calendars(sections: Sequence[Any], problems: Problems) -> list[CalendarPlan]:
    """Return the calendars of the file, everything wrong with them in `problems` by path; changes nothing.

    Periods that the file lists are the calendar's periods: others of it go.
    """
    stored = {calendar.name: calendar for calendar in BlackoutCalendar.objects.prefetch_related("periods")}
    seen: dict[str, str] = {}
    plans = []
    for index, content in enumerate(sections):
        path = f"calendars[{index}]"
        section = known_keys(content, path, CALENDAR_KINDS, problems, required=("name",))
        name = section["name"] = section.get("name", "").strip()
        if name and name in seen:
            problems.add(
                f"{path}.name", say("{name!r} is defined at {seen} already; leave one out.", name=name, seen=seen[name])
            )
        seen.setdefault(name, path)
        calendar = stored.get(name) or BlackoutCalendar()
        kept = [_columns(period) for period in calendar.periods.all()] if calendar.pk else []
        periods = _periods(section["periods"], path, problems) if "periods" in section else None
        for column, default in _DEFAULTS.items():
            setattr(calendar, column, section.get(column, default))
        _judge(calendar, kept if periods is None else periods, path, problems)
        plans.append(CalendarPlan(calendar, periods))
    return plans


def calendar_changes(plan: CalendarPlan) -> dict[str, Any] | None:
    """Return what would change, each with its old and new value as the file shows it; None for a new calendar."""
    stored = BlackoutCalendar.objects.filter(pk=plan.calendar.pk).first() if plan.calendar.pk else None
    if stored is None:
        return None
    found = {
        column: {"from": getattr(stored, column), "to": getattr(plan.calendar, column)}
        for column in _DEFAULTS
        if getattr(stored, column) != getattr(plan.calendar, column)
    }
    if plan.periods is not None:
        before, after = (
            [_shown(period) for period in _sorted(some)] for some in (_stored_periods(stored), plan.periods)
        )
        if before != after:
            found["periods"] = {"from": before, "to": after}
    return found


def apply_calendars(plans: Iterable[CalendarPlan]) -> None:
    """Store calendars that are new or changed; the caller holds the transaction."""
    for plan in plans:
        changes = calendar_changes(plan)
        if changes is None or changes:
            plan.calendar.save()
            touch(plan.calendar)
        if plan.periods is not None and (changes is None or "periods" in changes):
            BlackoutPeriod.objects.filter(calendar=plan.calendar).delete()
            BlackoutPeriod.objects.bulk_create(BlackoutPeriod(calendar=plan.calendar, **each) for each in plan.periods)


def calendar_section(calendar: BlackoutCalendar) -> dict[str, Any]:
    """Return a calendar as the file shows it: what differs from the defaults, and all its periods."""
    section = {
        column: getattr(calendar, column)
        for column, default in _DEFAULTS.items()
        if getattr(calendar, column) != default
    }
    return section | {"periods": [_shown(period) for period in _sorted(_stored_periods(calendar))]}


def _periods(content: list[Any], path: str, problems: Problems) -> list[dict[str, Any]]:
    found = []
    for index, each in enumerate(content):
        place = f"{path}.periods[{index}]"
        wrong = len(problems.errors)
        section = known_keys(each, place, PERIOD_KINDS, problems)
        values = {name: [scalar_text(item) for item in v] if isinstance(v, list) else v for name, v in section.items()}
        stored, errors = judged_period(values)
        for column in values if not errors else ():
            if values[column] not in (None, "", []) and stored.get(column) in (None, ""):
                errors[column] = [
                    say(
                        "A period of kind {kind} has no use for {column}; leave it out.",
                        kind=stored["kind"],
                        column=column,
                    )
                ]
        for column, texts in errors.items():
            for text in texts if not problems.under(path_of(place, column)) and not problems.under(place) else ():
                problems.add(path_of(place, column), text)
        if len(problems.errors) == wrong:
            found.append(stored)
    return found


def _judge(calendar: BlackoutCalendar, periods: list[dict[str, Any]], path: str, problems: Problems) -> None:
    for column, most in _LENGTHS.items():
        if len(getattr(calendar, column)) > most:
            problems.add(path_of(path, column), say("This is too long: at most {most} characters are kept.", most=most))
    values = {column: getattr(calendar, column) for column in _DEFAULTS}
    for column, texts in calendar_errors(values, [period_value(period) for period in periods]).items():
        for text in texts if not problems.under(path_of(path, column)) and not problems.under(path) else ():
            problems.add(path_of(path, column), text)


def _stored_periods(calendar: BlackoutCalendar) -> list[dict[str, Any]]:
    return [_columns(period) for period in calendar.periods.all()]


def _columns(period: BlackoutPeriod) -> dict[str, Any]:
    return {column: getattr(period, column) for column in EMPTY_PERIOD}


def _sorted(periods: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(periods, key=lambda period: [str(period[column]) for column in EMPTY_PERIOD])


def _shown(period: Mapping[str, Any]) -> dict[str, Any]:
    section = {}
    for column, value in period.items():
        if column == "run_days" and value:
            section[column] = value.split(",")
        elif column == "kind" or value != EMPTY_PERIOD[column]:
            section[column] = _text(value)
    return section


def _text(value: Any) -> Any:
    if isinstance(value, time):
        return value.strftime("%H:%M:%S" if value.second else "%H:%M")
    return value.isoformat() if isinstance(value, date) else value
