"""Who is next among equals: gives every queued task a turn, so that runs share a queue fairly.

A run's tasks stand SHARE apart, starting where the queue has come to. A run that queues a thousand tasks at once is
therefore overtaken by the first task of a run that comes a minute later, and the two then take turns. Every claim moves
the queue at least one on, so a turn that was given is reached: nothing starves.
"""

from django.db.models import Case, F, OuterRef, Subquery, Value, When

from scheduling.models import Queue, Task
from scheduling.states import TaskStatus

SHARE = 64


def next_turns(run_id: int, queue_id: int, priority: int, number: int) -> list[int]:
    """Return the turns of `number` tasks of one run that are queued now, in this order; one statement."""
    same_queue = Task.objects.filter(queue_id=OuterRef("pk"))
    last = same_queue.filter(run_id=run_id).order_by("-turn").values("turn")[:1]
    line = same_queue.filter(status=TaskStatus.QUEUED, next_attempt_at__isnull=True, priority=priority)
    place = Queue.objects.filter(pk=queue_id).annotate(
        last=Subquery(last), head=Subquery(line.order_by("-priority", "turn", "id").values("turn")[:1])
    )
    came, last_turn, head = place.values_list("turn", "last", "head").get()
    first = max(came if head is None else min(came, head), 1)
    if last_turn:
        first = max(first, last_turn + SHARE)
    return [first + SHARE * number for number in range(number)]


def moved_on(turn: int) -> Case:
    """Return how far a queue has come once a task with this turn was claimed, as an expression."""
    return Case(When(turn__lt=turn, then=Value(turn + 1)), default=F("turn") + 1)
