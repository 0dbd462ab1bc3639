"""What claiming and ending a task costs behind 100,000 queued ones, beside the same behind 100.

python -m benchmarks.queue [NUMBER ...]
"""

import sys
from datetime import UTC, datetime
from time import perf_counter

from benchmarks._scratch import scratch_database

BACKLOGS = (100, 10_000, 100_000)
NOW = datetime(2026, 3, 2, 6, tzinfo=UTC)
CLAIMS, RUN_SIZE = 50, 1_000


def main() -> None:
    """Grow one queue, and print a line for each backlog: claims of one priority, and with three priorities in use."""
    backlogs = tuple(map(int, sys.argv[1:])) or BACKLOGS
    with scratch_database() as vendor:
        print(f"One queue on {vendor}; milliseconds for each of {CLAIMS} tasks\n")
        print(
            f"{'queued':>10} {'queue them, ms each':>22} {'claim, ms':>12} {'finish, ms':>12} {'against the first':>20}"
        )
        queued, first = 0, 0.0
        for backlog in backlogs:
            filling = fill(backlog - queued)
            claiming, finishing = claim_and_finish()
            first = first or claiming
            queued = backlog - CLAIMS
            ratio = f"{claiming / first:.2f}x"
            print(
                f"{backlog:>10,} {filling * 1000:>22.2f} {claiming * 1000:>12.2f} {finishing * 1000:>12.2f} {ratio:>20}"
            )


def fill(number: int) -> float:
    """Queue so many tasks, in runs of a thousand and three priorities; return the seconds for each."""
    from scheduling.dag.manifest import ManifestTask
    from scheduling.models import Queue, Run
    from scheduling.runs.fire import Cause, Fire, Subject
    from scheduling.runs.start import start as start_run
    from scheduling.states import RunKind

    Queue.objects.update_or_create(name="default", defaults={"max_running": 100_000})
    start = perf_counter()
    for first in range(0, number, RUN_SIZE):
        size = min(RUN_SIZE, number - first)
        tasks = tuple(ManifestTask(f"t{n}", RunKind.CALL, None, priority=n % 3) for n in range(size))
        cause = Cause(f"fill {Run.objects.count()}", "", "", NOW)
        start_run(Fire(Subject(RunKind.PLAN, "Fill"), tasks, cause, "Fill started."))
    return (perf_counter() - start) / max(number, 1)


def claim_and_finish() -> tuple[float, float]:
    """Claim and end tasks; return the mean seconds of each."""
    from scheduling.models import Task
    from scheduling.queues import claim_next
    from scheduling.runs.advance import finish
    from scheduling.states import TaskStatus
    from scheduling.workloads.outcome import Outcome

    claiming = finishing = 0.0
    for _ in range(CLAIMS):
        start = perf_counter()
        attempt = claim_next(worker="benchmark", now=NOW)
        claiming += perf_counter() - start
        assert attempt is not None
        task = Task.objects.select_related("run", "entity").get(pk=attempt.task_id)
        start = perf_counter()
        assert finish(attempt, task, Outcome(TaskStatus.COMPLETED, "Done."), now=NOW)
        finishing += perf_counter() - start
    return claiming / CLAIMS, finishing / CLAIMS


if __name__ == "__main__":
    main()
