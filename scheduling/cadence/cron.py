"""The cadence of a cron expression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from scheduling.cadence.cron_fields import CronFields, ever_matches, matching_days, read_cron
from scheduling.cadence.cron_text import in_words
from scheduling.cadence.days import MonthByMonth
from scheduling.cadence.document import Document
from scheduling.cadence.resolve import BOTH, SKIP


@dataclass(frozen=True, kw_only=True)
class Cron(MonthByMonth):
    """Fires at the local minutes that a five-field cron expression names.

    - Names, lists, ranges (also over the end: 22-2), steps, @daily and friends; day words L, L-3, LW, 15W, 5#2, L5, 5L.
      15W is the weekday nearest to the 15th, never leaving the month; in a month without the day it does not fire.
    - Day of the month with day of the week as Debian's cron does: either matches when both are restricted; both must
      match when one of the two fields starts with `*` (so `*/2` counts as unrestricted). The sentence says which.
    - A month without the day is passed over; an expression that can never fire (30 February) yields nothing.
    - Fixed times follow `dst_gap` and `dst_overlap`. When the minute or the hour field starts with `*` it is a grid:
      nothing in a gap, both copies in an overlap.
    - Days before `starts_on` and after `ends_on` have no fires; both days themselves do.
    """

    expression: str
    fields: CronFields

    @classmethod
    def read(cls, document: Document) -> Cron:
        """Build it from `expr`; faults are noted."""
        expression = document.value("expr")
        fields = read_cron("* * * * *")
        try:
            fields = read_cron(expression if isinstance(expression, str) else "")
        except ValueError as error:
            document.refuse("expr", str(error))
        return cls(expression=str(expression).strip(), fields=fields, **document.common())

    @property
    def policies(self) -> tuple[str, str]:
        """Return the treatment of a grid or the chosen one."""
        return (SKIP, BOTH) if self.fields.is_grid else (self.dst_gap, self.dst_overlap)

    def days_from(self, day: date) -> Iterator[date]:
        """Yield the matching days from this one on; nothing, at once, when no month has such a day."""
        return super().days_from(day) if ever_matches(self.fields.months, self.fields.rule) else iter(())

    def days_back(self, day: date) -> Iterator[date]:
        """Yield the matching days from this one back; nothing, at once, when no month has such a day."""
        return super().days_back(day) if ever_matches(self.fields.months, self.fields.rule) else iter(())

    def is_month(self, year: int, month: int) -> bool:
        """Return whether the month field names it."""
        return month in self.fields.months

    def days_of_month(self, first_weekday: int, length: int) -> Sequence[int]:
        """Return the days that the two day fields name."""
        return matching_days(self.fields.rule, first_weekday, length)

    def seconds_of_day(self) -> Sequence[int]:
        """Return every named hour with every named minute."""
        return _seconds(self.fields.hours, self.fields.minutes)

    def rhythm(self) -> str:
        """Return "Cron 0 6 * * 1-5: at 06:00, Monday to Friday"."""
        return f"Cron {self.expression}: {in_words(self.fields)}"


@lru_cache(maxsize=256)
def _seconds(hours: tuple[int, ...], minutes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(hour * 3600 + minute * 60 for hour in hours for minute in minutes)
