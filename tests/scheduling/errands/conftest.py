"""What tests of errands share: jobs of ours that settings switch on, run by a worker of this thread."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connections

from scheduling import clock
from scheduling.models import Attempt, AttemptLog, Job, Task
from scheduling.queues import claim_next
from scheduling.runs.by_hand import start_job_now
from scheduling.runs.execute import run_attempt
from scheduling.testing import know_jobs
from scheduling.workloads import job as job_workload


@pytest.fixture
def run(db: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Task]:
    """Return a function that starts a job of ours with these arguments, runs one attempt and returns the task."""
    monkeypatch.setattr(job_workload, "LOOK_SECONDS", 0.02)

    def start_and_run(job: str, **arguments: Any) -> Task:
        know_jobs()
        started = start_job_now(Job.objects.get(name=job), arguments, started_by="ann", now=clock.now())
        attempt = claim_next(worker="test", now=clock.now())
        assert attempt is not None and attempt.task.run_id == started.pk
        run_attempt(attempt)
        return Task.objects.get(run=started)

    return start_and_run


def run_and_close(attempt: Attempt) -> None:
    """Run an attempt in a thread of its own, whose connections are closed behind it as a worker closes them."""
    run_attempt(attempt)
    connections.close_all()


def log_of(task: Task) -> str:
    """Return what an attempt kept, without instants."""
    lines = AttemptLog.objects.get(attempt__task=task).lines.splitlines()
    return "\n".join(line.partition(",")[2].partition(" ")[2] for line in lines)
