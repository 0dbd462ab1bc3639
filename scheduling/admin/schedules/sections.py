"""How the settings that every kind of schedule has are laid out, and for which mode and type each part is shown."""

from collections.abc import Collection, Iterable
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from scheduling.schedules.settings import shown_for

# Title, settings, description. The page's script hides what the chosen mode and type have no use for.
Section = tuple[str, tuple[str, ...], str]

WHEN: list[Section] = [
    (gettext_noop("Schedule"), ("schedule_type", "timezone"), ""),
    (
        gettext_noop("Interval"),
        ("interval_minutes", "interval_anchor", "interval_start", "window_start", "window_end"),
        gettext_noop("From and until may both stay empty; then it runs all day."),
    ),
    (gettext_noop("Once"), ("run_once_at",), ""),
    (gettext_noop("Which one"), ("run_weeks_of_month",), ""),
    (
        gettext_noop("Days of the week"),
        ("run_days",),
        gettext_noop("For an interval: none chosen means every day. Monthly on a weekday: choose one."),
    ),
    (gettext_noop("Weeks"), ("every_n_weeks",), ""),
    (
        gettext_noop("Months of the year"),
        ("run_months",),
        gettext_noop("Yearly: choose one. Monthly on a weekday: none chosen means every month."),
    ),
    (
        gettext_noop("Days of the month"),
        ("run_days_of_month",),
        gettext_noop("A month without that day is skipped; “last day” is the month's real end. Yearly: choose one."),
    ),
    (gettext_noop("Months"), ("every_n_months",), ""),
    (
        gettext_noop("Counting of weeks and months"),
        ("anchor_date",),
        gettext_noop(
            "Only for every so many weeks or months: any day in one that counts. Empty: counted from the first day."
        ),
    ),
    (gettext_noop("Times of day"), ("run_times",), ""),
    (gettext_noop("Cron"), ("cron_expression",), ""),
    (gettext_noop("First and last day"), ("starts_on", "ends_on"), gettext_noop("Both may stay empty.")),
    (gettext_noop("Clock changes"), ("dst_gap", "dst_overlap"), ""),
]
EXCEPTIONS: list[Section] = [
    (
        gettext_noop("Missed runs"),
        ("catch_up", "catch_up_limit", "catch_up_window_minutes"),
        gettext_noop("What becomes of runs that were due while nothing ran, such as in an outage."),
    ),
    (
        gettext_noop("Blackouts"),
        ("calendar",),
        gettext_noop("In the times of this calendar nothing starts; triggers wait until it ends."),
    ),
]
_FOLDED = {fields for _title, fields, _description in EXCEPTIONS}


def fieldsets(sections: Iterable[Section]) -> Any:
    """Return the sections as an admin takes them, with the classes that say when each is shown."""
    return tuple(
        (_(title), {"fields": fields, "description": description and _(description), "classes": _classes(fields)})
        for title, fields, description in sections
    )


def only_used(shown: Any, used: Collection[str]) -> Any:
    """Return these fieldsets with no more than the settings that are used; some share a line, as a tuple of names."""
    lines = ((title, [_in_use(line, used) for line in options["fields"]]) for title, options in shown)
    kept = ((title, [line for line in fields if line]) for title, fields in lines)
    return [(title, {"fields": fields}) for title, fields in kept if fields]


def _in_use(line: str | tuple[str, ...], used: Collection[str]) -> str | tuple[str, ...]:
    if isinstance(line, str):
        return line if line in used else ""
    return tuple(name for name in line if name in used)


def _classes(fields: tuple[str, ...]) -> list[str]:
    modes, types = shown_for(fields)
    shown = [*(f"for-mode-{mode}" for mode in modes), *(f"for-type-{kind}" for kind in types)]
    return [*shown, *(["collapse"] if fields in _FOLDED else [])]
