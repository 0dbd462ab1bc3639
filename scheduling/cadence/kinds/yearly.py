"""The cadence of one calendar day a year."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scheduling.cadence.base import MonthByMonth, TimedCadence
from scheduling.cadence.document import Document
from scheduling.cadence.sentences import at_times
from scheduling.cadence.words import MONTH_NAMES

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

    def rhythm(self) -> str:
        """Return "Every year on 29 February at 06:00" or "Every year on the last day of February at 06:00"."""
        month = MONTH_NAMES[self.month - 1]
        if self.short_month == LAST and self.day == 31:
            return f"Every year on the last day of {month} {at_times(self.times)}"
        short = " (its last day when it is shorter)" if self.short_month == LAST and self.day > 28 else ""
        return f"Every year on {self.day} {month} {at_times(self.times)}{short}"
