"""Claims queued tasks: the queue's maximum holds at every instant, under any number of workers."""

from datetime import datetime

from django.db import transaction
from django.db.models import F, Q, QuerySet

from scheduling.lifecycle.attempts import begin_attempt
from scheduling.models import Attempt, Queue, Task
from scheduling.states import TaskStatus


def claimable(now: datetime) -> QuerySet[Task]:
    """Return the tasks that may be claimed at `now`, best first."""
    due = Q(next_attempt_at__isnull=True) | Q(next_attempt_at__lte=now)
    return Task.objects.filter(due, status=TaskStatus.QUEUED).order_by("-priority", "id")


def claim(task_id: int, *, worker: str, now: datetime) -> Attempt | None:
    """Claim this task; None when it is not queued (a doubled or late message) or its queue is full."""
    with transaction.atomic():
        task = claimable(now).filter(pk=task_id).first()
        if task is None or not _has_room(task.queue_id):
            return None
        return begin_attempt(task, worker=worker, now=now)


def claim_next(*, worker: str, now: datetime) -> Attempt | None:
    """Claim the best task of any queue with room; None when there is none. Full queues hide nobody else's tasks."""
    for queue_id in Queue.objects.values_list("id", flat=True):
        candidate = claimable(now).filter(queue_id=queue_id).values_list("id", flat=True).first()
        if candidate is not None and (attempt := claim(candidate, worker=worker, now=now)):
            return attempt
    return None


def next_in_line(queue_id: int, now: datetime) -> list[int]:
    """Return the queued tasks that the queue has room for now, best first."""
    queue = Queue.objects.get(pk=queue_id)
    room = queue.max_running - _running(queue_id)
    return list(claimable(now).filter(queue_id=queue_id).values_list("id", flat=True)[: max(room, 0)])


def default_queue() -> Queue:
    """Return the queue of everything that names none."""
    return Queue.objects.get_or_create(name="default")[0]


def _has_room(queue_id: int) -> bool:
    """Return whether one more task of the queue may run. Call inside the claiming transaction.

    The update locks the queue's row first: two claims that only counted would both see the last free place.
    """
    Queue.objects.filter(pk=queue_id).update(max_running=F("max_running"))
    return _running(queue_id) < Queue.objects.values_list("max_running", flat=True).get(pk=queue_id)


def _running(queue_id: int) -> int:
    """Return how many tasks of the queue run."""
    return Task.objects.filter(queue_id=queue_id, status=TaskStatus.RUNNING).count()
