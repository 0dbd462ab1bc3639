"""The embedded profile in one process: a ticker, a claimer and a few threads, on the tables and verbs Celery uses."""

import logging
import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from django.conf import settings
from django.db import close_old_connections, connections

from scheduling import clock, conf
from scheduling.alerts.watch import go_round, tell_outside
from scheduling.dispatch.cycle import early_by, run_cycle, until_next_tick
from scheduling.dispatch.firing import start_late_runs
from scheduling.housekeeping.start import at_start
from scheduling.models import Attempt, Heartbeat
from scheduling.queues import claim_next
from scheduling.runs.execute import run_attempt
from scheduling.workloads.pulse import STOPPING
from staging.transactions import brief_connection, forget_connections, lasting_connection

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.25


# So many threads may be lost to jobs that do not listen; a thread cannot be ended, but its place is given on.
_DEAF = 64


@dataclass
class _Place:
    """One of the threads that may work at once."""

    is_held: bool = True


class LocalRunner:
    """Runs cycles and tasks until told to stop. Several may share one database: claims are guarded as ever."""

    def __init__(self, *, threads: int | None = None):
        self._threads = threads or settings.LOCAL_THREADS
        self._free = threading.Semaphore(self._threads)
        self._stop = threading.Event()
        self._places: dict[int, _Place] = {}
        self._last_note = float("-inf")
        self._outside = threading.Event()  # a cycle ended well, which nobody outside was told yet
        self.name = f"local@{socket.gethostname()}:{os.getpid()}"

    def run(self) -> None:
        """Tick and claim until `stop` is called; then let what runs come to its end."""
        with brief_connection():
            at_start(clock.now())
        ticker = threading.Thread(target=self._repeat, args=(self._cycle,), name="ticker")
        ticker.start()
        alerts = threading.Thread(target=self._repeat, args=(self._alerts,), name="alerts")
        alerts.start()
        STOPPING.when_deaf = self._go_on_without
        with ThreadPoolExecutor(self._threads + _DEAF, thread_name_prefix="work") as pool:
            claimer = threading.Thread(target=self._claim, args=(pool,), name="claimer")
            claimer.start()
            self._stop.wait()
            claimer.join()
        ticker.join()
        alerts.join()

    def stop(self) -> None:
        """Ask the runner to end; no signal handler may, for it takes a lock (`scheduling.workloads.hearing` may)."""
        self._stop.set()

    def _repeat(self, step: Callable[[], None]) -> None:
        """Run a step at once and then at each tick; one that takes longer leaves out the ticks meanwhile."""
        wait = 0.0
        while not self._stop.wait(wait) and not self._stop.wait(early_by(clock.now()).total_seconds()):
            try:
                with lasting_connection():
                    step()
            except Exception:
                logger.exception(
                    "%s failed; it runs again at its next time",
                    threading.current_thread().name,
                    extra={"event": "loop_failed"},
                )
            wait = until_next_tick(clock.now()).total_seconds()
        forget_connections()

    def _cycle(self) -> None:
        clock.follow(at_once=True)
        report = run_cycle(clock.now())
        logger.info(
            "cycle: fired %s, skipped %s, errors %s",
            report.fired,
            report.skipped,
            report.errors,
            extra={"event": "cycle_ended"},
        )
        if report.ran:
            self._outside.set()

    def _alerts(self) -> None:
        """Go a round of the alerts; mail takes time, so cycles do not wait for it."""
        go_round(clock.now())
        if self._outside.is_set():
            self._outside.clear()
            tell_outside()

    def _claim(self, pool: ThreadPoolExecutor) -> None:
        """Claim until told to stop."""
        while not self._stop.is_set():
            self._claim_what_fits(pool)
            self._stop.wait(POLL_SECONDS)
        connections.close_all()

    def _claim_what_fits(self, pool: ThreadPoolExecutor) -> None:
        """Claim while a thread is free and a task is queued; a database fault is tried again at the next poll."""
        try:
            self._note_sign_of_life()
            while not self._is_stopping() and self._free.acquire(blocking=False):
                attempt = self._claim_one()
                if attempt is None:
                    return
                pool.submit(self._work, attempt)
        except Exception:
            logger.exception("could not claim", extra={"event": "claim_failed"})
            connections.close_all()

    def _claim_one(self) -> Attempt | None:
        """Claim the next task for a thread that was set aside; give the thread back when there is none."""
        attempt = None
        try:
            attempt = claim_next(worker=self.name, now=clock.now(), time=clock.now)
        finally:
            if attempt is None:
                self._free.release()
        return attempt

    def _work(self, attempt: Attempt) -> None:
        """Do the work of one attempt in this thread, and of the next ones, with a connection of its own."""
        place = _Place()
        try:
            close_old_connections()
            following: Attempt | None = attempt
            while following is not None:
                self._places[following.pk] = place
                run_attempt(following)
                del self._places[following.pk]
                start_late_runs(clock.now())
                if self._is_stopping() or not place.is_held:
                    break
                following = claim_next(worker=self.name, now=clock.now(), time=clock.now)
        except Exception:
            logger.exception(
                "the outcome of task %s could not be written; recovery will find it",
                attempt.task_id,
                extra={"event": "outcome_not_written", "task_id": attempt.task_id},
            )
        finally:
            connections.close_all()
            self._free_place(place)

    def _go_on_without(self, attempt_id: int) -> None:
        """Give the place of work that was given up and does not end to another thread."""
        if place := self._places.get(attempt_id):
            self._free_place(place)

    def _free_place(self, place: "_Place") -> None:
        """Free a thread's place, once."""
        if place.is_held:
            place.is_held = False
            self._free.release()

    def _is_stopping(self) -> bool:
        """Return whether nothing more is to be claimed."""
        return self._stop.is_set() or STOPPING.is_told() or bool(clock.trouble())

    def _note_sign_of_life(self) -> None:
        """Note that this runner is alive, at the pace of attempts' heartbeats."""
        if clock.monotonic() - self._last_note >= conf.heartbeat_interval().total_seconds():
            self._last_note = clock.monotonic()
            clock.follow()
            Heartbeat.note(self.name, Heartbeat.WORKER, clock.now(), clock.trouble())
