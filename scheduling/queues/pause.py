"""Pauses and resumes queues: what runs goes on to its end, nothing else of the queue starts."""

from datetime import datetime

from scheduling import events
from scheduling.models import Queue
from scheduling.queues.wake import wake_line
from scheduling.states import EventType


def pause_queue(queue: Queue, *, by: str, reason: str = "", now: datetime) -> bool:
    """Start nothing more of this queue until it is resumed; False when it was paused before."""
    changed = Queue.objects.filter(pk=queue.pk, paused_at__isnull=True).update(
        paused_at=now, paused_by=by[:150], pause_reason=reason[:200]
    )
    if changed:
        told = f": {reason}" if reason else "."
        events.record(EventType.PAUSED, now=now, message=f"Queue {queue.name} paused by {by}{told}")
    return bool(changed)


def resume_queue(queue: Queue, *, by: str, now: datetime) -> bool:
    """Let the queue's tasks start again; False when it was not paused."""
    paused = Queue.objects.filter(pk=queue.pk, paused_at__isnull=False)
    changed = paused.update(paused_at=None, paused_by="", pause_reason="")
    if changed:
        events.record(EventType.RESUMED, now=now, message=f"Queue {queue.name} resumed by {by}.")
        wake_line(queue.pk, now)
    return bool(changed)
