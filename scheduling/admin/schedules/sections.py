"""How the settings that every kind of schedule has are laid out, and for which mode and type each part is shown."""

from collections.abc import Iterable
from typing import Any

from scheduling.schedules.settings import shown_for

# Title, settings, description. The page's script hides what the chosen mode and type have no use for.
Section = tuple[str, tuple[str, ...], str]

WHEN: list[Section] = [
    ("Schedule", ("schedule_type", "timezone"), ""),
    (
        "Interval",
        ("interval_minutes", "interval_anchor", "interval_start", "window_start", "window_end"),
        "From and until may both stay empty; then it runs all day.",
    ),
    ("Once", ("run_once_at",), ""),
    ("Which one", ("run_weeks_of_month",), ""),
    (
        "Days of the week",
        ("run_days",),
        "For an interval: none chosen means every day. Monthly on a weekday: choose one.",
    ),
    ("Weeks", ("every_n_weeks",), ""),
    (
        "Months of the year",
        ("run_months",),
        "Yearly: choose one. Monthly on a weekday: none chosen means every month.",
    ),
    (
        "Days of the month",
        ("run_days_of_month",),
        "A month without that day is skipped; “last day” is the month's real end. Yearly: choose one.",
    ),
    ("Months", ("every_n_months",), ""),
    (
        "Counting of weeks and months",
        ("anchor_date",),
        "Only for every so many weeks or months: any day in one that counts. Empty: counted from the first day.",
    ),
    ("Times of day", ("run_times",), ""),
    ("Cron", ("cron_expression",), ""),
    ("First and last day", ("starts_on", "ends_on"), "Both may stay empty."),
    ("Clock changes", ("dst_gap", "dst_overlap"), ""),
]
EXCEPTIONS: list[Section] = [
    (
        "Missed runs",
        ("catch_up", "catch_up_limit", "catch_up_window_minutes"),
        "What becomes of runs that were due while nothing ran, such as in an outage.",
    ),
    ("Blackouts", ("calendar",), "In the times of this calendar nothing starts; triggers wait until it ends."),
]
_FOLDED = ("Missed runs", "Blackouts")


def fieldsets(sections: Iterable[Section]) -> Any:
    """Return the sections as an admin takes them, with the classes that say when each is shown."""
    return tuple(
        (title, {"fields": fields, "description": description, "classes": _classes(title, fields)})
        for title, fields, description in sections
    )


def _classes(title: str, fields: Iterable[str]) -> list[str]:
    modes, types = shown_for(fields)
    shown = [*(f"for-mode-{mode}" for mode in modes), *(f"for-type-{kind}" for kind in types)]
    return [*shown, *(["collapse"] if title in _FOLDED else [])]
