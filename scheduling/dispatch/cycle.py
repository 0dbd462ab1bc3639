"""One cycle of the dispatcher, once a minute: the whole story of when work starts.

Its lock keeps a second cycle from working beside the first. That is an economy: two at once do no harm.
"""

import fcntl
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO

from django.db import Error, connection

from scheduling import clock, conf
from scheduling.dispatch.attempts import try_runs_again
from scheduling.dispatch.firing import CycleReport, evaluate, go_on_with_backfills
from scheduling.dispatch.recover import attempts_due, note_cycle, recover
from scheduling.kinds import KINDS
from scheduling.lifecycle import events
from scheduling.metrics.tallies import settle_tallies, tally_cycle
from scheduling.models import Heartbeat, SchedulerLog
from scheduling.runs.start import AT_ONCE
from scheduling.schedules.pause import resume_what_is_over
from scheduling.states import CLOCK, EventType
from staging.tracing import span

# A constant, not hash(): Python's string hash differs from process to process.
_KEY = (0x5747, 1)

# POSIX file locks do not exclude threads of one process, so this one does.
_in_process = threading.Lock()

logger = logging.getLogger(__name__)


@contextmanager
def cycle_lock() -> Iterator[bool]:
    """Yield whether this process may run a cycle now; never waits. A holder that dies frees the lock at once."""
    if not _in_process.acquire(blocking=False):
        yield False
        return
    try:
        with _postgresql_lock() if connection.vendor == "postgresql" else _file_lock() as held:
            yield held
    finally:
        _in_process.release()


@contextmanager
def _postgresql_lock() -> Iterator[bool]:
    """Hold a session advisory lock on a connection of its own.

    Not Django's connection: that one reconnects silently after an error, and the lock would be gone.
    """
    own = connection.copy()
    try:
        with own.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", _KEY)
            held = bool(cursor.fetchone()[0])
        try:
            yield held
        finally:
            # Without this the server frees it some time after the connection closed: the next cycle would not run.
            with suppress(Error), own.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock_all()")
    finally:
        own.close()


@contextmanager
def _file_lock() -> Iterator[bool]:
    """Hold a POSIX lock on a file beside the SQLite database (lockf: unlike flock, a forked child has no share)."""
    with _lock_path().open("a") as handle:
        held = _try_lockf(handle)
        yield held


def _try_lockf(handle: IO[str]) -> bool:
    """Return whether the exclusive lock was free."""
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _lock_path() -> Path:
    """Return the path of the lock file; a database in memory has nobody to exclude but this process."""
    name = str(connection.settings_dict["NAME"])
    return Path("/dev/null") if ":memory:" in name or "mode=memory" in name else Path(f"{name}.cycle.lock")


def latest_tick(now: datetime) -> datetime:
    """Return when a cycle was due last: the full minute with the default interval.

    Ticks are the multiples of the interval counted from midnight UTC, so that every host has the same ones.
    """
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return now - (now - midnight) % conf.dispatch_interval()


