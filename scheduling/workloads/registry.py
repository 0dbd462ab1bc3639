"""Which module does which kind of work. A new kind is one file here and one line below."""

from datetime import datetime
from typing import Protocol

from scheduling import clock
from scheduling.models import Task
from scheduling.states import RunKind
from scheduling.workloads import batch, call, job, script
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


WORKLOADS: dict[RunKind, Workload] = {
    RunKind.BATCH: batch,
    RunKind.JOB: job,
    RunKind.SCRIPT: script,
    RunKind.CALL: call,
}

# Work that is nothing but statements of this database commits together with its outcome: exactly once, whatever dies.
COMMITTED_WITH_OUTCOME = {RunKind.SCRIPT}


def workload_of(task: Task) -> Workload:
    """Return the module that does this task's kind of work."""
    return WORKLOADS[RunKind(task.workload)]
