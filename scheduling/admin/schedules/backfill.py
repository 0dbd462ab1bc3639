"""Backfill in the admin: the range is asked for, its slots are shown, then they run; a page shows how far it is."""

from __future__ import annotations

from collections import Counter
from typing import Any, cast
from zoneinfo import ZoneInfo

from django import forms
from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.inputs import LocalMoment, zone_of
from scheduling.admin.schedules.finding import Listed, get_schedule, list_place, name_of, page_of
from scheduling.errors import InvalidArguments, SchedulingError
from scheduling.formatters import fire_time
from scheduling.models import Backfill, RunSchedule
from scheduling.models.backfill import MOST_AT_ONCE, BackfillSlot
from scheduling.runs.backfill import start_backfill
from scheduling.runs.cancel import cancel_backfill
from scheduling.runs.foresee import BackfillOutlook, FoundSlot, Range, foresee
from scheduling.states import SlotFate
from staging.pages import ASK, DO, LOOK, may, page, row_or_404, shown, told, warned
from staging.wording import say

_IN_ORDER, _SIDE_BY_SIDE = "in_order", "side_by_side"
_LATEST = 5
MOST_HELD = 200  # shown of the slots that a blackout held; of each minute of a month there are 43,000


class BackfillForm(forms.Form):
    """The range, and how its slots run. The rules of `runs.backfill` judge; `refuse` shows their words here."""

    how = forms.ChoiceField(
        choices=[(_IN_ORDER, _("one after the other")), (_SIDE_BY_SIDE, _("side by side"))],
        initial=_IN_ORDER,
        label=_("Order"),
        widget=forms.RadioSelect,
    )
    at_once = forms.IntegerField(
        required=False,
        min_value=2,
        max_value=MOST_AT_ONCE,
        label=_("At once"),
        help_text=_("How many side by side; they hold back neither one another nor the schedule's own runs."),
    )
    stops = forms.BooleanField(
        required=False,
        initial=True,
        label=_("Stop when a run fails"),
        help_text=_("What has not begun then does not run."),
    )
    again = forms.BooleanField(required=False, label=_("Run slots that ran before once more"))

    def __init__(self, data: Any = None, *, zone: ZoneInfo):
        """Read the range in `zone`."""
        super().__init__(data)
        own = {
            "since": LocalMoment(zone=zone, label=say("From ({zone})", zone=zone.key)),
            "until": LocalMoment(
                zone=zone,
                label=say("Until ({zone})", zone=zone.key),
                help_text=say("A slot at this time is not meant."),
            ),
        }
        self.fields = own | self.fields

    def clean(self) -> dict[str, Any]:
        """Ask for the number where one is needed."""
        values = self.cleaned_data
        if values.get("how") == _SIDE_BY_SIDE and "at_once" in values and values["at_once"] is None:
            self.add_error("at_once", say("Write a number from 2 to {most}.", most=MOST_AT_ONCE))
        return values

    def wanted(self) -> Range:
        """Return the range as the verbs take it; only for a valid form."""
        values = self.cleaned_data
        at_once = values["at_once"] if values["how"] == _SIDE_BY_SIDE else None
        return Range(values["since"], values["until"], at_once, values["stops"], values["again"])

    def refuse(self, error: InvalidArguments) -> None:
        """Show each message of a verb at its field."""
        places = {"from": "since", "side_by_side": "at_once"}
        for name, texts in error.errors.items():
            for text in texts:
                self.add_error(places.get(name, name), text)


