"""When each step of a run waited and worked: the lines of a table, and the same drawn as a Gantt chart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext_lazy as _

from scheduling.admin.drawing import BAR, LABEL, LANE, TOP, Bar, Drawing, Lane, Scale, bar, percent, ticks
from scheduling.admin.runs.state import RunState, StepState
from scheduling.dag.path import PathPiece
from scheduling.states import AttemptOutcome, TaskStatus
from staging.wording import said_together, say

WAITED, ON_PATH = "waited", "decided the end"

# What a step did -> its mark: a shape of its own, so that colour is never alone.
MARKS = {
    WAITED: _("a flat line"),
    AttemptOutcome.RUNNING: _("a full bar with an edge"),
    AttemptOutcome.COMPLETED: _("a full bar"),
    AttemptOutcome.FAILED: _("a striped bar"),
    AttemptOutcome.INTERRUPTED: _("a dotted frame"),
    AttemptOutcome.LOST: _("a dashed frame"),
    AttemptOutcome.CANCELLED: _("an empty frame"),
    ON_PATH: _("a line below"),
}

_NARROWEST = 0.4  # percent: what is narrower could not be seen
_TICKS = 8
_LINE = 3  # pixels


@dataclass(frozen=True)
class TimeSpan:
    """One time in which a step waited or was tried: `what` is a key of MARKS, `number` that of the attempt."""

    step: str
    what: str
    start: datetime
    end: datetime
    number: int = 0
    is_awaited: bool = False  # for a time, for rows or for a query, not for a worker

    @property
    def took(self) -> int:
        """Return its length in milliseconds."""
        return max(round((self.end - self.start).total_seconds() * 1000), 0)

    @property
    def words(self) -> str:
        """Return what the step did."""
        if self.is_awaited:
            return say("waited")
        return say("attempt {number}", number=self.number) if self.number else say("waited for a worker")


@dataclass(frozen=True)
class Chart:
    """Everything the template writes: the drawing, and the lines of the table."""

    drawing: Drawing
    spans: tuple[TimeSpan, ...]
    start: datetime
    end: datetime


def chart_of(state: RunState, now: datetime, path: Sequence[PathPiece] = ()) -> Chart:
    """Return when the steps shown waited and worked, from the run's creation to its end, or to `now`.

    `path`: the chain of steps that decided when it ended; where its pieces lie, a line below the bars says so.
    """
    start = state.run.created_at
    by_step = [(item, list(spans_of(item, now))) for item in state.steps]
    spans = [span for _, found in by_step for span in found]
    end = max([span.end for span in spans] + [state.run.finished_at or now, start + timedelta(seconds=1)])
    scale = Scale(start, end, get_current_timezone())
    lanes = []
    for place, (item, found) in enumerate(by_step):
        top = TOP + place * LANE
        below = [_line(piece, top, scale) for piece in path if piece.step == item.task.key]
        lanes.append(Lane(item.task.key, top + LABEL, (*(_bar(span, top, scale) for span in found), *below)))
    drawing = Drawing(TOP + len(lanes) * LANE + 4, ticks(scale, _TICKS), tuple(lanes))
    return Chart(drawing, tuple(spans), start, end)


def spans_of(item: StepState, now: datetime) -> Iterator[TimeSpan]:
    """Yield the times in which a step waited for a worker or was tried, in their order.

    Of a step that was put off, the database keeps the last time it was queued; the waits between attempts follow from
    these.
    """
    key, task, waits_since = item.task.key, item.task, item.task.queued_at
    if task.items is not None and task.waits_since is not None:  # its items worked from its first look to its end
        outcome = item.last.outcome if item.last else AttemptOutcome.RUNNING
        yield TimeSpan(key, outcome, task.waits_since, task.finished_at or now, 1)
        return
    if task.waits_since is not None:
        yield TimeSpan(key, WAITED, task.waits_since, _waited_until(item, now), is_awaited=True)
        waits_since = None
    elif len(item.attempts) > 1 or (item.attempts and waits_since and waits_since > item.attempts[0].claimed_at):
        waits_since = None
    for attempt in item.attempts:
        if waits_since is not None and waits_since < attempt.claimed_at:
            yield TimeSpan(key, WAITED, waits_since, attempt.claimed_at)
        yield TimeSpan(key, attempt.outcome, attempt.claimed_at, attempt.finished_at or now, attempt.number)
        waits_since = attempt.finished_at
    if task.status == TaskStatus.QUEUED and waits_since is not None and waits_since < now:
        yield TimeSpan(key, WAITED, waits_since, now)


def _waited_until(item: StepState, now: datetime) -> datetime:
    """Return when the last look of a wait began, or now while there is one to come."""
    return item.last.claimed_at if item.last is not None and item.task.finished_at else item.task.finished_at or now


def _bar(span: TimeSpan, top: int, scale: Scale) -> Bar:
    """Return a span in the lane that begins at `top`."""
    width = max(scale.width(span.start, span.end), _NARROWEST)
    title = say("{step}, {words}: {seconds:,.1f} s", step=span.step, words=span.words, seconds=span.took / 1000)
    if span.number:
        title = said_together(title, say(span.what), by=", ")
    return bar(scale.x(span.start), width, top, f"span-{span.what}", title, is_thin=span.what == WAITED)


def _line(piece: PathPiece, top: int, scale: Scale) -> Bar:
    """Return the line below the bars of a lane that tells that the run waited for this."""
    width = max(scale.width(piece.start, piece.end), _NARROWEST)
    title = say("{step} decided the end of the run", step=piece.step)
    x = min(scale.x(piece.start), 100 - width)
    return Bar(percent(x), str(top + LABEL + BAR + 7), percent(width), str(_LINE), "on-path", title)
