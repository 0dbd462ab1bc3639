"""Times in which nothing starts: single days, ranges, yearly dates and weekly windows, in a zone.

A period is a stretch of local time. Whole days run from midnight to the midnight after; a weekly window whose end is
not after its start runs into the next day. A boundary that does not exist on the spring change is the first valid
moment after the gap; of one that comes twice, a start takes the first copy and an end the second, so that nothing
slips through. Periods that touch count as one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scheduling.cadence.resolve import FIRST, FIRST_VALID, SECOND, resolve

_DAY = timedelta(days=1)

# A calendar that is dark for longer than this without a gap never lets anything start.
_TICK = timedelta(microseconds=1)
_LONGEST = timedelta(days=1500)


class Stretch(NamedTuple):
    """A stretch of instants in which nothing starts: `start` belongs to it, `end` does not."""

    start: datetime
    end: datetime


@dataclass(frozen=True)
class Days:
    """From the first to the last of some days, both included."""

    first: date
    last: date

    def on(self, day: date) -> tuple[time, timedelta] | None:
        """Return when and for how long it is dark on this local day."""
        return (time(), _DAY) if self.first <= day <= self.last else None


@dataclass(frozen=True)
class YearlyDays:
    """From one date to another each year, both included; over New Year when the last comes before the first.

    Dates are (month, day). 29 February counts in leap years only.
    """

    first: tuple[int, int]
    last: tuple[int, int]

    def on(self, day: date) -> tuple[time, timedelta] | None:
        """Return when and for how long it is dark on this local day."""
        here = (day.month, day.day)
        over_new_year = self.first > self.last and (here >= self.first or here <= self.last)
        return (time(), _DAY) if over_new_year or self.first <= here <= self.last else None


@dataclass(frozen=True)
class WeeklyWindow:
    """A window on some days of the week (Monday 0); without times the whole day."""

    weekdays: tuple[int, ...]
    start: time | None = None
    end: time | None = None

    def on(self, day: date) -> tuple[time, timedelta] | None:
        """Return when and for how long it is dark, counted from this local day."""
        if day.weekday() not in self.weekdays:
            return None
        if self.start is None or self.end is None:
            return time(), _DAY
        length = datetime.combine(day, self.end) - datetime.combine(day, self.start)
        return self.start, length if length > timedelta() else length + _DAY


@dataclass(frozen=True)
class Blackout:
    """A named calendar of periods. `rolls`: a slot inside moves to the end of the blackout; else it is left out."""

    name: str
    timezone: str
    rolls: bool
    periods: tuple[Days | YearlyDays | WeeklyWindow, ...]

    def end_of(self, instant: datetime) -> datetime | None:
        """Return when the blackout around this instant ends; None when the instant is outside every period.

        A calendar that never ends returns an end years away.
        """
        end = self._end_of_one(instant)
        while end is not None and end - instant < _LONGEST:
            further = self._end_of_one(end)
            if further is None:
                return end
            end = further
        return end

    def covers(self, instant: datetime) -> bool:
        """Return whether nothing may start at this instant."""
        return self._end_of_one(instant) is not None

    def rolls_from(self, start: datetime) -> datetime:
        """Return the start, or when the blackout around it began: slots may roll from there to after the start."""
        begin = start
        while self.rolls and self.covers(begin - _TICK) and start - begin < _LONGEST:
            begin = next(self.between(begin - _TICK, begin)).start
        return begin

    def never_ends(self, instant: datetime) -> bool:
        """Return whether it stays dark from this instant on, for longer than anybody would wait."""
        end = self.end_of(instant)
        return end is not None and end - instant >= _LONGEST

    def between(self, start: datetime, end: datetime) -> Iterator[Stretch]:
        """Yield the dark stretches that meet the time from start to end, joined where they touch, ascending."""
        zone = ZoneInfo(self.timezone)
        day, last = start.astimezone(zone).date() - _DAY, end.astimezone(zone).date()
        found = sorted(
            (stretch for offset in range((last - day).days + 1) for stretch in self._from(day + offset * _DAY)),
            key=lambda stretch: stretch.start,
        )
        current: Stretch | None = None
        for stretch in found:
            if current is not None and stretch.start <= current.end:
                current = Stretch(current.start, max(current.end, stretch.end))
                continue
            if current is not None and current.end > start and current.start < end:
                yield current
            current = stretch
        if current is not None and current.end > start and current.start < end:
            yield current

    def _end_of_one(self, instant: datetime) -> datetime | None:
        """Return the latest end of a stretch that holds the instant. One may begin the day before and run over."""
        day = instant.astimezone(ZoneInfo(self.timezone)).date()
        around = [*self._from(day - _DAY), *self._from(day), *self._from(day + _DAY)]
        return max((stretch.end for stretch in around if stretch.start <= instant < stretch.end), default=None)

    def _from(self, day: date) -> Iterator[Stretch]:
        """Yield the stretches that begin on a local day."""
        zone = ZoneInfo(self.timezone)
        for period in self.periods:
            if (found := period.on(day)) is None:
                continue
            start = datetime.combine(day, found[0])
            yield Stretch(
                resolve(start, zone, FIRST_VALID, FIRST)[0], resolve(start + found[1], zone, FIRST_VALID, SECOND)[-1]
            )
