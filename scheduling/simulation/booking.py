"""A time for which a run, of a plan for example, is expected to work on an entity or a job of others."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from staging.wording import Later


@dataclass(frozen=True)
class Booking:
    """One piece of one run; `of` tells that run from others.

    `is_first`: it depends on no other piece, so it is in line from the cycle that starts the run.
    """

    start: datetime
    lasts: timedelta
    of: object
    source: str | Later
    is_first: bool = True

    def is_live(self, now: datetime) -> bool:
        """Return whether a cycle at `now` finds the step in line or running."""
        return self.start < now < self.start + self.lasts or (self.is_first and self.start == now)


class Place(Protocol):
    """What runs of others may work on."""

    def book(self, booking: Booking) -> None:
        """Let a piece of a run work here at a time to come."""

    def cancel(self, of: object, now: datetime) -> None:
        """Take back what a cancelled run has not done."""
