"""The rules of a schedule by mode: one table that the form, the model file and code all use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scheduling.cadence.errors import CadenceError
from scheduling.models import SchedulerConfiguration
from scheduling.schedules.columns import CLEARED, cleared, column_of, used_by
from scheduling.schedules.normalise import normalised
from scheduling.states import ProcessingMode, ScheduleType

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


def _without(column: str) -> Callable[[Values], bool]:
    return lambda values: not values[column]


RULES = (
    Rule(
        ProcessingMode.SCHEDULED,
        "schedule_type",
        _without("schedule_type"),
        "A scheduled entity needs a schedule type; choose interval, daily, weekly, monthly or cron.",
    ),
    Rule(
        ProcessingMode.SCHEDULED,
        "ends_on",
        lambda values: bool(values["starts_on"] and values["ends_on"] and values["starts_on"] > values["ends_on"]),
        "The last day is before the first day; exchange them or clear one.",
    ),
    Rule(
        ProcessingMode.TRIGGERED,
        "trigger_on_new_rows",
        lambda values: (
            not (values["trigger_on_new_rows"] or values["trigger_row_threshold"] or values["trigger_idle_minutes"])
        ),
        "A triggered entity needs at least one trigger: new rows, a row threshold or idle minutes.",
        reads=("trigger_row_threshold", "trigger_idle_minutes"),
    ),
    Rule(
        ScheduleType.INTERVAL,
        "interval_minutes",
        _without("interval_minutes"),
        "An interval needs its minutes; write a whole number from 1 to 1440.",
    ),
    Rule(
        ScheduleType.INTERVAL,
        "window_end",
        lambda values: values["window_start"] is not None and values["window_end"] is None,
        "The window has a start only; fill in its end too, or clear both.",
    ),
    Rule(
        ScheduleType.INTERVAL,
        "window_start",
        lambda values: values["window_end"] is not None and values["window_start"] is None,
        "The window has an end only; fill in its start too, or clear both.",
    ),
    Rule(
        ScheduleType.INTERVAL,
        "window_end",
        lambda values: values["window_start"] is not None and values["window_start"] == values["window_end"],
        "The window ends when it starts; write a later end (an earlier one means the next day), or clear both.",
    ),
    Rule(
        ScheduleType.DAILY,
        "run_times",
        _without("run_times"),
        "A daily schedule needs at least one time; write for example 06:00.",
    ),
    Rule(
        ScheduleType.WEEKLY,
        "run_days",
        _without("run_days"),
        "A weekly schedule needs at least one day; write for example mon, fri.",
    ),
    Rule(
        ScheduleType.WEEKLY,
        "run_times",
        _without("run_times"),
        "A weekly schedule needs at least one time; write for example 06:00.",
    ),
    Rule(
        ScheduleType.MONTHLY,
        "run_days_of_month",
        _without("run_days_of_month"),
        "A monthly schedule needs at least one day; write for example 1, 15, last.",
    ),
    Rule(
        ScheduleType.MONTHLY,
        "run_times",
        _without("run_times"),
        "A monthly schedule needs at least one time; write for example 06:00.",
    ),
    Rule(
        ScheduleType.CRON,
        "cron_expression",
        _without("cron_expression"),
        "A cron schedule needs its expression; write for example 0 6 * * 1-5.",
    ),
)


def schedule_errors(values: Values) -> dict[str, list[str]]:
    """Return every fault of the values by column, empty when they are a valid schedule; missing columns are cleared."""
    return judged(values)[1]


def judged(values: Values) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return the settings as they would be stored, and every fault by column.

    Columns that the chosen mode and schedule type do not use are set back without being judged.
    """
    given = {**CLEARED, **values}
    heads, errors = normalised({column: given[column] for column in ("processing_mode", "schedule_type")})
    mode = heads.get("processing_mode", "")
    if mode != ProcessingMode.SCHEDULED:
        heads["schedule_type"] = ""
        errors.pop("schedule_type", None)
    used = used_by(mode, heads.get("schedule_type", "")) | (values.keys() - CLEARED.keys())
    stored, faults = normalised({column: given[column] for column in used if column in given})
    errors = {**faults, **errors}
    stored = cleared({**CLEARED, **stored, **{"schedule_type": "", "processing_mode": mode}, **heads})
    for rule in RULES:
        readable = errors.keys().isdisjoint({rule.column, *rule.reads})
        if rule.of in (mode, stored["schedule_type"]) and readable and rule.broken(stored):
            errors[rule.column] = [rule.message]
    return stored, errors or _cadence_errors(stored)


def _cadence_errors(stored: Values) -> dict[str, list[str]]:
    """Return what only the cadence as a whole can tell: above all that it never fires."""
    schedule_type = stored["schedule_type"]
    try:
        cadence = SchedulerConfiguration(**stored).cadence()
    except CadenceError as error:
        return {column_of(field, schedule_type): texts for field, texts in error.errors.items()}
    if cadence is None or cadence.can_fire():
        return {}
    if replace(cadence, starts_on=None, ends_on=None).can_fire():
        return {"ends_on": ["Between the first and the last day it never runs; give it more time."]}
    return {_SHAPE[schedule_type]: ["It never runs: no month has such a day (like 30 February); change the day."]}


_SHAPE: dict[str, str] = {
    ScheduleType.INTERVAL: "interval_minutes",
    ScheduleType.DAILY: "run_times",
    ScheduleType.WEEKLY: "run_days",
    ScheduleType.MONTHLY: "run_days_of_month",
    ScheduleType.CRON: "cron_expression",
}
