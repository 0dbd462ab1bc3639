"""Wakes workers for queued tasks: as many as their queue has room for, in the lane its workers listen to."""

from collections.abc import Mapping
from datetime import datetime

from scheduling import broker, conf
from scheduling.models import Queue
from scheduling.queues.claim import next_in_line


def wake_line(queue_id: int, now: datetime, most: int | None = None) -> int:
    """Send wake-ups for the first tasks of a queue that it has room for, at most `most`; return how many were sent.

    A worker that is woken takes the best task of the queue, and then the next ones, until there is none.
    """
    if conf.is_embedded() or most == 0:
        return 0
    lane = Queue.objects.values_list("celery_queue", flat=True).get(pk=queue_id)
    return broker.wake(next_in_line(queue_id, now)[:most], lane)


def wake_lines(queued: Mapping[int, int], now: datetime) -> None:
    """Send wake-ups for so many tasks that were just queued, by queue."""
    for queue_id, number in queued.items():
        wake_line(queue_id, now, number)


def wake_lines_after_commit(queued: Mapping[int, int], now: datetime) -> None:
    """Send wake-ups for so many tasks, by queue, once the current transaction is committed; never raises."""
    broker.after_commit(lambda: wake_lines(queued, now))
