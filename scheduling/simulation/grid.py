"""The virtual clock: the instants at which cycles happen, from a first one in even steps."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True)
class Grid:
    """Cycles at `start`, a `step` later and so on; the last one is before `until`."""

    start: datetime
    until: datetime
    step: timedelta

    def __len__(self) -> int:
        return max(-((self.start - self.until) // self.step), 0)

    def __iter__(self) -> Iterator[datetime]:
        return (self.start + number * self.step for number in range(len(self)))

    def first_from(self, instant: datetime, after: datetime) -> datetime | None:
        """Return the first cycle at or after `instant` that is later than the cycle `after`; None when it is over."""
        number = max(-((self.start - instant) // self.step), (after - self.start) // self.step + 1)
        return self.start + number * self.step if number < len(self) else None
