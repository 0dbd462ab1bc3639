"""What filter bars share: the entity or other subject that one names, and where a day begins."""

from datetime import date, datetime, time
from typing import Any

from django.db.models import Q, Subquery
from django.utils.timezone import get_current_timezone

from scheduling.models import Job, Plan
from staging.models import Entity


def entity_named(text: str) -> Subquery:
    """Return the id of the entity with this code or name as a scalar subquery: no join, so the list's order stays."""
    found = Entity.objects.filter(Q(code__iexact=text) | Q(name__iexact=text)).order_by("pk")
    return Subquery(found.values("pk")[:1])


def subject_named(text: str) -> dict[str, Any]:
    """Return the column and the value by which the log finds an entity, "plan Nightly" or "job Report"."""
    kind, _, name = text.partition(" ")
    if kind.lower() == "plan" and name:
        return {"plan_id": Subquery(Plan.objects.filter(name__iexact=name).order_by("pk").values("pk")[:1])}
    if kind.lower() == "job" and name:
        return {"job_id": Subquery(Job.objects.filter(name__iexact=name).order_by("pk").values("pk")[:1])}
    return {"entity_id": entity_named(text)}


def midnight(day: date) -> datetime:
    """Return the instant at which a day begins in the site's zone."""
    return datetime.combine(day, time(), get_current_timezone())
