"""What the boxes of a schedule offer, in words: one list for its forms, its history and the log."""

from collections.abc import Sequence
from typing import Any

from django.utils.dates import WEEKDAYS_ABBR
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_lazy as _

from scheduling.cadence.words import MONTH_NAMES, WEEKDAY_NAMES
from scheduling.cadence.words import WEEKDAYS as DAYS

Choices = Sequence[tuple[str, Any]]

WEEKDAYS = [(day, gettext_lazy(name)) for day, name in zip(DAYS, WEEKDAY_NAMES, strict=True)]
SHORT_WEEKDAYS = [*zip(DAYS, WEEKDAYS_ABBR.values(), strict=True)]
MONTHS = [(str(number), gettext_lazy(name)) for number, name in enumerate(MONTH_NAMES, start=1)]
WEEKS_OF_MONTH = [
    ("1", _("first")), ("2", _("second")), ("3", _("third")), ("4", _("fourth")), ("5", _("fifth")),
    ("last", _("last")),
]  # fmt: skip
MONTH_DAYS = [*((str(day), str(day)) for day in range(1, 32)), ("last", _("last day"))]
OFFERED: dict[str, Choices] = {
    "run_days": WEEKDAYS,
    "run_days_of_month": MONTH_DAYS,
    "run_weeks_of_month": WEEKS_OF_MONTH,
    "run_months": MONTHS,
}


def in_boxes(value: object, offered: Choices) -> str:
    """Return stored choices, a list or a text with commas, in the words of their boxes; empty where there is none."""
    words = dict(offered)
    chosen = value if isinstance(value, list | tuple) else str(value or "").split(",")
    return ", ".join(str(words.get(each, each)) for one in chosen if (each := str(one).strip()))
