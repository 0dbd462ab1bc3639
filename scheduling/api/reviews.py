"""What people decide about batches: take one back, approve what it holds, send it back, or discard it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduling.api.base import LONGEST_COMMENT, RUN_SCHEMA, SchedulingResource
from scheduling.runs.by_hand import approve, review, run_document, start_undo
from staging.api.batches import find_batch
from staging.api.kit.doors import APART, TOGETHER, Answer, Body, door
from staging.api.kit.problems import ApiProblem, invalid
from staging.batches.shown.held import comment_fault
from staging.batches.undo.undo import in_the_way
from staging.model_files.shape import LIST, TEXT, YES_NO
from staging.states import BatchStatus, ReviewVerb, Scope
from staging.wording import say

_SEES, _DECIDES = "staging.view_rows", "staging.approve_batch"
_ROWS = {"type": ["array", "null"], "items": {"type": "integer"}, "description": "The ids of some of the held rows."}
_DECISION = Body({"comment": TEXT, "rows": LIST}, example={"comment": "Checked."}, parts={"rows": _ROWS})
_REASONED = Body({"comment": TEXT, "rows": LIST}, ("comment",), {"comment": "Mend the dates."}, {"rows": _ROWS})
_STATUS = {"type": "string", "enum": [*BatchStatus.values]}
_NUMBER = {"type": "integer"}
_DECIDED = Answer(
    {
        "type": "object",
        "required": ["batch", "rows", "status"],
        "properties": {"batch": _NUMBER, "rows": _NUMBER, "status": _STATUS},
    },
    {"batch": 7, "rows": 12, "status": "held"},
    "How many rows were decided about, and what the batch is now.",
)
_APPROVED = Answer(
    {
        "type": "object",
        "required": ["batch", "approves", "run", "status"],
        "properties": {"batch": _NUMBER, "approves": _NUMBER, "run": _NUMBER, "status": _STATUS},
    },
    {"batch": 8, "approves": 7, "run": 31, "status": "pending"},
    "The batch that merges the rows.",
)
_UNDOES = Answer(
    {**RUN_SCHEMA, "properties": {**RUN_SCHEMA["properties"], "batch": _NUMBER}},
    {"run": 31, "status": "pending", "tasks": [], "batch": 8},
    "The run that takes the batch back, and its own batch.",
)
_SHOWN = 100


class Undo(SchedulingResource):
    """Take a batch back."""

    @door(
        Scope.OPERATE,
        "staging.undo_batch",
        _SEES,
        summary="Put members back as they were before a batch",
        body=Body({"skip_changed": YES_NO}, example={"skip_changed": False}),
        keyed=APART,
        answers={202: _UNDOES},
        problems=(409,),
    )
    def post(self, id: int) -> Any:
        """Start the undo, unless members were changed since and are not to be skipped."""
        of = find_batch(self, id)
        skip = bool(self.body.get("skip_changed"))
        answer = start_undo(of, skip_changed=skip, by=self.caller.by, now=self.now)
        if answer.started is None:
            conflicts = answer.foreseen.conflicts
            raise ApiProblem(
                409, in_the_way(of, conflicts), {"skip_changed": [str(each) for each in conflicts[:_SHOWN]]}
            )
        return {**run_document(answer.started.run), "batch": answer.started.batch.pk}, 202


class Approve(SchedulingResource):
    """Merge held rows."""

    @door(
        Scope.OPERATE,
        _DECIDES,
        summary="Approve the rows that a batch holds",
        body=_DECISION,
        keyed=TOGETHER,
        answers={200: _APPROVED},
        problems=(409,),
    )
    def post(self, id: int) -> Any:
        """Start the batch that merges them."""
        held = find_batch(self, id)
        ids, comment = chosen(self.body), comment_of(self.body)
        started = approve(held, ids=ids, comment=comment, by=self.caller.by, now=self.now)
        return {
            "batch": started.batch.pk,
            "approves": held.pk,
            "run": started.run.pk,
            "status": started.batch.status,
        }


class _Decision(SchedulingResource):
    """Reject held rows, one way or the other."""

    def decided(self, number: int, verb: ReviewVerb) -> dict[str, Any]:
        """Carry the decision out, and say what became of the batch."""
        held = find_batch(self, number)
        ids, comment = chosen(self.body), comment_of(self.body)
        rows = review(held, verb, ids=ids, comment=comment, by=self.caller.by, now=self.now)
        held.refresh_from_db(fields=["status"])
        return {"batch": held.pk, "rows": rows, "status": held.status}


class Discard(_Decision):
    """Reject held rows as not wanted."""

    @door(
        Scope.OPERATE,
        _DECIDES,
        summary="Discard the rows that a batch holds",
        body=_DECISION,
        keyed=APART,
        answers={200: _DECIDED},
        problems=(409,),
    )
    def post(self, id: int) -> Any:
        """Discard them."""
        return self.decided(id, ReviewVerb.DISCARD)


class SendBack(_Decision):
    """Reject held rows so that they are mended."""

    @door(
        Scope.OPERATE,
        _DECIDES,
        summary="Send the rows that a batch holds back to be mended",
        body=_REASONED,
        keyed=APART,
        answers={200: _DECIDED},
        problems=(409,),
    )
    def post(self, id: int) -> Any:
        """Send them back; the comment is all that others see."""
        if fault := comment_fault(ReviewVerb.SEND_BACK, comment_of(self.body)):
            raise invalid({"comment": [fault]})
        return self.decided(id, ReviewVerb.SEND_BACK)


def comment_of(body: dict[str, Any]) -> str:
    """Return the comment. Raises a problem for one that is too long."""
    comment = str(body.get("comment", "")).strip()
    if len(comment) > LONGEST_COMMENT:
        text = say("This is too long: at most {most} characters are kept.", most=LONGEST_COMMENT)
        raise invalid({"comment": [text]})
    return comment


def chosen(body: dict[str, Any]) -> Sequence[int] | None:
    """Return the ids of the chosen rows, None for all of them. Raises a problem for what is no id."""
    if "rows" not in body:
        return None
    wrong = [
        index
        for index, each in enumerate(body["rows"])
        if not isinstance(each, int) or isinstance(each, bool) or not 0 < each < 2**63
    ]
    if wrong:
        raise invalid({f"rows[{index}]": [say("This must be the id of a row.")] for index in wrong[:_SHOWN]})
    if not body["rows"]:
        raise invalid({"rows": [say("Name at least one row, or leave this out to decide about all of them.")]})
    return list(dict.fromkeys(body["rows"]))