def until_next_tick(now: datetime) -> timedelta:
    """Return how long until the next cycle is due; the last interval of a day may be shorter."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return min(latest_tick(now) + conf.dispatch_interval(), midnight) - now


def early_by(now: datetime) -> timedelta:
    """Return how long a cycle that came a moment before its tick has to wait; zero for one that did not.

    Beat goes by the clock of its own host, and a wait may end a little too soon. Of a slot on the full minute a cycle
    that came some milliseconds too early would say that it is not due, and the next one would come a minute later.
    """
    left = until_next_tick(now)
    return left if left <= min(conf.dispatch_interval() / 10, timedelta(seconds=2)) else timedelta()


def run_cycle(now: datetime) -> CycleReport:
    """Run one cycle at `now` and report it. Safe to call from anywhere, any number of times, also at once.

    0. A host whose clock is too far off runs none: it would use up slots that are still to come.
    1. Take the lock; a cycle that finds it taken ends at once, unless whoever has it is silent.
    2. Recover: release what is dead, send again what was lost.
    3. Resume what is paused only until now; when everything is paused, that is all.
    4. Of each kind of schedule, snapshot what is due or triggered, and measure it in few statements.
    5. Decide each schedule apart from the others, and fire what should fire; a new slot may end the wait of an older
       one for its next attempt. Then begin the attempts that are due, and let backfills go on.
    """
    began = clock.monotonic()
    with span("cycle"):
        report = _cycle(now)
    if report.ran:
        _tally(now, clock.monotonic() - began)
    return report


def _cycle(now: datetime) -> CycleReport:
    report = CycleReport(now=now)
    clock.follow(at_once=True)
    if trouble := clock.trouble():
        _tell_trouble(trouble)
        report.ran, report.trouble = False, trouble
        return report
    with cycle_lock() as held:
        if not held and not _holder_is_silent(now):
            report.ran = False
            return report
        note_cycle(now)
        _note_sign_of_life(now)
        recovered = recover(now)
        report.zombies, report.resent = recovered.zombies, recovered.resent
        report.errors += recovered.errors
        is_all_paused = resume_what_is_over(now)
        if not is_all_paused:
            _decide_and_fire(report)
    return report


def _decide_and_fire(report: CycleReport) -> None:
    """Decide what is due and act on it, some at a time; a long cycle gives signs of life in between."""
    now, time = report.now, clock.starting_at(report.now)
    noted = now
    for kind in KINDS:
        due = kind.due(now)
        statistics = kind.measured(due, now)
        for first in range(0, len(due), AT_ONCE):
            if time() - noted >= conf.dispatch_interval():
                noted = time()
                _note_sign_of_life(noted)
            evaluate(kind, due[first : first + AT_ONCE], statistics, now, report)
    if waited := list(attempts_due(now)):
        tried, failed = try_runs_again(waited, now)
        report.fired += tried
        report.errors += failed
    report.fired += go_on_with_backfills(now)


def _tally(now: datetime, seconds: float) -> None:
    """Count this cycle, and move on what is counted of the log; metrics that are not counted stop no work."""
    try:
        tally_cycle(seconds)
        settle_tallies(min(now, clock.now()))  # a drill in the future must not count what is still to come
    except Exception:
        logger.exception("could not count this cycle for the metrics", extra={"event": "cycle_not_counted"})


def _tell_trouble(trouble: str) -> None:
    """Say that this host runs no cycle: on the page of workers at once, in the log once an hour."""
    now = clock.now()  # the database's, whatever the caller was told
    Heartbeat.note(f"{Heartbeat.DISPATCHER}@{socket.gethostname()}", Heartbeat.DISPATCHER, now, trouble)
    logger.error(trouble, extra={"event": "clock_off"})
    lately = SchedulerLog.objects.filter(event_type=EventType.ERROR, event_time__gte=now - timedelta(hours=1))
    if not lately.filter(details__of=CLOCK, details__host=socket.gethostname()).exists():
        details = {"of": CLOCK, "host": socket.gethostname()}
        events.record(EventType.ERROR, now=now, message=trouble, details=details)


def _note_sign_of_life(now: datetime) -> None:
    """Note that a dispatcher is at work."""
    Heartbeat.note(Heartbeat.DISPATCHER, Heartbeat.DISPATCHER, now)


def _holder_is_silent(now: datetime) -> bool:
    """Return whether whoever holds the lock gave no sign of life for so long that a cycle runs beside it.

    A frozen or cut-off host keeps its lock: without this, nothing would start, and nothing be recovered, until it
    wakes. Two cycles at once are safe, for the lock is an economy.
    """
    last = Heartbeat.objects.filter(name=Heartbeat.DISPATCHER).values_list("seen_at", flat=True).first()
    return last is not None and now - last > conf.cycle_silence()
