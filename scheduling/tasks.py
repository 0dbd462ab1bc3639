"""Celery's doors: the cycle and the execution of one task. Each parses, calls one verb and reports."""

import os
import socket
from datetime import datetime

from celery import shared_task
from celery.signals import beat_init, heartbeat_sent, worker_process_init, worker_ready
from celery.utils.log import get_task_logger

from scheduling import broker, clock, conf
from scheduling.brief_connection import brief_connection
from scheduling.dispatch.catching_up import start_late_runs
from scheduling.dispatch.cycle import run_cycle
from scheduling.housekeeping.start import at_start
from scheduling.models import Heartbeat
from scheduling.recovery.lost_messages import wake_due
from scheduling.runs.execute import work_off_line

logger = get_task_logger(__name__)


@shared_task(name="scheduling.dispatch")
def dispatch() -> None:
    """Run one cycle."""
    report = run_cycle(clock.now())
    logger.info("cycle %s", report.as_json())


@shared_task(name=broker.EXECUTE_TASK)
def execute_task(task_id: int) -> None:
    """Work off the queue of this task; a doubled, late or forged message finds nothing to do."""
    if work_off_line(int(task_id), worker=worker_name()):
        start_late_runs(clock.now())
    else:
        logger.info("woken for task %s; nothing could be claimed", task_id)


_child_of: dict[str, int] = {}


@worker_process_init.connect
def _note_parent(**_: object) -> None:
    """Remember in a child of a worker's pool which process gives its signs of life."""
    _child_of["pid"] = os.getppid()


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
                step(clock.now())
        except Exception as error:
            logger.warning("this worker's %s could not be done: %s", step.__name__.strip("_"), error)


def _note_sign_of_life(now: datetime) -> None:
    """Note that this worker is alive."""
    Heartbeat.note(f"celery@{worker_name()}", Heartbeat.WORKER, now)
