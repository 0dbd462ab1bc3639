"""What an entity depends on: chosen from a list, with the lineage it gives; kept with the entity, for every plan."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from scheduling.admin.plans.sight import sight_of
from scheduling.admin.schedules.finding import get_configuration, page_of
from scheduling.admin.schedules.pausing import write_history
from scheduling.dag.graph import CycleFound, hierarchy_lines, reach, restricted, reversed_graph
from scheduling.errors import InvalidPlan
from scheduling.models import SchedulerConfiguration
from scheduling.plans.outline import Sight, read_hierarchy
from scheduling.plans.save import save_dependencies
from staging.models import Entity
from staging.pages import ASK, insist, may, page, shown, sight, told
from staging.versions.reasons import missing
from staging.wording import say

_MOST_LINES = 100


class DependenciesForm(forms.Form):
    """The entities whose batches come first."""

    depends_on = forms.MultipleChoiceField(
        required=False, label=_("Its batches come after those of"), widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, data: Any, *, others: QuerySet[Entity], before: set[str]):
        """Offer the other entities; one that is cancelled only when it is chosen already."""
        super().__init__(data, initial={"depends_on": sorted(before)})
        self.fields["depends_on"].choices = [  # type: ignore[attr-defined]
            (other.code, f"{other.name} ({other.code})")
            for other in others
            if not other.is_cancelled or other.code in before
        ]


@page("view", methods=ASK)
def dependencies_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest, pk: int) -> HttpResponse:
    """Show what an entity depends on and its lineage (GET), and change it (POST)."""
    may_change = may(model_admin, request, "change")
    insist(may_change or request.method != "POST")
    configuration = get_configuration(pk)
    entity, hierarchy = configuration.entity, read_hierarchy()
    before = hierarchy.get(entity.code, set())
    others = _offered(request, before).exclude(pk=entity.pk).order_by("name")
    form = DependenciesForm(request.POST if request.method == "POST" else None, others=others, before=before)
    if form.is_valid() and (fault := missing(request)):
        form.add_error(None, fault)
    if form.is_valid() and _save(form, entity, sight_of(request)):
        chosen = ", ".join(form.cleaned_data["depends_on"]) or say("nothing")
        write_history(model_admin, request, configuration, say("Depends on: {chosen}", chosen=chosen))
        text = say("{entity} depends on {chosen}.", entity=entity.name, chosen=chosen)
        return told(request, text, page_of(model_admin, pk, "dependencies"), messages.INFO)
    return shown(
        model_admin,
        request,
        "scheduling/dependencies.html",
        title=say("What {entity} depends on", entity=entity.name),
        configuration=configuration,
        form=form,
        may_change=may_change,
        before=sorted(before),
        lineage=lineage(entity.code, _seen_part(hierarchy, request, {entity.code, *before})),
    )


def _offered(request: HttpRequest, before: set[str]) -> QuerySet[Entity]:
    """Return the entities that this person may see, and those that were chosen before."""
    ids = sight(Entity, request)
    return Entity.objects.all() if ids is None else Entity.objects.filter(Q(pk__in=ids) | Q(code__in=before))


def _seen_part(hierarchy: dict[str, set[str]], request: HttpRequest, named: set[str]) -> dict[str, set[str]]:
    """Return the hierarchy of what this person may see, and of what the entity itself names."""
    ids = sight(Entity, request)
    if ids is None:
        return hierarchy
    return restricted(hierarchy, named | set(Entity.objects.filter(pk__in=ids).values_list("code", flat=True)))


def lineage(code: str, hierarchy: dict[str, set[str]]) -> list[str]:
    """Return the lines of the hierarchy that go through an entity, whole ones only; none when it has a circle."""
    around = {code} | reach([code], hierarchy) | reach([code], reversed_graph(hierarchy))
    part = {node: priors & around for node, priors in hierarchy.items() if node in around}
    try:
        lines = hierarchy_lines(part or {code: set()})
    except CycleFound:
        return []
    through = [line for line in lines if code in line.split(" >>> ")]
    return [line for line in through if not any(other.startswith(f"{line} >>> ") for other in through)][:_MOST_LINES]


def _save(form: DependenciesForm, entity: Entity, told_of: Sight | None) -> bool:
    """Store what was chosen; False when the rules refuse it, and the form says why."""
    try:
        save_dependencies(entity, form.cleaned_data["depends_on"], sight=told_of)
    except InvalidPlan as error:
        form.add_error("depends_on", [ValidationError(text) for texts in error.errors.values() for text in texts])
        return False
    return True
