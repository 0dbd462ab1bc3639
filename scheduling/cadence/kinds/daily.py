"""The cadence of fixed times every day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from scheduling.cadence.base import DayByDay, TimedCadence
from scheduling.cadence.document import Document
from scheduling.cadence.sentences import clock_times
from staging.phrases import Phrase, phrase


@dataclass(frozen=True, kw_only=True)
class Daily(TimedCadence, DayByDay):
    """Fires every local day at each of its times.

    - Short months and leap years do not matter: every calendar day counts.
    - A time in a gap follows `dst_gap`, a time in an overlap `dst_overlap`; two times that the gap moves to the same
      instant are one fire.
    - Days before `starts_on` and after `ends_on` have no fires; both days themselves do.
    """

    @classmethod
    def read(cls, document: Document) -> Daily:
        """Build it from `times`; faults are noted in the document."""
        return cls(times=document.times(), **document.common())

    def is_day(self, day: date) -> bool:
        """Return true: every day matches."""
        return True

    def rhythm(self) -> Phrase:
        """Return "Every day at 02:30"."""
        return phrase("Every day at {times}", times=clock_times(self.times))
