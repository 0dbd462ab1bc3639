"""The forecast page: what will run in the next hours or days, as a timeline and as a table, and when nothing does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib.admin import ModelAdmin
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.addresses import Addresses
from scheduling.admin.filter_bars import WHOSE
from scheduling.admin.keyset import link
from scheduling.admin.monitoring.forecast_drawing import MARKS, draw
from scheduling.forecast.forecast import forecast
from scheduling.forecast.values import RUNS, ExpectedFire, Forecast, Owner
from scheduling.formatters import badge, fire_time, since
from scheduling.models import SchedulerConfiguration
from scheduling.schedules.responsibility import own_whats
from staging.pages import page, shown, sight
from staging.wording import counted, say

_SPANS = {"24h": timedelta(hours=24), "7d": timedelta(days=7)}
_DEFAULT = "24h"
_PAGE_SIZE = 12  # owners of slots: with what stands above them, one screen
_MOST_SLOTS, _FEWEST_SLOTS = 168, 10  # that a page holds folded, a week of hours; and of each owner at least
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


class OwnerLinks:
    """The names of owners as a page shows them: those that have a configuration lead to it."""

    def __init__(self, owners: Mapping[str, Owner]):
        self._owners, self._pages = owners, Addresses("admin:scheduling_schedulerconfiguration_change")

    def to(self, what: str) -> str:
        """Return the name of an owner."""
        owner = self._owners[what]
        if owner.configuration_id is None:
            return owner.name
        return format_html('<a href="{}">{}</a>', self._pages.of(owner.configuration_id), owner.name)


@dataclass(frozen=True)
class Coming:
    """What comes of one owner, as one line of the page that opens to its slots; `left` of these are not shown."""

    owner: Owner
    links: OwnerLinks
    fires: tuple[ExpectedFire, ...]
    most: int
    now: datetime

    @property
    def link(self) -> str:
        """Return the name of the owner, which leads to its configuration where it has one."""
        return self.links.to(self.first.what)

    @property
    def first(self) -> ExpectedFire:
        """Return the earliest slot."""
        return self.fires[0]

    @property
    def sentences(self) -> str:
        """Return when it comes, of each schedule of the owner once: a job may have several."""
        return "; ".join(dict.fromkeys(str(fire.sentence) for fire in self.fires))

    @property
    def counts(self) -> list[tuple[str, int]]:
        """Return how many slots become what."""
        return sorted(Counter(fire.state for fire in self.fires).items(), key=lambda one: (one[0] not in RUNS, one[0]))

    @property
    def held_by(self) -> str:
        """Return what holds the first slot that does not run; empty where all run."""
        return next((fire.reason for fire in self.fires if fire.state not in RUNS), "")

    @property
    def shown(self) -> list[dict[str, Any]]:
        """Return the slots that are shown, as rows."""
        fires = self.fires[: self.most]
        words = {state: badge(state) for state in {one.state for one in fires}}
        return [
            {"when": fire_time(one.at), "ago": since(one.at, self.now), "words": words[one.state], "reason": one.reason}
            for one in fires
        ]

    @property
    def left(self) -> int:
        """Return how many are not."""
        return max(len(self.fires) - self.most, 0)


@page("view")
def forecast_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponse:
    """Show the forecast from now. Writes nothing."""
    now, params = clock.now(), request.GET.dict()
    form = SpanForm(params)
    ids = sight(SchedulerConfiguration, request)
    everything = forecast(now, now + form.length(), now=now, most=_MOST, of=ids)
    owners = everything.owners
    found = _of(everything, owners, form.cleaned_data.get("entity", ""))
    if form.cleaned_data.get("mine"):
        found = found.only(own_whats(request.user))
    names = {what: owner.name for what, owner in owners.items()}
    drawing, left_out = draw(found, get_current_timezone(), names)
    links = OwnerLinks(owners)
    page = Paginator(_coming(found, links, now), _PAGE_SIZE).get_page(params.get("page"))
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
        running=[(fire, links.to(fire.what)) for fire in found.running],
        is_asked=bool(form.cleaned_data.get("entity")),
        waiting=[(entry, links.to(entry.what)) for entry in found.when_data_arrives],
        quiet=found.quiet[:_MOST_QUIET],
        quiet_left=max(len(found.quiet) - _MOST_QUIET, 0),
        page=page,
        earlier_url=link(params, page=str(page.number - 1)) if page.has_previous() else "",
        later_url=link(params, page=str(page.number + 1)) if page.has_next() else "",
        now=now,
    )


def _coming(found: Forecast, links: OwnerLinks, now: datetime) -> list[Coming]:
    """Return a line for each owner of slots, in the order of their first ones."""
    by_what: dict[str, list[ExpectedFire]] = {}
    for fire in found.fires:
        by_what.setdefault(fire.what, []).append(fire)
    most = max(_FEWEST_SLOTS, _MOST_SLOTS // max(min(len(by_what), _PAGE_SIZE), 1))
    return [Coming(found.owners[what], links, tuple(fires), most, now) for what, fires in by_what.items()]


def _of(found: Forecast, owners: Mapping[str, Owner], words: str) -> Forecast:
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
    left_out = say("{slots} not run; ", slots=counted(others, "slot does", "slots do")) if others else ""
    return say(
        "{runs} of {owners}; {left_out}at most {peak:,} at once in one queue; {quiet}.",
        runs=counted(len(runs), "run", "runs"),
        owners=_number([found.owners[what] for what in {fire.what for fire in runs}]),
        left_out=left_out,
        peak=peak,
        quiet=counted(len(found.quiet), "quiet stretch", "quiet stretches"),
    )


def _number(owners: Collection[Owner]) -> str:
    """Return how many these are, by what they may be."""
    if all(owner.configuration_id is not None for owner in owners):
        return counted(len(owners), "entity", "entities")
    return counted(len(owners), "entity, plan or job", "entities, plans and jobs")
