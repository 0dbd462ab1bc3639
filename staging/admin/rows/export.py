"""Rejected rows as a file: with the reasons, and with what it takes to find them again when it comes back corrected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from django.contrib.admin import ModelAdmin
from django.http import Http404, HttpRequest, StreamingHttpResponse

from staging.admin.access import SEE, get_entity, rows_page
from staging.admin.rows.list import number_of
from staging.exports import csv, xlsx
from staging.models import Entity
from staging.states import ImportStatus
from staging.tables.mending import row_check
from staging.tables.rows import staged_rows
from staging.uploads.columns import ERRORS, ROW_CHECK, ROW_ID, targets
from staging.versions.audit import note_export
from staging.wording import say

_ROWS_AT_ONCE = 1_000
_FORMATS = {"csv": (csv.write_csv, csv.CONTENT_TYPE), "xlsx": (xlsx.write_xlsx, xlsx.CONTENT_TYPE)}


@rows_page(SEE)
def export_view(model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int) -> StreamingHttpResponse:
    """Send the rejected rows, all or those the address names by error and batch, as CSV or as a workbook."""
    entity = get_entity(entity_id)
    kind = request.GET.get("format", "csv")
    if kind not in _FORMATS:
        raise Http404(say("There is no format {format!r}.", format=kind))
    write, content_type = _FORMATS[kind]
    columns = targets(entity)
    rows = rejected_rows(entity, number_of(request, "bit"), number_of(request, "batch"))
    first = next(rows, None)  # asked here, where a broken table can still be told
    found = chain([first] if first else [], rows)
    note_export(request, say("Rejected rows of {entity}", entity=entity.name))
    head = [ROW_ID, ROW_CHECK, *columns, ERRORS]
    response = StreamingHttpResponse(write((_cells(row, columns) for row in found), head), content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{entity.code}-rejected.{kind}"'
    return response


def rejected_rows(entity: Entity, bit: int | None, batch_id: int | None) -> Iterator[dict[str, Any]]:
    """Yield rejected rows, newest first, a page at a time: no statement lasts longer than its page."""
    before = None
    while True:
        page = staged_rows(
            entity, status=ImportStatus.REJECTED, bit=bit, batch_id=batch_id, before_id=before, limit=_ROWS_AT_ONCE
        )
        yield from page
        if len(page) < _ROWS_AT_ONCE:
            return
        before = page[-1]["id"]


def _cells(row: Mapping[str, Any], columns: list[str]) -> list[Any]:
    return [row["id"], row_check(row), *(row[column] for column in columns), row["error_message"]]
