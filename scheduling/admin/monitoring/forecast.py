"""The forecast page: what will run in the next hours or days, as a timeline and as a table, and when nothing does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django import forms
from django.contrib.admin import ModelAdmin
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.filter_bars import WHOSE
from scheduling.admin.keyset import link
from scheduling.admin.monitoring.forecast_drawing import MARKS, draw
from scheduling.forecast.forecast import forecast
from scheduling.forecast.values import RUNS, ExpectedFire, Forecast, WhenDataArrives
from scheduling.models import SchedulerConfiguration
from scheduling.schedules.responsibility import own_whats
from staging.pages import page, shown, sight
from staging.wording import counted, say

_SPANS = {"24h": timedelta(hours=24), "7d": timedelta(days=7)}
_DEFAULT = "24h"
_PAGE_SIZE = 100
_MOST = 5_000  # slots that one page looks at; a note says when there are more
_MOST_QUIET = 20


class SpanForm(forms.Form):
    """How far ahead, of which entities, and of whom."""

    span = forms.ChoiceField(
        required=False, label=_("Look ahead"), choices=[("24h", _("next 24 hours")), ("7d", _("next 7 days"))]
    )
    entity = forms.CharField(
        label=_("Entity"),
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"placeholder": _("code or name")}),
    )
    mine = forms.ChoiceField(required=False, label=_("Owner"), choices=WHOSE)

    def __init__(self, params: Mapping[str, str]):
        """Read `params`; nothing asked for is the next 24 hours of all entities."""
        asked = {name: params.get(name, "") for name in ("entity", "mine")}
        super().__init__({"span": params.get("span") or _DEFAULT, **asked})
        self.full_clean()

    def length(self) -> timedelta:
        """Return how far to look."""
        return _SPANS.get(self.cleaned_data.get("span", ""), _SPANS[_DEFAULT])


@dataclass(frozen=True)
class Owner:
    """Whose slots these are: the name people know, and the key of its page."""

    name: str
    configuration_id: int | None


@page("view")
def forecast_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponse:
    """Show the forecast from now. Writes nothing."""
    now, params = clock.now(), request.GET.dict()
    form = SpanForm(params)
    ids = sight(SchedulerConfiguration, request)
    everything = forecast(now, now + form.length(), now=now, most=_MOST, of=ids)
    owners = _owners(everything)
    found = _of(everything, owners, form.cleaned_data.get("entity", ""))
    if form.cleaned_data.get("mine"):
        found = found.only(own_whats(request.user))
    names = {what: owner.name for what, owner in owners.items()}
    drawing, left_out = draw(found, get_current_timezone(), names)
    page = Paginator(found.fires, _PAGE_SIZE).get_page(params.get("page"))
    return shown(
        model_admin,
        request,
        "scheduling/forecast.html",
        title=say("Forecast"),
        form=form,
        found=found,
        drawing=drawing,
        lanes_left_out=left_out,
        marks=MARKS.items(),
        summary=_summary(found),
        running=[(fire, owners[fire.what]) for fire in found.running],
        fires=[(fire, owners[fire.what]) for fire in page.object_list],
        waiting=[(entry, owners[entry.what]) for entry in found.when_data_arrives],
        quiet=found.quiet[:_MOST_QUIET],
        quiet_left=max(len(found.quiet) - _MOST_QUIET, 0),
        page=page,
        earlier_url=link(params, page=str(page.number - 1)) if page.has_previous() else "",
        later_url=link(params, page=str(page.number + 1)) if page.has_next() else "",
        now=now,
    )


def _owners(found: Forecast) -> dict[str, Owner]:
    """Return the owner of each code in the forecast; one query."""
    entries: list[ExpectedFire | WhenDataArrives] = [*found.running, *found.fires, *found.when_data_arrives]
    ids = {entry.entity_id for entry in entries if entry.entity_id is not None}
    known = SchedulerConfiguration.objects.filter(entity_id__in=ids).select_related("entity")
    owners = {one.entity.code: Owner(one.entity.name, one.pk) for one in known}
    return {entry.what: owners.get(entry.what, Owner(entry.what, None)) for entry in entries}


def _of(found: Forecast, owners: dict[str, Owner], words: str) -> Forecast:
    """Return what belongs to the entities whose code or name has these words; load and quiet times stay of all."""
    if not words:
        return found
    wanted = {what for what, owner in owners.items() if words.lower() in f"{what} {owner.name}".lower()}
    return found.only(wanted)


def _summary(found: Forecast) -> str:
    """Return the drawing in one sentence, for those who do not see it."""
    runs: list[ExpectedFire] = [fire for fire in found.fires if fire.state in RUNS]
    others = len(found.fires) - len(runs)
    peak = max((load.peak for load in found.load), default=0)
    owners = len({fire.what for fire in runs})
    left_out = say("{slots} not run; ", slots=counted(others, "slot does", "slots do")) if others else ""
    return say(
        "{runs} of {entities}; {left_out}at most {peak:,} at once in one queue; {quiet}.",
        runs=counted(len(runs), "run", "runs"),
        entities=counted(owners, "entity", "entities"),
        left_out=left_out,
        peak=peak,
        quiet=counted(len(found.quiet), "quiet stretch", "quiet stretches"),
    )
