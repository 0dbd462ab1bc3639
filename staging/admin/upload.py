"""Uploading a file into staging: choose it, see what is in it and where it goes, deposit it. Nothing before that."""

from pathlib import Path
from typing import Any

from django.contrib import admin, messages
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from staging.admin.access import MEND, SEE, UPLOAD, entity_for
from staging.admin.mend import told
from staging.admin.trail import record_corrections, record_handling, record_upload
from staging.admin.upload_form import FileForm, MappingForm, ReadingForm
from staging.errors import BadFile
from staging.models import Entity
from staging.tables.held import newest_row
from staging.uploads.columns import is_correction, known_names, remember, suggest, targets, unknown
from staging.uploads.correct import Corrected, correct
from staging.uploads.deposit import deposit
from staging.uploads.detect import detect
from staging.uploads.formats import Format
from staging.uploads.kept import KEPT_FOR, keep, kept, let_go, taken
from staging.uploads.limits import too_big
from staging.uploads.quota import was_too_big
from staging.uploads.read import first_rows

_SHOWN = 10
_NAMED = 20  # rows that a message names


@told
@require_http_methods(["GET", "POST"])
def upload_view(request: HttpRequest, entity_id: int) -> HttpResponse:
    """Take a file (POST) and lead on to what is in it; what cannot be read is said at the field."""
    entity = _entity(request, entity_id)
    form = FileForm(request.POST, request.FILES) if request.method == "POST" else FileForm()
    if was_too_big(request):
        form.fields["file"].error_messages["required"] = too_big()
    if form.is_valid():
        file, token = form.cleaned_data["file"], ""
        try:
            token = keep(file.chunks())
            detect(kept(token), known_names(entity))
        except BadFile as error:
            let_go(token)
            form.add_error("file", str(error))
        else:
            signed = signing.dumps([token, file.name], salt=_salt(request, entity))
            return HttpResponseRedirect(f"{_url(entity, '_check')}?{urlencode({'file': signed})}")
    return _page(request, entity, "upload", f"Upload rows of {entity.name}", form=form)


@told
@require_http_methods(["GET", "POST"])
def check_view(request: HttpRequest, entity_id: int) -> HttpResponse:
    """Show the first rows and where they go (GET), and deposit the file or take its corrections (POST)."""
    entity = _entity(request, entity_id)
    try:
        token, name = signing.loads(request.GET.get("file", ""), salt=_salt(request, entity), max_age=KEPT_FOR)
        found = detect(kept(token), known_names(entity))
    except (signing.BadSignature, BadFile) as error:
        text = str(error) if isinstance(error, BadFile) else "The file is no longer kept. Choose it again."
        messages.error(request, text)
        return HttpResponseRedirect(_url(entity))
    reading = ReadingForm(found, request.GET)
    context = {"file": request.GET["file"], "name": name, "kind": found.kind.label, "reading": reading}
    try:
        columns, rows = first_rows(kept(token), reading.format(), _SHOWN)
    except BadFile as error:
        return _page(request, entity, "upload_check", f"Check {name}", fault=str(error), **context)
    shown = [(row, list(zip(columns, row.cells, strict=True))) for row in rows]
    context |= {"columns": columns, "rows": shown, "is_correction": is_correction(columns)}
    if context["is_correction"]:
        return _corrections(request, entity, token, reading.format(), context)
    return _deposit(request, entity, token, reading.format(), context)


