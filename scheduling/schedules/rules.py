"""The rules of a schedule by mode: one table that the form, the model file and code all use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext_noop

from scheduling.cadence.errors import CadenceError
from scheduling.cadence.resolve import FIRST, SHIFT, resolve
from scheduling.models import SchedulerConfiguration
from scheduling.schedules.settings import CLEARED, cleared, column_of_field, normalised, used_by
from scheduling.states import IntervalAnchor, ProcessingMode, ScheduleType
from staging.phrases import listed
from staging.wording import aloud, say

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Rule:
    """What must be filled in or agree; shown at `column` when `broken` says so.

    `of` is a mode or a schedule type. A fault at one of `reads` silences the rule: it could only guess.
    """

    of: str
    column: str
    broken: Callable[[Values], bool]
    message: str
    reads: tuple[str, ...] = ()
    values: Values = field(default_factory=dict)  # what the message says beside its words


def _without(column: str) -> Callable[[Values], bool]:
    return lambda values: not values[column]


def _not_one(column: str) -> Callable[[Values], bool]:
    return lambda values: not values[column] or "," in values[column]


RULES = (
    Rule(
        ProcessingMode.SCHEDULED,
        "schedule_type",
        _without("schedule_type"),
        gettext_noop("A scheduled entity needs a schedule type; choose {types}."),
        values={"types": listed(ScheduleType.values, "or")},
    ),
    Rule(
        ProcessingMode.SCHEDULED,
        "ends_on",
        lambda values: bool(values["starts_on"] and values["ends_on"] and values["starts_on"] > values["ends_on"]),
        gettext_noop("The last day is before the first day; exchange them or clear one."),
    ),
    Rule(
        ProcessingMode.TRIGGERED,
        "trigger_on_new_rows",
        lambda values: (
            not (values["trigger_on_new_rows"] or values["trigger_row_threshold"] or values["trigger_idle_minutes"])
        ),
        gettext_noop("A triggered entity needs at least one trigger: new rows, a row threshold or idle minutes."),
        reads=("trigger_row_threshold", "trigger_idle_minutes"),
    ),
    Rule(
        ScheduleType.INTERVAL,
        "interval_minutes",
        _without("interval_minutes"),
        gettext_noop("An interval needs its minutes; write a whole number from 1 to 1440."),
    ),
    Rule(
        ScheduleType.INTERVAL,
        "interval_start",
        lambda values: values["interval_anchor"] == IntervalAnchor.START and values["interval_start"] is None,
        gettext_noop("An interval counted from a first moment needs it; write for example 2026-06-15 09:00."),
    ),
    Rule(
        ScheduleType.INTERVAL,
        "window_end",
        lambda values: values["window_start"] is not None and values["window_end"] is None,
        gettext_noop("The window has a start only; fill in its end too, or clear both."),
    ),
    Rule(
        ScheduleType.INTERVAL,
        "window_start",
        lambda values: values["window_end"] is not None and values["window_start"] is None,
        gettext_noop("The window has an end only; fill in its start too, or clear both."),
    ),
    Rule(
        ScheduleType.INTERVAL,
        "window_end",
        lambda values: values["window_start"] is not None and values["window_start"] == values["window_end"],
        gettext_noop(
            "The window ends when it starts; write a later end (an earlier one means the next day), or clear both."
        ),
    ),
    Rule(
        ScheduleType.DAILY,
        "run_times",
        _without("run_times"),
        gettext_noop("A daily schedule needs at least one time; write for example 06:00."),
    ),
    Rule(
        ScheduleType.WEEKLY,
        "run_days",
        _without("run_days"),
        gettext_noop("A weekly schedule needs at least one day; write for example mon, fri."),
    ),
    Rule(
        ScheduleType.WEEKLY,
        "run_times",
        _without("run_times"),
        gettext_noop("A weekly schedule needs at least one time; write for example 06:00."),
    ),
    Rule(
        ScheduleType.MONTHLY,
        "run_days_of_month",
        _without("run_days_of_month"),
        gettext_noop("A monthly schedule needs at least one day; write for example 1, 15, last."),
    ),
    Rule(
        ScheduleType.MONTHLY,
        "run_times",
        _without("run_times"),
        gettext_noop("A monthly schedule needs at least one time; write for example 06:00."),
    ),
    Rule(
        ScheduleType.MONTHLY_NTH_WEEKDAY,
        "run_weeks_of_month",
        _without("run_weeks_of_month"),
        gettext_noop("A monthly weekday needs to know which one; write 1, 2, 3, 4, 5 or last."),
    ),
    Rule(
        ScheduleType.MONTHLY_NTH_WEEKDAY,
        "run_days",
        _not_one("run_days"),
        gettext_noop("A monthly weekday needs exactly one day; write for example mon."),
    ),
    Rule(
        ScheduleType.MONTHLY_NTH_WEEKDAY,
        "run_times",
        _without("run_times"),
        gettext_noop("A monthly weekday needs at least one time; write for example 06:00."),
    ),
    Rule(
        ScheduleType.YEARLY,
        "run_months",
        _not_one("run_months"),
        gettext_noop("A yearly schedule needs exactly one month; write for example 3."),
    ),
    Rule(
        ScheduleType.YEARLY,
        "run_days_of_month",
        _not_one("run_days_of_month"),
        gettext_noop("A yearly schedule needs exactly one day; write 1 to 31 or last."),
    ),
    Rule(
        ScheduleType.YEARLY,
        "run_times",
        _without("run_times"),
        gettext_noop("A yearly schedule needs at least one time; write for example 06:00."),
    ),
    Rule(
        ScheduleType.ONCE,
        "run_once_at",
        _without("run_once_at"),
        gettext_noop("A schedule for once needs its moment; write local time, for example 2026-06-15 09:00."),
    ),
    Rule(
        ScheduleType.CRON,
        "cron_expression",
        _without("cron_expression"),
        gettext_noop("A cron schedule needs its expression; write for example 0 6 * * 1-5."),
    ),
)


def schedule_errors(
    values: Values, *, now: datetime | None = None, before: Values | None = None
) -> dict[str, list[str]]:
    """Return every fault of the values by column, empty when they are a valid schedule; missing columns are cleared.

    `now` and `before` as for `judged`.
    """
    return judged(values, now=now, before=before)[1]


def judged(
    values: Values, *, now: datetime | None = None, before: Values | None = None
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return the settings as they would be stored, and every fault by column.

    Columns that the chosen mode and schedule type do not use are set back without being judged. With `now`, a single
    moment that has passed is refused too, unless `before` (the settings so far) had it already: one that has run stays
    valid while other things change.
    """
    given = {**CLEARED, **values}
    heads, errors = normalised({column: given[column] for column in ("processing_mode", "schedule_type")})
    mode = heads.get("processing_mode", "")
    if mode != ProcessingMode.SCHEDULED:
        heads["schedule_type"] = ""
        errors.pop("schedule_type", None)
    used = used_by(mode, heads.get("schedule_type", ""), given) | (values.keys() - CLEARED.keys())
    stored, faults = normalised({column: given[column] for column in used if column in given})
    errors = {**faults, **errors}
    stored = cleared({**CLEARED, **stored, **{"schedule_type": "", "processing_mode": mode}, **heads})
    stored["interval_start"] = _in_zone(stored["interval_start"], stored["timezone"])
    for rule in RULES:
        readable = errors.keys().isdisjoint({rule.column, *rule.reads})
        if rule.of in (mode, stored["schedule_type"]) and readable and rule.broken(stored):
            errors[rule.column] = [say(rule.message, **rule.values)]
    return stored, errors or _cadence_errors(stored) or _past_errors(stored, now, before)


