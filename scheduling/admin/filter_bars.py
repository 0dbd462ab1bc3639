"""What filter bars share: how one is read, the entity or other subject that one names, and where a day begins."""

from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any, ClassVar

from django import forms
from django.db.models import Model, Q, Subquery
from django.http import QueryDict
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext_lazy as _

from scheduling.models import Job, Plan
from staging.models import Entity

WHOSE = [("", _("everybody’s")), ("yes", _("mine"))]


class FilterBar(forms.Form):
    """What narrows a list, read from its address; what is not valid is shown at its field and does not filter."""

    defaults: ClassVar[Mapping[str, str]] = {}  # what counts where nothing is asked

    def __init__(self, params: QueryDict):
        """Read `params`."""
        super().__init__({name: params.get(name) or self.defaults.get(name, "") for name in self.base_fields})
        self.narrow()
        self.full_clean()

    def narrow(self) -> None:
        """Offer less than everything, where that depends on who asks."""

    @property
    def asked(self) -> dict[str, str]:
        """Return the valid, non-empty choices, for links that keep them."""
        values = self.cleaned_data.items()
        return {name: str(value.pk if isinstance(value, Model) else value) for name, value in values if value}


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
