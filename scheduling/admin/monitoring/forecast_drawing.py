"""Draws a forecast: a lane for each entity, plan and job, the load of each queue, and when nothing runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from zoneinfo import ZoneInfo

from django.utils.translation import gettext_lazy as _

from scheduling.admin.drawing import LABEL, LANE, MOST_LANES, TOP, Bar, Drawing, Lane, Scale, bar, percent, ticks
from scheduling.forecast.load import busy
from scheduling.forecast.values import FIRES, HELD, ROLLED, RUNNING, RUNS, SKIPPED, ExpectedFire, Forecast, QueueLoad
from staging.wording import in_one_language, say

_MOST_TICKS = 12
_LOAD = 64  # pixels

# Percent: what is thinner could not be seen, and these marks would not show their frame or their stripes.
_NARROWEST = 0.25
_NARROWEST_MARK = {ROLLED: 0.8, HELD: 0.8, SKIPPED: 0.8}

# What becomes of a slot -> its mark: a shape of its own, so that colour is never alone.
MARKS = {
    FIRES: _("a full bar"),
    RUNNING: _("a full bar with a dark edge"),
    ROLLED: _("a striped bar"),
    HELD: _("an empty frame"),
    SKIPPED: _("a flat line"),
}


@in_one_language()
def draw(found: Forecast, zone: ZoneInfo, names: Mapping[str, str]) -> tuple[Drawing, int]:
    """Return the drawing, and how many lanes were too many for it; labels are local times of the zone.

    Lanes come in the order of what they are of, by the name people know, then the load of each queue.
    """
    scale = Scale(found.start, found.until, zone)
    by_what: dict[str, list[ExpectedFire]] = {}
    for fire in (*found.running, *found.fires):
        by_what.setdefault(fire.what, []).append(fire)
    lanes: list[Lane] = []
    for what, fires in sorted(by_what.items())[:MOST_LANES]:
        top, label = TOP + len(lanes) * LANE, f"{names.get(what, what)}: {fires[0].sentence}"
        lanes.append(Lane(label, top + LABEL, _bars(fires, scale, top)))
    below, loads = TOP + len(lanes) * LANE, [load for load in found.load if load.peak]
    lanes += [_load(load, below + place * _LOAD, scale) for place, load in enumerate(loads)]
    height = below + len(loads) * _LOAD + 4
    drawing = Drawing(height, ticks(scale, _MOST_TICKS), tuple(lanes), _quiet(found, scale, height))
    return drawing, max(len(by_what) - MOST_LANES, 0)


def _quiet(found: Forecast, scale: Scale, height: int) -> tuple[Bar, ...]:
    """Return the bands in which nothing runs, as high as the whole drawing."""
    return tuple(
        Bar(
            percent(scale.x(part.start)),
            str(TOP - 4),
            percent(scale.width(part.start, part.end)),
            str(height - TOP),
            "quiet",
            say("Quiet {span}", span=scale.span(part.start, part.end)),
        )
        for part in found.quiet
    )


def _bars(fires: Iterable[ExpectedFire], scale: Scale, top: int) -> tuple[Bar, ...]:
    """Return the bars of one lane; neighbours of one state that would touch become one bar with their number."""
    groups: list[tuple[float, float, list[ExpectedFire]]] = []  # x, right edge, what is drawn there
    for fire in fires:
        end = busy(fire).end if fire.state in RUNS else fire.at
        x = min(scale.x(fire.at), 100 - _NARROWEST)
        right = max(scale.x(end), x + _NARROWEST)
        if groups and groups[-1][2][0].state == fire.state and x <= groups[-1][1] + _NARROWEST / 2:
            left, edge, together = groups.pop()
            together.append(fire)
            groups.append((left, max(edge, right), together))
        else:
            groups.append((x, right, [fire]))
    return tuple(_bar(x, right - x, together, scale, top) for x, right, together in groups)


def _bar(x: float, width: float, together: list[ExpectedFire], scale: Scale, top: int) -> Bar:
    state = together[0].state
    width = max(width, _NARROWEST_MARK.get(state, 0))
    return bar(x, width, top, f"bar-{state}", _title(together, scale), is_thin=state == SKIPPED)


def _title(fires: list[ExpectedFire], scale: Scale) -> str:
    """Return the words of a bar: when, what becomes of it, and for how long or how many.

    Why it fires stands in the list above the drawing; why it does not is said here, too.
    """
    first, last = fires[0], fires[-1]
    state = say(first.state)
    if len(fires) > 1:
        span = scale.span(first.at, last.at)
        return say("{span}: {number:,} × {state}", span=span, number=len(fires), state=state)
    at, reason = scale.label(first.at), "" if first.state == FIRES else first.reason
    if first.expected_ms is None or first.state not in RUNS:
        return say("{at}: {state}. {reason}", at=at, state=state, reason=reason).rstrip()
    length = _seconds(first.expected_ms)
    return say("{at}: {state}, about {length}. {reason}", at=at, state=state, length=length, reason=reason).rstrip()


def _seconds(milliseconds: int) -> str:
    """Return a duration in words, as exact as a glance needs."""
    seconds = max(round(milliseconds / 1000), 1)
    if seconds < 120:
        return say("{seconds} s", seconds=seconds)
    if seconds < 7200:
        return say("{minutes} min", minutes=round(seconds / 60))
    return say("{hours:.1f} h", hours=seconds / 3600)


def _load(load: QueueLoad, top: int, scale: Scale) -> Lane:
    """Return a queue's load as steps that stand on one line; those above the limit get a mark of their own.

    Its peak and its limit both fit.
    """
    full, base, most = _LOAD - LABEL - 12, top + _LOAD - 6, max(load.peak, load.limit)
    bars = []
    for x, right, running in _levels(load, scale):
        high, over = running / most * full, running > load.limit
        title = say("{running} at once", running=running)
        if over:
            title = say("{running} at once, more than the queue lets run", running=running)
        mark = "load-over" if over else "load"
        bars.append(Bar(percent(x), f"{base - high:.1f}", percent(right - x), f"{high:.1f}", mark, title))
    label = say(
        "Queue {queue}: at most {peak} at once, {limit} may run", queue=load.queue, peak=load.peak, limit=load.limit
    )
    return Lane(label, top + LABEL, tuple(bars), f"{base - load.limit / most * full:.1f}")


def _levels(load: QueueLoad, scale: Scale) -> list[tuple[float, float, int]]:
    """Return from where to where how many run at once; of what is too narrow to be told apart, the most of it."""
    levels: list[tuple[float, float, int]] = []
    for step in load.steps:
        if not step.running:
            continue
        x, right = scale.x(step.start), scale.x(step.end)
        if levels and right - levels[-1][0] <= _NARROWEST:
            left, _, running = levels.pop()
            levels.append((left, right, max(running, step.running)))
        else:
            levels.append((x, right, step.running))
    return levels
