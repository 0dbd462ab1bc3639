"""The one table of a schedule's settings: of each its column, who uses it, how it is read, and what it is unused.

Forms and the sections they show, model files, rules, the clearing of stale columns and the places of a cadence's faults
derive from it. To add a setting is to add its column, its row here, and its place in a form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from django.utils.translation import gettext_noop

from scheduling.schedules.readers import (
    FLAG,
    Reader,
    calendar,
    choice,
    clock,
    cron,
    day,
    days,
    instant,
    local_moment,
    month_days,
    months,
    number,
    times,
    week_of_month,
    zone,
)
from scheduling.states import CatchUp, DstGap, DstOverlap, IntervalAnchor, ProcessingMode, ScheduleType
from staging.wording import aloud, say

_SCHEDULED, _TRIGGERED = ProcessingMode.SCHEDULED, ProcessingMode.TRIGGERED
_INTERVAL, _ONCE, _CRON = ScheduleType.INTERVAL, ScheduleType.ONCE, ScheduleType.CRON
_WEEKLY, _MONTHLY, _NTH = ScheduleType.WEEKLY, ScheduleType.MONTHLY, ScheduleType.MONTHLY_NTH_WEEKDAY
_YEARLY = ScheduleType.YEARLY
_AT_TIMES = (ScheduleType.DAILY, _WEEKLY, _MONTHLY, _NTH, _YEARLY)
_BY_LOCAL_TIME = (*_AT_TIMES, _CRON)
_ALWAYS = tuple(ProcessingMode)


@dataclass(frozen=True)
class Setting:
    """One thing that a person sets of a schedule.

    `empty` is what its column holds while nothing uses it. `uses` are the modes and the schedule types that do; with
    `only_with`, only beside that value of another setting. `label` and `help` are what a form says of it. `longest` is
    how many characters the column keeps. `keys` are its names in a cadence document, for a type alone as "type:key"; a
    key that is its column's name is not listed.
    """

    column: str
    empty: Any
    uses: tuple[str, ...]
    read: Reader
    label: str
    help: str = ""
    keys: tuple[str, ...] = ()
    longest: int | None = None
    only_with: tuple[str, str] | None = None

    def is_used(self, mode: str, schedule_type: str, values: Mapping[str, Any]) -> bool:
        """Return whether this mode, or in the scheduled mode this type, uses it beside these values."""
        if mode not in self.uses and not (mode == _SCHEDULED and schedule_type in self.uses):
            return False
        if self.only_with is None:
            return True
        other, value = self.only_with
        return str(values.get(other, value)).strip().lower() == value


_TABLE = (
    Setting(
        "processing_mode",
        ProcessingMode.MANUAL.value,
        _ALWAYS,
        choice(ProcessingMode),
        gettext_noop("Who starts a batch"),
    ),
    Setting(
        "is_enabled",
        True,
        _ALWAYS,
        FLAG,
        gettext_noop("Enabled"),
        gettext_noop("Switched off, nothing starts by itself; people still can."),
    ),
    Setting("timezone", "UTC", _ALWAYS, zone, gettext_noop("Time zone"), longest=64),
    Setting("schedule_type", "", (_SCHEDULED,), choice(ScheduleType), gettext_noop("How often"), keys=("kind",)),
    Setting(
        "interval_minutes",
        None,
        (_INTERVAL,),
        number(1, 1440),
        gettext_noop("Every (minutes)"),
        gettext_noop("1 to 1440."),
        keys=("every_minutes", "every_seconds"),
    ),
    Setting(
        "interval_anchor",
        IntervalAnchor.WALL_CLOCK.value,
        (_INTERVAL,),
        choice(IntervalAnchor),
        gettext_noop("Counted from"),
        keys=("anchor", "last_completion"),
    ),
    Setting(
        "interval_start",
        None,
        (_INTERVAL,),
        instant,
        gettext_noop("First moment"),
        gettext_noop("In the schedule's time zone; for “a first moment” only."),
        keys=("start",),
        only_with=("interval_anchor", IntervalAnchor.START.value),
    ),
    Setting("window_start", None, (_INTERVAL,), clock, gettext_noop("From")),
    Setting("window_end", None, (_INTERVAL,), clock, gettext_noop("Until"), keys=("between",)),
    Setting(
        "run_times",
        "",
        _AT_TIMES,
        times,
        gettext_noop("At"),
        gettext_noop("One or more times, 24-hour clock: 06:00, 18:30."),
        keys=("times",),
        longest=200,
    ),
    Setting(
        "run_days", "", (_INTERVAL, _WEEKLY, _NTH), days, gettext_noop("On"), keys=("days", "weekday"), longest=100
    ),
    Setting(
        "run_days_of_month",
        "",
        (_MONTHLY, _YEARLY),
        month_days,
        gettext_noop("On day"),
        keys=(f"{_MONTHLY}:days", "day"),
        longest=100,
    ),
    Setting("run_weeks_of_month", "", (_NTH,), week_of_month, gettext_noop("The"), keys=("nth",)),
    Setting("run_months", "", (_NTH, _YEARLY), months, gettext_noop("In"), keys=("month", "months"), longest=50),
    Setting(
        "run_once_at",
        "",
        (_ONCE,),
        local_moment,
        gettext_noop("At"),
        gettext_noop("In the schedule's time zone."),
        keys=("at_local",),
    ),
    Setting(
        "every_n_weeks",
        1,
        (_WEEKLY,),
        number(1, 520),
        gettext_noop("Every (weeks)"),
        gettext_noop("1 is every week, 2 every other week."),
        keys=("every_weeks",),
    ),
    Setting(
        "every_n_months",
        1,
        (_MONTHLY,),
        number(1, 120),
        gettext_noop("Every (months)"),
        gettext_noop("1 is every month, 3 every third month."),
        keys=("every_months",),
    ),
    Setting("anchor_date", None, (_WEEKLY, _MONTHLY), day, gettext_noop("Counted from the week or month of")),
    Setting(
        "cron_expression",
        "",
        (_CRON,),
        cron,
        gettext_noop("Cron expression"),
        gettext_noop("Five fields: 0 6 * * 1-5."),
        keys=("expr",),
        longest=100,
    ),
    Setting("starts_on", None, (_INTERVAL, *_BY_LOCAL_TIME), day, gettext_noop("First day")),
    Setting("ends_on", None, (_INTERVAL, *_BY_LOCAL_TIME), day, gettext_noop("Last day")),
    Setting(
        "dst_gap",
        DstGap.FIRST_VALID.value,
        _BY_LOCAL_TIME,
        choice(DstGap),
        gettext_noop("A time that does not exist (spring)"),
    ),
    Setting(
        "dst_overlap",
        DstOverlap.FIRST.value,
        _BY_LOCAL_TIME,
        choice(DstOverlap),
        gettext_noop("A time that comes twice (autumn)"),
    ),
    Setting("catch_up", CatchUp.NONE.value, (_SCHEDULED,), choice(CatchUp), gettext_noop("After an outage")),
    Setting(
        "catch_up_limit",
        10,
        (_SCHEDULED,),
        number(1, 32_767),
        gettext_noop("At most so many late runs"),
        gettext_noop("Only when all of them run late."),
    ),
    Setting(
        "catch_up_window_minutes",
        1440,
        (_SCHEDULED,),
        number(1),
        gettext_noop("Not those older than (minutes)"),
        gettext_noop("1440 is a day."),
    ),
    # Triggers wait in a blackout, but there are no slots to catch up with.
    Setting("calendar", None, (_SCHEDULED, _TRIGGERED), calendar, gettext_noop("Blackout calendar")),
    Setting("trigger_on_new_rows", False, (_TRIGGERED,), FLAG, gettext_noop("When new rows arrive")),
    Setting(
        "trigger_row_threshold",
        None,
        (_TRIGGERED,),
        number(1),
        gettext_noop("When this many rows wait"),
        gettext_noop("For example 500."),
    ),
    Setting(
        "trigger_idle_minutes",
        None,
        (_TRIGGERED,),
        number(1),
        gettext_noop("When the oldest row waits (minutes)"),
        gettext_noop("For example 15."),
    ),
    Setting(
        "trigger_debounce_seconds",
        60,
        (_TRIGGERED,),
        number(0),
        gettext_noop("New rows: wait between batches (seconds)"),
        gettext_noop("At least this long."),
    ),
    Setting(
        "trigger_settle_seconds",
        0,
        (_TRIGGERED,),
        number(0),
        gettext_noop("New rows: wait for the source to finish (seconds)"),
        gettext_noop("No row came for this long; 0 does not wait."),
    ),
)
TABLE: dict[str, Setting] = {setting.column: setting for setting in _TABLE}
SETTINGS = tuple(TABLE)
CLEARED: dict[str, Any] = {setting.column: setting.empty for setting in _TABLE}
_COLUMN_OF = {key: setting.column for setting in _TABLE for key in setting.keys}


def used_by(mode: str, schedule_type: str, values: Mapping[str, Any] | None = None) -> set[str]:
    """Return the columns that this mode, and for the scheduled mode this type, uses; beside these values, if given."""
    return {setting.column for setting in _TABLE if setting.is_used(mode, schedule_type, values or {})}


def cleared(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return all settings with the columns that the mode does not use set back, so that stale ones cannot return."""
    used = used_by(values["processing_mode"], values["schedule_type"], values)
    return {column: values[column] if column in used else empty for column, empty in CLEARED.items()}


