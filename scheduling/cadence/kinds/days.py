"""How matching days are walked, day by day or month by month, for years rather than weeks."""

from __future__ import annotations

from abc import abstractmethod
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property, lru_cache

from scheduling.cadence.base import HORIZON_YEARS, LocalCadence

_ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, kw_only=True)
class DayByDay(LocalCadence):
    """A cadence whose days are told one by one: daily, weekly, intervals."""

    @abstractmethod
    def is_day(self, day: date) -> bool:
        """Return whether the local day matches."""

    def days_from(self, day: date) -> Iterator[date]:
        """Yield the matching days from this one on."""
        return self._walk(day, _ONE_DAY)

    def days_back(self, day: date) -> Iterator[date]:
        """Yield the matching days from this one back."""
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
        """Yield the matching days from this one on."""
        for year, month in _months(day, 1):
            if self.is_month(year, month):
                for number in self._days_in(year, month):
                    found = date(year, month, number)
                    if found >= day:
                        yield found

    def days_back(self, day: date) -> Iterator[date]:
        """Yield the matching days from this one back."""
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
            raise OverflowError("The calendar has the years 1 to 9999.")
        yield index // 12, index % 12 + 1
        index += step
