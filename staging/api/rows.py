"""Staged rows: deposited as a JSON array, a stream of JSON lines or CSV; read by status; mended and retried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.http import Http404
from rest_framework.response import Response

from staging.api.kit.bodies import BROKEN, JSON, announced, insist_on_type, media_type
from staging.api.kit.callers import Caller
from staging.api.kit.doors import APART, TOGETHER, Answer, RawBody, answer, door
from staging.api.kit.idempotency import OTHER_BODY, Kept
from staging.api.kit.listing import cursor_of, page, page_example, page_schema, read_cursor
from staging.api.kit.parameters import CURSOR, Parameter, limit
from staging.api.kit.problems import ApiProblem, invalid
from staging.api.kit.resource import Resource
from staging.errors import BadFile, StagingError
from staging.models import Entity
from staging.states import ImportStatus, Scope
from staging.tables.rows import get_row, staged_rows, staged_value
from staging.uploads.blocks import Posted, texts
from staging.uploads.columns import targets
from staging.uploads.deposit import check_tag
from staging.uploads.land import Delivery, Landed, Resumption, land_array, land_csv, land_lines
from staging.uploads.mend import mend_row
from staging.uploads.posted import OtherStream, Readable, Refusal, Taken, one_by_one, posted_array
from staging.uploads.trail import Doer, record_handling
from staging.wording import say

LINES, CSV = "application/x-ndjson", "text/csv"
_MOST_ROWS = 10_000
_NOTHING_LANDED = {"landed": 0, "refused": [], "refused_total": 0}
_STATUSES = {"pending": 0, "processed": 1, "rejected": 2, "held": 3}

_SCALAR = {"type": ["string", "number", "boolean", "null"]}
_ROW = {"type": "object", "additionalProperties": _SCALAR, "description": "Values by the columns of staging."}
_ROW_EXAMPLE = {"code": "AMS", "name": "Amsterdam"}
_BODY = RawBody(
    {
        JSON: ({"type": "array", "items": _ROW, "maxItems": _MOST_ROWS}, [_ROW_EXAMPLE, {"code": "RTM"}]),
        LINES: ({"type": "string", "description": "One JSON object on each line; any number."}, '{"code": "AMS"}\n'),
        CSV: ({"type": "string", "description": "UTF-8, comma; the first line names columns."}, "code,name\nAMS,A\n"),
    }
)
_REFUSAL = {
    "type": "object",
    "properties": {
        "position": {"type": "integer", "description": "Which row, counted from 1."},
        "path": {"type": "string", "description": "Which column; empty: the row itself."},
        "text": {"type": "string"},
    },
    "required": ["position", "path", "text"],
}
_LANDED = answer(
    {
        "type": "object",
        "properties": {
            "landed": {"type": "integer"},
            "refused": {"type": "array", "items": _REFUSAL, "maxItems": 1_000},
            "refused_total": {"type": "integer"},
        },
        "required": ["landed", "refused", "refused_total"],
    },
    {
        "landed": 1,
        "refused": [{"position": 2, "path": "name", "text": "The value is longer than 100,000 characters."}],
        "refused_total": 1,
    },
    "How many rows wait for the next batch, and which could not be taken.",
)
_STAGED = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "import_status": {"type": "integer", "description": "0 pending, 1 processed, 2 rejected, 3 held."},
        "error_code": {"type": "integer"},
        "created_at": {"type": "string", "format": "date-time"},
    },
    "required": ["id", "import_status", "error_code", "created_at"],
    "additionalProperties": {"type": ["string", "integer", "null"]},
    "description": "Every column of the staging table.",
}
_STAGED_EXAMPLE = {
    "id": 7,
    "code": "AMS",
    "name": "Amsterdam",
    "new_code": None,
    "import_action": None,
    "import_status": 2,
    "batch_id": 3,
    "batch_tag": None,
    "error_code": 4,
    "error_message": "manager: a value is required.",
    "created_at": "2026-03-01T06:00:00+00:00",
    "import_outcome": "rejected",
}
_ONE = Answer(_STAGED, _STAGED_EXAMPLE, "The row.")
_PAGED = (
    Parameter("status", "text", "Only rows of this status.", "rejected", tuple(_STATUSES)),
    Parameter("batch", "whole", "Only rows that this batch took last.", least=1),
    limit(_MOST_ROWS),
    CURSOR,
)


class Rows(Resource):
    """The rows of an entity in staging."""

    kept: Kept | None = None  # of a request with a key whose body comes as a stream

    @property
    def keyed(self) -> str:
        """Return how a repeated deposit is told: an array lands in one transaction with its answer."""
        return TOGETHER if media_type(self.request) == JSON else APART

    @door(
        Scope.READ,
        "staging.view_rows",
        summary="Read staged rows, newest first",
        query=_PAGED,
        answers={200: answer(page_schema(_STAGED), page_example(_STAGED_EXAMPLE), "A page of rows.")},
        problems=(409,),
    )
    def get(self, code: str) -> Any:
        """Return a page of them."""
        size, status = self.query["limit"], self.query["status"]
        way, row_id = row_position(self.query["cursor"])
        asked = {"status": None if status is None else _STATUSES[status], "batch_id": self.query["batch"]}
        if way == "b":
            rows = staged_rows(self.entity, **asked, after_id=row_id, limit=size + 1)
            has_newer, rows = len(rows) > size, rows[-size:]
            has_older = True
        else:
            rows = staged_rows(self.entity, **asked, before_id=row_id, limit=size + 1)
            has_older, rows = len(rows) > size, rows[:size]
            has_newer = row_id is not None
        self.takes_away(say("Staged rows of {entity}", entity=self.entity.name))
        older = cursor_of("a", [rows[-1]["id"]]) if rows and has_older else None
        newer = cursor_of("b", [rows[0]["id"]]) if rows and has_newer else None
        return page(self, list(map(row_document, rows)), older, newer)

    @door(
        Scope.DEPOSIT,
        "staging.upload_rows",
        summary="Deposit rows: a JSON array, a stream of JSON lines, or CSV",
        query=(
            Parameter("tag", "text", "Give all rows this batch tag.", "monday"),
            Parameter("atomic", "flag", "1: when one row cannot be taken, none is."),
        ),
        body=_BODY,
        answers={200: _LANDED},
        problems=(409,),
        keyed=APART,
    )
    def post(self, code: str) -> Any:
        """Put them into staging."""
        kind = insist_on_type(self.request, JSON, LINES, CSV)
        delivery = Delivery(self.entity, self._tag(), bool(self.query["atomic"]), self._note, self._resumption(kind))
        if kind == JSON:
            return landed_document(land_array(delivery, self.sent))
        land = land_lines if kind == LINES else land_csv
        try:
            return landed_document(land(delivery, WholeBody(self.stream, announced(self.request))))
        except OtherStream as error:
            raise ApiProblem(422, say(OTHER_BODY)) from error

    def _resumption(self, kind: str) -> Resumption | None:
        """Return how a repeated key goes on: a stream behind the lines that landed; what lands whole, never again."""
        kept = self.kept
        if kept is None:
            return None
        if kind != LINES or self.query["atomic"]:
            return Resumption(lambda done: kept.finish(Response(landed_document(done))))
        before = kept.document or {"landed": _NOTHING_LANDED, "lines": 0, "digest": ""}
        taken = Taken(before["lines"], before["digest"])

        def keep(done: Landed) -> None:
            kept.keep({"landed": landed_document(done), "lines": taken.lines, "digest": taken.digest()})

        return Resumption(keep, landed_again(before["landed"]), taken)

    def _tag(self) -> str:
        tag = self.query["tag"] or ""
        try:
            check_tag(tag)
        except BadFile as error:
            raise invalid({"tag": [str(error)]}) from None
        return tag

    def _note(self, first_id: int, last_id: int) -> None:
        """Note whose work these rows are: nobody approves rows that they brought."""
        record_handling(doer_of(self.caller), self.entity, first_id, last_id)


class OneRow(Resource):
    """One row of an entity in staging."""

    @door(Scope.READ, "staging.view_rows", summary="Read a staged row", answers={200: _ONE}, problems=(409,))
    def get(self, code: str, id: int) -> Any:
        """Return it."""
        return row_document(find_row(self.entity, id))

    @door(
        Scope.OPERATE,
        "staging.mend_rows",
        "staging.view_rows",
        summary="Correct a rejected row; it waits for the next batch again",
        body=RawBody({JSON: ({**_ROW, "minProperties": 1}, {"name": "Amsterdam"})}),
        answers={200: _ONE},
        problems=(409,),
    )
    def patch(self, code: str, id: int) -> Any:
        """Store the values that are named, and leave the others."""
        insist_on_type(self.request, JSON)
        values = _corrections(self.entity, self.sent)
        return mended(self, id, values)


class RowRetry(Resource):
    """Sending a rejected row again as it is."""

    @door(
        Scope.OPERATE,
        "staging.mend_rows",
        "staging.view_rows",
        summary="Retry a rejected row as it is",
        answers={200: _ONE},
        problems=(409,),
        keyed=TOGETHER,
    )
    def post(self, code: str, id: int) -> Any:
        """Set it pending."""
        return mended(self, id, {})


class WholeBody:
    """A body that has to come to its announced end: one that breaks off must not be taken for a shorter one."""

    def __init__(self, source: Readable, length: int | None):
        self._source, self._left = source, length

    def read(self, size: int = -1, /) -> bytes:
        """Return the next piece. Raises a problem when nothing comes though something should."""
        piece = self._source.read(size)
        if self._left is not None:
            self._left -= len(piece)
            if not piece and self._left > 0:
                raise ApiProblem(400, say(BROKEN))
        return piece


@transaction.atomic
def mended(resource: Resource, row_id: int, values: Mapping[str, str | None]) -> dict[str, Any]:
    """Mend a rejected row and return it as it is then. Raises a problem when it is not rejected."""
    row = find_row(resource.entity, row_id)
    if not mend_row(resource.entity, row, values, doer_of(resource.caller)):
        label = ImportStatus(find_row(resource.entity, row_id)["import_status"]).label
        text = say("Row {row} is {status}; only a rejected row can be corrected or retried.", row=row_id, status=label)
        raise ApiProblem(409, text)
    return row_document(find_row(resource.entity, row_id))


def find_row(entity: Entity, row_id: int) -> dict[str, Any]:
    """Return a staged row; a 404 when there is none."""
    row = get_row(entity, row_id) if row_id < 2**63 else None
    if row is None:
        raise Http404(say("There is no row {row}; retention may have deleted it.", row=row_id))
    return row


def row_document(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a staged row as the API shows it: its columns as they are."""
    return {**row, "created_at": row["created_at"] and row["created_at"].isoformat()}


