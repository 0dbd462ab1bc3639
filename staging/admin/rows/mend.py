"""Mending rejected rows: retry some or all of a kind, or change the staged values of one; each is traced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_noop

from staging.admin.access import MEND, SEE, get_entity, rows_page
from staging.admin.rows.form import RowForm, value_columns
from staging.admin.rows.list import meaning, number_of, wait_words
from staging.models import Entity
from staging.pages import ASK, insist, may, number_in, shown, told, warned
from staging.states import ImportStatus
from staging.tables.rows import get_row, rejected_groups, retry_rows
from staging.tables.sentences import by_column
from staging.tables.waiting import waits_for
from staging.uploads.mend import mend_row, retry_kind
from staging.uploads.trail import doer, record_retry
from staging.wording import counted, say

_FASTER = gettext_noop(
    "Somebody or something was faster: this row is no longer what you saw. Nothing was changed; look at it again below."
)


@rows_page(SEE, MEND, methods=ASK)
def retry_view(model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int) -> HttpResponse:
    """Set rejected rows back to pending: those ticked on the list, or all of one kind after a confirmation."""
    entity = get_entity(entity_id)
    if request.method == "POST" and "bit" not in request.POST:
        return _retry_selected(request, entity)
    bit = number_of(request, "bit")
    if bit is None:
        return HttpResponseRedirect(_list_url(entity))
    if request.method == "POST":
        return _retry_kind(request, entity, bit)
    group = next((group for group in rejected_groups(entity) if group.bit == bit), None)
    return shown(
        model_admin,
        request,
        "admin/staging/rows/retry.html",
        title=say("Retry rejected rows of {entity}", entity=entity.name),
        entity=entity,
        group=group,
        meaning=meaning(bit),
        goes_on=request.GET.get("goes_on") == "1",
    )


@rows_page(SEE, methods=ASK)
def edit_view(model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int, row_id: int) -> HttpResponse:
    """Show a staged row with each error beside its column; saving mends it and sets it back to pending."""
    insist(request.method != "POST" or may(model_admin, request, MEND))
    entity = get_entity(entity_id)
    row = get_row(entity, row_id)
    if row is None:
        raise Http404(say("There is no such row; retention may have deleted it."))
    if request.method != "POST":
        return _row_page(model_admin, request, entity, row, RowForm(entity, row))
    form = RowForm(entity, row, request.POST)
    if not form.is_valid():
        return _row_page(model_admin, request, entity, row, form)
    if form.is_stale() or not mend_row(entity, row, form.changes(), doer(request)):
        return warned(request, say(_FASTER), request.path)
    text = say("Row {row} is pending again; the next batch will look at it.", row=row_id)
    return told(request, text, _list_url(entity))


def _retry_selected(request: HttpRequest, entity: Entity) -> HttpResponse:
    ids = [number for text in request.POST.getlist("row") if (number := number_in(text)) is not None]
    if not ids:
        return warned(request, say("Tick the rows to retry first."), _page_before(request, entity))
    with transaction.atomic():
        count = retry_rows(entity, ids=ids)
        if count:
            which = say("rows {rows}", rows=", ".join(map(str, sorted(ids))))
            record_retry(doer(request), entity, count, which)
    _tell_retried(request, count, len(ids))
    return HttpResponseRedirect(_page_before(request, entity))


def _retry_kind(request: HttpRequest, entity: Entity, bit: int) -> HttpResponse:
    count, is_all = retry_kind(entity, bit, meaning(bit), doer(request))
    if is_all:
        _tell_retried(request, count, count)
        return HttpResponseRedirect(_list_url(entity))
    text = say("{rows} pending again so far; the others follow.", rows=counted(count, "row is", "rows are"))
    return told(request, text, f"{request.path}?bit={bit}&goes_on=1", messages.INFO)


def _tell_retried(request: HttpRequest, count: int, asked: int) -> None:
    if count:
        pending = counted(
            count,
            "row is pending again; the next batch will look at it.",
            "rows are pending again; the next batch will look at them.",
        )
        messages.success(request, pending)
    if not count:
        messages.warning(request, say("None of the rows is rejected any more; nothing was changed."))
    elif count < asked:
        others = say("{number} of the rows were no longer rejected and were left alone.", number=asked - count)
        messages.warning(request, others)


def _row_page(
    model_admin: ModelAdmin[Entity], request: HttpRequest, entity: Entity, row: Mapping[str, Any], form: RowForm
) -> HttpResponse:
    columns = value_columns(entity)
    errors = by_column(row["error_message"], columns)
    is_rejected = row["import_status"] == ImportStatus.REJECTED
    return shown(
        model_admin,
        request,
        "admin/staging/rows/row.html",
        title=say("Row {row} of {entity}", row=row["id"], entity=entity.name),
        subtitle=ImportStatus(row["import_status"]).label.capitalize(),
        entity=entity,
        row=row,
        form=form,
        general=errors.pop("", []),
        waits=wait_words(waits_for(entity, [row] if is_rejected else []).get(row["id"], [])),
        lines=[(form[f"column_{column}"], row[column], errors.get(column, [])) for column in columns],
        is_rejected=is_rejected,
        may_mend=is_rejected and may(model_admin, request, MEND),
    )


def _page_before(request: HttpRequest, entity: Entity) -> str:
    """Return the address of the page of rows that the person came from; its filters stand in this one."""
    query = request.GET.urlencode()
    return f"{_list_url(entity)}?{query}" if query else _list_url(entity)


def _list_url(entity: Entity) -> str:
    return reverse("admin:staging_rows", args=[entity.pk])
