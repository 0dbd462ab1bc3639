"""Attributes changed safely: first what would happen, counted and in words, then, confirmed, all of it or nothing."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.core.exceptions import NON_FIELD_ERRORS
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from staging.admin.access import BUSY, get_entity, get_with_attributes
from staging.admin.entities.forms import AttributeForm, referable
from staging.entities.operations import LIMITS, attribute_errors, change_attribute, foresee
from staging.errors import StagingError
from staging.models import Attribute, Entity
from staging.pages import ASK, is_confirmed, page, shown, told
from staging.rights import Entities, reach
from staging.tables.columns import named_problems, table_problems
from staging.uploads.trail import doer, record_attribute
from staging.versions.reasons import missing
from staging.wording import say

FIELDS = ("name", "data_type", "reference", "required", "unique", *LIMITS, "is_cancelled")


class AttributeChangeForm(AttributeForm):
    """An attribute as it shall be; nothing is stored here."""

    class Meta:
        model = Attribute
        fields = FIELDS
        labels = {"is_cancelled": _("Retired"), "data_type": _("Type"), "reference": _("Refers to")}
        help_texts = {
            "name": _("Column name in both tables; deliveries have to use the new one."),
            "is_cancelled": _("No longer checked, merged or shown; its values stay and can be brought back."),
        }

    def __init__(self, *args: Any, seen: Entities, **kwargs: Any):
        super().__init__(*args, **kwargs)
        reference = self.fields["reference"]
        if isinstance(reference, forms.ModelChoiceField):
            reference.queryset = referable(self.instance.entity, seen).order_by("name")
        self.fields["name"].disabled = False
        self.fields["name"].help_text = self.Meta.help_texts["name"]

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        if self.errors:
            return
        for field, texts in attribute_errors(self.instance).items():
            self.add_error(field if field in self.fields else NON_FIELD_ERRORS, texts)


CHANGE = "staging.change_entity"


@page(CHANGE)
def attributes_view(model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int) -> HttpResponse:
    """List the attributes, retired ones last, each with the way to change it."""
    entity = get_with_attributes(entity_id)
    attributes = sorted(entity.known_attributes, key=lambda attribute: attribute.is_cancelled)
    return shown(
        model_admin,
        request,
        "admin/staging/attributes/list.html",
        title=say("Attributes of {entity}", entity=entity.name),
        entity=entity,
        attributes=attributes,
        table_problems=table_problems(entity),
    )


@page(CHANGE, methods=ASK)
def attribute_view(
    model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int, attribute_id: int
) -> HttpResponse:
    """Ask what the attribute shall be (GET), show what that would do (POST), and do it (POST, confirmed)."""
    entity = get_entity(entity_id)
    stored = get_object_or_404(entity.attributes.select_related("reference"), pk=attribute_id)
    wanted = get_object_or_404(Attribute.objects.select_related("entity", "reference"), pk=attribute_id)
    sees = reach(request.user, "staging.view_entity")
    form = AttributeChangeForm(request.POST if request.method == "POST" else None, instance=wanted, seen=sees)
    title = say("Change {attribute} of {entity}", attribute=stored.name, entity=entity.name)
    context: dict[str, Any] = {"title": title, "attribute": stored, "form": form}
    if not form.is_valid():
        return shown(model_admin, request, "admin/staging/attributes/change.html", entity=entity, **context)
    fault = missing(request) if is_confirmed(request) else ""
    if fault:
        messages.error(request, fault)
    elif is_confirmed(request):
        return _change(request, entity, stored, form)
    context |= _foreseen(entity, form)
    return shown(model_admin, request, "admin/staging/attributes/confirm.html", entity=entity, **context)


def _foreseen(entity: Entity, form: AttributeChangeForm) -> dict[str, Any]:
    """Return what would happen, or why that cannot be said."""
    try:
        with named_problems(entity):
            return {"foreseen": foresee(form.instance)}
    except StagingError as error:
        return {"problem": str(error)}
    except DatabaseError:
        return {"problem": say(BUSY)}


def _change(request: HttpRequest, entity: Entity, stored: Attribute, form: AttributeChangeForm) -> HttpResponse:
    try:
        change_attribute(form.instance)
    except (StagingError, DatabaseError) as error:
        why = str(error) if isinstance(error, StagingError) else say(BUSY)
        return told(request, why, request.path, messages.ERROR)
    record_attribute(doer(request), entity, stored.name, form.changed_data)
    text = say("Attribute {attribute} of {entity} was changed.", attribute=form.instance.name, entity=entity.name)
    return told(request, text, reverse("admin:staging_attributes", args=[entity.pk]))
