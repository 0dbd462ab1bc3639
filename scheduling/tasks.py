"""Celery's doors: the cycle and the execution of one task. Each parses, calls one verb and reports."""

import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

from billiard import active_children
from celery import shared_task
from celery.signals import (
    beat_init,
    celeryd_after_setup,
    heartbeat_sent,
    worker_init,
    worker_process_init,
    worker_ready,
    worker_shutting_down,
)
from django.conf import settings
from django.db import DatabaseError

from scheduling import broker, clock, conf
from scheduling.alerts.stand_in import StandIn
from scheduling.alerts.watch import go_round, tell_outside
from scheduling.dispatch.cycle import early_by, run_cycle
from scheduling.dispatch.firing import start_late_runs
from scheduling.dispatch.recover import wake_due
from scheduling.doctor.installation import not_migrated, unfit
from scheduling.housekeeping.start import at_start
from scheduling.models import Heartbeat
from scheduling.runs.execute import work_off_line
from scheduling.workloads.hearing import Ear, hearing
from scheduling.workloads.pulse import ALARM, STOPPING
from staging.transactions import brief_connection

logger = logging.getLogger(__name__)


@shared_task(name="scheduling.dispatch")
def dispatch() -> None:
    """Run one cycle, and then a round of the alerts."""
    clock.follow(at_once=True)
    clock.sleep(early_by(clock.now()).total_seconds())
    report = run_cycle(clock.now())
    logger.info("cycle %s", report.as_json(), extra={"event": "cycle_ended"})
    go_round(clock.now())
    if report.ran:
        tell_outside()


@shared_task(name=broker.EXECUTE_TASK)
def execute_task(task_id: int) -> None:
    """Work off the queue of this task; a doubled, late or forged message finds nothing to do."""
    with _listening():
        if work_off_line(int(task_id), worker=worker_name()):
            start_late_runs(clock.now())
        else:
            logger.info(
                "woken for task %s; nothing could be claimed",
                task_id,
                extra={"event": "wake_up_idle", "task_id": task_id},
            )


@worker_init.connect
@beat_init.connect
def _refuse_what_cannot_work(sender: object = None, **_: object) -> None:
    """End a worker, or a beat, where settings or services cannot keep the promises: Celery lets checks run in vain."""
    with brief_connection():
        wrong = unfit()
    if wrong:
        raise SystemExit(wrong)


@worker_init.connect
def _refuse_an_older_database(sender: object = None, **_: object) -> None:
    """End a worker before it takes work when the database is not as its code needs it, in the midst of a migration too.

    A database that does not answer is waited for as usual.
    """
    try:
        with brief_connection():
            missing = not_migrated()
    except DatabaseError:
        return
    if missing:
        raise SystemExit(missing)


_child_of: dict[str, int] = {}
_LEAVES_AFTER_SECONDS = 1.0


@worker_process_init.connect
def _note_parent(**_: object) -> None:
    """Remember in a child of a worker's pool which process gives its signs of life."""
    _child_of["pid"] = os.getppid()


_ears: list[Ear] = []


@worker_ready.connect
def _listen(sender: object = None, **_: object) -> None:
    """Be ready to hear a stop in a thread of its own: Celery tells it from within a signal handler."""
    if not _ears:
        _ears.append(Ear(lambda number: _stop()))


@worker_shutting_down.connect
def _tell_to_stop(sender: object = None, **_: object) -> None:
    """Tell whoever does this worker's work that it is to stop: the children of its pool, or this process itself.

    Runs within a signal handler, so nothing here may take a lock.
    """
    children = [child.pid for child in active_children() if child.pid]
    for pid in children:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    if not children:
        for ear in _ears:
            ear.tell(signal.SIGTERM)


def _stop() -> None:
    """Let this process hand back what it works on."""
    STOPPING.tell(grace=conf.stop_grace().total_seconds(), then=_leave)


def _leave() -> None:
    """End this process, whatever still runs in it: that has been handed back, and fenced off."""
    os._exit(0)


@contextmanager
def _listening() -> Iterator[None]:
    """Take SIGTERM for a wish to stop while a child of a pool works; its own handler would break the work off.

    A child that was told while it worked ends a moment after its work, when its answer is on its way.
    """
    if not _child_of or threading.current_thread() is not threading.main_thread():
        yield
        return
    STOPPING.when_deaf = lambda attempt_id: os._exit(1)  # the pool makes a new child
    try:
        with hearing((signal.SIGTERM,), _stop):
            yield
    finally:
        if STOPPING.is_told():
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            ALARM.set("leave", _LEAVES_AFTER_SECONDS, _leave)


def worker_name() -> str:
    """Return what attempts and pages call this worker: host and process; of a pool's child "host:parent:child"."""
    own = f"{_child_of['pid']}:{os.getpid()}" if _child_of else str(os.getpid())
    return f"{socket.gethostname()}:{own}"


@worker_ready.connect
@beat_init.connect
def _reconcile(sender: object = None, **_: object) -> None:
    """Bring the declared jobs in line with the code of this process."""
    with brief_connection():
        at_start(clock.now())


_watch: list[StandIn] = []


@worker_init.connect
@beat_init.connect
def _stand_in(sender: object = None, **_: object) -> None:
    """Let this process watch while the scheduler is silent; in a thread, for without a broker it only waits.

    Not from `worker_ready` on: a worker that has no broker when it starts is never ready.
    """
    if not _watch:
        _watch.append(StandIn())
        _watch[0].start()


_taken: set[str] = set()  # the queues from which this worker takes


@celeryd_after_setup.connect
def _note_queues(instance: Any = None, **_: object) -> None:
    """Remember what this worker takes: one that only runs cycles does no work, however well it lives.

    Before it is ready: its first sign of life comes earlier than that.
    """
    if instance is not None:
        _taken.update(instance.app.amqp.queues.consume_from)


_last_note = {"at": float("-inf")}


@worker_ready.connect
@heartbeat_sent.connect
def _note_worker(sender: object = None, **_: object) -> None:
    """Note that this Celery worker is alive, at the pace of attempts' heartbeats, and wake what is due again.

    Never disturbs the worker.
    """
    if clock.monotonic() - _last_note["at"] < conf.heartbeat_interval().total_seconds():
        return
    _last_note["at"] = clock.monotonic()
    for step in (_note_sign_of_life, wake_due):
        try:
            with brief_connection():
                clock.follow()
                step(clock.now())
        except Exception as error:
            logger.warning(
                "this worker's %s could not be done: %s",
                step.__name__.strip("_"),
                error,
                extra={"event": "worker_step_failed"},
            )


def _note_sign_of_life(now: datetime) -> None:
    """Note that this worker is alive; one that only runs cycles is a part of the scheduler."""
    is_of_scheduler = _taken == {settings.CELERY_TASK_ROUTES["scheduling.dispatch"]["queue"]}
    kind = Heartbeat.DISPATCHER if is_of_scheduler else Heartbeat.WORKER
    Heartbeat.note(f"celery@{worker_name()}", kind, now, clock.trouble())
