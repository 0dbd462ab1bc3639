"""What the addresses of scheduling share: the time of the call, the run they speak of, and what their errors are."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import QuerySet
from django.http import Http404

from scheduling import clock
from scheduling.errors import (
    EntityCancelled,
    InvalidSchedule,
    NotAllowed,
    SchedulingError,
    UnknownPlan,
    UnknownStep,
)
from scheduling.models import Run, SchedulerConfiguration
from scheduling.runs.by_hand import run_document
from scheduling.schedules.responsibility import only_mine
from scheduling.states import RunStatus, TaskStatus
from staging.api.kit.doors import Answer
from staging.api.kit.problems import STATUS_OF
from staging.api.kit.resource import Resource
from staging.pages import row_or_404
from staging.wording import say

# Whatever keeps something from being done is a conflict, unless it is what the client sent, or may do.
STATUS_OF.update(
    {
        SchedulingError: 409,
        InvalidSchedule: 400,
        UnknownStep: 400,
        NotAllowed: 403,
        UnknownPlan: 404,
        EntityCancelled: 409,
    }
)

STEP_COUNTS: dict[str, Any] = {
    "steps_done": {"type": "integer", "description": "How many of its steps have ended, however."},
    "steps_total": {"type": "integer", "description": "How many steps it has."},
}
RUN_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["run", "status", *STEP_COUNTS, "tasks"],
    "properties": {
        "run": {"type": "integer"},
        "status": {"type": "string", "enum": [*RunStatus.values]},
        "error": {"type": "string", "description": "Why it did not complete, where it did not."},
        **STEP_COUNTS,
        "warnings": {"type": "integer", "description": "How many its steps gave, where they gave any."},
        "parameters": {"type": "object", "description": "The values of its plans' parameters, where they have some."},
        "attempt": {"type": "integer", "description": "Which attempt of its plan it is, where that is tried again."},
        "attempts_allowed": {"type": "integer"},
        "next_attempt_at": {"type": ["string", "null"], "format": "date-time"},
        "tasks": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["task", "status", "attempts", "message"],
                "properties": {
                    "task": {"type": "string"},
                    "status": {"type": "string", "enum": [*TaskStatus.values]},
                    "attempts": {"type": "integer"},
                    "message": {"type": "string"},
                    "warnings": {"type": "integer", "description": "How many it gave, where it gave any."},
                    "result": {"description": "The value that its job returned, where it returned one."},
                    "items": {
                        "type": "object",
                        "additionalProperties": {"type": "integer"},
                        "description": "How many items it runs for (total), and how many are in each state.",
                    },
                    "held_by": {"type": "string", "description": "Who holds it, where somebody does."},
                    "held_at": {"type": "string", "format": "date-time", "description": "Since when it is held."},
                    "waits_since": {
                        "type": "string",
                        "format": "date-time",
                        "description": "Since when it waits for a time, for rows or for a query.",
                    },
                    "looks_again_at": {
                        "type": "string",
                        "format": "date-time",
                        "description": "When a wait is looked at again.",
                    },
                    "deadline_at": {
                        "type": "string",
                        "format": "date-time",
                        "description": "When it must be done, where its plan says that.",
                    },
                    "only_when": {
                        "type": "array",
                        "items": {"type": "string"},
                        "description": "What steps before it must have given, where it asks for something.",
                    },
                },
            },
        },
    },
}
RUN_EXAMPLE = {
    "run": 31,
    "status": "running",
    "steps_done": 0,
    "steps_total": 1,
    "tasks": [{"task": "branch", "status": "running", "attempts": 1, "message": ""}],
}
STARTED = Answer(RUN_SCHEMA, RUN_EXAMPLE, "The run that was started; workers execute it.")
LONGEST_TAG, LONGEST_COMMENT = 200, 500


class SchedulingResource(Resource):
    """An address of scheduling."""

    @cached_property
    def now(self) -> datetime:
        """Return the time of this call, read once."""
        return clock.now()

    @cached_property
    def configuration(self) -> SchedulerConfiguration:
        """Return the configuration of the entity in the address."""
        found = SchedulerConfiguration.objects.select_related("entity", "calendar").filter(entity=self.entity).first()
        if found is None:
            raise Http404(say("{entity} has no configuration.", entity=self.entity.name))
        return found

    def listed(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return those rows of a list that the caller may see; with `mine`, only what its person is responsible for."""
        rows = self.caller.only(rows)
        return only_mine(rows, self.caller.person) if self.query["mine"] else rows

    def find_run(self, number: int) -> Run:
        """Return a run; a 404 when there is none, a 403 when it works on more than the caller's entities."""
        run = row_or_404(Run.objects.select_related("entity"), number, say("There is no run {number}.", number=number))
        self.caller.insist_on_thing(run, say("Run {number}", number=number))
        return run


def started_document(run: Run) -> tuple[dict[str, Any], int]:
    """Return the answer that a run was started."""
    return run_document(run), 202


def instant(value: datetime | None) -> str | None:
    """Return an instant with its offset, as commands print it."""
    return None if value is None else value.isoformat()
