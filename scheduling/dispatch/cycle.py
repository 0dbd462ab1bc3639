"""One cycle of the dispatcher, once a minute: the whole story of when work starts."""

import logging
import socket
from datetime import datetime, timedelta

from scheduling import clock, conf, database_clock, events
from scheduling.dispatch.firing import evaluate
from scheduling.dispatch.report import CycleReport
from scheduling.kinds import KINDS
from scheduling.locks import cycle_lock
from scheduling.models import Heartbeat, SchedulerLog, SchedulerState
from scheduling.recovery.outage import note_cycle
from scheduling.recovery.recover import recover
from scheduling.runs.start import AT_ONCE
from scheduling.schedules.pause import resume_what_is_over
from scheduling.states import CLOCK, EventType

logger = logging.getLogger(__name__)


def run_cycle(now: datetime) -> CycleReport:
    """Run one cycle at `now` and report it. Safe to call from anywhere, any number of times, also at once.

    0. A host whose clock is too far off runs none: it would use up slots that are still to come.
    1. Take the lock; a cycle that finds it taken ends at once, unless whoever has it is silent.
    2. Recover: release what is dead, send again what was lost.
    3. Resume what is paused only until now; when everything is paused, that is all.
    4. Of each kind of schedule, snapshot what is due or triggered, and measure it in few statements.
    5. Decide each schedule apart from the others, and fire what should fire.
    """
    report = CycleReport(now=now)
    database_clock.follow(at_once=True)
    if trouble := database_clock.trouble():
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
        resume_what_is_over(now)
        if SchedulerState.current().paused_at is not None:
            return report

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


def _tell_trouble(trouble: str) -> None:
    """Say that this host runs no cycle: on the page of workers at once, in the log once an hour."""
    now = clock.now()  # the database's, whatever the caller was told
    Heartbeat.note(f"{Heartbeat.DISPATCHER}@{socket.gethostname()}", Heartbeat.DISPATCHER, now, trouble)
    logger.error(trouble)
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