@page("run", methods=ASK)
def backfill_page(model_admin: ModelAdmin[Listed], request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for the range and show its slots (GET), then let them run (POST) and lead to the page of the backfill."""
    schedule, now = _schedule(model_admin, pk), clock.now()
    asked = request.POST if request.method == "POST" else request.GET
    form = BackfillForm(asked if "since" in asked else None, zone=zone_of(schedule.timezone))
    foreseen = None
    if form.is_valid():
        try:
            foreseen = foresee(schedule, form.wanted(), now)
            if request.method == "POST":
                return _start(model_admin, request, schedule, form.wanted())
        except InvalidArguments as error:
            form.refuse(error)
        except SchedulingError as error:
            return warned(request, error, page_of(model_admin, pk))
    return shown(
        model_admin,
        request,
        "scheduling/backfill.html",
        title=say("Backfill {name}", name=name_of(schedule)),
        form=form,
        foreseen=foreseen if form.is_valid() else None,
        figures=_figures(foreseen),
        rows=[_row(each, schedule, words=str(each.state.label)) for each in _rows(foreseen)],
        most_held=MOST_HELD,
        repeated=[(name, asked[name]) for name in form.fields if name in asked],
        latest=_latest(schedule, pk, model_admin),
        **_place(model_admin, schedule),
    )


def _start(model_admin: ModelAdmin[Listed], request: HttpRequest, schedule: RunSchedule, wanted: Range) -> HttpResponse:
    """Begin, and lead to the page that shows how far it is."""
    by = request.user.get_username()
    backfill = start_backfill(schedule, wanted, started_by=by, person=request.user, now=clock.now())
    return told(
        request, say("{backfill} started.", backfill=str(backfill)), _page_of(model_admin, schedule.pk, backfill)
    )


def _schedule(model_admin: ModelAdmin[Listed], pk: int) -> RunSchedule:
    """Return the plan, or the schedule of a job."""
    return cast(RunSchedule, get_schedule(model_admin, pk))


def _figures(foreseen: BackfillOutlook | None) -> list[tuple[str, int]]:
    """Return how many slots there are of each state, those that run first."""
    counts = Counter(each.state for each in foreseen.slots) if foreseen else {}
    return [(str(state.label), counts[state]) for state in SlotFate if state in counts]


def _rows(foreseen: BackfillOutlook | None) -> list[FoundSlot]:
    """Return the slots that the page shows: all, but for those of a blackout beyond the first MOST_HELD."""
    slots = foreseen.slots if foreseen else ()
    held = [each for each in slots if each.state == SlotFate.HELD]
    beyond = set(held[MOST_HELD:])
    return [each for each in slots if each not in beyond]


@page("view", methods=LOOK)
def backfill_shown(model_admin: ModelAdmin[Listed], request: HttpRequest, pk: int, backfill_id: int) -> HttpResponse:
    """Show how far a backfill is, with the run of each slot."""
    schedule = _schedule(model_admin, pk)
    backfill = _find(schedule, backfill_id)
    slots = backfill.slots.select_related("run").order_by("slot")
    return shown(
        model_admin,
        request,
        "scheduling/backfill_shown.html",
        title=say("{backfill} of {name}", backfill=str(backfill), name=name_of(schedule)),
        backfill=backfill,
        slots=[_row(each, schedule, **_became(each, backfill)) for each in slots],
        may_backfill=may(model_admin, request, "run", of=schedule),
        may_cancel=backfill.is_under_way and may(model_admin, request, "run", "scheduling.cancel_run", of=schedule),
        cancel_url=_page_of(model_admin, pk, backfill, "backfill_cancel"),
        **_place(model_admin, schedule),
    )


def _became(slot: BackfillSlot, backfill: Backfill) -> dict[str, str]:
    """Return what became of a slot: in words, or else as a state."""
    if slot.is_left_out:
        return {"words": say("ran before its turn")}
    if slot.run is not None:
        return {"state": slot.run.shown_status}
    if slot.taken_at is not None:
        return {"words": say("its run was deleted")}
    return {"state": "waiting"} if backfill.is_under_way else {"words": say("did not run")}


def _row(slot: FoundSlot | BackfillSlot, schedule: RunSchedule, **became: str) -> dict[str, Any]:
    return {"when": fire_time(slot.slot, schedule.timezone), "run_id": slot.run_id, **became}


@page("run", "scheduling.cancel_run", methods=DO)
def backfill_cancel(model_admin: ModelAdmin[Listed], request: HttpRequest, pk: int, backfill_id: int) -> HttpResponse:
    """Cancel a backfill and lead back to its page."""
    schedule = _schedule(model_admin, pk)
    backfill = _find(schedule, backfill_id)
    to = _page_of(model_admin, pk, backfill)
    if not cancel_backfill(backfill, by=request.user.get_username(), now=clock.now()):
        return warned(request, say("{backfill} has ended.", backfill=str(backfill)), to)
    return told(request, say("{backfill} cancelled.", backfill=str(backfill)), to)


def backfills_of(schedule: RunSchedule) -> QuerySet[Backfill]:
    """Return the newest backfills of a schedule with their progress."""
    return Backfill.objects.of(schedule).with_progress()[:_LATEST]


def _latest(schedule: RunSchedule, pk: int, model_admin: ModelAdmin[Listed]) -> list[tuple[Backfill, str]]:
    return [(each, _page_of(model_admin, pk, each)) for each in backfills_of(schedule)]


def _find(schedule: RunSchedule, number: int) -> Backfill:
    return row_or_404(Backfill.objects.of(schedule).with_progress(), number, say("There is no such backfill."))


def _page_of(model_admin: ModelAdmin[Listed], pk: int, backfill: Backfill, page: str = "backfill_shown") -> str:
    return reverse(f"admin:scheduling_{model_admin.opts.model_name}_{page}", args=[pk, backfill.pk])


def _place(model_admin: ModelAdmin[Listed], schedule: RunSchedule) -> dict[str, Any]:
    """Return what both pages show of where they are."""
    return {
        "schedule": schedule,
        "name": name_of(schedule),
        "list_place": list_place(model_admin),
        "back": page_of(model_admin, schedule.pk),
        "backfill_url": page_of(model_admin, schedule.pk, "backfill"),
    }
