"""How the settings that every kind of schedule has are laid out, and for which mode and type each part is shown."""

from collections.abc import Iterable
from typing import Any

from scheduling.states import ScheduleType

_BY_THE_MONTH = (ScheduleType.MONTHLY, ScheduleType.MONTHLY_NTH_WEEKDAY, ScheduleType.YEARLY)
_MANY_TIMES = (ScheduleType.DAILY, ScheduleType.WEEKLY, *_BY_THE_MONTH)
_BY_LOCAL_TIME = (*_MANY_TIMES, ScheduleType.CRON)

# Title, fields, the modes and the schedule types that show it, description. The page's script hides by these classes;
# a test holds them against `schedules.settings.used_by`, so that what is hidden is what is not used.
Section = tuple[str, tuple[str, ...], str, tuple[str, ...], str]

WHEN: list[Section] = [
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
]
EXCEPTIONS: list[Section] = [
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


def fieldsets(sections: Iterable[Section]) -> Any:
    """Return the sections as an admin takes them, with the classes that say when each is shown."""
    return tuple(
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
        for title, fields, modes, kinds, description in sections
    )