def landed_document(done: Landed) -> dict[str, Any]:
    """Return what became of deposited rows."""
    refused = [{"position": each.position, "path": each.path, "text": each.text} for each in done.refused]
    return {"landed": done.landed, "refused": refused, "refused_total": done.refused_total}


def landed_again(document: Mapping[str, Any]) -> Landed:
    """Return what became of rows that landed at an earlier sending, from its document."""
    return Landed(document["landed"], [Refusal(**each) for each in document["refused"]], document["refused_total"])


def doer_of(caller: Caller) -> Doer:
    """Return the caller as the trail of staging tells it."""
    return Doer(caller.person.pk, caller.person.get_username(), caller.by)


def row_position(cursor: str | None) -> tuple[str, int | None]:
    """Return the way and the number in a cursor of a list in the order of numbers."""
    if cursor is None:
        return "", None
    way, position = read_cursor(cursor)
    if len(position) != 1 or type(position[0]) is not int or not 0 <= position[0] < 2**63:
        raise invalid({"cursor": [say("This is no cursor of this list; take the addresses in next and previous.")]})
    return way, position[0]


def _corrections(entity: Entity, body: bytes) -> dict[str, str | None]:
    """Return the values of a body by column as staging keeps them, numbers digit by digit."""
    rows = list(one_by_one(posted_array(b"[%s]" % body.strip().removeprefix(b"\xef\xbb\xbf"))))
    if len(rows) != 1:
        raise invalid({"": [say("Send one object: the columns to correct with their values.")]})
    row = rows[0]
    if isinstance(row, Refusal):
        raise invalid({row.path: [row.text]})
    return _checked(entity, row)


def _not_there(entity: Entity, column: str) -> str:
    return say(
        "There is no column {column!r} of {entity} that may be corrected.", column=column[:80], entity=entity.name
    )


def _checked(entity: Entity, row: Posted) -> dict[str, str | None]:
    allowed = targets(entity)
    errors: dict[str, list[str]] = {each: [_not_there(entity, each)] for each in row.values if each not in allowed}
    values = dict(zip(row.values, texts(row.values.values()), strict=True))
    for column, value in values.items():
        try:
            staged_value(column, value)
        except StagingError as error:
            errors.setdefault(column, [str(error)])
    if not values:
        errors[""] = [say("Name at least one column to correct; to send the row again as it is, POST to its retry.")]
    if errors:
        raise invalid(errors)
    return values
