"""Prepares a forecast for a drawing: lanes, bars, ticks and bands in percent of the width. Pure; draws nothing."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from scheduling.cadence.resolve import FIRST, FIRST_VALID, resolve
from scheduling.forecast.load import busy
from scheduling.forecast.values import RUNS, ExpectedFire, Forecast, QueueLoad

NARROWEST = 0.25  # percent: what would be drawn thinner could not be seen
MOST_TICKS = 13
_DAY = timedelta(days=1)
_HOURS = (1, 2, 3, 4, 6, 8, 12)
_DAYS = (1, 2, 7, 14, 30, 90, 365)


@dataclass(frozen=True)
class Bar:
    """One run, or several that lie too close to tell apart. `x` and `width` are percent of the whole width."""

    x: float
    width: float
    state: str
    count: int
    title: str


@dataclass(frozen=True)
class Lane:
    """The bars of one entity, job or plan, from left to right."""

    what: str
    sentence: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Tick:
    """A mark on the line of time; `major` where a new day begins."""

    x: float
    label: str
    major: bool


@dataclass(frozen=True)
class Band:
    """A stretch without anything to run."""

    x: float
    width: float
    title: str


@dataclass(frozen=True)
class LoadBar:
    """A stretch of one queue's load; `height` is percent of the highest, `over` when some have to wait for room."""

    x: float
    width: float
    height: float
    running: int
    over: bool


@dataclass(frozen=True)
class LoadLane:
    """The load of one queue; `limit_height` is where its limit lies, in percent of the height."""

    queue: str
    limit: int
    peak: int
    limit_height: float
    bars: tuple[LoadBar, ...]


@dataclass(frozen=True)
class Timeline:
    """A drawing's parts. Every x lies from 0 to 100."""

    lanes: tuple[Lane, ...]
    ticks: tuple[Tick, ...]
    quiet: tuple[Band, ...]
    load: tuple[LoadLane, ...]


def timeline(forecast: Forecast, timezone: str = "UTC") -> Timeline:
    """Return the parts of the drawing; labels are local times of the zone. Lanes come in the order of their names."""
    scale = _Scale(forecast.start, forecast.until, ZoneInfo(timezone))
    by_what: dict[str, list[ExpectedFire]] = {}
    for fire in (*forecast.running, *forecast.fires):
        by_what.setdefault(fire.what, []).append(fire)
    return Timeline(
        lanes=tuple(Lane(what, found[0].sentence, _bars(found, scale)) for what, found in sorted(by_what.items())),
        ticks=tuple(_ticks(scale)),
        quiet=tuple(
            Band(scale.x(part.start), scale.width(part.start, part.end), f"Quiet {scale.span(part.start, part.end)}")
            for part in forecast.quiet
        ),
        load=tuple(_load_lane(load, scale) for load in forecast.load),
    )


@dataclass(frozen=True)
class _Scale:
    """Maps instants to percent and to local words."""

    start: datetime
    until: datetime
    zone: ZoneInfo

    def x(self, instant: datetime) -> float:
        share = (instant - self.start) / (self.until - self.start)
        return round(min(max(share, 0.0), 1.0) * 100, 3)

    def width(self, start: datetime, end: datetime) -> float:
        return round(self.x(end) - self.x(start), 3)

    def label(self, instant: datetime) -> str:
        return f"{instant.astimezone(self.zone):%a %d %b %H:%M}"

    def span(self, start: datetime, end: datetime) -> str:
        return f"{self.label(start)} to {self.label(end)}"


def _bars(fires: Iterable[ExpectedFire], scale: _Scale) -> tuple[Bar, ...]:
    """Return the bars of one lane; neighbours of one state that would touch become one bar with their number."""
    groups: list[tuple[float, float, list[ExpectedFire]]] = []  # x, right edge, what is drawn there
    for fire in fires:
        end = busy(fire).end if fire.state in RUNS else fire.at
        x = min(scale.x(fire.at), 100 - NARROWEST)
        right = max(scale.x(end), x + NARROWEST)
        if groups and groups[-1][2][0].state == fire.state and x <= groups[-1][1] + NARROWEST / 2:
            left, edge, together = groups.pop()
            together.append(fire)
            groups.append((left, max(edge, right), together))
        else:
            groups.append((x, right, [fire]))
    return tuple(
        Bar(x, round(right - x, 3), together[0].state, len(together), _title(together, scale))
        for x, right, together in groups
    )


def _title(fires: list[ExpectedFire], scale: _Scale) -> str:
    """Return the words of a bar: when, what becomes of it, and for how long or how many."""
    first, last = fires[0], fires[-1]
    if len(fires) > 1:
        return f"{scale.span(first.at, last.at)}: {len(fires):,} × {first.state}"
    lasts = "" if first.expected_ms is None else f", about {_seconds(first.expected_ms)}"
    return f"{scale.label(first.at)}: {first.state}{lasts if first.state in RUNS else ''}. {first.reason}".rstrip()


def _seconds(milliseconds: int) -> str:
    """Return a duration in words, as exact as a glance needs."""
    seconds = max(round(milliseconds / 1000), 1)
    if seconds < 120:
        return f"{seconds} s"
    return f"{round(seconds / 60)} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _ticks(scale: _Scale) -> Iterator[Tick]:
    """Yield at most MOST_TICKS marks at round local times."""
    hours = (scale.until - scale.start) / timedelta(hours=1)
    step = next((step for step in _HOURS if hours / step < MOST_TICKS), None)
    days = 1 if step else next((days for days in _DAYS if hours / 24 / days < MOST_TICKS), _DAYS[-1])
    day = scale.start.astimezone(scale.zone).date()
    last = None  # two local times may be one instant: 02:00 and 03:00 when the clocks go forward
    while True:
        for hour in range(0, 24, step or 24):
            instant = resolve(datetime.combine(day, time(hour)), scale.zone, FIRST_VALID, FIRST)[0]
            if instant >= scale.until:
                return
            if instant >= scale.start and instant != last:
                local = instant.astimezone(scale.zone)
                yield Tick(scale.x(instant), f"{local:%a %d %b}" if hour == 0 else f"{local:%H:%M}", hour == 0)
            last = instant
        day += days * _DAY


def _load_lane(load: QueueLoad, scale: _Scale) -> LoadLane:
    """Return one queue's load, scaled so that both its peak and its limit fit."""
    top = max(load.peak, load.limit)
    bars = (
        LoadBar(
            scale.x(step.start),
            scale.width(step.start, step.end),
            round(step.running / top * 100, 3),
            step.running,
            step.running > load.limit,
        )
        for step in load.steps
        if step.running
    )
    return LoadLane(load.queue, load.limit, load.peak, round(load.limit / top * 100, 3), tuple(bars))
