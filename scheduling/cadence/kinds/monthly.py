"""The cadence of certain days of the month, every month or every so many months."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from scheduling.cadence.base import MonthByMonth, TimedCadence
from scheduling.cadence.document import Document
from scheduling.cadence.sentences import clock_times, ordinal
from staging.phrases import Phrase, listed, phrase

SKIP, LAST = "skip", "last"


@dataclass(frozen=True, kw_only=True)
class Monthly(TimedCadence, MonthByMonth):
    """Fires on certain days of the month at each of its times, in every n-th month.

    - `last` is the month's real last day: 28, 29, 30 or 31.
    - A month without the day is passed over (`short_month` skip, the default) or its last day is taken (`last`).
      Days that coincide, such as 28 and last in February, are one fire.
    - Months are counted from the month of `anchor_date`, in both directions; without an anchor from that of
      `starts_on`, else from January 1970. The anchor starts nothing.
    - A time in a gap follows `dst_gap`, a time in an overlap `dst_overlap`.
    - Days before `starts_on` and after `ends_on` have no fires; both days themselves do.
    """

    days: tuple[int | str, ...]
    every_months: int = 1
    anchor_date: date = date(1970, 1, 1)
    short_month: str = SKIP

    @classmethod
    def read(cls, document: Document) -> Monthly:
        """Build it from `days`, `times`, `every_months`, `anchor_date`, `short_month`; faults are noted."""
        common = document.common()
        return cls(
            days=document.month_days(),
            times=document.times(),
            every_months=document.number("every_months", 1, 120, 1),
            anchor_date=document.date("anchor_date") or common["starts_on"] or date(1970, 1, 1),
            short_month=document.choice("short_month", (SKIP, LAST), SKIP),
            **common,
        )

    def is_month(self, year: int, month: int) -> bool:
        passed = (year - self.anchor_date.year) * 12 + month - self.anchor_date.month
        return passed % self.every_months == 0

    def days_of_month(self, first_weekday: int, length: int) -> Sequence[int]:
        found = {length if day == LAST else int(day) for day in self.days}
        if self.short_month == LAST:
            found = {min(day, length) for day in found}
        return sorted(day for day in found if day <= length)

    def rhythm(self) -> Phrase:
        """Return "On the 1st, 15th and last day of every month at 02:30"."""
        days = listed(phrase("last day") if day == LAST else ordinal(int(day)) for day in self.days)
        months = phrase("every month")
        if self.every_months > 1:
            months = phrase("every {nth} month", nth=ordinal(self.every_months))
        told = phrase("On the {days} of {months} at {times}", days=days, months=months, times=clock_times(self.times))
        if self.short_month == LAST and self._may_be_short():
            return phrase("{rhythm} (the last day in shorter months)", rhythm=told)
        return told

    def _may_be_short(self) -> bool:
        return any(isinstance(day, int) and day > 28 for day in self.days)
