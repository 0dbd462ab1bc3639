"""The job workload: calls the function that code declares, under a watch that hears of cancels and keeps its output."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import re
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import SynchronousOnlyOperation
from django.db import connection, connections, transaction

from scheduling import clock
from scheduling.errors import (
    AttemptCancelled,
    AttemptInterrupted,
    AttemptLost,
    FatalJobError,
    InvalidArguments,
    TimedOut,
)
from scheduling.jobs.arguments import as_json, restored
from scheduling.jobs.context import JobContext, JobEnd, Signals
from scheduling.jobs.declared import Draft, Function, Retry, draft_of
from scheduling.jobs.discover import function_of
from scheduling.lifecycle.guard import call_back
from scheduling.lifecycle.tasks import beat
from scheduling.models import Attempt, AttemptLog, Job, Task
from scheduling.states import AttemptOutcome, RunKind, TaskStatus
from scheduling.workloads.job_output import KEPT_ONLY, Captured, JobLogger, captured
from scheduling.workloads.outcome import Judged, Outcome, Warnings
from scheduling.workloads.pulse import REASON, STOPPING, Pulse
from staging.tracing import current_ids, lines_of
from staging.wording import say, storable

_LONGEST_RESULT = 1000
_LARGEST_RESULT = 64 * 1024
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")  # as JSON writes it; a backslash before u0000 is written twice


def execute(task: Task, pulse: Pulse, time: clock.TimeSource) -> Outcome:
    """Call the job's function. FatalJobError, also because the code does not declare it any more, ends retries."""
    job, function = _find(task)
    return call_declared(draft_of(function), task, of_stored(function, task.arguments), pulse, time, name=job.name)


def call_declared(
    draft: Draft,
    task: Task,
    arguments: Mapping[str, Any],
    pulse: Pulse,
    time: clock.TimeSource,
    *,
    name: str,
    kind: type[JobContext] = JobContext,
) -> Outcome:
    """Call a function that code declared, with a context of this kind, under a watch that keeps what it logs.

    What it returns as text is the message of the attempt, another value its result. Whatever it raises makes the
    attempt fail, and is logged with its trace.
    """
    attempt = pulse.attempt
    started, signals, warned = clock.monotonic(), Signals(), Warnings()
    with captured() as output, JobWatch(attempt, signals, output, pulse, time=time):
        logger = JobLogger(name, output)
        context = kind(
            task,
            job=name,
            attempt=attempt.number,
            now=time(),
            arguments=arguments,
            logger=logger,
            signals=signals,
            on_warning=warned.add,
            last_completed_at=_last_completed_at(task),
        )
        if draft.hooks:
            pulse.after_end = lambda outcome: _call_hooks(draft.hooks, context, outcome)
        try:
            result = _done(draft, context, arguments)
            kept = _kept(result, logger)
        finally:
            output.end_print()  # before the watch looks for the last time
    _raise_where_it_counts_for_nothing(signals)
    elapsed = int((clock.monotonic() - started) * 1000)
    return _completed(result, kept, signals, warned, elapsed)


def _raise_where_it_counts_for_nothing(signals: Signals) -> None:
    """Raise why what returned has not completed, where that is so."""
    if isinstance(signals.stop, AttemptLost):
        raise AttemptLost(str(signals.stop))
    if isinstance(signals.stop, AttemptInterrupted) and signals.was_heard:
        raise AttemptInterrupted(str(signals.stop))  # it returned because it was told to; it may have done a part only


def _completed(result: object, kept: Any, signals: Signals, warned: Warnings, elapsed: int) -> Outcome:
    text = " ".join(result.split()) if isinstance(result, str) else ""
    done = storable(text)[:_LONGEST_RESULT] or "Done."
    return Outcome(
        TaskStatus.COMPLETED,
        warned.after(done),
        rows=_rows(signals),
        duration_ms=elapsed,
        result=kept,
        warnings=warned.number,
    )


def _done(draft: Draft, context: JobContext, arguments: Mapping[str, Any]) -> Any:
    """Call the function; what it raises is kept in the log of the attempt, and judged by its @retry."""
    try:
        return call(draft.function, context, arguments)
    except (AttemptCancelled, AttemptInterrupted, AttemptLost, TimedOut):
        raise
    except Exception as error:
        context.logger.exception("The job failed.", extra=KEPT_ONLY)  # the process log tells it as that of every task
        if isinstance(error, FatalJobError):
            raise
        raise _judged(error, draft.retry) from error


