"""A cadence that remembers its last answer, for those who walk it slot by slot and ask the same thing several times."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from scheduling.cadence.base import Cadence
from staging.phrases import Phrase


@dataclass(frozen=True, kw_only=True)
class Remembered(Cadence):
    """Answers exactly as `cadence` does. Between an instant and the fire found after it, every answer is that fire."""

    cadence: Cadence
    _last: list[tuple[datetime, datetime | None]] = field(default_factory=list, compare=False, repr=False)

    @classmethod
    def of(cls, cadence: Cadence) -> Remembered:
        return cls(timezone=cadence.timezone, starts_on=cadence.starts_on, ends_on=cadence.ends_on, cadence=cadence)

    def rhythm(self) -> Phrase:
        """Return the sentence of the cadence."""
        return self.cadence.rhythm()

    def _next(self, instant: datetime) -> datetime | None:
        if self._last:
            asked, fire = self._last[0]  # as one: another thread may ask meanwhile
            if asked <= instant and (fire is None or instant < fire):
                return fire
        fire = self.cadence.next_after(instant)
        self._last[:] = [(instant, fire)]
        return fire

    def _previous(self, instant: datetime) -> datetime | None:
        return self.cadence.previous_before(instant)


@lru_cache(maxsize=1_000)
def remembered(cadence: Cadence) -> Remembered:
    """Return the one that equal cadences share: schedules that are alike are walked side by side."""
    return Remembered.of(cadence)
