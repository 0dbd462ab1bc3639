"""A time for which a run of a plan is expected to work on an entity or a job."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True)
class Booking:
    """One step of one run of a plan; `of` tells that run from others.

    `is_first`: it depends on no other step, so it is in line from the cycle that starts the plan.
    """

    start: datetime
    lasts: timedelta
    of: object
    source: str
    is_first: bool = True

    def is_live(self, now: datetime) -> bool:
        """Return whether a cycle at `now` finds the step in line or running."""
        return self.start < now < self.start + self.lasts or (self.is_first and self.start == now)
