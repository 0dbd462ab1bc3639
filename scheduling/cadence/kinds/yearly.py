"""The cadence of one calendar day a year."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scheduling.cadence.base import MonthByMonth, TimedCadence
from scheduling.cadence.document import Document
from scheduling.cadence.sentences import clock_times, months
from staging.phrases import Phrase, phrase

SKIP, LAST = "skip", "last"


@dataclass(frozen=True, kw_only=True)
class Yearly(TimedCadence, MonthByMonth):
    """Fires on one day of one month each year at each of its times.

    - 29 February fires in leap years only (2096, then 2104: 2100 is none). 30 February and 31 April never fire.
      With `short_month` last, the month's last day is taken when the day is missing.
    - A time in a gap follows `dst_gap`, a time in an overlap `dst_overlap`.
    - Days before `starts_on` and after `ends_on` have no fires; both days themselves do.
    """

    month: int
    day: int
    short_month: str = SKIP

    @classmethod
    def read(cls, document: Document) -> Yearly:
        """Build it from `month`, `day`, `times`, `short_month`; faults are noted."""
        month, day = document.number("month", 1, 12), document.number("day", 1, 31)
        short = document.choice("short_month", (SKIP, LAST), SKIP)
        return cls(month=month, day=day, short_month=short, times=document.times(), **document.common())

    def is_month(self, year: int, month: int) -> bool:
        return month == self.month

    def days_of_month(self, first_weekday: int, length: int) -> Sequence[int]:
        """Return the one day, or none in a month without it."""
        if self.short_month == LAST:
            return [min(self.day, length)]
        return [self.day] if self.day <= length else []

    def rhythm(self) -> Phrase:
        """Return "Every year on 29 February at 06:00" or "Every year on the last day of February at 06:00"."""
        month, times = months([self.month]), clock_times(self.times)
        if self.short_month == LAST and self.day == 31:
            return phrase("Every year on the last day of {month} at {times}", month=month, times=times)
        told = phrase("Every year on {day} {month} at {times}", day=self.day, month=month, times=times)
        if self.short_month == LAST and self.day > 28:
            return phrase("{rhythm} (its last day when it is shorter)", rhythm=told)
        return told
