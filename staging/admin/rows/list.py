"""The rows of one entity by status: rejected ones first grouped by error, then one page after another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.admin import ModelAdmin
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.http import urlencode

from staging.admin.access import MEND, SEE, UPLOAD, get_with_attributes
from staging.admin.rows.form import names_in_use
from staging.errors import StagingError
from staging.models import Entity
from staging.pages import may, number_in, page, shown
from staging.states import ImportStatus, error_meaning
from staging.tables.columns import pending_statistics, table_problems
from staging.tables.rows import rejected_groups, staged_rows
from staging.tables.sentences import offending, sentences
from staging.tables.waiting import waited_codes, waits_for
from staging.wording import say

PAGE_ROWS = 50
STATUSES = {
    "rejected": ImportStatus.REJECTED,
    "waiting": ImportStatus.PENDING,
    "held": ImportStatus.HELD,
    "processed": ImportStatus.PROCESSED,
}


@dataclass(frozen=True)
class ShownRow:
    """One staged row as the page shows it."""

    id: int
    code: str | None
    name: str | None
    sentences: list[str]
    waits: list[str]
    offending: list[tuple[str, Any]]
    values: list[tuple[str, Any]]
    batch_id: int | None
    tag: str | None
    created_at: datetime


@dataclass(frozen=True)
class RowQuery:
    """What the address asks for."""

    status: str
    bit: int | None
    batch_id: int | None
    before: int | None

    def query(self, **changes: Any) -> str:
        """Return the query string of the same page with some parts changed."""
        parts = {"status": self.status, "bit": self.bit, "batch": self.batch_id, "before": self.before, **changes}
        return urlencode({key: value for key, value in parts.items() if value is not None})

    @property
    def filters(self) -> str:
        """Return the part of the query that says which rows, without the page."""
        return self.query(status=None, before=None)


@page(SEE)
def rows_view(model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int) -> HttpResponse:
    """Show a page of an entity's staged rows."""
    entity = get_with_attributes(entity_id)
    wanted = _wanted(request)
    context: dict[str, Any] = {
        "entity": entity,
        "wanted": wanted,
        "subtitle": say(wanted.status).capitalize(),
        "statuses": list(STATUSES),
        "may_mend": may(model_admin, request, MEND),
        "may_upload": may(model_admin, request, UPLOAD) or may(model_admin, request, MEND),
        "meaning": meaning(wanted.bit) if wanted.bit is not None else "",
    }
    try:
        context.update(_content(entity, wanted))
    except (StagingError, DatabaseError):
        context["table_problems"] = table_problems(entity) or [say("The database could not read the rows in time.")]
    return shown(
        model_admin,
        request,
        "admin/staging/rows/list.html",
        title=say("Rows of {entity}", entity=entity.name),
        **context,
    )


def _content(entity: Entity, wanted: RowQuery) -> dict[str, Any]:
    rows = staged_rows(
        entity,
        status=STATUSES[wanted.status],
        bit=wanted.bit,
        batch_id=wanted.batch_id,
        before_id=wanted.before,
        limit=PAGE_ROWS + 1,
    )
    columns = names_in_use(entity)
    waits = waits_for(entity, rows[:PAGE_ROWS]) if wanted.status == "rejected" else {}
    rows_shown = [_shown(row, columns, waits.get(row["id"], [])) for row in rows[:PAGE_ROWS]]
    counted = pending_statistics([entity], with_rejected=True)[entity.pk]
    return {
        "rows": rows_shown,
        "older": wanted.query(before=rows_shown[-1].id) if len(rows) > PAGE_ROWS else "",
        "newest": wanted.query(before=None) if wanted.before else "",
        "here": wanted.query(),
        "counts": {"waiting": counted.count, "rejected": None if counted.error else counted.rejected},
        "groups": rejected_groups(entity) if wanted.status == "rejected" else [],
        "waited": waited_codes(entity) if wanted.status == "rejected" else [],
    }


def _shown(row: Mapping[str, Any], columns: list[str], waits: list[tuple[Entity, str]]) -> ShownRow:
    named = ["code", "name", "new_code", "import_action", *columns]
    return ShownRow(
        id=row["id"],
        code=row["code"],
        name=row["name"],
        sentences=sentences(row["error_message"], named),
        waits=wait_words(waits),
        offending=offending(row, named),
        values=[(column, row[column]) for column in columns],
        batch_id=row["batch_id"],
        tag=row["batch_tag"],
        created_at=row["created_at"],
    )


def wait_words(waits: list[tuple[Entity, str]]) -> list[str]:
    """Return what a row waits for, in words."""
    return [say("waits for {entity} '{code}'", entity=target.name, code=code) for target, code in waits]


def _wanted(request: HttpRequest) -> RowQuery:
    status = request.GET.get("status", "rejected")
    if status not in STATUSES:
        raise Http404(say("There is no status {status!r}.", status=status))
    bit = number_of(request, "bit")
    return RowQuery(status, bit, number_of(request, "batch"), number_of(request, "before"))


def meaning(bit: int) -> str:
    """Return what an error bit means; raises Http404 for a number that is no single bit."""
    if bit & (bit - 1):
        raise Http404(say("{bit} is not one error.", bit=bit))
    return error_meaning(bit)


def number_of(request: HttpRequest, name: str) -> int | None:
    """Return a number of the address, None when it is absent; raises Http404 when it cannot be one."""
    text = request.POST.get(name) or request.GET.get(name)
    if not text:
        return None
    if (number := number_in(text)) is None:
        raise Http404(say("{name}: {text!r} is not a number.", name=name, text=text))
    return number
