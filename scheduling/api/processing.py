"""What can be asked and started of one entity: would it start, why did it not, what would it do, and do it."""

from __future__ import annotations

from typing import Any

from scheduling.api.base import LONGEST_TAG, SchedulingResource
from scheduling.errors import InvalidSchedule
from scheduling.explanations.foreseen import foreseen_document
from scheduling.explanations.why_not import why_not
from scheduling.kinds import test_run
from scheduling.runs.by_hand import start_batch_now
from staging.api.kit.doors import TOGETHER, Answer, Body, door
from staging.api.kit.parameters import parse_instant
from staging.api.kit.problems import invalid
from staging.model_files.shape import TEXT, WHOLE
from staging.models import OUTCOMES, Entity
from staging.states import BatchStatus, Scope
from staging.tables.columns import has_tag
from staging.wording import aloud, say

_INSTANT = {"type": ["string", "null"], "format": "date-time"}
_TEXT = {"type": "string"}
_GATES = {
    "type": "array",
    "items": {"type": "object", "properties": {"gate": _TEXT, "passed": {"type": "boolean"}, "text": _TEXT}},
}
_TEST_RUN = {
    "type": "object",
    "required": ["entity", "would_fire", "reason", "pending_rows", "gates"],
    "properties": {
        "entity": _TEXT,
        "would_fire": {"type": "boolean"},
        "reason": _TEXT,
        "pending_rows": {"type": "integer"},
        "oldest_row_age": {"type": ["integer", "null"]},
        "next_scheduled_run": _INSTANT,
        "gates": _GATES,
    },
}
_TEST_RUN_EXAMPLE = {
    "entity": "branch",
    "would_fire": False,
    "reason": "It is started by people only.",
    "pending_rows": 3,
    "oldest_row_age": 12,
    "next_scheduled_run": None,
    "gates": [{"gate": "mode", "passed": False, "value": "manual", "limit": None, "text": "Started by people."}],
}
_WHY_NOT = {
    "type": "object",
    "required": ["entity", "from", "until", "schedule", "slots", "notes"],
    "properties": {
        "entity": _TEXT,
        "from": _INSTANT,
        "until": _INSTANT,
        "schedule": _TEXT,
        "counts": {"type": "object"},
        "slots": {"type": "array", "items": {"type": "object"}},
        "right_now": {"type": ["object", "null"]},
        "notes": {"type": "array", "items": _TEXT},
    },
}
_CHANGE = {
    "type": "object",
    "properties": {
        "code": {"type": ["string", "null"]},
        "action": _TEXT,
        "before": {"type": "object"},
        "after": {"type": "object"},
        "errors": {"type": "array", "items": _TEXT},
    },
}
_PREVIEW = {
    "type": "object",
    "required": ["entity", "changes"],
    "properties": {
        "entity": _TEXT,
        **{outcome: {"type": "integer"} for outcome in OUTCOMES},
        "changes": {"type": "array", "items": _CHANGE},
    },
}
_STARTED = {
    "type": "object",
    "required": ["run", "batch", "status"],
    "properties": {
        "run": {"type": "integer"},
        "batch": {"type": "integer"},
        "status": {"type": "string", "enum": [*BatchStatus.values]},
    },
}
_LOOKS = "scheduling.view_schedulerconfiguration"
_MOST_CHANGES = 10_000


class TestRunOfEntity(SchedulingResource):
    """Would a batch start now?"""

    @door(
        Scope.READ,
        "scheduling.test_run",
        summary="Say whether a batch would start now, and why; writes nothing",
        answers={200: Answer(_TEST_RUN, _TEST_RUN_EXAMPLE, "The decision with its gates.")},
    )
    def post(self, code: str) -> Any:
        """Decide without acting."""
        return test_run(self.configuration, self.now).as_json()


class WhyNot(SchedulingResource):
    """What became of each slot?"""

    @door(
        Scope.READ,
        _LOOKS,
        summary="Explain every slot of a period; writes nothing",
        body=Body({"from": TEXT, "until": TEXT}, example={"from": "2026-03-01T00:00:00Z"}),
        answers={200: Answer(_WHY_NOT, None, "Each slot with what became of it; the last seven days if not said.")},
    )
    def post(self, code: str) -> Any:
        """Read and explain."""
        since, until = (instant_of(self.body, name) for name in ("from", "until"))
        try:
            return why_not(self.configuration, since=since, until=until, now=self.now).as_json()
        except InvalidSchedule as error:
            names = {"since": "from"}
            raise invalid({names.get(path, path): texts for path, texts in error.errors.items()}) from None


class PreviewOfEntity(SchedulingResource):
    """What would a batch do now?"""

    @door(
        Scope.READ,
        "staging.view_rows",
        summary="Say what a batch would do now; changes nothing",
        body=Body({"tag": TEXT, "limit": WHOLE}, example={"limit": 20}),
        answers={200: Answer(_PREVIEW, None, "Counts by outcome, and the first changes (100 if not said).")},
        problems=(409,),
    )
    def post(self, code: str) -> Any:
        """Judge the rows as a batch would."""
        limit, tag = self.body.get("limit", 100), tag_of(self.entity, self.body)
        if not 0 <= limit <= _MOST_CHANGES:
            raise invalid({"limit": [say("This must be a whole number from 0 to {most:,}.", most=_MOST_CHANGES)]})
        return foreseen_document(self.entity, tag=tag, limit=limit, now=self.now)


class Process(SchedulingResource):
    """Start a batch."""

    @door(
        Scope.OPERATE,
        "scheduling.process_batch",
        summary="Start a batch of what waits now",
        body=Body({"tag": TEXT}, example={}),
        keyed=TOGETHER,
        answers={202: Answer(_STARTED, {"run": 31, "batch": 7, "status": "pending"}, "Workers execute the batch.")},
        problems=(409,),
    )
    def post(self, code: str) -> Any:
        """Queue the batch."""
        tag = tag_of(self.entity, self.body)
        started = start_batch_now(self.configuration, tag=tag, started_by=self.caller.by, now=self.now)
        return {"run": started.run.pk, "batch": started.batch.pk, "status": started.batch.status}, 202


def instant_of(body: dict[str, Any], name: str) -> Any:
    """Return the instant at a key, None without one. Raises a problem at its path."""
    try:
        return parse_instant(body[name]) if body.get(name) else None
    except ValueError as error:
        raise invalid({name: [aloud(error)]}) from None


def tag_of(entity: Entity, body: dict[str, Any]) -> str:
    """Return the tag of a body. Raises a problem for one that no staged row has: a typo would look like success."""
    tag = str(body.get("tag", ""))
    if tag and (len(tag) > LONGEST_TAG or not has_tag(entity, tag)):
        text = say("No staged row of {entity} has the tag {tag!r}.", entity=entity.name, tag=tag[:LONGEST_TAG])
        raise invalid({"tag": [text]})
    return tag
