"""What tests of own code need: a job called with a context, queued work done at once, a clock that stands still.

For pytest-django and Django's test cases alike, inside the transaction of a test too. Nothing here is for production.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest import mock

from scheduling import clock
from scheduling.errors import AttemptCancelled
from scheduling.jobs.arguments import checked, restored
from scheduling.jobs.context import JobContext, Signals
from scheduling.jobs.declared import Function, path_of
from scheduling.jobs.reconcile import sync_jobs
from scheduling.models import Job, Run, Task
from scheduling.queues import claim_next
from scheduling.runs.execute import run_attempt
from scheduling.states import RunKind, TaskStatus
from scheduling.workloads import job as job_workload
from scheduling.workloads.job_output import Captured, JobLogger, captured
from scheduling.workloads.outcome import Warnings

_INSTANT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} ")


@dataclass(frozen=True)
class Called:
    """What a job did when it was called: its result, the progress it told last, its log, and how often it warned."""

    result: Any
    progress: tuple[int, int | None, str]
    lines: list[str]
    warnings: int = 0


def call(
    job: Function,
    /,
    *,
    slot: datetime | None = None,
    now: datetime | None = None,
    attempt: int = 1,
    last_completed_at: datetime | None = None,
    cancelled: bool = False,
    **arguments: Any,
) -> Called:
    """Call a job as a worker would, with a context of these values; no database is needed.

    `cancelled`: somebody has asked it to stop. Arguments go through JSON as they do on their way to a worker. Raises
    InvalidArguments for those that it does not take, and whatever the job raises.
    """
    signals, warned, now = Signals(), Warnings(), now or clock.now()
    if cancelled:
        signals.end(AttemptCancelled("Cancelled on request."))
    given = restored(job, checked(job, arguments))
    run = Run(kind=RunKind.JOB, title=job.__name__, scheduled_for=slot, created_at=now)
    with captured() as output:
        context = JobContext(
            Task(run=run, key=job.__name__, workload=RunKind.JOB, arguments=dict(given)),
            job=job.__name__,
            attempt=attempt,
            now=now,
            arguments=given,
            logger=JobLogger(job.__name__, output),
            signals=signals,
            on_warning=warned.add,
            last_completed_at=last_completed_at,
        )
        result = job_workload.call(job, context, given)
    return Called(result, signals.progress, _lines(output), warned.number)


def _lines(output: Captured) -> list[str]:
    """Return what was logged, without the instants."""
    return [_INSTANT.sub("", line) for line in output.text().splitlines()]


def know_jobs() -> None:
    """Store the jobs that the code declares, as each process does at its start. Raises AssertionError for a mistake."""
    if problems := sync_jobs(clock.now()).problems:
        raise AssertionError("\n".join(map(str, problems)))


def run_inline(limit: int = 1_000) -> list[Task]:
    """Do everything that is queued and due, and what that enqueues, in this thread; return the tasks in their order.

    What is for later stays where it is; move the clock first. Raises AssertionError when `limit` tasks were done and
    more is queued: something enqueues itself for ever.
    """
    done: list[int] = []
    while attempt := claim_next(worker="testing", now=clock.now(), time=clock.now):
        if len(done) == limit:
            raise AssertionError(f"{limit} tasks were done and more is queued, the next is {attempt.task.key}.")
        run_attempt(attempt)
        done.append(attempt.task_id)
    found = Task.objects.in_bulk(done)
    return [found[pk] for pk in dict.fromkeys(done)]


@dataclass
class Frozen:
    """A clock that stands still until it is moved."""

    at: datetime

    def move(self, **by: float) -> None:
        """Let time pass: `move(minutes=5)`, in the words of `timedelta`."""
        self.at += timedelta(**by)


@contextmanager
def clock_at(instant: datetime) -> Iterator[Frozen]:
    """Let the whole program read this instant until it is moved. Raises TypeError for one without a zone."""
    if instant.tzinfo is None:
        raise TypeError(f"{instant} has no zone; write datetime(…, tzinfo=UTC).")
    frozen = Frozen(instant.astimezone(UTC))
    with (
        mock.patch.object(clock, "of_this_host", lambda: frozen.at),
        mock.patch.object(clock, "ahead", timedelta),
        mock.patch.object(clock, "follow", lambda **_: None),
    ):
        yield frozen


@dataclass(frozen=True)
class Enqueued:
    """A piece of work that waits: its job by path, its arguments, its key, and when it may start (None: at once)."""

    job: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = None
    at: datetime | None = None

    def __str__(self) -> str:
        told = [f"{name}={value!r}" for name, value in self.arguments.items()]
        told += [f"key={self.key!r}"] if self.key is not None else []
        told += [f"at {self.at}"] if self.at is not None else []
        return f"{self.job}({', '.join(told)})"


def enqueued(job: Function | None = None) -> list[Enqueued]:
    """Return what was enqueued, of one job or of all, and has not begun; in the order in which it was enqueued."""
    waiting = Task.objects.filter(
        workload=RunKind.JOB, side_by_side=True, status=TaskStatus.QUEUED, attempts_made=0
    ).order_by("pk")
    tasks = list(waiting.values_list("target_id", "arguments", "unique_key", "next_attempt_at"))
    paths = dict(Job.objects.filter(pk__in={row[0] for row in tasks}).values_list("pk", "path"))
    found = [Enqueued(paths[target or 0], arguments, key, at) for target, arguments, key, at in tasks]
    return [each for each in found if job is None or each.job == path_of(job)]


def assert_enqueued(job: Function, *, key: str | None = None, at: datetime | None = None, **arguments: Any) -> None:
    """Assert that this work waits: with these arguments, and with this key and instant where they are given."""
    stored, found = checked(job, arguments), enqueued()
    for each in found:
        fits = each.job == path_of(job) and dict(each.arguments) == stored
        if fits and key in (None, each.key) and at in (None, each.at):
            return
    raise AssertionError(f"{Enqueued(path_of(job), stored, key, at)} was not enqueued. {_told(found)}")


def assert_nothing_enqueued(job: Function | None = None) -> None:
    """Assert that no work waits, of one job or at all."""
    if found := enqueued(job):
        raise AssertionError(_told(found))


def _told(found: list[Enqueued]) -> str:
    return "These wait:\n" + "\n".join(f"- {each}" for each in found) if found else "Nothing waits."
