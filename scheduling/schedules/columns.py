"""Which columns make up a schedule, which mode and schedule type owns each, and what they are when cleared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scheduling.states import CatchUp, DstGap, DstOverlap, IntervalAnchor, ProcessingMode, ScheduleType

# What a column holds when nothing, or another mode, uses it. These are also all the columns a person can set.
CLEARED: dict[str, Any] = {
    "processing_mode": ProcessingMode.MANUAL.value,
    "is_enabled": True,
    "timezone": "UTC",
    "schedule_type": "",
    "interval_minutes": None,
    "interval_anchor": IntervalAnchor.WALL_CLOCK.value,
    "interval_start": None,
    "window_start": None,
    "window_end": None,
    "run_times": "",
    "run_days": "",
    "run_days_of_month": "",
    "run_weeks_of_month": "",
    "run_months": "",
    "run_once_at": "",
    "every_n_weeks": 1,
    "every_n_months": 1,
    "anchor_date": None,
    "cron_expression": "",
    "starts_on": None,
    "ends_on": None,
    "dst_gap": DstGap.FIRST_VALID.value,
    "dst_overlap": DstOverlap.FIRST.value,
    "catch_up": CatchUp.NONE.value,
    "catch_up_limit": 10,
    "catch_up_window_minutes": 1440,
    "calendar": None,
    "trigger_on_new_rows": False,
    "trigger_row_threshold": None,
    "trigger_idle_minutes": None,
    "trigger_debounce_seconds": 60,
    "trigger_settle_seconds": 0,
}
SETTINGS = tuple(CLEARED)

_ALWAYS = {"processing_mode", "is_enabled", "timezone"}
_OF_MODE: dict[str, set[str]] = {
    ProcessingMode.MANUAL: set(),
    ProcessingMode.SCHEDULED: {"schedule_type", "catch_up", "catch_up_limit", "catch_up_window_minutes", "calendar"},
    # Triggers wait in a blackout, but there are no slots to catch up with.
    ProcessingMode.TRIGGERED: {column for column in SETTINGS if column.startswith("trigger_")} | {"calendar"},
}
_DATES = {"starts_on", "ends_on"}
_BY_LOCAL_TIME = _DATES | {"dst_gap", "dst_overlap"}
_OF_TYPE: dict[str, set[str]] = {
    ScheduleType.INTERVAL: {"interval_minutes", "interval_anchor", "interval_start", "window_start", "window_end"}
    | {"run_days"}
    | _DATES,
    ScheduleType.DAILY: {"run_times"} | _BY_LOCAL_TIME,
    ScheduleType.WEEKLY: {"run_times", "run_days", "every_n_weeks", "anchor_date"} | _BY_LOCAL_TIME,
    ScheduleType.MONTHLY: {"run_times", "run_days_of_month", "every_n_months", "anchor_date"} | _BY_LOCAL_TIME,
    ScheduleType.MONTHLY_NTH_WEEKDAY: {"run_times", "run_days", "run_weeks_of_month", "run_months"} | _BY_LOCAL_TIME,
    ScheduleType.YEARLY: {"run_times", "run_months", "run_days_of_month"} | _BY_LOCAL_TIME,
    ScheduleType.ONCE: {"run_once_at"},
    ScheduleType.CRON: {"cron_expression"} | _BY_LOCAL_TIME,
}

# Where a fault in a cadence document is shown; other names are the same in the columns.
_COLUMN_OF = {
    "every_minutes": "interval_minutes",
    "every_seconds": "interval_minutes",
    "anchor": "interval_anchor",
    "between": "window_end",
    "times": "run_times",
    "every_weeks": "every_n_weeks",
    "every_months": "every_n_months",
    "expr": "cron_expression",
    "kind": "schedule_type",
    "start": "interval_start",
    "last_completion": "interval_anchor",
    "nth": "run_weeks_of_month",
    "weekday": "run_days",
    "month": "run_months",
    "months": "run_months",
    "day": "run_days_of_month",
    "at_local": "run_once_at",
}


def used_by(mode: str, schedule_type: str) -> set[str]:
    """Return the columns that this mode, and for the scheduled mode this type, uses."""
    columns = _ALWAYS | _OF_MODE.get(mode, set())
    return columns | _OF_TYPE.get(schedule_type, set()) if mode == ProcessingMode.SCHEDULED else columns


def cleared(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return all settings with the columns that the mode does not use set back, so that stale ones cannot return."""
    used = used_by(values["processing_mode"], values["schedule_type"])
    if values["interval_anchor"] != IntervalAnchor.START:
        used -= {"interval_start"}
    return {column: values[column] if column in used else empty for column, empty in CLEARED.items()}


def column_of(field: str, schedule_type: str) -> str:
    """Return the column at which a fault of a cadence document's field is shown."""
    if field == "days":
        return "run_days_of_month" if schedule_type == ScheduleType.MONTHLY else "run_days"
    return _COLUMN_OF.get(field, field)


TEXT_LIMITS = {
    "run_times": 200,
    "run_days": 100,
    "run_days_of_month": 100,
    "run_months": 50,
    "cron_expression": 100,
    "timezone": 64,
}
CHOICES: dict[str, list[str]] = {
    "processing_mode": ProcessingMode.values,
    "schedule_type": ScheduleType.values,
    "interval_anchor": IntervalAnchor.values,
    "dst_gap": DstGap.values,
    "dst_overlap": DstOverlap.values,
    "catch_up": CatchUp.values,
}
LIMITS: dict[str, tuple[int, int]] = {
    "interval_minutes": (1, 1440),
    "every_n_weeks": (1, 520),
    "every_n_months": (1, 120),
    "catch_up_limit": (1, 32_767),
    "catch_up_window_minutes": (1, 2_147_483_647),
    "trigger_row_threshold": (1, 2_147_483_647),
    "trigger_idle_minutes": (1, 2_147_483_647),
    "trigger_debounce_seconds": (0, 2_147_483_647),
    "trigger_settle_seconds": (0, 2_147_483_647),
}
FLAGS = ("is_enabled", "trigger_on_new_rows")
