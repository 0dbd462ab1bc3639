"""The virtual clock: the instants at which cycles happen, in even steps or whenever something is due."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

TICK = timedelta(microseconds=1)


class Cycles(Protocol):
    """Says when cycles happen, from `start` on."""

    @property
    def start(self) -> datetime:
        """Return when the first one may happen."""

    @property
    def step(self) -> timedelta:
        """Return how long it is from one to the next where nothing else is known."""

    def first_from(self, instant: datetime, after: datetime) -> datetime | None:
        """Return the first cycle at or after `instant` that is later than the cycle `after`; None when it is over."""


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


@dataclass(frozen=True)
class Moments:
    """Cycles at the very instants at which something is due, and before `until`; a `step` later where merely the next
    cycle is asked for, a tick after the last one.
    """

    start: datetime
    until: datetime
    step: timedelta

    def first_from(self, instant: datetime, after: datetime) -> datetime | None:
        """Return the instant itself, or the next cycle; None when it is over."""
        at = after + self.step if instant - after <= TICK else instant
        return at if at < self.until else None
