"""Queues: listed with what runs and waits in them, paused and resumed."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q, QuerySet
from django.http import Http404

from scheduling.api.base import SchedulingResource, instant
from scheduling.errors import AlreadyRunning, NotPaused
from scheduling.models import Queue
from scheduling.queues import pause_queue, resume_queue
from scheduling.states import TaskStatus
from staging.api.kit.doors import TOGETHER, Answer, Body, answer, door
from staging.api.kit.history import note_change
from staging.api.kit.listing import page_example, page_schema, paged
from staging.api.kit.parameters import PAGED
from staging.api.kit.problems import invalid
from staging.model_files.shape import TEXT
from staging.states import Scope
from staging.wording import say

_TEXT = {"type": "string"}
_COUNT = {"type": "integer"}
_QUEUE = {
    "type": "object",
    "required": ["name", "max_running", "running", "waiting", "paused"],
    "properties": {
        "name": _TEXT,
        "max_running": _COUNT,
        "celery_queue": _TEXT,
        "is_cancelled": {"type": "boolean"},
        "running": _COUNT,
        "waiting": _COUNT,
        "paused": {"type": "boolean"},
        "paused_by": _TEXT,
        "paused_at": {"type": ["string", "null"], "format": "date-time"},
        "reason": _TEXT,
    },
}
_EXAMPLE = {
    "name": "default",
    "max_running": 4,
    "celery_queue": "",
    "is_cancelled": False,
    "running": 1,
    "waiting": 0,
    "paused": False,
    "paused_by": "",
    "paused_at": None,
    "reason": "",
}
_ANSWER = Answer(_QUEUE, _EXAMPLE, "The queue as it is now.")
_LONGEST_REASON = 200


class _OfQueues(SchedulingResource):
    """What all addresses of queues do alike: queues belong to no entity."""

    def find_queue(self, name: str) -> Queue:
        """Return a queue; a 403 for a token for entities, a 404 when there is none."""
        self.caller.insist_on_all(say("A queue"))
        queue = _with_figures().filter(name=name[:61]).first()
        if queue is None:
            raise Http404(say("There is no queue {name!r}.", name=name))
        return queue


class Queues(_OfQueues):
    """All queues."""

    @door(
        Scope.READ,
        "scheduling.view_queue",
        summary="List queues with what runs and waits in them",
        query=PAGED,
        answers={200: answer(page_schema(_QUEUE), page_example(_EXAMPLE), "A page of queues.")},
    )
    def get(self) -> Any:
        """Return a page of them; a token for entities sees none."""
        return paged(self, Queue.objects.none() if self.caller.is_limited else _with_figures(), _shown, order=["name"])


class OneQueue(_OfQueues):
    """One queue."""

    @door(Scope.READ, "scheduling.view_queue", summary="Read a queue", answers={200: _ANSWER})
    def get(self, name: str) -> Any:
        """Return it."""
        return _shown(self.find_queue(name))


class PauseQueue(_OfQueues):
    """Start nothing more of a queue."""

    @door(
        Scope.OPERATE,
        "scheduling.pause",
        summary="Pause a queue: what runs goes on to its end, nothing else of it starts",
        body=Body({"reason": TEXT}, ("reason",), {"reason": "The target is being moved."}),
        keyed=TOGETHER,
        answers={200: _ANSWER},
        problems=(409,),
    )
    def post(self, name: str) -> Any:
        """Pause it."""
        reason = self.body["reason"].strip()
        if not reason:
            raise invalid({"reason": [say("Say why, so that others know.")]})
        if len(reason) > _LONGEST_REASON:
            text = say("This is too long: at most {most} characters are kept.", most=_LONGEST_REASON)
            raise invalid({"reason": [text]})
        queue = self.find_queue(name)
        if not pause_queue(queue, by=self.caller.by, reason=reason, now=self.now):
            raise AlreadyRunning(say("It is paused already: queue {queue}.", queue=queue.name))
        note_change(self.caller, queue, {say("Paused: {reason}", reason=reason): None})
        return _shown(self.find_queue(name))


class ResumeQueue(_OfQueues):
    """Let a queue go on."""

    @door(
        Scope.OPERATE,
        "scheduling.pause",
        summary="Resume a queue",
        keyed=TOGETHER,
        answers={200: _ANSWER},
        problems=(409,),
    )
    def post(self, name: str) -> Any:
        """Resume it."""
        queue = self.find_queue(name)
        if not resume_queue(queue, by=self.caller.by, now=self.now):
            raise NotPaused(say("It is not paused: queue {queue}.", queue=queue.name))
        note_change(self.caller, queue, {say("Resumed"): None})
        return _shown(self.find_queue(name))


def _with_figures() -> QuerySet[Any]:
    return Queue.objects.annotate(
        running=Count("tasks", filter=Q(tasks__status=TaskStatus.RUNNING)),
        waiting=Count("tasks", filter=Q(tasks__status=TaskStatus.QUEUED)),
    )


def _shown(queue: Any) -> dict[str, Any]:
    return {
        "name": queue.name,
        "max_running": queue.max_running,
        "celery_queue": queue.celery_queue,
        "is_cancelled": queue.is_cancelled,
        "running": queue.running,
        "waiting": queue.waiting,
        "paused": queue.is_paused,
        "paused_by": queue.paused_by,
        "paused_at": instant(queue.paused_at),
        "reason": queue.pause_reason,
    }
