"""What every cadence can do: the one search that turns local times into fires, and the walk over matching days."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property, lru_cache
from itertools import islice
from zoneinfo import ZoneInfo

from scheduling.cadence.resolve import FIRST, FIRST_VALID, calm_offset, offsets_near, resolve
from staging.phrases import Phrase, phrase

HORIZON_YEARS = 400  # the calendar repeats after 400 years: what does not fire within them never fires
DAY_SECONDS = 86400
_TICK = timedelta(microseconds=1)
_MIDNIGHT = time()

_ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, kw_only=True)
class Cadence(ABC):
    """An immutable rule that yields fire times. Asking it anything moves nothing.

    `starts_on` and `ends_on` are local dates, both included: a slot outside them does not exist.
    """

    timezone: str
    starts_on: date | None = None
    ends_on: date | None = None

    @cached_property
    def zone(self) -> ZoneInfo:
        """Return the zone whose clocks this cadence follows."""
        return ZoneInfo(self.timezone)

    def next_after(self, instant: datetime) -> datetime | None:
        """Return the first fire strictly later than the (aware) instant, in UTC, or None when there is none."""
        try:
            return self._next(instant.astimezone(UTC))
        except OverflowError:  # the calendar ends in the year 9999
            return None

    def previous_before(self, instant: datetime) -> datetime | None:
        """Return the last fire strictly earlier than the (aware) instant, in UTC, or None when there is none."""
        try:
            return self._previous(instant.astimezone(UTC))
        except OverflowError:  # the calendar begins in the year 1
            return None

    def between(self, start: datetime, end: datetime) -> Iterator[datetime]:
        """Yield the fires with start < fire <= end, in order, in UTC."""
        fire = self.next_after(start)
        while fire is not None and fire <= end:
            yield fire
            fire = self.next_after(fire)

    def can_fire(self) -> bool:
        """Return whether there is any fire at all between `starts_on` and `ends_on` (30 February: never)."""
        if self.ends_on is not None and self.starts_on is None:
            end = min(self.ends_on, date(9999, 12, 1)) + timedelta(days=3)
            return self.previous_before(datetime.combine(end, time(), tzinfo=UTC)) is not None
        start = max(self.starts_on or date(2000, 1, 1), date(1, 2, 1)) - timedelta(days=3)
        return self.next_after(datetime.combine(start, time(), tzinfo=UTC)) is not None

    def describe(self) -> Phrase:
        """Return the sentence a business user reads, with the zone and, when set, the first and last day."""
        rhythm, zone, first, last = self.rhythm(), self.timezone, self.starts_on, self.ends_on
        if first is not None and last is not None:
            return phrase(
                "{rhythm}, {zone}, from {first}, until {last}", rhythm=rhythm, zone=zone, first=first, last=last
            )
        if first is not None:
            return phrase("{rhythm}, {zone}, from {first}", rhythm=rhythm, zone=zone, first=first)
        if last is not None:
            return phrase("{rhythm}, {zone}, until {last}", rhythm=rhythm, zone=zone, last=last)
        return phrase("{rhythm}, {zone}", rhythm=rhythm, zone=zone)

    @abstractmethod
    def rhythm(self) -> Phrase:
        """Return the sentence without zone and dates: "Every Monday at 06:00"."""

    @abstractmethod
    def _next(self, instant: datetime) -> datetime | None: ...

    @abstractmethod
    def _previous(self, instant: datetime) -> datetime | None: ...

    def within_dates(self, day: date) -> bool:
        """Return whether the local date lies between `starts_on` and `ends_on`."""
        return (self.starts_on is None or day >= self.starts_on) and (self.ends_on is None or day <= self.ends_on)


@dataclass(frozen=True, kw_only=True)
class LocalCadence(Cadence):
    """A cadence of local times: a kind says which days and which seconds of a day, this class finds the instants.

    Local times are enumerated naive, each is resolved by the policies, and the least instant strictly after the
    asked one wins. Around a clock change a later local time may be an earlier instant, so the search begins and
    ends one clock change wider than elsewhere.
    """

    dst_gap: str = FIRST_VALID
    dst_overlap: str = FIRST

    @abstractmethod
    def seconds_of_day(self) -> Sequence[int]:
        """Return the fire times of a matching day as ascending seconds since its midnight (above 86400: next day)."""

    @abstractmethod
    def days_from(self, day: date) -> Iterator[date]:
        """Yield the matching days from this one on, ascending, for at most HORIZON_YEARS."""

    @abstractmethod
    def days_back(self, day: date) -> Iterator[date]:
        """Yield the matching days from this one back, descending, for at most HORIZON_YEARS."""

    @property
    def policies(self) -> tuple[str, str]:
        """Return what happens in a gap and in an overlap; grids override it."""
        return self.dst_gap, self.dst_overlap

    def _next(self, instant: datetime) -> datetime | None:
        zone = self.zone
        offset = calm_offset(instant.toordinal(), zone)
        if offset is None:
            return self._next_by_search(instant)
        moment = next(self._moments_after(instant.replace(tzinfo=None) + offset), None)
        if moment is None:
            return None
        there = calm_offset((moment - offset).toordinal(), zone)
        if there is not None:
            fire = (moment - there).replace(tzinfo=UTC)
            # Calm here and there: nothing lies between, whatever the clocks did on the way.
            if there == offset or calm_offset(fire.toordinal(), zone) == there:
                return fire
        return self._next_by_search(instant)

    def _next_by_search(self, instant: datetime) -> datetime | None:
        zone, policies = self.zone, self.policies
        least, _ = offsets_near(instant, zone)
        best: datetime | None = None
        enough: datetime | None = None
        for moment in self._moments_after((instant + least).replace(tzinfo=None)):
            if enough is not None and moment >= enough:
                break
            for fire in resolve(moment, zone, *policies):
                if fire > instant and (best is None or fire < best):
                    best = fire
                    enough = (fire + offsets_near(fire, zone)[1]).replace(tzinfo=None)
                    if enough <= moment:
                        return best
        return best

    def _previous(self, instant: datetime) -> datetime | None:
        zone, policies = self.zone, self.policies
        _, greatest = offsets_near(instant, zone)
        best: datetime | None = None
        enough: datetime | None = None
        for moment in self._moments_before((instant + greatest).replace(tzinfo=None)):
            if enough is not None and moment <= enough:
                break
            for fire in reversed(resolve(moment, zone, *policies)):
                if fire < instant and (best is None or fire > best):
                    best = fire
                    enough = (fire + offsets_near(fire, zone)[0]).replace(tzinfo=None)
        return best

    def _moments_after(self, moment: datetime) -> Iterator[datetime]:
        """Yield the naive fire times strictly after the moment, ascending, inside the dates."""
        if self.starts_on is not None and moment.date() < self.starts_on:
            moment = datetime.combine(self.starts_on, time()) - _TICK
        seconds, ends_on, today = self.seconds_of_day(), self.ends_on, moment.date()
        days_over = seconds[-1] // DAY_SECONDS  # a window may have begun the day before
        for day in self.days_from(today - timedelta(days=days_over) if days_over else today):
            if ends_on is not None and day > ends_on:
                return
            midnight = datetime.combine(day, _MIDNIGHT)
            index = bisect_right(seconds, (moment - midnight).total_seconds()) if day <= today else 0
            for second in islice(seconds, index, None):
                found = midnight + timedelta(seconds=second)
                if ends_on is not None and found.date() > ends_on:
                    return
                yield found

    def _moments_before(self, moment: datetime) -> Iterator[datetime]:
        """Yield the naive fire times strictly before the moment, descending, inside the dates."""
        if self.ends_on is not None and moment.date() > self.ends_on:
            moment = datetime.combine(self.ends_on, time.max)
        seconds = self.seconds_of_day()
        for day in self.days_back(moment.date()):
            midnight = datetime.combine(day, time())
            passed = (moment - midnight).total_seconds()
            for index in range(bisect_left(seconds, passed) - 1, -1, -1):
                found = midnight + timedelta(seconds=seconds[index])
                if self.starts_on is not None and found.date() < self.starts_on:
                    return
                yield found
            if self.starts_on is not None and day < self.starts_on:
                return


@dataclass(frozen=True, kw_only=True)
class TimedCadence(LocalCadence):
    """A local cadence with a list of times of day."""

    times: tuple[time, ...]

    @cached_property
    def _seconds(self) -> tuple[int, ...]:
        return tuple(sorted({at.hour * 3600 + at.minute * 60 + at.second for at in self.times}))

    def seconds_of_day(self) -> Sequence[int]:
        """Return the times as seconds since midnight."""
        return self._seconds


@dataclass(frozen=True, kw_only=True)
class DayByDay(LocalCadence):
    """A cadence whose days are told one by one: daily, weekly, intervals."""

    @abstractmethod
    def is_day(self, day: date) -> bool:
        """Return whether the local day matches."""

    def days_from(self, day: date) -> Iterator[date]:
        return self._walk(day, _ONE_DAY)

    def days_back(self, day: date) -> Iterator[date]:
        return self._walk(day, -_ONE_DAY)

    def _walk(self, day: date, step: timedelta) -> Iterator[date]:
        for _ in range(HORIZON_YEARS * 366):
            if self.is_day(day):
                yield day
            day += step


@dataclass(frozen=True, kw_only=True)
class MonthByMonth(LocalCadence):
    """A cadence whose days are told for a whole month: monthly, nth weekday, yearly, cron."""

    @abstractmethod
    def is_month(self, year: int, month: int) -> bool:
        """Return whether the month can hold matching days."""

    @abstractmethod
    def days_of_month(self, first_weekday: int, length: int) -> Sequence[int]:
        """Return the matching days, ascending, of a month that begins on this weekday (Monday 0) and is this long."""

    def days_from(self, day: date) -> Iterator[date]:
        for year, month in _months(day, 1):
            if self.is_month(year, month):
                for number in self._days_in(year, month):
                    found = date(year, month, number)
                    if found >= day:
                        yield found

    def days_back(self, day: date) -> Iterator[date]:
        for year, month in _months(day, -1):
            if self.is_month(year, month):
                for number in reversed(self._days_in(year, month)):
                    found = date(year, month, number)
                    if found <= day:
                        yield found

    def _days_in(self, year: int, month: int) -> Sequence[int]:
        shape = _shape(year, month)
        if (found := self._by_shape.get(shape)) is None:
            found = self._by_shape[shape] = self.days_of_month(*shape)
        return found

    @cached_property
    def _by_shape(self) -> dict[tuple[int, int], Sequence[int]]:
        """Return what was found so far: a month has one of only 28 shapes."""
        return {}


@lru_cache(maxsize=HORIZON_YEARS * 12 + 12)
def _shape(year: int, month: int) -> tuple[int, int]:
    """Return the weekday on which a month begins and its length."""
    return monthrange(year, month)


def _months(day: date, step: int) -> Iterator[tuple[int, int]]:
    index = day.year * 12 + day.month - 1
    for _ in range(HORIZON_YEARS * 12 + 1):
        if not 12 <= index < 120000:
            raise OverflowError  # the calendar has the years 1 to 9999; who asks gets None
        yield index // 12, index % 12 + 1
        index += step
