"""Sends again the wake-ups of tasks that were queued but never claimed: a lost message costs time, never work."""

from datetime import datetime

from scheduling import broker, conf
from scheduling.models import Queue, Task
from scheduling.queues.claim import next_in_line, put_in_line
from scheduling.queues.wake import wake_line
from scheduling.states import TaskStatus


def resend(now: datetime) -> int:
    """Wake workers for tasks queued and unclaimed since their last wake-up grew old; return how many.

    No more than their queue has room for: the worker that ends a task goes on with the next one.
    """
    put_in_line(now)
    return sum(_resend(queue, now) for queue in Queue.objects.all())


def _resend(queue: Queue, now: datetime) -> int:
    """Wake workers for the stale ones of the tasks that are next in this queue."""
    due = now - conf.resend_after()
    stale = list(Task.objects.filter(pk__in=next_in_line(queue.pk, now), sent_at__lte=due).values_list("id", flat=True))
    if stale and broker.wake(stale, queue.celery_queue):
        Task.objects.filter(pk__in=stale).update(sent_at=now)
    return len(stale)


def wake_due(now: datetime) -> int:
    """Put tasks whose waiting time is over in line and wake workers for them; return how many.

    Workers call this now and then, so that a second attempt does not wait for the next cycle.
    """
    due = Task.objects.filter(status=TaskStatus.QUEUED, next_attempt_at__lte=now)
    queues = set(due.values_list("queue_id", flat=True))
    number = put_in_line(now)
    for queue_id in queues:
        wake_line(queue_id, now, number)
    return number