def _in_zone(moment: datetime | None, zone: str) -> datetime | None:
    """Return an instant for local text: one that does not exist moves on by the gap, of two the first counts."""
    if moment is None or moment.tzinfo is not None:
        return moment
    return resolve(moment, ZoneInfo(zone), SHIFT, FIRST)[0]


def _cadence_errors(stored: Values) -> dict[str, list[str]]:
    """Return what only the cadence as a whole can tell: above all that it never fires."""
    schedule_type = stored["schedule_type"]
    try:
        cadence = SchedulerConfiguration(**stored).cadence()
    except CadenceError as error:
        return {
            column_of_field(field, schedule_type): [aloud(text) for text in texts]
            for field, texts in error.errors.items()
        }
    if cadence is None or schedule_type == ScheduleType.ONCE or cadence.can_fire():
        return {}
    if replace(cadence, starts_on=None, ends_on=None).can_fire():
        return {"ends_on": [say("Between the first and the last day it never runs; give it more time.")]}
    if schedule_type == ScheduleType.INTERVAL:
        return {"interval_minutes": [say("It can never fire: its grid never meets its window; change one of them.")]}
    return {
        _SHAPE.get(schedule_type, "schedule_type"): [
            say("It can never fire: no month has such a day (like 30 February); change the day.")
        ]
    }


def _past_errors(stored: Values, now: datetime | None, before: Values | None) -> dict[str, list[str]]:
    """Refuse a single moment that has passed when it is new or switched on: it would wait for ever."""
    if now is None or stored["schedule_type"] != ScheduleType.ONCE:
        return {}
    kept = before is not None and all(before[column] == stored[column] for column in _MOMENT)
    if kept and before is not None and (before["is_enabled"] or not stored["is_enabled"]):
        return {}
    cadence = SchedulerConfiguration(**stored).cadence()
    if cadence is None or cadence.next_after(now) is not None:
        return {}
    moment = f"{stored['run_once_at']} ({stored['timezone']})"
    return {"run_once_at": [say("{moment} lies in the past, it would never run; write a later moment.", moment=moment)]}


_MOMENT = ("processing_mode", "schedule_type", "run_once_at", "timezone")
_SHAPE: dict[str, str] = {
    ScheduleType.DAILY: "run_times",
    ScheduleType.WEEKLY: "run_days",
    ScheduleType.MONTHLY: "run_days_of_month",
    ScheduleType.MONTHLY_NTH_WEEKDAY: "run_weeks_of_month",
    ScheduleType.YEARLY: "run_days_of_month",
    ScheduleType.CRON: "cron_expression",
}
