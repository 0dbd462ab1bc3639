"""The cadence of a single local moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from scheduling.cadence.base import Cadence
from scheduling.cadence.document import Document
from scheduling.cadence.resolve import FIRST, SHIFT, resolve
from scheduling.cadence.words import write_time
from staging.phrases import Phrase, phrase


@dataclass(frozen=True, kw_only=True)
class Once(Cadence):
    """Fires once, at a local date and time.

    - A moment that does not exist is moved on by the length of the gap (unlike the repeating kinds, which take the
      first moment after it), unless `dst_gap` says otherwise.
    - A moment that comes twice is its first copy, unless `dst_overlap` says otherwise.
    - After it, and when it lies before `starts_on` or after `ends_on`, there is no fire.
    """

    at_local: datetime
    dst_gap: str = SHIFT
    dst_overlap: str = FIRST

    @classmethod
    def read(cls, document: Document) -> Once:
        """Build it from `at_local`; faults are noted."""
        return cls(at_local=document.local("at_local"), **document.common(gap=SHIFT))

    def rhythm(self) -> Phrase:
        """Return "Once on 2026-06-15 at 09:00"."""
        return phrase("Once on {day} at {time}", day=self.at_local.date(), time=write_time(self.at_local.time()))

    def _fires(self) -> tuple[datetime, ...]:
        if not self.within_dates(self.at_local.date()):
            return ()
        return resolve(self.at_local, self.zone, self.dst_gap, self.dst_overlap)

    def _next(self, instant: datetime) -> datetime | None:
        return next((fire for fire in self._fires() if fire > instant), None)

    def _previous(self, instant: datetime) -> datetime | None:
        return next((fire for fire in reversed(self._fires()) if fire < instant), None)
