"""The delivery contract as a page to read or print, and as the JSON document that programs read."""

from django.contrib import admin, messages
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_safe

from staging.admin.access import SEE, entity_for
from staging.entities.contract import MOST_CODES, delivery_contract
from staging.errors import StagingError
from staging.models import Entity

_UNREADABLE = "The database could not read this in time. Please try again in a moment."


@require_safe
def contract_view(request: HttpRequest, entity_id: int) -> HttpResponse:
    """Show the contract of an entity; with `?as=json` as one JSON document."""
    entity = entity_for(request, entity_id, SEE)
    try:
        contract = delivery_contract(entity)
    except (StagingError, DatabaseError) as error:
        messages.error(request, str(error) if isinstance(error, StagingError) else _UNREADABLE)
        return HttpResponseRedirect(reverse("admin:staging_rows", args=[entity.pk]))
    if request.GET.get("as") == "json":
        return JsonResponse(contract, json_dumps_params={"ensure_ascii": False, "indent": 2})
    for group in contract["last_errors"]:
        group["newest_at"] = parse_datetime(group["newest_at"]) if group["newest_at"] else None
    codes = [column["codes"]["entity"] for column in contract["columns"] if column["codes"]]
    targets = dict(Entity.objects.filter(code__in=codes).values_list("code", "pk"))
    for column in contract["columns"]:
        if column["codes"]:
            column["codes"]["pk"] = targets.get(column["codes"]["entity"])
    context = {"entity": entity, "contract": contract, "most_codes": MOST_CODES}
    title = f"Delivery contract of {entity.name}"
    return TemplateResponse(
        request,
        "admin/staging/entity/contract.html",
        {**admin.site.each_context(request), "title": title, **context},
    )
