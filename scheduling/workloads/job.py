"""The job workload: calls the function that code declares, under a watch that hears of cancels and keeps its output."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from datetime import datetime
from typing import Any

from scheduling import clock
from scheduling.errors import AttemptCancelled, AttemptInterrupted, AttemptLost, FatalJobError, TimedOut
from scheduling.jobs.context import JobContext, Signals
from scheduling.jobs.discover import function_of
from scheduling.lifecycle.job_guard import call_back
from scheduling.models import Job, Task
from scheduling.states import AttemptOutcome, TaskStatus
from scheduling.workloads.job_output import KEPT_ONLY, JobLogger, captured
from scheduling.workloads.job_watch import JobWatch
from scheduling.workloads.outcome import Outcome
from scheduling.workloads.pulse import Pulse

_LONGEST_RESULT = 1000


def execute(task: Task, pulse: Pulse, time: clock.TimeSource) -> Outcome:
    """Call the job's function; what it returns as text is the message of the attempt.

    FatalJobError, from the job or because the code does not declare it any more, ends retries. Whatever else it raises
    makes the attempt fail and is logged with its trace.
    """
    job, function = _find(task)
    attempt = task.attempts.get(outcome=AttemptOutcome.RUNNING)
    started, signals = clock.monotonic(), Signals()
    with captured() as output, JobWatch(attempt, signals, output, pulse, time=time):
        logger = JobLogger(job.name, output)
        context = JobContext(
            task.run,
            job=job.name,
            attempt=attempt.number,
            now=time(),
            arguments=task.arguments,
            logger=logger,
            signals=signals,
        )
        try:
            result = _call(function, context)
        except (AttemptCancelled, AttemptInterrupted, AttemptLost, TimedOut):
            raise
        except Exception:
            logger.exception("The job failed.", extra=KEPT_ONLY)  # the process log tells it as that of every task
            raise
    if isinstance(signals.stop, AttemptLost):
        raise AttemptLost(str(signals.stop))
    if isinstance(signals.stop, AttemptInterrupted) and signals.was_heard:
        raise AttemptInterrupted(str(signals.stop))  # it returned because it was told to; it may have done a part only
    elapsed = int((clock.monotonic() - started) * 1000)
    return Outcome(TaskStatus.COMPLETED, _message(result), rows=_rows(signals), duration_ms=elapsed)


def ended(task: Task, outcome: Outcome, *, now: datetime) -> str:
    """Call back the tasks of other runs that wait for this job.

    The guard of the job's schedules is left as it is: the run holds it and gives it back when it ends.
    """
    call_back(task.target_id)
    return ""


def _find(task: Task) -> tuple[Job, Callable[..., Any]]:
    """Return the job and its function. Raises FatalJobError when the code of this worker does not have it."""
    job = Job.objects.filter(pk=task.target_id).first() if task.target_id else None
    if job is None:
        raise FatalJobError("The job is not known any more.")
    function = function_of(job.path)
    if function is None:
        raise FatalJobError(f"The code of this worker does not declare {job.name} ({job.path}) any more.")
    return job, function


def _call(function: Callable[..., Any], context: JobContext) -> Any:
    """Call a function, or run an async one to its end. What would end the whole worker becomes an ordinary error."""
    try:
        if inspect.iscoroutinefunction(function):
            return asyncio.run(function(context))
        return function(context)
    except (SystemExit, asyncio.CancelledError) as error:
        text = " ".join(f"{type(error).__name__}: {error}".split())
        raise RuntimeError(f"The job tried to end its worker ({text}); return or raise an error instead.") from error


def _message(result: object) -> str:
    text = " ".join(result.split()) if isinstance(result, str) else ""
    clean = text.replace("\x00", "").encode("utf-8", "backslashreplace").decode()
    return clean[:_LONGEST_RESULT] or "Done."


def _rows(signals: Signals) -> int | None:
    """Return how much was done, None when the job told no progress."""
    done, total, message = signals.progress
    return done if done or total or message else None
