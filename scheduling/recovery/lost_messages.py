"""Sends again the wake-ups of tasks that were queued but never claimed: a lost message costs time, never work."""

from datetime import datetime

from scheduling import broker, conf
from scheduling.models import Task
from scheduling.states import TaskStatus

# More than the workers of any queue can take at once would only be refused; the rest follows next cycle.
_MOST_PER_CYCLE = 1000


def resend(now: datetime) -> int:
    """Wake workers for tasks queued and unclaimed since their last wake-up grew old; return how many."""
    stale = list(
        Task.objects.filter(status=TaskStatus.QUEUED, sent_at__lte=now - conf.resend_after())
        .order_by("-priority", "id")
        .values_list("id", flat=True)[:_MOST_PER_CYCLE]
    )
    if stale and broker.wake(stale):
        Task.objects.filter(pk__in=stale).update(sent_at=now)
    return len(stale)
