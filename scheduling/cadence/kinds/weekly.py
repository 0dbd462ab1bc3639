"""The cadence of certain days of the week, every week or every so many weeks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from scheduling.cadence.base import DayByDay, TimedCadence
from scheduling.cadence.document import Document
from scheduling.cadence.sentences import clock_times, every_weekday, weekday
from scheduling.cadence.words import read_weekday
from staging.phrases import Phrase, listed, numbered, phrase

EPOCH_MONDAY = date(1970, 1, 5)


@dataclass(frozen=True, kw_only=True)
class Weekly(TimedCadence, DayByDay):
    """Fires on certain weekdays at each of its times, in every n-th week.

    - Weeks are counted from the week that holds `anchor_date`, in both directions, never by ISO number (some years
      have 53). A week begins on `week_starts`. Without an anchor, `starts_on` is taken, else Monday 5 January 1970.
    - The anchor only counts weeks; it does not start or end anything.
    - A time in a gap follows `dst_gap`, a time in an overlap `dst_overlap`.
    - Days before `starts_on` and after `ends_on` have no fires; both days themselves do.
    """

    days: tuple[int, ...]
    every_weeks: int = 1
    anchor_date: date = EPOCH_MONDAY
    week_starts: int = 0

    @classmethod
    def read(cls, document: Document) -> Weekly:
        """Build it from `days`, `times`, `every_weeks`, `anchor_date`, `week_starts`; faults are noted."""
        common = document.common()
        try:
            week_starts = read_weekday(document.value("week_starts") or "mon")
        except ValueError as error:
            document.refuse("week_starts", *error.args)
            week_starts = 0
        return cls(
            days=document.weekdays(),
            times=document.times(),
            every_weeks=document.number("every_weeks", 1, 520, 1),
            anchor_date=document.date("anchor_date") or common["starts_on"] or EPOCH_MONDAY,
            week_starts=week_starts,
            **common,
        )

    def is_day(self, day: date) -> bool:
        """Return whether the weekday matches and its week counts."""
        if day.weekday() not in self.days:
            return False
        return self.every_weeks == 1 or (self._week_of(day) - self._week_of(self.anchor_date)) % self.every_weeks == 0

    def rhythm(self) -> Phrase:
        """Return "Every Monday and Friday at 06:00" or "Every 2 weeks on Tuesday at 07:30"."""
        times = clock_times(self.times)
        if self.every_weeks == 1:
            return phrase("{days} at {times}", days=every_weekday(self.days), times=times)
        weeks = numbered(self.every_weeks, "Every week", "Every {number} weeks")
        days = listed(map(weekday, self.days))
        if self.week_starts == 0:
            return phrase("{weeks} on {days} at {times}", weeks=weeks, days=days, times=times)
        first = weekday(self.week_starts)
        return phrase(
            "{weeks} on {days} at {times} (weeks begin on {first})", weeks=weeks, days=days, times=times, first=first
        )

    def _week_of(self, day: date) -> int:
        return (day.toordinal() - 1 - self.week_starts) // 7  # ordinal 1 was a Monday