def shown_for(columns: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the modes and the schedule types that have a use for one of these settings; none for what all have."""
    uses = {use for column in columns if TABLE[column].uses != _ALWAYS for use in TABLE[column].uses}
    types = [kind for kind in ScheduleType.values if kind in uses]
    return [mode for mode in ProcessingMode.values if mode in uses or (types and mode == _SCHEDULED)], types


def column_of_field(field: str, schedule_type: str) -> str:
    """Return the column at which a fault of a cadence document's field is shown."""
    return _COLUMN_OF.get(f"{schedule_type}:{field}") or _COLUMN_OF.get(field, field)


def normalise(column: str, value: Any) -> Any:
    """Return the stored form of a value ("Mon, Fri" is "mon,fri", "6:00" is "06:00"); raises ValueError.

    Nothing (None, an empty text or list) is the cleared form of the column. Several faults in a list are joined.
    """
    setting = TABLE.get(column)
    if setting is None:
        likely = get_close_matches(column, SETTINGS, n=1)
        if likely:
            raise ValueError(
                say("A schedule has no field {name}; did you mean {likely}?", name=column, likely=likely[0])
            )
        raise ValueError(say("A schedule has no field {name}.", name=column))
    if isinstance(value, str):
        value = value.strip()
    if value is None or value == "" or value == []:
        return setting.empty
    stored = setting.read(value)
    if setting.longest is not None and len(stored) > setting.longest:
        raise ValueError(
            say(
                "This is too long: {length} characters, at most {longest} are kept.",
                length=len(stored),
                longest=setting.longest,
            )
        )
    return stored


def normalised(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return the stored form of every readable value, and the faults of the others by column."""
    stored: dict[str, Any] = {}
    errors: dict[str, list[str]] = {}
    for column, value in values.items():
        try:
            stored[column] = normalise(column, value)
        except ValueError as error:
            errors[column] = [aloud(text) for text in error.args]
    return stored, errors
