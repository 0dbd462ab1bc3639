"""What every kind of work offers to the engine; each kind is a module with these two functions."""

from datetime import datetime
from typing import Protocol

from scheduling import clock
from scheduling.models import Task
from scheduling.workloads.outcome import Outcome
from scheduling.workloads.pulse import Pulse


class Workload(Protocol):
    """A kind of work."""

    def execute(self, task: Task, pulse: Pulse, time: clock.TimeSource) -> Outcome:
        """Do the work of an attempt and return how it ended; asks `pulse` before every write.

        Raises AttemptLost when the attempt was released, AttemptCancelled when a person asked to cancel; every other
        error makes the attempt fail.
        """

    def ended(self, task: Task, outcome: Outcome, *, now: datetime) -> str:
        """Put in order what the work leaves behind, in the transaction that writes the outcome.

        Called for every end: of an attempt that is tried again, of one whose worker died, of a task that was
        cancelled before it started. Returns what to add to the log message.
        """
