"""Draws what everything did lately and will do next: a lane each, a line for now; and says the same as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import slugify
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext_lazy as _

from scheduling.admin.addresses import Addresses
from scheduling.admin.drawing import LABEL, MOST_LANES, TOP, Bar, Drawing, Lane, Scale, bar, percent, ticks
from scheduling.admin.keyset import Position, link
from scheduling.admin.monitoring.lanes import (
    MOST_MARKS,
    TITLES,
    Mark,
    Planned,
    TimeLane,
    lanes_of,
    mark_lanes,
)
from scheduling.admin.schedules.finding import place_in
from staging.states import WITH_WARNINGS
from staging.wording import counted, in_one_language, said_together, say

SPANS = {"6h": timedelta(hours=6), "24h": timedelta(hours=24), "7d": timedelta(days=7)}
SPAN_WORDS = {"6h": _("6 hours"), "24h": _("24 hours"), "7d": _("7 days")}
DEFAULT_SPAN = "24h"
_AHEAD = 6  # the part of the period that is shown of the future
_HEIGHT = 34  # pixels of a lane
_MOST_BARS = 450
_GAPS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 100.0)  # percent: what is nearer to each other becomes one bar
_NARROWEST = 0.4
_TOLD_WITHIN = timedelta(minutes=1)
_THIN = ("skipped", "held", "missed", "error")

# What a mark says -> how it looks: a shape of its own, so that colour is never alone.
MARKS = {
    "completed": _("a full bar"),
    "running": _("a full bar with an edge"),
    "late": _("a full bar with a dotted edge"),
    "failed": _("a striped bar"),
    WITH_WARNINGS: _("a full bar with a dashed edge"),
    "skipped": _("a flat line"),
    "missed": _("a flat dark line"),
    "held": _("a low bar, as what was cancelled"),
}
_SAME_MARK = {
    "pending": "running", "reviewed": "completed", "cancelled": "held", "error": "missed", "interrupted": "held",
}  # fmt: skip
# What is behind a mark -> its page.
_PAGES = {"batch": "staging_batch", "run": "scheduling_run", "schedulerlog": "scheduling_schedulerlog"}
_STATES = (
    "completed",
    WITH_WARNINGS,
    "failed",
    "running",
    "pending",
    "cancelled",
    "held",
    "skipped",
    "missed",
    "error",
)


@dataclass(frozen=True)
class LaneRow:
    """A lane as a line of the table: its counts in words, and where to look further."""

    name: str
    log_url: str
    counts: tuple[tuple[int, str], ...]
    rejected: int
    next_at: datetime | None
    next_url: str
    is_overdue: bool


@dataclass(frozen=True)
class Timeline:
    """The drawing and the table; `left_out` lanes had no trouble and no room."""

    drawing: Drawing
    rows: tuple[LaneRow, ...]
    start: datetime
    until: datetime
    span: str
    left_out: int = 0
    is_cut: bool = False


def span_asked(request: HttpRequest) -> str:
    """Return which period the address names."""
    asked = request.GET.get("span", "")
    return asked if asked in SPANS else DEFAULT_SPAN


def timeline_for(
    request: HttpRequest, totals: Iterable[tuple[Any, ...]], plans: Iterable[Planned], now: datetime
) -> Timeline:
    """Return the timeline of the period that the address names; one statement, at most MOST_LANES lanes."""
    span = span_asked(request)
    start, until = now - SPANS[span], now + SPANS[span] / _AHEAD
    found = lanes_of(totals, plans, until)
    first = found[:MOST_LANES]
    mark_lanes(request, first, start, now)
    zone = ZoneInfo(str(get_current_timezone()))
    is_cut = sum(len(lane.marks) for lane in first) >= MOST_MARKS
    with in_one_language():
        rows = tuple(_row(lane, now) for lane in first)
        drawing = draw(first, Scale(start, until, zone), now)
    return Timeline(drawing, rows, start, until, span, len(found) - len(first), is_cut)


def draw(lanes: Sequence[TimeLane], scale: Scale, now: datetime) -> Drawing:
    """Return the drawing; neighbours become one bar, as far apart as it takes to stay readable and small."""
    places = {of: Addresses(f"admin:{page}_change") for of, page in _PAGES.items()}
    for gap in _GAPS:
        drawn = [_bars(lane, scale, places, TOP + place * _HEIGHT, now, gap) for place, lane in enumerate(lanes)]
        if sum(map(len, drawn)) <= _MOST_BARS:
            break
    made = tuple(
        Lane(lane.name, TOP + place * _HEIGHT + LABEL, bars)
        for place, (lane, bars) in enumerate(zip(lanes, drawn, strict=True))
    )
    height = TOP + len(lanes) * _HEIGHT + 4
    return Drawing(height, ticks(scale, 12), made, now_x=percent(scale.x(now)))


def _bars(
    lane: TimeLane, scale: Scale, places: Mapping[str, Addresses], top: int, now: datetime, gap: float
) -> tuple[Bar, ...]:
    groups: list[tuple[float, float, str, list[Mark]]] = []
    for mark in sorted(lane.marks, key=lambda mark: mark.start):
        look = _look(mark)
        x = min(scale.x(mark.start), 100 - _NARROWEST)
        right = max(scale.x(mark.end or now), x + _NARROWEST)
        if groups and groups[-1][2] == look and x <= groups[-1][1] + gap:
            left, edge, _same, together = groups.pop()
            groups.append((left, max(edge, right), look, [*together, mark]))
        else:
            groups.append((x, right, look, [mark]))
    bars = [_bar(lane, x, right - x, look, together, scale, places, top) for x, right, look, together in groups]
    if lane.next_at is not None and lane.next_at >= now:
        title = say("{at}: next run of {name}", at=scale.label(lane.next_at), name=lane.name)
        bars.append(bar(scale.x(lane.next_at), _NARROWEST * 2, top, "bar-next", title, url=_next(lane)))
    return tuple(bars)


def _look(mark: Mark) -> str:
    return _SAME_MARK.get(mark.state, mark.state)


def _bar(
    lane: TimeLane,
    x: float,
    width: float,
    look: str,
    together: list[Mark],
    scale: Scale,
    places: Mapping[str, Addresses],
    top: int,
) -> Bar:
    first, last = together[0], together[-1]
    if len(together) == 1:
        title = say("{at}: {name} {state}", at=scale.label(first.start), name=lane.name, state=say(first.state))
        if first.rejected:
            title = said_together(title, counted(first.rejected, "row rejected", "rows rejected"), by=", ")
        url = places[first.of].of(first.pk)
    else:
        span = scale.span(first.start, last.start)
        title = say("{span}: {number:,} × {state}", span=span, number=len(together), state=say(first.state))
        url = _log(lane, str(Position(2**62, _told_by(together))))
    return bar(x, width, top, f"bar-{slugify(look)}", title, is_thin=look in _THIN, url=url)


def _next(lane: TimeLane) -> str:
    """Return the address of what comes next on a lane."""
    return place_in(lane.next_of.model, lane.next_of.pk) if lane.next_of else ""


def _told_by(together: list[Mark]) -> datetime:
    """Return an instant by which the log has told of all of these: of an end it tells a moment after it."""
    later = timedelta() if together[0].of == "schedulerlog" else _TOLD_WITHIN
    return max(mark.end or mark.start for mark in together) + later


def _log(lane: TimeLane, older: str = "") -> str:
    """Return the log of a lane, from a position on; what belongs to no single plan is found there by its name."""
    kind, name = lane.key
    if kind == "entity":
        asked = {"entity": lane.name}
    elif kind == "job":
        asked = {"entity": f"job {name}"}
    else:
        plan = name.removeprefix(TITLES["plan"])
        asked = {"q": name} if plan == name else {"entity": f"plan {plan}"}
    return reverse("admin:scheduling_schedulerlog_changelist") + link(
        asked | {"period": "all" if older else "", "older": older}
    )


def _row(lane: TimeLane, now: datetime) -> LaneRow:
    counts = tuple((lane.counts[state], state) for state in _STATES if lane.counts[state])
    ahead = lane.next_at if lane.next_at is not None and (lane.next_at >= now or lane.is_overdue) else None
    return LaneRow(lane.name, _log(lane), counts, lane.counts["rejected"], ahead, _next(lane), lane.is_overdue)
