"""Places the parts of a timeline on a drawing: every attribute of the page's SVG, ready to be written."""

from __future__ import annotations

from dataclasses import dataclass

from scheduling.forecast.timeline import Bar, Lane, LoadLane, Tick, Timeline
from scheduling.forecast.values import FIRES, HELD, ROLLED, RUNNING, SKIPPED

MOST_LANES = 60  # a drawing of more could not be read; the table below it has them all
_TOP = 26  # pixels, for the ticks
_LANE = 40
_LOAD = 64
_BAR = 16
_LABEL = 14

# Percent: what is narrower does not show its frame or its stripes.
_NARROWEST = {ROLLED: 0.8, HELD: 0.8, SKIPPED: 0.8}

# What becomes of a slot -> its mark: a shape of its own, so that colour is never alone.
MARKS = {
    FIRES: "a full bar",
    RUNNING: "a full bar with a dark edge",
    ROLLED: "a striped bar",
    HELD: "an empty frame",
    SKIPPED: "a flat line",
}


@dataclass(frozen=True)
class Box:
    """A rectangle: percent of the width, pixels of the height, the class that names its mark, and its words."""

    x: str
    y: str
    width: str
    height: str
    mark: str
    title: str


@dataclass(frozen=True)
class Row:
    """A line of the drawing: its label above its boxes; a limit is drawn across when there is one."""

    y: int
    label_y: int
    label: str
    boxes: tuple[Box, ...]
    limit_y: str = ""


@dataclass(frozen=True)
class Mark:
    """A mark on the line of time; `anchor` keeps its label inside the drawing."""

    x: str
    label: str
    mark: str
    anchor: str


@dataclass(frozen=True)
class Drawing:
    """Everything the template writes; the height in pixels."""

    height: int
    ticks: tuple[Mark, ...]
    quiet: tuple[Box, ...]
    rows: tuple[Row, ...]
    lanes_left_out: int


def draw(found: Timeline, names: dict[str, str]) -> Drawing:
    """Return the drawing: ticks on top, a lane for each schedule by its name, then the load of each queue."""
    lanes, loads = found.lanes[:MOST_LANES], [lane for lane in found.load if lane.peak]
    height = _TOP + len(lanes) * _LANE + len(loads) * _LOAD + 4
    rows = [_lane(lane, _TOP + place * _LANE, names) for place, lane in enumerate(lanes)]
    below = _TOP + len(lanes) * _LANE
    rows += [_load(lane, below + place * _LOAD) for place, lane in enumerate(loads)]
    quiet = tuple(
        Box(_percent(band.x), str(_TOP - 4), _percent(band.width), str(height - _TOP), "quiet", band.title)
        for band in found.quiet
    )
    return Drawing(height, tuple(map(_tick, found.ticks)), quiet, tuple(rows), len(found.lanes) - len(lanes))


def _lane(lane: Lane, y: int, names: dict[str, str]) -> Row:
    boxes = tuple(_bar(bar, y + _LABEL + 5) for bar in lane.bars)
    return Row(y, y + _LABEL, f"{names.get(lane.what, lane.what)}: {lane.sentence}", boxes)


def _bar(bar: Bar, y: int) -> Box:
    height = _BAR // 4 if bar.state == SKIPPED else _BAR
    width = _percent(max(bar.width, _NARROWEST.get(bar.state, 0)))
    return Box(_percent(bar.x), str(y + (_BAR - height) // 2), width, str(height), f"bar-{bar.state}", bar.title)


def _load(lane: LoadLane, y: int) -> Row:
    """Return a queue's load as steps that stand on one line; those above the limit get a mark of their own."""
    full, base = _LOAD - _LABEL - 12, y + _LOAD - 6
    boxes = tuple(
        Box(
            _percent(bar.x),
            f"{base - bar.height * full / 100:.1f}",
            _percent(bar.width),
            f"{bar.height * full / 100:.1f}",
            "load-over" if bar.over else "load",
            f"{bar.running} at once{', more than the queue lets run' if bar.over else ''}",
        )
        for bar in lane.bars
    )
    label = f"Queue {lane.queue}: at most {lane.peak} at once, {lane.limit} may run"
    return Row(y, y + _LABEL, label, boxes, f"{base - lane.limit_height * full / 100:.1f}")


def _tick(tick: Tick) -> Mark:
    anchor = "end" if tick.x > 94 else "start"
    return Mark(_percent(tick.x), tick.label, "tick-day" if tick.major else "tick", anchor)


def _percent(value: float) -> str:
    return f"{value:g}%"