def _deposit(request: HttpRequest, entity: Entity, token: str, form: Format, context: dict[str, Any]) -> HttpResponse:
    """Show or store rows for the next batch."""
    name, suggested = context["name"], suggest(entity, context["columns"])
    data = request.POST if request.method == "POST" else None
    initial = {"tag": Path(name).stem[:200]}
    mapping = MappingForm(entity, context["columns"], suggested, data, initial=initial)
    may, fault = request.user.has_perm(UPLOAD), ""
    if data is not None and not may:
        raise PermissionDenied
    if mapping.is_valid():
        tag, chosen, before = mapping.cleaned_data["tag"].strip(), mapping.mapping(), newest_row(entity)

        def also(count: int) -> None:
            record_handling(request, entity, before + 1, newest_row(entity))
            remember(entity, chosen)
            record_upload(request, entity, count, name, tag)

        try:
            with taken(token) as path:
                count = deposit(entity, path, form, chosen, tag, also)
        except BadFile as error:
            fault = str(error)
        else:
            return _deposited(request, entity, count, name)
    lines = [(mapping[f"to_{at}"], [row.cells[at] for row, _ in context["rows"][:3]]) for at in range(len(suggested))]
    more = {"mapping": mapping, "lines": lines, "unknown": unknown(entity, suggested), "may": may, "fault": fault}
    more["missing"] = [target for target in targets(entity) if target not in suggested.values()]
    return _page(request, entity, "upload_check", f"Check {name}", **context, **more)


def _deposited(request: HttpRequest, entity: Entity, count: int, name: str) -> HttpResponse:
    if count:
        messages.success(request, f"{count:,} row{'' if count == 1 else 's'} of {name} wait for the next batch.")
    else:
        messages.warning(request, f"{name} has a head and no rows; nothing was stored.")
    return HttpResponseRedirect(f"{reverse('admin:staging_rows', args=[entity.pk])}?status=waiting")


def _corrections(
    request: HttpRequest, entity: Entity, token: str, form: Format, context: dict[str, Any]
) -> HttpResponse:
    """Show or store corrections of rejected rows."""
    may, fault = request.user.has_perm(MEND), ""
    if request.method == "POST":
        if not may:
            raise PermissionDenied
        try:
            with taken(token) as path, transaction.atomic():
                done = correct(entity, path, form)
                if done.pending:
                    record_corrections(request, entity, done, context["name"])
        except BadFile as error:
            fault = str(error)
        else:
            _tell(request, done)
            return HttpResponseRedirect(reverse("admin:staging_rows", args=[entity.pk]))
    return _page(request, entity, "upload_check", f"Check {context['name']}", **context, may=may, fault=fault)


def _tell(request: HttpRequest, done: Corrected) -> None:
    """Say what became of a corrected file."""
    if done.pending:
        rows = "1 row is" if done.pending == 1 else f"{done.pending:,} rows are"
        messages.success(request, f"{rows} pending again, {done.changed:,} of them with new values.")
    for rows_, why in (
        (done.moved, "changed since the export, by somebody else"),
        (done.gone, "not rejected any more"),
    ):
        if rows_:
            messages.warning(request, f"Not touched, because {why}: {_some(rows_)}.")
    if not (done.pending or done.moved or done.gone):
        messages.warning(request, "The file has a head and no rows; nothing was changed.")


def _some(ids: list[int]) -> str:
    numbers = ", ".join(map(str, ids[:_NAMED]))
    more = len(ids) - _NAMED
    return f"row{'' if len(ids) == 1 else 's'} {numbers}{f' and {more:,} more' if more > 0 else ''}"


def _entity(request: HttpRequest, entity_id: int) -> Entity:
    """Return the entity for somebody who may upload rows or mend them."""
    if not (request.user.has_perm(UPLOAD) or request.user.has_perm(MEND)):
        raise PermissionDenied
    return entity_for(request, entity_id, SEE)


def _page(request: HttpRequest, entity: Entity, template: str, title: str, **context: Any) -> HttpResponse:
    return TemplateResponse(
        request,
        f"admin/staging/rows/{template}.html",
        {**admin.site.each_context(request), "title": title, "entity": entity, **context},
    )


def _url(entity: Entity, page: str = "") -> str:
    return reverse(f"admin:staging_rows_upload{page}", args=[entity.pk])


def _salt(request: HttpRequest, entity: Entity) -> str:
    """Return what binds a kept file to the person and the entity it was chosen for."""
    return f"staging.upload.{entity.pk}.{request.user.pk}"
