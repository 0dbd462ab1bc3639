"""The delivery contract as a page to read or print, and as the JSON document that programs read."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_noop

from staging.admin.access import SEE, get_with_attributes
from staging.entities.contract import MOST_CODES, delivery_contract
from staging.errors import StagingError
from staging.models import Entity
from staging.pages import page, shown, told
from staging.rights import Entities, reach, visible
from staging.wording import say

_UNREADABLE = gettext_noop("The database could not read this in time. Please try again in a moment.")


@page(SEE)
def contract_view(model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int) -> HttpResponse:
    """Show the contract of an entity; with `?as=json` as one JSON document."""
    entity = get_with_attributes(entity_id)
    try:
        contract = delivery_contract(entity)
    except (StagingError, DatabaseError) as error:
        why = str(error) if isinstance(error, StagingError) else say(_UNREADABLE)
        return told(request, why, reverse("admin:staging_rows", args=[entity.pk]), messages.ERROR)
    _leave_out_unseen(contract, reach(request.user, SEE))
    if request.GET.get("as") == "json":
        return JsonResponse(contract, json_dumps_params={"ensure_ascii": False, "indent": 2})
    for group in contract["last_errors"]:
        group["newest_at"] = parse_datetime(group["newest_at"]) if group["newest_at"] else None
    codes = [column["codes"]["entity"] for column in contract["columns"] if column["codes"]]
    targets = dict(Entity.objects.filter(code__in=codes).values_list("code", "pk"))
    for column in contract["columns"]:
        if column["codes"]:
            column["codes"]["pk"] = targets.get(column["codes"]["entity"])
    return shown(
        model_admin,
        request,
        "admin/staging/entity/contract.html",
        title=say("Delivery contract of {entity}", entity=entity.name),
        entity=entity,
        contract=contract,
        most_codes=MOST_CODES,
    )


def _leave_out_unseen(contract: dict[str, Any], ids: Entities) -> None:
    """Take the codes of entities out whose members this person may not see."""
    named = [column for column in contract["columns"] if column["codes"]]
    codes = [column["codes"]["entity"] for column in named]
    seen = set(visible(Entity.objects.filter(code__in=codes), ids).values_list("code", flat=True))
    for column in named:
        if column["codes"]["entity"] not in seen:
            column["codes"] = None
