"""Of which entities and plans a visitor may be told, for sentences about an order that others are in, too."""

from __future__ import annotations

from django.http import HttpRequest

from scheduling.models import Plan
from scheduling.plans.outline import Sight
from staging.models import Entity
from staging.pages import seen, sight


def sight_of(request: HttpRequest) -> Sight | None:
    """Return what this person may be told of; None: everything."""
    if sight(Entity, request) is None and sight(Plan, request) is None:
        return None
    entities = seen(Entity.objects.all(), request).values_list("code", flat=True)
    return Sight(frozenset(entities), frozenset(seen(Plan.objects.all(), request).values_list("name", flat=True)))
