"""When each step of a run waited and worked: the lines of a table, and the same drawn as a Gantt chart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.timezone import get_current_timezone

from scheduling.admin.runs.state import RunState, StepState
from scheduling.states import AttemptOutcome, TaskStatus

WAITED = "waited"

# What a step did -> its mark: a shape of its own, so that colour is never alone.
MARKS = {
    WAITED: "a flat line",
    AttemptOutcome.RUNNING: "a full bar with an edge",
    AttemptOutcome.COMPLETED: "a full bar",
    AttemptOutcome.FAILED: "a striped bar",
    AttemptOutcome.INTERRUPTED: "a dotted frame",
    AttemptOutcome.LOST: "a dashed frame",
    AttemptOutcome.CANCELLED: "an empty frame",
}

_TOP, _LANE, _LABEL, _BAR = 22, 40, 14, 16  # pixels
_NARROWEST = 0.4  # percent: what is narrower could not be seen
_TICKS = 8
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200)
_DAY = 86_400


@dataclass(frozen=True)
class Span:
    """One time in which a step waited or was tried: `what` is a key of MARKS, `number` that of the attempt."""

    step: str
    what: str
    start: datetime
    end: datetime
    number: int = 0

    @property
    def took(self) -> int:
        """Return its length in milliseconds."""
        return max(round((self.end - self.start).total_seconds() * 1000), 0)

    @property
    def words(self) -> str:
        """Return what the step did."""
        return f"attempt {self.number}" if self.number else "waited for a worker"


@dataclass(frozen=True)
class Bar:
    """A rectangle: percent of the width, pixels of the height, its mark, and its words."""

    x: str
    y: int
    width: str
    height: int
    mark: str
    title: str


@dataclass(frozen=True)
class Lane:
    """A step's line: its label above its bars."""

    label: str
    label_y: int
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Tick:
    """A mark on the line of time; `anchor` keeps its label inside the drawing."""

    x: str
    label: str
    anchor: str


@dataclass(frozen=True)
class Chart:
    """Everything the template writes: the drawing with its height in pixels, and the lines of the table."""

    height: int
    ticks: tuple[Tick, ...]
    lanes: tuple[Lane, ...]
    spans: tuple[Span, ...]
    start: datetime
    end: datetime


def chart_of(state: RunState, now: datetime) -> Chart:
    """Return when the steps shown waited and worked, from the run's creation to its end, or to `now`."""
    start = state.run.created_at
    by_step = [(item, list(spans_of(item, now))) for item in state.steps]
    spans = [span for _, found in by_step for span in found]
    ends = [span.end for span in spans] + [state.run.finished_at or now, start + timedelta(seconds=1)]
    scale = _Scale(start, max(ends))
    lanes = [
        Lane(item.task.key, _TOP + place * _LANE + _LABEL, tuple(_bar(span, place, scale) for span in found))
        for place, (item, found) in enumerate(by_step)
    ]
    height = _TOP + len(lanes) * _LANE + 4
    return Chart(height, tuple(_ticks(scale)), tuple(lanes), tuple(spans), scale.start, scale.end)


def spans_of(item: StepState, now: datetime) -> Iterator[Span]:
    """Yield the times in which a step waited for a worker or was tried, in their order.

    Of a step that was put off, the database keeps the last time it was queued; the waits between attempts follow from
    these.
    """
    key, task, waits_since = item.task.key, item.task, item.task.queued_at
    if len(item.attempts) > 1 or (item.attempts and waits_since and waits_since > item.attempts[0].claimed_at):
        waits_since = None
    for attempt in item.attempts:
        if waits_since is not None and waits_since < attempt.claimed_at:
            yield Span(key, WAITED, waits_since, attempt.claimed_at)
        yield Span(key, attempt.outcome, attempt.claimed_at, attempt.finished_at or now, attempt.number)
        waits_since = attempt.finished_at
    if task.status == TaskStatus.QUEUED and waits_since is not None and waits_since < now:
        yield Span(key, WAITED, waits_since, now)


class _Scale:
    """Places instants between the edges of the drawing."""

    def __init__(self, start: datetime, end: datetime):
        self.start, self.end = start, end
        self.seconds = (end - start).total_seconds()

    def percent(self, instant: datetime) -> float:
        """Return where an instant lies, in percent of the width."""
        return min(max((instant - self.start).total_seconds() / self.seconds * 100, 0), 100)


def _bar(span: Span, place: int, scale: _Scale) -> Bar:
    """Return a span in the lane of this place."""
    left, right = scale.percent(span.start), scale.percent(span.end)
    width = max(right - left, _NARROWEST)
    height = _BAR // 4 if span.what == WAITED else _BAR
    top = _TOP + place * _LANE + _LABEL + 5 + (_BAR - height) // 2
    title = f"{span.step}, {span.words}: {span.took / 1000:,.1f} s" + (f", {span.what}" if span.number else "")
    return Bar(f"{min(left, 100 - width):.3f}%", top, f"{width:.3f}%", height, f"span-{span.what}", title)


def _ticks(scale: _Scale) -> Iterator[Tick]:
    """Yield a few round times of the site's zone."""
    step = next((step for step in _STEPS if scale.seconds / step <= _TICKS), 0)
    step = step or -int(-scale.seconds // (_DAY * _TICKS)) * _DAY
    zone: Any = get_current_timezone()
    midnight = scale.start.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    number = int((scale.start - midnight).total_seconds() // step) + 1
    for place in range(number, number + _TICKS + 1):
        instant = midnight + timedelta(seconds=place * step)
        if instant <= scale.end:
            x = scale.percent(instant)
            label = f"{instant:%a %H:%M}" if step >= 3600 else f"{instant:%H:%M:%S}"
            yield Tick(f"{x:.3f}%", label, "end" if x > 92 else "start")
