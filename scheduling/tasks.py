"""Celery's doors: the cycle and the execution of one task. Each parses, calls one verb and reports."""

import os
import socket

from celery import shared_task
from celery.signals import heartbeat_sent, worker_ready
from celery.utils.log import get_task_logger

from scheduling import broker, clock, conf
from scheduling.dispatch.cycle import run_cycle
from scheduling.models import Heartbeat
from scheduling.retention.cleanup import cleanup
from scheduling.runs.execute import execute
from scheduling.schedules.tzdata import recompute_after_tzdata_change

logger = get_task_logger(__name__)


@shared_task(name="scheduling.dispatch")
def dispatch() -> None:
    """Run one cycle."""
    report = run_cycle(clock.now())
    logger.info("cycle %s", report.as_json())


@shared_task(name="scheduling.cleanup")
def clean_up() -> None:
    """Move next runs that new time zone data put elsewhere, and apply the retention policy."""
    now = clock.now()
    logger.info("new time zone data moved %s next runs", recompute_after_tzdata_change(now))
    logger.info("retention deleted %s", cleanup(now))


@shared_task(name=broker.EXECUTE_TASK)
def execute_task(task_id: int) -> None:
    """Execute one queued task, if it still is one; a doubled, late or forged message does nothing."""
    if not execute(int(task_id), worker=worker_name()):
        logger.info("task %s was not claimable; nothing done", task_id)


def worker_name() -> str:
    """Return what attempts and pages call this worker: host and process."""
    return f"{socket.gethostname()}:{os.getpid()}"


_last_note = {"at": float("-inf")}


@worker_ready.connect
@heartbeat_sent.connect
def _note_worker(sender: object = None, **_: object) -> None:
    """Note that this Celery worker is alive, at the pace of attempts' heartbeats. Never disturbs the worker."""
    if clock.monotonic() - _last_note["at"] < conf.heartbeat_interval().total_seconds():
        return
    _last_note["at"] = clock.monotonic()
    try:
        Heartbeat.note(f"celery@{worker_name()}", Heartbeat.WORKER, clock.now())
    except Exception as error:
        logger.warning("could not note this worker's sign of life: %s", error)
