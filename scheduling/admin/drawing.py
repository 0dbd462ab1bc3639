"""Draws lanes of bars along a line of time: what the pages of the forecast and of a run's times place on their SVG."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from itertools import count
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from scheduling.cadence.resolve import FIRST, FIRST_VALID, resolve
from scheduling.formatters import clock_words, typed_words, weekday_words
from staging.wording import say

# Pixels: the ticks on top, then a lane for each line, in it a label above its bars.
TOP, LANE, LABEL, BAR = 26, 40, 14, 16
# Percent of the width: a letter of a label where the drawing is narrowest, and from where on labels end at their mark.
_LETTER, _LAST = 0.95, 94
MOST_LANES = 40  # a drawing of more could not be read; what stands beside it as text has them all

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_STEPS = (
    *(timedelta(seconds=number) for number in (1, 2, 5, 10, 15, 30)),
    *(timedelta(minutes=number) for number in (1, 2, 5, 10, 15, 30)),
    *(timedelta(hours=number) for number in (1, 2, 3, 4, 6, 8, 12)),
    *(timedelta(days=number) for number in (1, 2, 7, 14, 30, 90, 365)),
)


@dataclass(frozen=True)
class Scale:
    """Places instants between the edges of a drawing, in percent of its width, and says them in local words."""

    start: datetime
    until: datetime
    zone: ZoneInfo
    _said: dict[datetime, str] = field(default_factory=dict, repr=False, compare=False)

    def x(self, instant: datetime) -> float:
        """Return where an instant lies; what lies outside is at the edge."""
        share = (instant - self.start) / (self.until - self.start)
        return round(min(max(share, 0.0), 1.0) * 100, 3)

    def width(self, start: datetime, end: datetime) -> float:
        """Return how wide a stretch is."""
        return round(self.x(end) - self.x(start), 3)

    def label(self, instant: datetime) -> str:
        """Return an instant in words, made once: the bars of many lanes begin together."""
        if instant not in self._said:
            self._said[instant] = weekday_words(instant.astimezone(self.zone))
        return self._said[instant]

    def span(self, start: datetime, end: datetime) -> str:
        """Return a stretch in words."""
        return say("{start} to {end}", start=self.label(start), end=self.label(end))


class Bar(NamedTuple):
    """A rectangle: percent of the width, pixels of the height, the class that names its mark, its words.

    With a `url` it leads there.
    """

    x: str
    y: str
    width: str
    height: str
    mark: str
    title: str
    url: str = ""

    @property
    def drawn(self) -> str:
        """Return it as HTML: of these a page has hundreds, and a template would write each value by itself.

        It is found with the pointer only, for the table beside the drawing has the same links.
        """
        title = escape(self.title)
        rect = (
            f'<rect class="{escape(self.mark)}" x="{self.x}" y="{self.y}" width="{self.width}" height="{self.height}">'
            f"<title>{title}</title></rect>"
        )
        return f'<a href="{escape(self.url)}" tabindex="-1">{rect}</a>' if self.url else rect


@dataclass(frozen=True)
class Lane:
    """A line of the drawing: its label above its bars; a limit is drawn across where there is one."""

    label: str
    label_y: int
    bars: tuple[Bar, ...]
    limit_y: str = ""

    @property
    def drawn(self) -> SafeString:
        """Return its bars as HTML."""
        return mark_safe("".join(bar.drawn for bar in self.bars))  # noqa: S308 (words and addresses are escaped)


@dataclass(frozen=True)
class Tick:
    """A mark on the line of time, of its own kind where a new day begins; `anchor` keeps its label inside."""

    x: str
    label: str
    mark: str
    anchor: str


@dataclass(frozen=True)
class Drawing:
    """Everything the template writes; the height in pixels.

    `bands` lie behind all lanes, and a line for now at `now_x` over them.
    """

    height: int
    ticks: tuple[Tick, ...]
    lanes: tuple[Lane, ...]
    bands: tuple[Bar, ...] = ()
    now_x: str = ""

    @property
    def behind(self) -> SafeString:
        """Return the bands as HTML, one on a line."""
        return mark_safe("".join(f"{band.drawn}\n" for band in self.bands))  # noqa: S308 (words are escaped)


def bar(x: float, width: float, top: int, mark: str, title: str, *, is_thin: bool = False, url: str = "") -> Bar:
    """Return a bar of the lane that begins at `top` pixels; a thin one lies in the middle of where it would be."""
    height = BAR // 4 if is_thin else BAR
    y = top + LABEL + 5 + (BAR - height) // 2
    return Bar(percent(min(x, 100 - width)), str(y), percent(width), str(height), mark, title, url)


def percent(value: float) -> str:
    """Return a share of the width as the drawing writes it."""
    return f"{round(value, 3):g}%"


def ticks(scale: Scale, most: int) -> tuple[Tick, ...]:
    """Return about `most` marks at round local times, those of a day named by their date.

    Of two labels that would lie over each other one is left out, the hour rather than the day; its mark stays.
    """
    length = scale.until - scale.start
    step = next((step for step in _STEPS if length / step <= most), None)
    step = step or -(-length // (_DAY * most)) * _DAY
    places = _within_hours(scale, step) if step < _HOUR else _of_days(scale, step)
    made, free = list[Tick](), 0.0
    for x, label, is_day in (_place(scale, instant, step) for instant in places):
        width = len(label) * _LETTER
        left = x - width if x > _LAST else x
        if left < free and is_day and made[-1].mark == "tick":
            made[-1], free = replace(made[-1], label=""), left
        shown = label if left >= free else ""
        free = left + width if shown else free
        made.append(Tick(percent(x), shown, "tick-day" if is_day else "tick", "end" if x > _LAST else "start"))
    return tuple(made)


def _within_hours(scale: Scale, step: timedelta) -> Iterator[datetime]:
    """Yield instants a step apart, from a round local time on."""
    local = scale.start.astimezone(scale.zone)
    since = timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
    instant = scale.start + (-since % step)
    while instant < scale.until:
        yield instant
        instant += step


def _of_days(scale: Scale, step: timedelta) -> Iterator[datetime]:
    """Yield the same local hours of every day, or midnights some days apart."""
    first = scale.start.astimezone(scale.zone).date()
    last = None  # two local times may be one instant: 02:00 and 03:00 when the clocks go forward
    for number in count():
        day = first + number * max(step, _DAY)
        for hour in range(0, 24, min(step // _HOUR, 24)):
            instant = resolve(datetime.combine(day, time(hour)), scale.zone, FIRST_VALID, FIRST)[0]
            if instant >= scale.until:
                return
            if instant >= scale.start and instant != last:
                yield instant
            last = instant


def _place(scale: Scale, instant: datetime, step: timedelta) -> tuple[float, str, bool]:
    """Return where a mark lies, what it is called, and whether a day begins there."""
    local = instant.astimezone(scale.zone)
    is_day = step >= _DAY or (step >= _HOUR and local.hour == 0)
    clock = typed_words(local.time()) if step >= _HOUR else clock_words(local)
    return scale.x(instant), str(local.date()) if is_day else clock, is_day