def _call_hooks(hooks: Iterable[tuple[str, Function]], context: JobContext, outcome: Outcome) -> None:
    """Call the hooks of this end, in the order in which they stand in the code; a fault of one hinders no other."""
    end = JobEnd(str(outcome.status), str(outcome.message), outcome.result, outcome.warnings)
    asked = (end.status, "warned") if end.status == "completed" and end.warnings else (end.status,)
    for hook in [hook for status, hook in hooks if status in asked][::-1]:
        try:
            hook(context, end)
        except Exception:
            logger.exception("a hook of job %s failed: %s", context.job, hook, extra={"event": "hook_failed"})


def ended(task: Task, outcome: Outcome, *, now: datetime) -> str:
    """Call back the tasks of other runs that wait for this job.

    The guard of the job's schedules is left as it is: the run holds it and gives it back when it ends.
    """
    call_back(task)
    return ""


def _find(task: Task) -> tuple[Job, Function]:
    """Return the job and its function. Raises FatalJobError when the code of this worker does not have it."""
    job = Job.objects.filter(pk=task.target_id).first() if task.target_id else None
    if job is None:
        raise FatalJobError(say("The job is not known any more."))
    function = function_of(job.path)
    if function is None:
        raise FatalJobError(
            say("The code of this worker does not declare {job} ({path}) any more.", job=job.name, path=job.path)
        )
    return job, function


