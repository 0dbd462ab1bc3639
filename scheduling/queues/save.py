"""The rules of queues, for every door: what a queue may be called, and when it may go."""

from __future__ import annotations

from collections.abc import Collection

from scheduling.models import Job, PlanStep, Queue
from scheduling.queues.claim import DEFAULT_QUEUE

Errors = dict[str, list[str]]


def queue_errors(queue: Queue) -> Errors:
    """Return every fault of a queue by field, empty when it can be saved."""
    errors: Errors = {}
    names = dict(Queue.objects.values_list("pk", "name"))
    same = [name for pk, name in names.items() if pk != queue.pk and name.casefold() == queue.name.casefold()]
    if not queue.name.strip() or queue.name != queue.name.strip() or "\n" in queue.name:
        errors["name"] = ["A queue needs a name, on one line."]
    elif same and names.get(queue.pk) != queue.name:
        errors["name"] = [f"There is a queue {same[0]!r} already; write more than another case."]
    if (queue.max_running or 0) < 1:
        errors["max_running"] = ["At least one task must be able to run; write 1 or more."]
    if queue.is_cancelled and (text := in_use(queue, but=())):
        errors["is_cancelled"] = [text]
    return errors


def in_use(queue: Queue, *, but: Collection[str]) -> str:
    """Return why a queue cannot be cancelled, empty when it can. `but` are plans that somebody else looks at."""
    if queue.name == DEFAULT_QUEUE:
        return "This is the queue of everything that names none; it stays."
    steps = PlanStep.objects.filter(queue__name=queue.name, is_cancelled=False, plan__is_cancelled=False)
    users = [f"plan {name}" for name in steps.exclude(plan__name__in=but).values_list("plan__name", flat=True)]
    jobs = Job.objects.filter(queue_name=queue.name, removed_at=None)
    users += [f"job {name}" for name in jobs.values_list("name", flat=True)]
    return f"It is used by {users[0]}; give that another queue first." if users else ""
