"""The keys of a model file that staging does not know, and what this release refuses of them."""

from scheduling.schedules.columns import FLAGS, LIMITS, SETTINGS
from staging.model_files.shape import LIST, MAPPING, SCALAR, TEXT, TEXT_OR_SCALARS, WHOLE, YES_NO

VERSION = 1
FILE_KINDS = {
    "version": WHOLE,
    "release": TEXT,
    "calendars": LIST,
    "entities": LIST,
    "queues": LIST,
    "plans": LIST,
}
CALENDAR_KINDS = {"name": TEXT, "description": TEXT, "timezone": TEXT, "policy": TEXT, "periods": LIST}
PERIOD_KINDS = {
    "kind": TEXT,
    "first_day": TEXT,
    "last_day": TEXT,
    "run_days": TEXT_OR_SCALARS,
    "window_start": TEXT,
    "window_end": TEXT,
    "note": TEXT,
}
ENTITY_KINDS = {"schedule": MAPPING, "depends_on": LIST}

# Known sections that this release does not carry out; a line goes when it does.
NOT_YET = ("queues", "plans", "depends_on")

# Settings that are lists; a comma text is accepted too.
DAY_LISTS = ("run_times", "run_days", "run_days_of_month", "run_months")


def _kind(column: str) -> str:
    if column in DAY_LISTS:
        return TEXT_OR_SCALARS
    if column == "run_weeks_of_month":
        return SCALAR
    if column in LIMITS:
        return WHOLE
    return YES_NO if column in FLAGS else TEXT


SCHEDULE_KINDS = {column: _kind(column) for column in SETTINGS}
