"""The cadence of a steady distance: on the clock's grid, from a start, from the epoch or from the last completion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from scheduling.cadence.base import DAY_SECONDS, Cadence
from scheduling.cadence.days import DayByDay
from scheduling.cadence.document import Document
from scheduling.cadence.elapsed import ElapsedInterval
from scheduling.cadence.resolve import BOTH, SKIP
from scheduling.cadence.sentences import duration
from scheduling.cadence.window import Window, read_window

WALL_CLOCK, START, EPOCH, LAST_COMPLETION = "wall_clock", "start", "epoch", "last_completion"
ANCHORS = (WALL_CLOCK, START, EPOCH, LAST_COMPLETION)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST = 366 * DAY_SECONDS


@dataclass(frozen=True, kw_only=True)
class WallClockInterval(DayByDay):
    """Fires on a grid of local times that begins anew at each local midnight, or at each start of its window.

    - Every 7 hours is 00:00, 07:00, 14:00, 21:00 and again 00:00: the last stretch of a day may be shorter.
    - A window may pass midnight (22:00 to 02:00); it belongs to the day it begins on, and its grid runs on over
      midnight. Its end is a fire when the grid meets it, unless `between_end_inclusive` is false.
    - It is a grid: it fires at every real instant whose local time matches, so nothing in a gap and both copies in
      an overlap; `dst_gap` and `dst_overlap` do not apply.
    - Local dates before `starts_on` and after `ends_on` have no fires, even inside a window that began earlier.
    """

    every_seconds: int
    window: Window = field(default_factory=Window)

    @property
    def policies(self) -> tuple[str, str]:
        """Return the treatment of a grid."""
        return SKIP, BOTH

    def is_day(self, day: date) -> bool:
        """Return whether a window begins on the day."""
        return self.window.is_day(day)

    def seconds_of_day(self) -> Sequence[int]:
        """Return the grid of one window."""
        return self.window.seconds(self.every_seconds)

    def rhythm(self) -> str:
        """Return "Every 15 minutes from 08:00 to 18:00 on weekdays"."""
        return f"Every {duration(self.every_seconds)}{self.window.phrase()}"


def read_interval(document: Document) -> Cadence:
    """Build the interval of the anchor that the document names (default: the wall clock); faults are noted."""
    anchor = document.choice("anchor", ANCHORS, WALL_CLOCK)
    every, window = _every_seconds(document, anchor), read_window(document)
    if anchor == WALL_CLOCK:
        return WallClockInterval(every_seconds=every, window=window, **document.common())
    common = document.common()
    dates = {name: common[name] for name in ("timezone", "starts_on", "ends_on")}
    if anchor == EPOCH:
        phase = document.number("phase_seconds", -_LONGEST, _LONGEST, 0)
        origin, text = _EPOCH + timedelta(seconds=phase), ""
        return ElapsedInterval(every_seconds=every, origin=origin, window=window, anchor=text, endless=True, **dates)
    origin = document.instant(anchor)
    if anchor == START:
        return ElapsedInterval(every_seconds=every, origin=origin, window=window, anchor=anchor, **dates)
    return ElapsedInterval(every_seconds=every, origin=origin, window=window, anchor=anchor, single=True, **dates)


def _every_seconds(document: Document, anchor: str) -> int:
    most = DAY_SECONDS if anchor == WALL_CLOCK else _LONGEST
    if document.value("every_seconds") is not None:
        if document.value("every_minutes") is not None:
            document.refuse("every_minutes", "Write every_minutes or every_seconds, not both.")
        return document.number("every_seconds", 1, most)
    return document.number("every_minutes", 1, most // 60) * 60
