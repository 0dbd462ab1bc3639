"""Uploading a file into staging: choose it, see what is in it and where it goes, deposit it. Nothing before that."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.core import signing
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from staging.admin.access import MEND, SEE, UPLOAD, get_entity, rows_page
from staging.errors import BadFile
from staging.models import Entity
from staging.pages import ASK, insist, may, shown, told, warned
from staging.tables.held import newest_row
from staging.uploads.columns import is_correction, known_names, remember_mapping, suggest, targets, unknown
from staging.uploads.correct import Corrected, correct
from staging.uploads.deposit import deposit
from staging.uploads.kept import KEPT_FOR, keep_file, kept, let_go, taken
from staging.uploads.quota import was_too_big
from staging.uploads.reading.detect import detect
from staging.uploads.reading.formats import Delimiter, Encoding, FileKind, Format
from staging.uploads.reading.limits import too_big
from staging.uploads.reading.read import first_rows
from staging.uploads.trail import doer, record_corrections, record_handling, record_upload
from staging.wording import counted, say

_CHECK = "admin/staging/rows/upload_check.html"
_SHOWN = 10
_NAMED = 20  # rows that a message names


@rows_page(SEE, methods=ASK)
def upload_view(model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int) -> HttpResponse:
    """Take a file (POST) and lead on to what is in it; what cannot be read is said at the field."""
    insist(may(model_admin, request, UPLOAD) or may(model_admin, request, MEND))
    entity = get_entity(entity_id)
    form = FileForm(request.POST, request.FILES) if request.method == "POST" else FileForm()
    if was_too_big(request):
        form.fields["file"].error_messages["required"] = too_big()
    if form.is_valid():
        file, token = form.cleaned_data["file"], ""
        try:
            token = keep_file(file.chunks(), request.user.pk or 0)
            detect(kept(token), known_names(entity))
        except BadFile as error:
            let_go(token)
            form.add_error("file", str(error))
        else:
            signed = signing.dumps([token, file.name], salt=_salt(request, entity))
            return HttpResponseRedirect(f"{_url(entity, '_check')}?{urlencode({'file': signed})}")
    title = say("Upload rows of {entity}", entity=entity.name)
    return shown(model_admin, request, "admin/staging/rows/upload.html", title=title, entity=entity, form=form)


@rows_page(SEE, methods=ASK)
def check_view(model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int) -> HttpResponse:
    """Show the first rows and where they go (GET), and deposit the file or take its corrections (POST)."""
    insist(may(model_admin, request, UPLOAD) or may(model_admin, request, MEND))
    entity = get_entity(entity_id)
    try:
        token, name = signing.loads(request.GET.get("file", ""), salt=_salt(request, entity), max_age=KEPT_FOR)
        found = detect(kept(token), known_names(entity))
    except (signing.BadSignature, BadFile) as error:
        text = str(error) if isinstance(error, BadFile) else say("The file is no longer kept. Choose it again.")
        return told(request, text, _url(entity), messages.ERROR)
    reading = ReadingForm(found, request.GET)
    context: dict[str, Any] = {
        "entity": entity,
        "title": say("Check {file}", file=name),
        "file": request.GET["file"],
        "name": name,
    }
    context |= {"kind": found.kind.label, "reading": reading}
    try:
        columns, rows = first_rows(kept(token), reading.format(), _SHOWN)
    except BadFile as error:
        return shown(model_admin, request, _CHECK, fault=str(error), **context)
    lines = [(row, list(zip(columns, row.cells, strict=True))) for row in rows]
    context |= {"columns": columns, "rows": lines, "is_correction": is_correction(columns)}
    store = _corrections if context["is_correction"] else _deposit
    return store(model_admin, request, token, reading.format(), context)


def _deposit(
    model_admin: ModelAdmin[Entity], request: HttpRequest, token: str, form: Format, context: dict[str, Any]
) -> HttpResponse:
    """Show or store rows for the next batch."""
    entity, name = context["entity"], context["name"]
    suggested = suggest(entity, context["columns"])
    data = request.POST if request.method == "POST" else None
    initial = {"tag": Path(name).stem[:200]}
    mapping = MappingForm(entity, context["columns"], suggested, data, initial=initial)
    may_upload, fault = may(model_admin, request, UPLOAD), ""
    insist(data is None or may_upload)
    if mapping.is_valid():
        tag, chosen, before = mapping.cleaned_data["tag"].strip(), mapping.mapping(), newest_row(entity)

        def also(count: int) -> None:
            record_handling(doer(request), entity, before + 1, newest_row(entity))
            remember_mapping(entity, chosen)
            record_upload(doer(request), entity, count, name, tag)

        try:
            with taken(token) as path:
                count = deposit(entity, path, form, chosen, tag, also)
        except BadFile as error:
            fault = str(error)
        else:
            return _deposited(request, entity, count, name)
    lines = [(mapping[f"to_{at}"], [row.cells[at] for row, _ in context["rows"][:3]]) for at in range(len(suggested))]
    context |= {"mapping": mapping, "lines": lines, "unknown": unknown(entity, suggested)}
    context["missing"] = [target for target in targets(entity) if target not in suggested.values()]
    return shown(model_admin, request, _CHECK, **context, may=may_upload, fault=fault)


def _deposited(request: HttpRequest, entity: Entity, count: int, name: str) -> HttpResponse:
    waiting = f"{reverse('admin:staging_rows', args=[entity.pk])}?status=waiting"
    if not count:
        return warned(request, say("{file} has a head and no rows; nothing was stored.", file=name), waiting)
    text = say("{rows} of {file} wait for the next batch.", rows=counted(count, "row", "rows"), file=name)
    return told(request, text, waiting)


def _corrections(
    model_admin: ModelAdmin[Entity], request: HttpRequest, token: str, form: Format, context: dict[str, Any]
) -> HttpResponse:
    """Show or store corrections of rejected rows."""
    entity, may_mend, fault = context["entity"], may(model_admin, request, MEND), ""
    if request.method == "POST":
        insist(may_mend)
        try:
            with taken(token) as path, transaction.atomic():
                done = correct(entity, path, form)
                if done.pending:
                    record_corrections(doer(request), entity, done, context["name"])
        except BadFile as error:
            fault = str(error)
        else:
            _tell(request, done)
            return HttpResponseRedirect(reverse("admin:staging_rows", args=[entity.pk]))
    return shown(model_admin, request, _CHECK, **context, may=may_mend, fault=fault)


def _tell(request: HttpRequest, done: Corrected) -> None:
    """Say what became of a corrected file."""
    if done.pending:
        pending = counted(done.pending, "row is pending again", "rows are pending again")
        messages.success(
            request, say("{pending}, {changed:,} of them with new values.", pending=pending, changed=done.changed)
        )
    if done.moved:
        moved = say("Not touched, because changed since the export, by somebody else: {rows}.", rows=_some(done.moved))
        messages.warning(request, moved)
    if done.gone:
        messages.warning(request, say("Not touched, because not rejected any more: {rows}.", rows=_some(done.gone)))
    if not (done.pending or done.moved or done.gone):
        messages.warning(request, say("The file has a head and no rows; nothing was changed."))


def _some(ids: list[int]) -> str:
    numbers = ", ".join(map(str, ids[:_NAMED]))
    more = len(ids) - _NAMED
    if more > 0:
        return say("rows {numbers} and {more:,} more", numbers=numbers, more=more)
    return say("row {number}", number=numbers) if len(ids) == 1 else say("rows {numbers}", numbers=numbers)


def _url(entity: Entity, page: str = "") -> str:
    return reverse(f"admin:staging_rows_upload{page}", args=[entity.pk])


def _salt(request: HttpRequest, entity: Entity) -> str:
    """Return what binds a kept file to the person and the entity it was chosen for."""
    return f"staging.upload.{entity.pk}.{request.user.pk}"


class FileForm(forms.Form):
    """The file to look at first; nothing of it is staged yet."""

    file = forms.FileField(
        label=_("File"),
        allow_empty_file=True,
        help_text=_("CSV, an Excel workbook (.xlsx) or JSON lines. You see what is in it before anything is stored."),
        error_messages={"required": _("Choose a file.")},
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx,.jsonl,.ndjson,.json"}),
    )


class ReadingForm(forms.Form):
    """How the file is read; what was found out is chosen already."""

    encoding = forms.ChoiceField(label=_("Encoding"), choices=[(one.name, one.label) for one in Encoding])
    delimiter = forms.ChoiceField(label=_("Delimiter"), choices=[(one.name, capfirst(one.label)) for one in Delimiter])
    head = forms.ChoiceField(
        label=_("First line"), choices=[("yes", _("names the columns")), ("no", _("is a row like the others"))]
    )

    def __init__(self, found: Format, data: Mapping[str, Any]):
        chosen = {
            "encoding": data.get("encoding") or found.encoding.name,
            "delimiter": data.get("delimiter") or found.delimiter.name,
            "head": data.get("head") or ("yes" if found.has_header else "no"),
        }
        super().__init__(chosen)
        self.found = found
        if found.kind != FileKind.CSV:
            del self.fields["delimiter"]
        if found.kind == FileKind.XLSX:
            del self.fields["encoding"]
        if found.kind == FileKind.JSON_LINES:
            del self.fields["head"]

    def format(self) -> Format:
        """Return what was chosen; what was found out stands in the place of anything that is no choice."""
        self.full_clean()
        values = self.cleaned_data
        return Format(
            self.found.kind,
            Encoding[values["encoding"]] if "encoding" in values else self.found.encoding,
            Delimiter[values["delimiter"]] if "delimiter" in values else self.found.delimiter,
            values["head"] == "yes" if "head" in values else self.found.has_header,
        )


class MappingForm(forms.Form):
    """Where each column of the file goes, and the batch tag of its rows."""

    tag = forms.CharField(
        label=_("Batch tag"),
        required=False,
        max_length=200,
        help_text=_("Names this delivery, so that a batch can take its rows alone and you find them again."),
        widget=forms.TextInput(attrs={"size": 40, "autocomplete": "off"}),
    )

    def __init__(self, entity: Entity, columns: list[str], suggested: Mapping[str, str], data: Any = None, **more: Any):
        super().__init__(data, **more)
        self.columns = columns
        choices = [("", say("leave out")), *((name, name) for name in targets(entity))]
        for place, column in enumerate(columns):
            self.fields[f"to_{place}"] = forms.ChoiceField(
                label=column, required=False, choices=choices, initial=suggested.get(column, "")
            )

    def mapping(self) -> dict[str, str]:
        """Return the staged column of each column of the file."""
        return {column: self.cleaned_data[f"to_{place}"] for place, column in enumerate(self.columns)}
