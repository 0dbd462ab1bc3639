"""The scheduler log, newest first, by whom it is about, what happened and when."""

from __future__ import annotations

from typing import Any

from scheduling.api.base import SchedulingResource, instant
from scheduling.models import SchedulerLog
from scheduling.states import EventType
from staging.api.kit.doors import answer, door
from staging.api.kit.listing import page_example, page_schema, paged
from staging.api.kit.parameters import MINE, PAGED, Parameter
from staging.states import Scope
from staging.wording import say

_TEXT = {"type": "string"}
_NAME = {"type": ["string", "null"]}
_NUMBER = {"type": ["integer", "null"]}
_EVENT = {
    "type": "object",
    "required": ["id", "at", "event", "message"],
    "properties": {
        "id": {"type": "integer"},
        "at": {"type": "string", "format": "date-time"},
        "event": {"type": "string", "enum": [*EventType.values]},
        "entity": _NAME,
        "plan": _NAME,
        "job": _NAME,
        "trigger_source": _TEXT,
        "message": _TEXT,
        "rows_queued": _NUMBER,
        "duration_ms": _NUMBER,
        "batch": _NUMBER,
        "run": _NUMBER,
        "details": {"type": "object"},
    },
}
_EXAMPLE = {
    "id": 812,
    "at": "2026-03-01T06:00:00+00:00",
    "event": "fired",
    "entity": "branch",
    "plan": None,
    "job": None,
    "trigger_source": "Manual",
    "message": "Batch started by anna (token loader).",
    "rows_queued": 0,
    "duration_ms": None,
    "batch": 7,
    "run": 31,
    "details": {},
}
_COLUMNS = {
    "entity": "entity__code",
    "plan": "plan__name",
    "job": "job__name",
    "event": "event_type",
    "run": "run_id",
    "batch": "batch_id",
    "from": "event_time__gte",
    "until": "event_time__lt",
}


class Log(SchedulingResource):
    """What happened, and what did not, with the reason."""

    @door(
        Scope.READ,
        "scheduling.view_schedulerlog",
        summary="List events, newest first",
        query=(
            Parameter("entity", "text", "Only of the entity with this code."),
            Parameter("plan", "text", "Only of the plan of this name."),
            Parameter("job", "text", "Only of the job of this name."),
            Parameter("event", "text", "Only of this kind.", choices=EventType.values),
            Parameter("run", "whole", "Only of this run."),
            Parameter("batch", "whole", "Only of this batch."),
            Parameter("from", "instant", "Not before this instant."),
            Parameter("until", "instant", "Before this instant."),
            MINE,
            *PAGED,
        ),
        answers={200: answer(page_schema(_EVENT), page_example(_EXAMPLE), "A page of events.")},
    )
    def get(self) -> Any:
        """Return a page of them."""
        self.caller.insist_on_code(self.query["entity"])
        found = self.listed(SchedulerLog.objects.select_related("entity", "plan", "job"))
        wanted = {column: self.query[name] for name, column in _COLUMNS.items() if self.query[name] is not None}
        self.takes_away(say("The scheduler log"))
        return paged(self, found.filter(**wanted), _document, order=["-event_time", "-id"])


def _document(event: SchedulerLog) -> dict[str, Any]:
    return {
        "id": event.pk,
        "at": instant(event.event_time),
        "event": event.event_type,
        "entity": event.entity.code if event.entity else None,
        "plan": event.plan.name if event.plan else None,
        "job": event.job.name if event.job else None,
        "trigger_source": event.trigger_source,
        "message": event.message,
        "rows_queued": event.rows_queued,
        "duration_ms": event.duration_ms,
        "batch": event.batch_id,
        "run": event.run_id,
        "details": event.details,
    }
