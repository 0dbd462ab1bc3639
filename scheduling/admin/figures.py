"""How a job, a plan or an entity fared, as the rows of the table that their pages share."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext_noop

from scheduling.figures.read import figures_of
from scheduling.models import FiguresMark
from scheduling.states import RunKind
from staging.wording import say

_NAMES = {
    "day": gettext_noop("Last 24 hours"),
    "week": gettext_noop("Last 7 days"),
    "month": gettext_noop("Last 30 days"),
}


def periods_of(
    kind: RunKind, subject: int | str, now: datetime, mark: FiguresMark
) -> list[tuple[str, Any, dict[str, int | None]]]:
    """Return name, figures and durations in milliseconds of each period; see `figures_of` for the subject."""
    lately = figures_of(kind, [subject], now, mark)[subject]
    found: list[tuple[str, Any, dict[str, int | None]]] = []
    for period, name in _NAMES.items():
        figures = getattr(lately, period)
        longest = figures.longest if figures.completed else None
        found.append(
            (say(name), figures, {"average": _milliseconds(figures.average), "longest": _milliseconds(longest)})
        )
    return found


def _milliseconds(length: timedelta | None) -> int | None:
    return None if length is None else round(length.total_seconds() * 1000)
