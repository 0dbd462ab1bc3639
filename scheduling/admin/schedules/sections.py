"""How the settings of a configuration are laid out, and for which mode and schedule type each part is shown."""

from typing import Any

from scheduling.models import SchedulerConfiguration
from scheduling.schedules.columns import used_by
from scheduling.states import ProcessingMode, ScheduleType

_BY_THE_MONTH = (ScheduleType.MONTHLY, ScheduleType.MONTHLY_NTH_WEEKDAY, ScheduleType.YEARLY)
_MANY_TIMES = (ScheduleType.DAILY, ScheduleType.WEEKLY, *_BY_THE_MONTH)
_BY_LOCAL_TIME = (*_MANY_TIMES, ScheduleType.CRON)

# Title, fields, the modes and the schedule types that show it, description. The page's script hides by these classes;
# a test holds them against `schedules.columns.used_by`, so that what is hidden is what is not used.
_SECTIONS: list[tuple[str, tuple[str, ...], str, tuple[str, ...], str]] = [
    ("Mode", ("processing_mode", "is_enabled"), "", (), ""),
    ("Schedule", ("schedule_type", "timezone"), "scheduled", (), ""),
    (
        "Interval",
        ("interval_minutes", "interval_anchor", "interval_start", "window_start", "window_end"),
        "scheduled",
        (ScheduleType.INTERVAL,),
        "From and until may both stay empty; then it runs all day.",
    ),
    ("Once", ("run_once_at",), "scheduled", (ScheduleType.ONCE,), ""),
    ("Which one", ("run_weeks_of_month",), "scheduled", (ScheduleType.MONTHLY_NTH_WEEKDAY,), ""),
    (
        "Days of the week",
        ("run_days",),
        "scheduled",
        (ScheduleType.INTERVAL, ScheduleType.WEEKLY, ScheduleType.MONTHLY_NTH_WEEKDAY),
        "For an interval: none chosen means every day. Monthly on a weekday: choose one.",
    ),
    ("Weeks", ("every_n_weeks",), "scheduled", (ScheduleType.WEEKLY,), ""),
    (
        "Months of the year",
        ("run_months",),
        "scheduled",
        (ScheduleType.MONTHLY_NTH_WEEKDAY, ScheduleType.YEARLY),
        "Yearly: choose one. Monthly on a weekday: none chosen means every month.",
    ),
    (
        "Days of the month",
        ("run_days_of_month",),
        "scheduled",
        (ScheduleType.MONTHLY, ScheduleType.YEARLY),
        "A month without that day is skipped; “last day” is the month's real end. Yearly: choose one.",
    ),
    ("Months", ("every_n_months",), "scheduled", (ScheduleType.MONTHLY,), ""),
    (
        "Counting of weeks and months",
        ("anchor_date",),
        "scheduled",
        (ScheduleType.WEEKLY, ScheduleType.MONTHLY),
        "Only for every so many weeks or months: any day in one that counts. Empty: counted from the first day.",
    ),
    ("Times of day", ("run_times",), "scheduled", _MANY_TIMES, ""),
    ("Cron", ("cron_expression",), "scheduled", (ScheduleType.CRON,), ""),
    (
        "First and last day",
        ("starts_on", "ends_on"),
        "scheduled",
        (ScheduleType.INTERVAL, *_BY_LOCAL_TIME),
        "Both may stay empty.",
    ),
    ("Clock changes", ("dst_gap", "dst_overlap"), "scheduled", _BY_LOCAL_TIME, ""),
    (
        "Triggers",
        (
            "trigger_row_threshold",
            "trigger_idle_minutes",
            "trigger_on_new_rows",
            "trigger_debounce_seconds",
            "trigger_settle_seconds",
        ),
        "triggered",
        (),
        "Fill in at least one of the first three. Any one that comes true starts a batch.",
    ),
    (
        "Missed runs",
        ("catch_up", "catch_up_limit", "catch_up_window_minutes"),
        "scheduled",
        (),
        "What becomes of runs that were due while nothing ran, such as in an outage.",
    ),
    (
        "Blackouts",
        ("calendar",),
        "scheduled triggered",
        (),
        "In the times of this calendar nothing starts; triggers wait until it ends.",
    ),
]
_FOLDED = ("Missed runs", "Blackouts")

FIELDSETS: Any = tuple(
    (
        title,
        {
            "fields": fields,
            "description": description,
            "classes": [
                *(f"for-mode-{mode}" for mode in modes.split()),
                *(f"for-type-{kind}" for kind in kinds),
                *(["collapse"] if title in _FOLDED else []),
            ],
        },
    )
    for title, fields, modes, kinds, description in _SECTIONS
)

FORM_FIELDS = [name for _, fields, *_ in _SECTIONS for name in fields]


def shown_fieldsets(configuration: SchedulerConfiguration) -> Any:
    """Return the fieldsets with only the settings that this configuration's mode uses."""
    mode, kind = configuration.processing_mode, configuration.schedule_type
    used = used_by(mode, kind) - (set() if mode == ProcessingMode.SCHEDULED else {"timezone"})
    kept = ((title, [name for name in options["fields"] if name in used]) for title, options in FIELDSETS)
    return [(title, {"fields": fields}) for title, fields in kept if fields]
