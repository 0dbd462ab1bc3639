"""The cadence of the first, second … or last such weekday of a month."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scheduling.cadence.base import MonthByMonth, TimedCadence
from scheduling.cadence.document import Document
from scheduling.cadence.sentences import at_times, months, ordinal
from scheduling.cadence.words import WEEKDAY_NAMES, read_weekday

LAST = "last"


@dataclass(frozen=True, kw_only=True)
class MonthlyNthWeekday(TimedCadence, MonthByMonth):
    """Fires on the n-th (1-5) or last weekday of a month at each of its times, in all or certain months.

    - A month without a fifth such weekday is passed over; `last` is the fourth or the fifth.
    - A time in a gap follows `dst_gap`, a time in an overlap `dst_overlap`.
    - Days before `starts_on` and after `ends_on` have no fires; both days themselves do.
    """

    nth: int | str
    weekday: int
    months: tuple[int, ...] = tuple(range(1, 13))

    @classmethod
    def read(cls, document: Document) -> MonthlyNthWeekday:
        """Build it from `nth`, `weekday`, `times`, `months`; faults are noted."""
        nth, weekday = document.value("nth"), 0
        if isinstance(nth, bool) or nth not in (1, 2, 3, 4, 5, LAST):
            document.refuse("nth", f"Write 1, 2, 3, 4, 5 or last, not {'nothing' if nth is None else repr(nth)}.")
            nth = 1
        try:
            weekday = read_weekday(document.value("weekday") or "")
        except ValueError as error:
            document.refuse("weekday", str(error))
        times, months_of_year = document.times(), document.numbers("months", 1, 12)
        return cls(nth=nth, weekday=weekday, times=times, months=months_of_year, **document.common())

    def is_month(self, year: int, month: int) -> bool:
        return month in self.months

    def days_of_month(self, first_weekday: int, length: int) -> Sequence[int]:
        such = range(1 + (self.weekday - first_weekday) % 7, length + 1, 7)
        if self.nth == LAST:
            return such[-1:]
        return such[int(self.nth) - 1 : int(self.nth)]

    def rhythm(self) -> str:
        """Return "On the first Monday of every month at 06:00"."""
        nth = LAST if self.nth == LAST else ordinal(int(self.nth))
        period = "every month" if len(self.months) == 12 else months(self.months)
        return f"On the {nth} {WEEKDAY_NAMES[self.weekday]} of {period} {at_times(self.times)}"
