"""Attributes changed safely: first what would happen, counted and in words, then, confirmed, all of it or nothing."""

from typing import Any

from django.contrib import admin, messages
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from staging.admin.access import entity_for
from staging.admin.attribute_form import AttributeChangeForm
from staging.admin.trail import record_attribute
from staging.entities.operations import change_attribute, foresee
from staging.errors import StagingError
from staging.models import Attribute, Entity
from staging.tables.guard import named_problems
from staging.tables.inspect import table_problems

CHANGE = "staging.change_entity"

_BUSY = "The database could not do this just now; nothing was changed. Please try again in a moment."


@require_safe
def attributes_view(request: HttpRequest, entity_id: int) -> HttpResponse:
    """List the attributes, retired ones last, each with the way to change it."""
    entity = entity_for(request, entity_id, CHANGE)
    attributes = sorted(entity.attributes.select_related("reference"), key=lambda attribute: attribute.is_cancelled)
    context = {"attributes": attributes, "table_problems": table_problems(entity)}
    return _page(request, entity, "list", f"Attributes of {entity.name}", context)


@require_http_methods(["GET", "POST"])
def attribute_view(request: HttpRequest, entity_id: int, attribute_id: int) -> HttpResponse:
    """Ask what the attribute shall be (GET), show what that would do (POST), and do it (POST, confirmed)."""
    entity = entity_for(request, entity_id, CHANGE)
    stored = get_object_or_404(entity.attributes.select_related("reference"), pk=attribute_id)
    wanted = get_object_or_404(Attribute.objects.select_related("entity", "reference"), pk=attribute_id)
    form = AttributeChangeForm(request.POST if request.method == "POST" else None, instance=wanted)
    title = f"Change {stored.name} of {entity.name}"
    context: dict[str, Any] = {"attribute": stored, "form": form}
    if not form.is_valid():
        return _page(request, entity, "change", title, context)
    if request.POST.get("confirmed") == "yes":
        return _change(request, entity, stored, form)
    return _page(request, entity, "confirm", title, context | _foreseen(entity, form))


def _foreseen(entity: Entity, form: AttributeChangeForm) -> dict[str, Any]:
    """Return what would happen, or why that cannot be said."""
    try:
        with named_problems(entity):
            return {"foreseen": foresee(form.instance)}
    except StagingError as error:
        return {"problem": str(error)}
    except DatabaseError:
        return {"problem": _BUSY}


def _change(request: HttpRequest, entity: Entity, stored: Attribute, form: AttributeChangeForm) -> HttpResponse:
    try:
        change_attribute(form.instance)
    except (StagingError, DatabaseError) as error:
        messages.error(request, str(error) if isinstance(error, StagingError) else _BUSY)
        return HttpResponseRedirect(request.path)
    record_attribute(request, entity, stored.name, form.changed_data)
    messages.success(request, f"Attribute {form.instance.name} of {entity.name} was changed.")
    return HttpResponseRedirect(reverse("admin:staging_attributes", args=[entity.pk]))


def _page(request: HttpRequest, entity: Entity, name: str, title: str, context: dict[str, Any]) -> HttpResponse:
    everywhere = {**admin.site.each_context(request), "entity": entity, "title": title}
    return TemplateResponse(request, f"admin/staging/attributes/{name}.html", {**everywhere, **context})
