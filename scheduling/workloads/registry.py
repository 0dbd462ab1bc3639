"""Which module does which kind of work. A new kind is one file here and one line below."""

from scheduling.models import Task
from scheduling.states import RunKind
from scheduling.workloads import batch, call, job, script
from scheduling.workloads.kind import Workload

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
