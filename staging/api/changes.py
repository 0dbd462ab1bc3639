"""What changed: the feed of an entity's members from a cursor on, and what one batch changed or would change."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models.functions import Now
from django.utils.http import urlencode

from staging.api.batches import find_batch
from staging.api.kit.doors import answer, door
from staging.api.kit.listing import cursor_of, page, page_example, page_schema
from staging.api.kit.parameters import CURSOR, Parameter, limit
from staging.api.kit.problems import invalid
from staging.api.kit.resource import Resource
from staging.api.members import MEMBER_EXAMPLE, MEMBER_SCHEMA
from staging.api.rows import row_position
from staging.batches.shown.changes import ForeseenChange
from staging.batches.shown.document import change_document as as_difference
from staging.batches.shown.preview import fresh_preview, keep_preview, kept_changes
from staging.members.as_of import check_history
from staging.members.cursor import BadCursor
from staging.members.difference import difference
from staging.members.feed import Change, changes_after
from staging.members.plain import plain, plain_values
from staging.models import Batch, Entity
from staging.states import BatchStatus, Scope
from staging.uploads.columns import targets
from staging.wording import say

_MOST = 10_000
_CHANGE = {
    "type": "object",
    "properties": {
        "code": {"type": "string"},
        "change": {"type": "string", "enum": ["inserted", "updated", "deactivated", "deleted"]},
        "at": {"type": ["string", "null"], "format": "date-time"},
        "batch": {"type": ["integer", "null"]},
        "values": MEMBER_SCHEMA,
    },
    "required": ["code", "change", "at", "batch", "values"],
}
_CHANGE_EXAMPLE = {
    "code": "AMS",
    "change": "updated",
    "at": "2026-03-01T06:00:01+00:00",
    "batch": 7,
    "values": MEMBER_EXAMPLE,
}
_FEED = page_schema(_CHANGE)
_FEED["properties"] = {**_FEED["properties"], "next": {"type": "string", "format": "uri-reference"}}
_SIDE = {"type": "object", "additionalProperties": {"type": ["string", "null"]}}
_DIFFERENCE = {
    "type": "object",
    "properties": {
        "code": {"type": ["string", "null"]},
        "action": {"type": "string"},
        "before": _SIDE,
        "after": _SIDE,
        "errors": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["code", "action", "before", "after", "errors"],
}
_DIFFERENCE_EXAMPLE = {
    "code": "AMS",
    "action": "updated",
    "before": {"staff": "139"},
    "after": {"staff": "140"},
    "errors": [],
}


class Changes(Resource):
    """The feed of what changed in production."""

    @door(
        Scope.READ,
        "staging.view_rows",
        summary="Follow the changes of an entity's members, in the order of their commits",
        query=(
            Parameter("after", "text", "Where to go on: take the address in `next`. Left out: the start."),
            limit(_MOST),
        ),
        answers={
            200: answer(
                _FEED,
                {**page_example(_CHANGE_EXAMPLE), "next": "/api/v1/entities/branch/changes?after=WzEsMF0"},
                "Some changes; `next` is where the following ones will be, also when there are none yet.",
            )
        },
        problems=(409, 410),
    )
    def get(self, code: str) -> Any:
        """Return the changes behind a cursor."""
        try:
            found = changes_after(self.entity, self.query["after"] or "", self.query["limit"])
        except BadCursor as error:
            raise invalid({"after": [str(error)]}) from None
        self.takes_away(say("Changes of the members of {entity}", entity=self.entity.name))
        kept = [(name, value) for name, value in self.request.query_params.items() if name != "after"]
        address = f"{self.request.path}?{urlencode([*kept, ('after', str(found.next))])}"
        results = list(map(change_document, found.changes))
        return {"results": results, "next": self.request.build_absolute_uri(address), "previous": None}


class BatchChanges(Resource):
    """The difference that a batch made, or would make while it is held."""

    @door(
        Scope.READ,
        "staging.view_batch",
        "staging.view_rows",
        summary="Read what a batch changed, or would change while it is held",
        query=(limit(), CURSOR),
        answers={
            200: answer(page_schema(_DIFFERENCE), page_example(_DIFFERENCE_EXAMPLE), "A page of changes, in order.")
        },
        problems=(409,),
    )
    def get(self, id: int) -> Any:
        """Return a page of changes."""
        batch, size = find_batch(self, id), self.query["limit"]
        _, after = row_position(self.query["cursor"])
        if batch.status == BatchStatus.HELD:
            found = _foreseen(batch, self.caller.by, after or 0, size + 1)
        else:
            check_history(batch.entity)
            found = difference(batch, after=after or 0, limit=size + 1)
        self.takes_away(say("Changes of the members of {entity}", entity=batch.entity.name))
        following = cursor_of("a", [found[size - 1].number]) if len(found) > size else None
        columns = targets(batch.entity)
        return page(self, [as_difference(each, columns) for each in found[:size]], following)


def change_document(change: Change) -> dict[str, Any]:
    """Return a change of the feed as the contract has it."""
    return {
        "code": change.code,
        "change": change.change,
        "at": plain(change.at),
        "batch": change.batch,
        "values": plain_values(change.values),
    }


def _foreseen(held: Batch, by: str, after: int, size: int) -> list[ForeseenChange]:
    """Return what merging the held rows would change; judged once in two hours, unless something was decided."""
    now = _now(held.entity)
    kept = fresh_preview(held, now) or keep_preview(held.entity, held_by=held, made_by=by, now=now)
    return kept_changes(kept, now).read(after=after, limit=size)


def _now(entity: Entity) -> datetime:
    """Return the database's time: here nobody reads a clock."""
    return Entity.objects.filter(pk=entity.pk).annotate(now=Now()).values_list("now", flat=True).get()
