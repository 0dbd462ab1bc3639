"""Watches one attempt of a job from beside: hears of a cancel within seconds, stores progress and log lines."""

from __future__ import annotations

import logging
import threading

from django.db import connection, connections, transaction

from scheduling import clock
from scheduling.errors import AttemptCancelled, AttemptInterrupted, AttemptLost, TimedOut
from scheduling.jobs.context import Signals
from scheduling.lifecycle.attempts import beat
from scheduling.models import Attempt, AttemptLog, Task
from scheduling.states import AttemptOutcome
from scheduling.workloads.job_output import Captured
from scheduling.workloads.pulse import Pulse
from scheduling.workloads.stopping import REASON, STOPPING

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0

# A job that was given up may still end by itself for so long.
DEAF_AFTER_SECONDS = 10.0


class JobWatch:
    """A thread with a database connection of its own, for as long as the job works. Use as a context manager."""

    def __init__(self, attempt: Attempt, signals: Signals, output: Captured, pulse: Pulse, *, time: clock.TimeSource):
        self._attempt, self._signals, self._output, self._pulse = attempt, signals, output, pulse
        self._time = time
        self._stop = threading.Event()
        self._lost_at: float | None = None
        self._is_deaf = False
        self._thread = threading.Thread(target=self._watch, name=f"job-{attempt.task_id}", daemon=True)

    def __enter__(self) -> JobWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        try:
            while not self._stop.wait(LOOK_SECONDS):
                self._safely()
            self._safely()  # what was told since the last look
        finally:
            connections.close_all()

    def _safely(self) -> None:
        try:
            self.look()
        except Exception as error:
            logger.warning("could not look after task %s: %s", self._attempt.task_id, error)
            connection.close()

    def look(self) -> None:
        """Read whether the job is to stop, and store what it told since the last look, unless it was given up."""
        now = self._time()
        state = Attempt.objects.filter(pk=self._attempt.pk).values_list("outcome", "task__cancel_requested").first()
        if state is None or state[0] != AttemptOutcome.RUNNING:
            self._signals.end(AttemptLost("This attempt was released; it must not write any more."))
            self._mind_deaf()
            return
        if state[1]:
            self._signals.end(AttemptCancelled("Cancelled on request."))
        deadline = self._attempt.deadline_at
        if deadline is not None and now >= deadline:
            limit = deadline - self._attempt.claimed_at
            self._signals.end(TimedOut(f"It took longer than the {limit} it may take."))
        if STOPPING.is_told():
            self._signals.end(AttemptInterrupted(REASON))
        if self._signals.take_change() | self._output.take_change():
            self._store()

    def _mind_deaf(self) -> None:
        """Give the process, or the thread, of a job up that works on though its attempt was given up."""
        self._lost_at = self._lost_at or clock.monotonic()
        if not self._is_deaf and clock.monotonic() - self._lost_at > DEAF_AFTER_SECONDS:
            self._is_deaf = True
            logger.error("task %s was given up and does not end; what runs it is ended", self._attempt.task_id)
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
