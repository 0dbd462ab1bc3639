"""One member: its values with links to what they refer to, who refers to it, and what it was before."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import ModelAdmin
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode

from staging.admin.access import SEE, get_entity
from staging.admin.rows import whole_number
from staging.errors import StagingError
from staging.members.columns import attribute_columns
from staging.members.member import Referring, get_member, referring
from staging.members.story import member_changes
from staging.models import Batch, Entity
from staging.pages import page, shown

_CHANGES = 20
_UNREADABLE = "The database could not read this in time."


@page(SEE)
def member_view(model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int, member_id: int) -> HttpResponse:
    """Show a member, or what is left of one that was deleted: its history."""
    entity = get_entity(entity_id)
    if member_id >= 2**63:
        raise Http404("There is no such member.")
    before = whole_number(request, "before")
    context: dict[str, Any] = {"entity": entity, "before": before}
    try:
        context |= _content(entity, member_id, before)
    except StagingError as error:
        context |= {"title": f"Member of {entity.name}", "problem": str(error)}
    except DatabaseError:
        context |= {"title": f"Member of {entity.name}", "problem": _UNREADABLE}
    return shown(model_admin, request, "admin/staging/members/member.html", **context)


def _content(entity: Entity, member_id: int, before: int | None) -> dict[str, Any]:
    member = get_member(entity, member_id)
    changes = member_changes(entity, member_id, before_id=before, size=_CHANGES + 1)
    if member is None and not changes:
        raise Http404("There is no such member, and no history of one.")
    page = changes[:_CHANGES]
    batches = set(Batch.objects.filter(pk__in={change.batch_id for change in page}).values_list("pk", flat=True))
    named = member["code"] if member else _last_code(page)
    return {
        "title": f"{named} of {entity.name}",
        "subtitle": None if member is None or member["is_active"] else "Inactive",
        "member": member,
        "values": [(c.name, member[c.name]) for c in attribute_columns(entity)] if member else [],
        "referring": [(each, _list_of(each, member)) for each in referring(entity, member_id)] if member else [],
        "changes": page,
        "batches": batches,
        "older": page[-1].id if len(changes) > _CHANGES else None,
    }


def _list_of(each: Referring, member: dict[str, Any]) -> str:
    """Return the address of the list of members that refer to this one."""
    query = urlencode({"f": f"{each.attribute}:is:{member['code']}"})
    return f"{reverse('admin:staging_members', args=[each.entity.pk])}?{query}"


def _last_code(changes: list[Any]) -> str:
    found = (d.before or d.after for change in changes for d in change.differences if d.column == "code")
    return str(next(found, "A deleted member"))
