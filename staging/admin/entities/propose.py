"""Attributes proposed from a file or a pasted head: read, shown to be corrected, and added when confirmed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from staging.admin.access import BUSY, get_entity
from staging.entities.save import save_entity
from staging.errors import BadFile, InvalidDefinition, StagingError
from staging.models import Attribute, Entity
from staging.models.entity import CODE_VALIDATOR
from staging.pages import ASK, is_confirmed, page, shown, told
from staging.states import DataType
from staging.uploads.columns import targets
from staging.uploads.guess import MOST, Proposal, propose
from staging.uploads.kept import keep_file, kept, let_go
from staging.uploads.quota import was_too_big
from staging.uploads.reading.limits import too_big
from staging.versions.reasons import missing
from staging.wording import counted, said_together, say

_PASTED = 1_000_000  # characters
# A reference needs a target: it is chosen afterwards, with "Change attributes safely".
_TYPES = [(kind.value, kind.label) for kind in DataType if kind != DataType.REFERENCE]


class SourceForm(forms.Form):
    """What names the columns: a file, or text that was copied out of one."""

    file = forms.FileField(
        label=_("File"),
        required=False,
        allow_empty_file=True,
        help_text=_("CSV, an Excel workbook (.xlsx) or JSON lines; choose it or drop it here. No row of it is stored."),
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx,.jsonl,.ndjson,.json"}),
    )
    text = forms.CharField(
        label=_("Or paste here"),
        required=False,
        max_length=_PASTED,
        strip=False,
        help_text=_("The line with the names of the columns, and some rows below it if there are any."),
        widget=forms.Textarea(attrs={"rows": 6, "cols": 80, "spellcheck": "false"}),
    )

    def pieces(self) -> Iterable[bytes]:
        """Return the bytes to read; the file counts when there are both."""
        if self.cleaned_data["file"]:
            return self.cleaned_data["file"].chunks()
        return [self.cleaned_data["text"].encode()]

    def clean(self) -> dict[str, Any]:
        """Ask for one of the two."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors and not cleaned.get("file") and not (cleaned.get("text") or "").strip():
            raise forms.ValidationError(_("Choose a file, or paste the line with the names of the columns."))
        return cleaned


class ProposalForm(forms.Form):
    """One proposed attribute, to be corrected or left out."""

    add = forms.BooleanField(label=_("Add"), required=False, initial=True)
    header = forms.CharField(widget=forms.HiddenInput, required=False, strip=False)
    examples = forms.CharField(widget=forms.HiddenInput, required=False, strip=False)
    name = forms.CharField(label=_("Name"), max_length=40, validators=[CODE_VALIDATOR])
    data_type = forms.ChoiceField(label=_("Type"), choices=_TYPES)
    required = forms.BooleanField(label=_("Required"), required=False)


ProposalFormSet = forms.formset_factory(ProposalForm, extra=0, max_num=MOST, validate_max=True)


@page("staging.change_entity", methods=ASK)
def propose_view(model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int) -> HttpResponse:
    """Ask for a file or a head (GET), show what it suggests (POST), and add what is confirmed (POST)."""
    entity = get_entity(entity_id)
    if is_confirmed(request):
        return _add(model_admin, request, entity, ProposalFormSet(request.POST))
    form = SourceForm(request.POST, request.FILES) if request.method == "POST" else SourceForm()
    if was_too_big(request):
        form.add_error("file", too_big())
    elif form.is_valid():
        try:
            found = _read(request, entity, form)
        except BadFile as error:
            form.add_error("file" if form.cleaned_data["file"] else "text", str(error))
        else:
            return _shown(model_admin, request, entity, ProposalFormSet(initial=[vars(one) for one in found]))
    title = say("Propose attributes of {entity}", entity=entity.name)
    template = "admin/staging/attributes/propose.html"
    return shown(model_admin, request, template, title=title, entity=entity, form=form)


def _read(request: HttpRequest, entity: Entity, form: SourceForm) -> list[Proposal]:
    token = keep_file(form.pieces(), request.user.pk or 0)
    try:
        return propose(kept(token), _known(entity))
    finally:
        let_go(token)


def _known(entity: Entity) -> set[str]:
    """Return the columns that deliveries have already, and the names that retired attributes keep."""
    return {*targets(entity), *entity.attributes.values_list("name", flat=True)}


def _shown(
    model_admin: ModelAdmin[Entity], request: HttpRequest, entity: Entity, formset: Any, problem: str = ""
) -> HttpResponse:
    return shown(
        model_admin,
        request,
        "admin/staging/attributes/proposed.html",
        title=say("Attributes to add to {entity}", entity=entity.name),
        entity=entity,
        formset=formset,
        problem=problem,
    )


def _add(model_admin: ModelAdmin[Entity], request: HttpRequest, entity: Entity, formset: Any) -> HttpResponse:
    """Add what is ticked, all of it or nothing; what is wrong is shown at its row."""
    if not formset.is_valid():
        return _shown(model_admin, request, entity, formset, said_together(*map(str, formset.non_form_errors())))
    if fault := missing(request):
        return _shown(model_admin, request, entity, formset, fault)
    chosen = [form for form in formset if form.cleaned_data["add"]]
    if not chosen:
        return _shown(model_admin, request, entity, formset, say("Tick at least one attribute."))
    known = _known(entity)
    for form in chosen:
        name = form.cleaned_data["name"]
        if name in known:
            form.add_error("name", say("There is a column of this name already; choose another one."))
        known.add(name)
    if any(form.errors for form in chosen):
        return _shown(model_admin, request, entity, formset)
    try:
        names = _store(entity, [form.cleaned_data for form in chosen])
    except InvalidDefinition as error:
        return _shown(model_admin, request, entity, formset, _place(chosen, error))
    except (StagingError, DatabaseError) as error:
        why = str(error) if isinstance(error, StagingError) else say(BUSY)
        return _shown(model_admin, request, entity, formset, why)
    model_admin.log_change(request, entity, [{"added": {"name": "attribute", "object": ", ".join(names)}}])
    text = say(
        "{attributes} of {entity} added.", attributes=counted(len(names), "attribute", "attributes"), entity=entity.name
    )
    return told(request, text, reverse("admin:staging_entity_next", args=[entity.pk]), messages.SUCCESS)


def _store(entity: Entity, chosen: list[dict[str, Any]]) -> list[str]:
    last = max(entity.attributes.values_list("position", flat=True), default=0)
    new = [
        Attribute(name=one["name"], data_type=one["data_type"], required=one["required"], position=last + at)
        for at, one in enumerate(chosen, start=1)
    ]
    save_entity(entity, new)
    return [attribute.name for attribute in new]


def _place(chosen: list[Any], error: InvalidDefinition) -> str:
    """Show at each row what is wrong there; return what has no row."""
    rest: list[str] = []
    for path, texts in error.errors.items():
        parts = path.split(".")
        if parts[0] == "attributes" and len(parts) > 1 and parts[1].isdigit():
            field = parts[2] if len(parts) > 2 and parts[2] in chosen[int(parts[1])].fields else None
            chosen[int(parts[1])].add_error(field, texts)
        else:
            rest += texts
    return said_together(*rest)
