"""Sends wake-ups: a message says «this task may be claimed» and nothing more. The database is the truth."""

import logging
from functools import cache

from celery import Celery
from django.conf import settings

from scheduling import clock, conf
from staging.wording import one_line, say

logger = logging.getLogger(__name__)

EXECUTE_TASK = "scheduling.execute"

# After a failed send the broker is left alone for a while: a cycle with a thousand fires must not wait for
# a thousand time-outs. Recovery sends again what was not sent.
_PAUSE_SECONDS = 10.0
_left_alone_until = {"monotonic": float("-inf")}


@cache
def _sender() -> Celery:
    """Return a Celery application that only sends; workers have their own."""
    app = Celery("scheduling-sender", set_as_current=False)
    app.config_from_object("django.conf:settings", namespace="CELERY")
    return app


def trouble() -> str:
    """Return in a sentence that the broker does not answer; empty when it does, or when there is none."""
    if conf.is_embedded():
        return ""
    try:
        with _sender().connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=3)
    except Exception as error:
        return say(
            "The broker does not answer: {error} Queued work waits until it does; nothing is lost.",
            error=one_line(error),
        )
    return ""


def wake(task_ids: list[int], celery_queue: str = "") -> int:
    """Send a wake-up for each task now; return how many were sent. Without a broker the local runner polls instead.

    `celery_queue` is the Celery queue of workers that do only this kind of work; empty: the usual one.
    """
    if conf.is_embedded() or clock.monotonic() < _left_alone_until["monotonic"]:
        return 0
    sent = 0
    try:
        with _sender().producer_or_acquire() as producer:
            for task_id in task_ids:
                _sender().send_task(
                    EXECUTE_TASK,
                    args=[task_id],
                    queue=celery_queue or settings.CELERY_TASK_DEFAULT_QUEUE,
                    producer=producer,
                    retry=False,
                    ignore_result=True,
                )
                sent += 1
    except Exception as error:
        _left_alone_until["monotonic"] = clock.monotonic() + _PAUSE_SECONDS
        text = "the broker did not answer; %d of %d wake-ups sent, recovery sends the rest: %s"
        logger.warning(text, sent, len(task_ids), " ".join(str(error).split()), extra={"event": "broker_silent"})
    return sent
