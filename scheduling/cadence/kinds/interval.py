"""The cadence of a steady distance: on the clock's grid, from a start, from the epoch or from the last completion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from scheduling.cadence.base import DAY_SECONDS, Cadence, DayByDay
from scheduling.cadence.document import Document
from scheduling.cadence.kinds.window import Window, read_window
from scheduling.cadence.resolve import BOTH, FIRST_VALID, SKIP, change_between, local, resolve
from scheduling.cadence.sentences import every_length, length_in_words
from scheduling.cadence.words import write_moment
from staging.phrases import Phrase, joined, phrase

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

    def rhythm(self) -> Phrase:
        """Return "Every 15 minutes from 08:00 to 18:00 on weekdays"."""
        return joined((every_length(self.every_seconds), self.window.in_words()))


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
            document.refuse("every_minutes", phrase("Write every_minutes or every_seconds, not both."))
        return document.number("every_seconds", 1, most)
    return document.number("every_minutes", 1, most // 60) * 60


_MOST_STEPS = 10000  # each passes over at least a day when nothing fires: what is not found by then never fires

_MOST_WAITS = 20  # openings of a window until its first day has come
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, kw_only=True)
class ElapsedInterval(Cadence):
    """Fires every so many real seconds from an origin; clock changes do not touch it, only its local label moves.

    - `start`: at the start itself and every interval after it. `epoch`: one unbroken grid in both directions.
      `last_completion`: once, one interval after the completion.
    - With a window, grid instants outside it do not fire. After a last completion the fire waits for the window.
    - Instants whose local date is before `starts_on` or after `ends_on` do not fire.
    """

    every_seconds: int
    origin: datetime
    anchor: str = ""
    endless: bool = False
    single: bool = False
    window: Window = field(default_factory=Window)

    def rhythm(self) -> Phrase:
        """Return "15 minutes after the last completion" or "Every 2 hours, counted from 2026-03-02 06:00"."""
        if self.single:
            after = phrase("{length} after the last completion", length=length_in_words(self.every_seconds))
            return joined((after, self.window.in_words()))
        told = joined((every_length(self.every_seconds), self.window.in_words()))
        if self.endless:
            return phrase("{rhythm}, counted on over midnight", rhythm=told)
        origin = write_moment(local(self.origin, self.zone))
        return phrase("{rhythm}, counted from {origin}", rhythm=told, origin=origin)

    def can_fire(self) -> bool:
        """Return whether there is any fire at all; after a last completion that depends on the next completion."""
        return self.single or super().can_fire()

    def _next(self, instant: datetime) -> datetime | None:
        if self.single:
            fire = self._after_completion()
            return fire if fire is not None and fire > instant else None
        step = self._step_after(instant)
        for _ in range(_MOST_STEPS):
            if not self.endless and step < 0:
                step = 0
            fire = self._at(step)
            day = local(fire, self.zone).date()
            if self.ends_on is not None and day > self.ends_on:
                return None
            if self._is_allowed(fire):
                return fire
            opening = self._opening_after(fire)
            step = max(step + 1, self._step_after(opening - _TICK))
        return None

    def _previous(self, instant: datetime) -> datetime | None:
        if self.single:
            fire = self._after_completion()
            return fire if fire is not None and fire < instant else None
        step = self._step_before(instant)
        for _ in range(_MOST_STEPS):
            if not self.endless and step < 0:
                return None
            fire = self._at(step)
            if self.starts_on is not None and local(fire, self.zone).date() < self.starts_on:
                return None
            if self._is_allowed(fire):
                return fire
            closing = self._closing_before(fire)
            step = min(step - 1, self._step_before(closing + _TICK))
        return None

    def _after_completion(self) -> datetime | None:
        fire = self._at(1)
        for _ in range(_MOST_WAITS):
            if self._is_allowed(fire):
                return fire
            fire = self._opening_after(fire)
        return None

    def _at(self, step: int) -> datetime:
        return self.origin + timedelta(seconds=step * self.every_seconds)

    def _step_after(self, instant: datetime) -> int:
        return (instant - self.origin) // timedelta(seconds=self.every_seconds) + 1

    def _step_before(self, instant: datetime) -> int:
        return -((self.origin - instant) // timedelta(seconds=self.every_seconds)) - 1

    def _is_allowed(self, fire: datetime) -> bool:
        moment = local(fire, self.zone)
        return self.within_dates(moment.date()) and (self.window.is_always or self.window.holds(moment))

    def _opening_after(self, instant: datetime) -> datetime:
        """Return an instant not after the next one that the window and the dates may allow; itself when none is near.

        A window opens at its start, and also where the clock, set back, falls into it once more.
        """
        moment = local(instant, self.zone)
        if self.starts_on is not None and moment.date() < self.starts_on:
            days = (self.starts_on - moment.date()).days
            if days > 2:
                return instant + timedelta(days=days - 2)
        openings = (opening for edge in self.window.starts_from(moment.date()) for opening in self._instants(edge))
        opening = next((opening for opening in openings if opening > instant), instant)
        return min(opening, self._change(instant, opening) or opening)

    def _closing_before(self, instant: datetime) -> datetime:
        """Return an instant not before the last one that window and dates may allow; itself when none is near."""
        moment = local(instant, self.zone)
        if self.ends_on is not None and moment.date() > self.ends_on:
            days = (moment.date() - self.ends_on).days
            if days > 2:
                return instant - timedelta(days=days - 2)
        closings = (end for edge in self.window.ends_back(moment.date()) for end in reversed(self._instants(edge)))
        closing = next((closing for closing in closings if closing <= instant), instant)
        change = self._change(closing, instant)
        return closing if change is None else max(closing, change - _TICK)

    def _change(self, before: datetime, after: datetime) -> datetime | None:
        """Return the clock change between two instants that are at most days apart."""
        if before.astimezone(self.zone).utcoffset() == after.astimezone(self.zone).utcoffset():
            return None
        return change_between(before, after, self.zone)

    def _instants(self, edge: datetime) -> tuple[datetime, ...]:
        return tuple(fire.astimezone(UTC) for fire in resolve(edge, self.zone, FIRST_VALID, BOTH))
