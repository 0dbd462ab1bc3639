"""The cadence of the first, second … or last such weekday of a month."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scheduling.cadence.base import MonthByMonth, TimedCadence
from scheduling.cadence.document import Document
from scheduling.cadence.sentences import clock_times, months, ordinal, weekday
from scheduling.cadence.words import read_weekday
from staging.phrases import Phrase, phrase

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
        nth, day = document.value("nth"), 0
        if isinstance(nth, bool) or nth not in (1, 2, 3, 4, 5, LAST):
            shown = phrase("nothing") if nth is None else repr(nth)
            document.refuse("nth", phrase("Write 1, 2, 3, 4, 5 or last, not {shown}.", shown=shown))
            nth = 1
        try:
            day = read_weekday(document.value("weekday") or "")
        except ValueError as error:
            document.refuse("weekday", *error.args)
        times, months_of_year = document.times(), document.numbers("months", 1, 12)
        return cls(nth=nth, weekday=day, times=times, months=months_of_year, **document.common())

    def is_month(self, year: int, month: int) -> bool:
        return month in self.months

    def days_of_month(self, first_weekday: int, length: int) -> Sequence[int]:
        such = range(1 + (self.weekday - first_weekday) % 7, length + 1, 7)
        if self.nth == LAST:
            return such[-1:]
        return such[int(self.nth) - 1 : int(self.nth)]

    def rhythm(self) -> Phrase:
        """Return "On the first Monday of every month at 06:00"."""
        nth = phrase("last") if self.nth == LAST else ordinal(int(self.nth))
        period = phrase("every month") if len(self.months) == 12 else months(self.months)
        return phrase(
            "On the {nth} {weekday} of {months} at {times}",
            nth=nth,
            weekday=weekday(self.weekday),
            months=period,
            times=clock_times(self.times),
        )
