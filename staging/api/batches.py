"""Batches as records: what each was asked to do and what became of its rows."""

from __future__ import annotations

from typing import Any

from staging.api.kit.doors import Answer, answer, door
from staging.api.kit.listing import page_example, page_schema, paged
from staging.api.kit.parameters import MINE, PAGED, Parameter
from staging.api.kit.resource import Resource
from staging.models import OUTCOMES, Batch, mine
from staging.models.batch import COMPLETED_WITH_WARNINGS
from staging.pages import row_or_404
from staging.states import WARNED, BatchStatus, Scope
from staging.wording import say

_STATUSES = [status.value for status in BatchStatus]
_COUNT = {"type": "integer", "minimum": 0}
_TEXT = {"type": "string"}
_INSTANT = {"type": ["string", "null"], "format": "date-time"}
BATCH_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "batch": {"type": "integer"},
        "entity": _TEXT,
        "tag": _TEXT,
        "status": {"type": "string", "enum": _STATUSES},
        "trigger_source": _TEXT,
        "started_by": _TEXT,
        "rows": {"type": ["integer", "null"]},
        **dict.fromkeys(OUTCOMES, _COUNT),
        "warned": _COUNT,
        "undoes": {"type": ["integer", "null"]},
        "approves": {"type": ["integer", "null"]},
        "held": _TEXT,
        "error": _TEXT,
        "created_at": _INSTANT,
        "started_at": _INSTANT,
        "finished_at": _INSTANT,
        "duration_ms": {"type": ["integer", "null"]},
    },
}
BATCH_SCHEMA["required"] = [*BATCH_SCHEMA["properties"]]
BATCH_EXAMPLE = {
    "batch": 7,
    "entity": "branch",
    "tag": "",
    "status": "completed",
    "trigger_source": "Manual",
    "started_by": "anna (token loader)",
    "rows": 3,
    **dict.fromkeys((*OUTCOMES, "warned"), 0),
    "inserted": 3,
    "undoes": None,
    "approves": None,
    "held": "",
    "error": "",
    "created_at": "2026-03-01T06:00:00+00:00",
    "started_at": "2026-03-01T06:00:01+00:00",
    "finished_at": "2026-03-01T06:00:02+00:00",
    "duration_ms": 1000,
}


class Batches(Resource):
    """The batches of the entities that the caller may see, newest first."""

    @door(
        Scope.READ,
        "staging.view_batch",
        summary="List batches, newest first",
        query=(
            Parameter("entity", "text", "Only of the entity with this code.", "branch"),
            Parameter(
                "status", "text", "Only in this state; warned: completed with warnings.", choices=[*_STATUSES, WARNED]
            ),
            Parameter("tag", "text", "Only with this batch tag."),
            MINE,
            *PAGED,
        ),
        answers={200: answer(page_schema(BATCH_SCHEMA), page_example(BATCH_EXAMPLE), "A page of batches.")},
    )
    def get(self) -> Any:
        """Return a page of them."""
        found = self.caller.only(Batch.objects.select_related("entity"))
        self.caller.insist_on_code(self.query["entity"])
        columns = {"entity": "entity__code", "status": "status", "tag": "tag"}
        if self.query["status"] == WARNED:
            found = found.filter(COMPLETED_WITH_WARNINGS)
            del columns["status"]
        found = found.filter(**{columns[name]: self.query[name] for name in columns if self.query[name] is not None})
        if self.query["mine"]:
            found = found.filter(mine(self.caller.person, "entity__"))
        return paged(self, found, batch_document, order=["-id"])


class OneBatch(Resource):
    """One batch."""

    @door(
        Scope.READ,
        "staging.view_batch",
        summary="Read a batch",
        answers={200: Answer(BATCH_SCHEMA, BATCH_EXAMPLE, "The batch.")},
    )
    def get(self, id: int) -> Any:
        """Return it."""
        return batch_document(find_batch(self, id))


def find_batch(resource: Resource, number: int) -> Batch:
    """Return a batch; a 404 when there is none, a 403 when it is of an entity that the token is not for."""
    found = row_or_404(
        Batch.objects.select_related("entity"), number, say("There is no batch {number}.", number=number)
    )
    resource.caller.insist_on(found.entity_id, say("Batch {number}", number=number))
    return found


def batch_document(batch: Batch) -> dict[str, Any]:
    """Return a batch as the API shows it."""
    return {
        "batch": batch.pk,
        "entity": batch.entity.code,
        "tag": batch.tag,
        "status": batch.status,
        "trigger_source": batch.trigger_source,
        "started_by": batch.started_by,
        "rows": batch.rows_total,
        **{name: getattr(batch, name) for name in (*OUTCOMES, "warned")},
        "undoes": batch.undoes_id,
        "approves": batch.approves_id,
        "held": batch.hold_reason,
        "error": batch.error,
        **{name: shown_instant(getattr(batch, name)) for name in ("created_at", "started_at", "finished_at")},
        "duration_ms": batch.duration_ms,
    }


def shown_instant(value: Any) -> str | None:
    """Return an instant with its offset, as commands print it."""
    return None if value is None else value.isoformat()
