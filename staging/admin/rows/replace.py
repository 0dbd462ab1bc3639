"""Replaces one value in all rejected rows of a kind: choose the value, see how many rows have it, confirm."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.core import signing
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from staging.admin.access import MEND, SEE, get_entity, rows_page
from staging.admin.rows.list import meaning, number_of
from staging.errors import StagingError
from staging.models import Entity
from staging.pages import ASK, is_confirmed, shown, told, warned
from staging.tables.mending import common_values, count_value, replace_value, replaceable_columns
from staging.tables.rows import rejected_groups
from staging.tables.sentences import by_column
from staging.uploads.trail import doer, record_replacement
from staging.wording import counted, say

_SALT = "staging.replace"


class ReplaceForm(forms.Form):
    """The value to replace, signed because browsers change line ends, and the one to put in its place."""

    old = forms.CharField(widget=forms.HiddenInput, error_messages={"required": _("Choose the value to replace.")})
    new = forms.CharField(
        required=False,
        strip=False,
        label=_("Replace by"),
        widget=forms.TextInput(attrs={"size": 40, "autocomplete": "off", "spellcheck": "false"}),
        help_text=_("Empty: the value is taken out."),
    )

    def clean_old(self) -> str:
        """Return the value as it is staged."""
        try:
            return str(signing.loads(self.cleaned_data["old"], salt=_SALT))
        except signing.BadSignature as error:
            raise forms.ValidationError(say("Choose the value again.")) from error

    def clean(self) -> dict[str, Any]:
        """Refuse to replace a value by itself."""
        found = super().clean() or {}
        if "old" in found and found["old"] == found.get("new"):
            self.add_error("new", say("This is the value that is there already."))
        return found


@rows_page(SEE, MEND, methods=ASK)
def replace_view(model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int) -> HttpResponse:
    """Show the values of a column (GET), how many rows would change (POST), and change them (POST, confirmed)."""
    entity = get_entity(entity_id)
    bit = number_of(request, "bit")
    if bit is None:
        return HttpResponseRedirect(reverse("admin:staging_rows", args=[entity.pk]))
    text, columns = meaning(bit), _columns(entity, bit)
    column = request.POST.get("column") or request.GET.get("column") or columns[0]
    if column not in columns:
        raise Http404(say("There is no column {column!r}.", column=column))
    form = ReplaceForm(request.POST) if request.method == "POST" else None
    context: dict[str, Any] = {"entity": entity, "bit": bit, "meaning": text, "columns": columns, "column": column}
    if form is None or not form.is_valid():
        context |= _choices(entity, form, context)
    elif is_confirmed(request):
        return _replace(request, entity, bit, column, form.cleaned_data)
    else:
        context |= _question(entity, form, context)
    title = say("Replace a value in rejected rows of {entity}", entity=entity.name)
    return shown(model_admin, request, "admin/staging/rows/replace.html", title=title, **context)


def _choices(entity: Entity, form: ReplaceForm | None, context: dict[str, Any]) -> dict[str, Any]:
    """Return the values to choose from."""
    values = common_values(entity, context["column"], context["bit"])
    choices = [(signing.dumps(found.value, salt=_SALT), found) for found in values]
    return {"form": form or ReplaceForm(), "choices": choices}


def _question(entity: Entity, form: ReplaceForm, context: dict[str, Any]) -> dict[str, Any]:
    """Return how many rows would change; what cannot be stored is said at its field."""
    old, new = form.cleaned_data["old"], form.cleaned_data["new"]
    count = count_value(entity, context["column"], old, context["bit"])
    return {"form": form, "old": old, "new": new, "count": count, "confirming": True}


def _replace(request: HttpRequest, entity: Entity, bit: int, column: str, found: dict[str, str]) -> HttpResponse:
    try:
        with transaction.atomic():
            count = replace_value(entity, column, found["old"], found["new"], bit)
            if count:
                record_replacement(doer(request), entity, count, column, found["old"], found["new"])
    except StagingError as error:
        return told(request, str(error), f"{request.path}?bit={bit}&column={column}", messages.ERROR)
    rejected = reverse("admin:staging_rows", args=[entity.pk])
    if not count:
        return warned(request, say("No rejected row has this value any more; nothing was changed."), rejected)
    rows = counted(count, "row", "rows")
    one = say("{rows} has a new value in {column} and is pending again.", rows=rows, column=column)
    many = say("{rows} have a new value in {column} and are pending again.", rows=rows, column=column)
    return told(request, one if count == 1 else many, rejected)


def _columns(entity: Entity, bit: int) -> list[str]:
    """Return the columns in which a value can be replaced, first those that the newest such error names."""
    columns = replaceable_columns(entity)
    example = next((group.example_message for group in rejected_groups(entity) if group.bit == bit), "")
    named = [column for column in by_column(example, columns) if column]
    return [*named, *(column for column in columns if column not in named)]