def of_stored(function: Function, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a function is to be given, of stored arguments. Raises FatalJobError when it takes others by now."""
    try:
        return restored(function, stored)
    except InvalidArguments as error:
        raise FatalJobError(say("The code takes other arguments by now: {error}", error=error)) from error


def _last_completed_at(task: Task) -> datetime | None:
    """Return when the last run of the job that completed began; what was enqueued or submitted neither counts nor asks.

    Nor does what a person marked as succeeded: nobody knows how far the work got.
    """
    if task.side_by_side or task.workload != RunKind.JOB:
        return None
    before = Task.objects.filter(
        workload=RunKind.JOB, target_id=task.target_id, status=TaskStatus.COMPLETED, side_by_side=False
    ).exclude(started_at=None)
    return before.order_by("-id").values_list("started_at", flat=True).first()


def _judged(error: Exception, retry: Retry) -> Judged:
    """Return the error with what @retry says of it."""
    longest = None if retry.max_wait is None else timedelta(seconds=retry.max_wait)
    return Judged(error, is_fatal=not retry.allows(error), longest_wait=longest)


def call(function: Function, context: JobContext, arguments: Mapping[str, Any]) -> Any:
    """Call a function, or run an async one to its end. What would end the whole worker becomes an ordinary error."""
    try:
        if inspect.iscoroutinefunction(function):
            return asyncio.run(function(context, **arguments))
        return function(context, **arguments)
    except (SystemExit, asyncio.CancelledError) as error:
        text = " ".join(f"{type(error).__name__}: {error}".split())
        raise RuntimeError(f"The job tried to end its worker ({text}); return or raise an error instead.") from error


def _kept(result: object, logger: logging.Logger) -> Any:
    """Return the value that a job returned as JSON has it; None for none, for a text, and for what cannot be kept."""
    if result is None or isinstance(result, str):
        return None
    try:
        value = as_json(result)
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        is_short, is_storable = len(text.encode()) <= _LARGEST_RESULT, not _NUL.search(text)
    except (TypeError, ValueError, RecursionError) as error:
        logger.warning(
            say("What it returned is not kept; JSON does not have it: {error}", error=str(error)), extra=KEPT_ONLY
        )
        return None
    if is_short and is_storable:
        return value
    why = say("it is longer than {most:,} bytes", most=_LARGEST_RESULT) if is_storable else say("it has a NUL in it")
    logger.warning(say("What it returned is not kept: {why}.", why=why), extra=KEPT_ONLY)
    return None


def _rows(signals: Signals) -> int | None:
    """Return how much was done, None when the job told no progress."""
    done, total, message = signals.progress
    return done if done or total or message else None


logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0

# A job that was given up may still end by itself for so long.
DEAF_AFTER_SECONDS = 10.0


class JobWatch:
    """A thread with a database connection of its own, for as long as the job works. Use as a context manager.

    What was told since its last look is stored from the job's own thread: most jobs end before the first look, and cost
    no second connection. Inside a transaction of the caller, as in tests, another connection sees nothing of the
    attempt: there is no thread, and the job itself looks whenever it asks whether to stop.
    """

    def __init__(self, attempt: Attempt, signals: Signals, output: Captured, pulse: Pulse, *, time: clock.TimeSource):
        self._attempt, self._signals, self._output, self._pulse = attempt, signals, output, pulse
        self._time = time
        self._stop = threading.Event()
        self._lost_at: float | None = None
        self._is_deaf = False
        self._ids = current_ids()
        self._thread = threading.Thread(target=self._watch, name=f"job-{attempt.task_id}", daemon=True)

    def __enter__(self) -> JobWatch:
        if not connection.in_atomic_block:
            self._thread.start()
        else:
            worker = threading.get_ident()
            self._signals.look = lambda: self._look_here(worker)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._signals.look = lambda: None
        if self._thread.ident is not None:
            self._thread.join()
        if self._signals.take_change() | self._output.take_change():
            self._store_the_rest()

    def _watch(self) -> None:
        try:
            with lines_of(**self._ids):
                while not self._stop.wait(LOOK_SECONDS):
                    self._safely()
        finally:
            connections.close_all()

    def _look_here(self, worker: int) -> None:
        """Look from the job's own thread, in the transaction of its caller; from another nothing of it can be seen."""
        if threading.get_ident() == worker:
            with suppress(SynchronousOnlyOperation):  # an async job hears nothing inside a transaction
                self.look()

    def _safely(self) -> None:
        try:
            self.look()
        except Exception as error:
            self._tell_trouble(error)
            connection.close()

    def _store_the_rest(self) -> None:
        """Store what was told last; the connection of a job that failed may have been lost, so a new one is tried."""
        for is_last in (False, True):
            try:
                return self._store()
            except Exception as error:
                if is_last or connection.in_atomic_block:
                    return self._tell_trouble(error)
                connection.close()
        return None

    def _tell_trouble(self, error: Exception) -> None:
        logger.warning(
            "could not look after task %s: %s", self._attempt.task_id, error, extra={"event": "attempt_unwatched"}
        )

    def look(self) -> None:
        """Read whether the job is to stop, and store what it told since the last look, unless it was given up."""
        now = self._time()
        state = Attempt.objects.filter(pk=self._attempt.pk).values_list("outcome", "task__cancel_requested").first()
        if state is None or state[0] != AttemptOutcome.RUNNING:
            self._signals.end(AttemptLost(say("This attempt was released; it must not write any more.")))
            self._mind_deaf()
            return
        if state[1]:
            self._signals.end(AttemptCancelled(say("Cancelled on request.")))
        deadline = self._attempt.deadline_at
        if deadline is not None and now >= deadline:
            limit = deadline - self._attempt.claimed_at
            self._signals.end(TimedOut(say("It took longer than the {limit} it may take.", limit=limit)))
        if STOPPING.is_told():
            self._signals.end(AttemptInterrupted(say(REASON)))
        if self._signals.take_change() | self._output.take_change():
            self._store()

    def _mind_deaf(self) -> None:
        """Give the process, or the thread, of a job up that works on though its attempt was given up."""
        self._lost_at = self._lost_at or clock.monotonic()
        if not self._is_deaf and clock.monotonic() - self._lost_at > DEAF_AFTER_SECONDS:
            self._is_deaf = True
            logger.error(
                "task %s was given up and does not end; what runs it is ended",
                self._attempt.task_id,
                extra={"event": "attempt_deaf"},
            )
            STOPPING.when_deaf(self._attempt.pk)

    def _store(self) -> None:
        """Store progress and lines in one transaction with the fence."""
        done, total, message = self._signals.progress
        self._pulse.note(done, total)  # or its next beat would write back what it knew before
        values = {"progress": message, "lines": self._output.text(), "dropped": self._output.dropped}
        with transaction.atomic():
            if beat(self._attempt.token, self._time()):
                Task.objects.filter(pk=self._attempt.task_id).update(rows_done=done, rows_total=total)
                AttemptLog.objects.update_or_create(attempt=self._attempt, defaults=values)
