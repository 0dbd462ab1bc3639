"""Mending rejected rows: retry some or all of a kind, or change the staged values of one; each is traced."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.contrib import admin, messages
from django.db import DatabaseError, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from staging.admin.access import MEND, SEE, entity_for
from staging.admin.row_form import RowForm, value_columns
from staging.admin.rows import meaning, wait_words, whole_number
from staging.admin.sentences import by_column
from staging.admin.trail import record_edit, record_retry
from staging.errors import StagingError
from staging.models import Entity
from staging.states import ImportStatus
from staging.tables.rows import edit_row, get_row, rejected_groups, retry_rows
from staging.tables.waiting import waits_for

View = Callable[..., HttpResponseBase]

_BUSY = "The database could not do this just now; nothing was changed. Please try again in a moment."
_FASTER = (
    "Somebody or something was faster: this row is no longer what you saw. Nothing was changed; look at it again below."
)


def told(view: View) -> View:
    """Turn what the tables refuse into a message on the list of rows, where broken tables are explained too."""

    @wraps(view)
    def wrapped(request: HttpRequest, entity_id: int, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(request, entity_id, *args, **kwargs)
        except StagingError as error:
            messages.error(request, str(error))
        except DatabaseError:
            messages.error(request, _BUSY)
        return HttpResponseRedirect(reverse("admin:staging_rows", args=[entity_id]))

    return wrapped


@told
@require_http_methods(["GET", "POST"])
def retry_view(request: HttpRequest, entity_id: int) -> HttpResponse:
    """Set rejected rows back to pending: those ticked on the list, or all of one kind after a confirmation."""
    entity = entity_for(request, entity_id, SEE, MEND)
    if request.method == "POST" and "bit" not in request.POST:
        return _retry_selected(request, entity)
    bit = whole_number(request, "bit")
    if bit is None:
        return HttpResponseRedirect(_list_url(entity))
    if request.method == "POST":
        return _retry_kind(request, entity, bit)
    group = next((group for group in rejected_groups(entity) if group.bit == bit), None)
    context = {
        **admin.site.each_context(request),
        "title": f"Retry rejected rows of {entity.name}",
        "entity": entity,
        "group": group,
        "meaning": meaning(bit),
    }
    return TemplateResponse(request, "admin/staging/rows/retry.html", context)


@told
@require_http_methods(["GET", "POST"])
def edit_view(request: HttpRequest, entity_id: int, row_id: int) -> HttpResponse:
    """Show a staged row with each error beside its column; saving mends it and sets it back to pending."""
    entity = entity_for(request, entity_id, *([SEE] if request.method == "GET" else [SEE, MEND]))
    row = get_row(entity, row_id)
    if row is None:
        raise Http404("There is no such row; retention may have deleted it.")
    if request.method == "GET":
        return _render_row(request, entity, row, RowForm(entity, row))
    form = RowForm(entity, row, request.POST)
    if not form.is_valid():
        return _render_row(request, entity, row, form)
    if form.is_stale() or not _mend(request, entity, row, form.changes()):
        messages.warning(request, _FASTER)
        return HttpResponseRedirect(request.path)
    messages.success(request, f"Row {row_id} is pending again; the next batch will look at it.")
    return HttpResponseRedirect(_list_url(entity))


def _retry_selected(request: HttpRequest, entity: Entity) -> HttpResponse:
    ids = [int(text) for text in request.POST.getlist("row") if text.isascii() and text.isdigit() and len(text) <= 18]
    if not ids:
        messages.warning(request, "Tick the rows to retry first.")
        return _back(request, entity)
    with transaction.atomic():
        count = retry_rows(entity, ids=ids)
        if count:
            record_retry(request, entity, count, f"rows {', '.join(map(str, sorted(ids)))}")
    _tell_retried(request, count, len(ids))
    return _back(request, entity)


def _retry_kind(request: HttpRequest, entity: Entity, bit: int) -> HttpResponse:
    with transaction.atomic():
        count = retry_rows(entity, bit=bit)
        if count:
            record_retry(request, entity, count, f"all with the error “{meaning(bit)}”")
    _tell_retried(request, count, count)
    return HttpResponseRedirect(_list_url(entity))


def _tell_retried(request: HttpRequest, count: int, asked: int) -> None:
    if count:
        rows = "1 row is" if count == 1 else f"{count} rows are"
        messages.success(
            request, f"{rows} pending again; the next batch will look at {'it' if count == 1 else 'them'}."
        )
    if not count:
        messages.warning(request, "None of the rows is rejected any more; nothing was changed.")
    elif count < asked:
        messages.warning(request, f"{asked - count} of the rows were no longer rejected and were left alone.")


def _mend(request: HttpRequest, entity: Entity, row: Mapping[str, Any], changes: Mapping[str, str | None]) -> bool:
    """Store the changes, or plainly retry when there are none; False when the row is no longer rejected."""
    with transaction.atomic():
        if not changes:
            mended = retry_rows(entity, ids=[row["id"]]) == 1
            if mended:
                record_retry(request, entity, 1, f"row {row['id']}, unchanged")
            return mended
        mended = edit_row(entity, row["id"], changes)
        if mended:
            record_edit(request, entity, row, changes)
        return mended


def _render_row(request: HttpRequest, entity: Entity, row: Mapping[str, Any], form: RowForm) -> HttpResponse:
    columns = value_columns(entity)
    errors = by_column(row["error_message"], columns)
    is_rejected = row["import_status"] == ImportStatus.REJECTED
    context = {
        **admin.site.each_context(request),
        "title": f"Row {row['id']} of {entity.name}",
        "subtitle": ImportStatus(row["import_status"]).label.capitalize(),
        "entity": entity,
        "row": row,
        "form": form,
        "general": errors.pop("", []),
        "waits": wait_words(waits_for(entity, [row] if is_rejected else []).get(row["id"], [])),
        "lines": [(form[f"column_{column}"], row[column], errors.get(column, [])) for column in columns],
        "is_rejected": is_rejected,
        "may_mend": is_rejected and request.user.has_perm(MEND),
    }
    return TemplateResponse(request, "admin/staging/rows/row.html", context)


def _back(request: HttpRequest, entity: Entity) -> HttpResponse:
    """Return to the page of rows that the person came from; its filters stand in the address."""
    query = request.GET.urlencode()
    return HttpResponseRedirect(f"{_list_url(entity)}?{query}" if query else _list_url(entity))


def _list_url(entity: Entity) -> str:
    return reverse("admin:staging_rows", args=[entity.pk])
