"""The page «why did it not run?»: every slot of an entity's period with what became of it, why, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django import forms
from django.contrib.admin import ModelAdmin
from django.core.paginator import Paginator
from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.inputs import LocalMoment, zone_of
from scheduling.admin.keyset import link
from scheduling.admin.schedules.finding import get_schedule, list_place, log_of, name_of, page_of
from scheduling.errors import InvalidSchedule
from scheduling.explanations.changed import changes_of
from scheduling.explanations.explanation import ExplainedSlot, Explanation, SlotState
from scheduling.explanations.why_not import why_not
from scheduling.formatters import moment
from scheduling.models import Schedule, SchedulerLog, SiteFacts
from scheduling.states import EventType
from staging.pages import page, shown, sight
from staging.wording import say

_PAGE_SIZE = 100
_DEFAULT = "7d"
_OWN = "own"
_PERIODS = {"24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}
_DID_NOT_RUN = "none"
_BAD = (SlotState.SKIPPED, SlotState.HELD, SlotState.MISSED, SlotState.ERROR)
# Events that make people ask, and how far before them the slots may lie of which they speak.
_ASKED_ABOUT = {
    EventType.SKIPPED: timedelta(hours=24),
    EventType.HELD: timedelta(hours=24),
    EventType.ERROR: timedelta(hours=24),
    EventType.ZOMBIE: timedelta(hours=24),
    EventType.MISSED: timedelta(days=7),
}


class WhyNotForm(forms.Form):
    """Which slots: a period up to now, or from a moment until another; all of them, or some states only."""

    period = forms.ChoiceField(
        label=_("Period"),
        required=False,
        choices=[
            ("24h", _("last 24 hours")),
            ("7d", _("last 7 days")),
            ("30d", _("last 30 days")),
            (_OWN, _("from … until …")),
        ],
    )
    state = forms.ChoiceField(
        required=False,
        label=_("Show"),
        choices=[
            ("", _("all slots")),
            (_DID_NOT_RUN, _("what did not run")),
            *((each.value, format_lazy(_("only {state}"), state=gettext_lazy(each.value))) for each in SlotState),
        ],
    )

    def __init__(self, params: Mapping[str, str], zone: ZoneInfo):
        """Read `params`; a given moment means the own period, no period at all means the last 7 days."""
        asked = {name: params.get(name, "") for name in ("period", "state", "since", "until")}
        own = asked["since"] or asked["until"]
        super().__init__({**asked, "period": asked["period"] or (_OWN if own else _DEFAULT)})
        self.fields["since"] = LocalMoment(zone=zone, required=False, label=say("From ({zone})", zone=zone.key))
        self.fields["until"] = LocalMoment(zone=zone, required=False, label=say("Until ({zone})", zone=zone.key))
        self.order_fields(["period", "since", "until", "state"])
        self.full_clean()

    def span(self, now: datetime) -> dict[str, datetime | None]:
        """Return start and end as the verb takes them; what is not valid is not asked for."""
        found = self.cleaned_data
        if found.get("period") == _OWN:
            return {"since": found.get("since"), "until": found.get("until")}
        return {"since": now - _PERIODS.get(found.get("period", ""), _PERIODS[_DEFAULT]), "until": now}

    def wants(self, slot: ExplainedSlot) -> bool:
        wanted = self.cleaned_data.get("state")
        return not wanted or (slot.state in _BAD if wanted == _DID_NOT_RUN else slot.state == wanted)

    def explain(self, schedule: Schedule, now: datetime, site: SiteFacts) -> Explanation | None:
        """Return the explanation of the period; None when the period is none, which stands at its field then."""
        try:
            return why_not(schedule, **self.span(now), now=now, site=site)
        except InvalidSchedule as error:
            for field, texts in error.errors.items():
                for text in texts:
                    self.add_error(field if field in self.fields else None, text)
        return None


@page("view")
def why_not_page(model_admin: ModelAdmin[Schedule], request: HttpRequest, pk: int) -> HttpResponse:
    """Show the slots of the period asked for, newest first. Writes nothing."""
    schedule, now = get_schedule(model_admin, pk), clock.now()
    params = request.GET.dict()
    form = WhyNotForm(params, zone_of(schedule.timezone))
    found = form.explain(schedule, now, SiteFacts.of(request))
    slots = [slot for slot in reversed(found.slots) if form.wants(slot)] if found else []
    page = Paginator(slots, _PAGE_SIZE).get_page(params.get("page"))
    return shown(
        model_admin,
        request,
        "scheduling/why_not.html",
        title=say("Why did {schedule} not run?", schedule=name_of(schedule)),
        configuration=schedule,
        name=name_of(schedule),
        list_place=list_place(model_admin),
        owner_url=page_of(model_admin, pk),
        log_url=log_of(schedule) + _same_period(form),
        form=form,
        found=found,
        changed=changes_of(schedule, found.since, now, of=sight(SchedulerLog, request))
        if found and found.since
        else [],
        counts=[(state.value, number) for state, number in found.counts().items() if number] if found else [],
        gates=found.decision.gates_as_json() if found and found.decision else [],
        page=page,
        slots=[_row(slot, schedule.timezone) for slot in page.object_list],
        newer_url=link(params, page=str(page.number - 1)) if page.has_previous() else "",
        older_url=link(params, page=str(page.number + 1)) if page.has_next() else "",
        now=now,
    )


def _row(slot: ExplainedSlot, zone: str) -> dict[str, Any]:
    told = {"reason": slot.reason, "remedy": slot.remedy, "run_id": slot.run_id, "event_id": slot.event_id}
    return {"when": moment(slot.at, zone), "state": slot.state.value, **told}


def _same_period(form: WhyNotForm) -> str:
    """Return what makes the log show the period of this page, where it has a name."""
    period = form.cleaned_data.get("period")
    return f"&period={period}" if period in _PERIODS else "&period=all"


def add_why_not_urls(events: Iterable[Any]) -> None:
    """Give each log event its `why_not_url`; one query for all of them, so that the log's own stays simple."""
    events = list(events)
    prefetch_related_objects([event.entity for event in events if event.entity], "configuration")
    prefetch_related_objects([event.job for event in events if event.job], "schedules")
    for event in events:
        event.why_not_url = why_not_url(event)


def why_not_url(event: SchedulerLog) -> str:
    """Return the way from a log event to the slots around it; empty when the event raises no question."""
    back = _ASKED_ABOUT.get(EventType(event.event_type)) if event.event_type in EventType.values else None
    schedule = getattr(event.entity, "configuration", None) or event.plan or _of_job(event)
    if back is None or schedule is None:
        return ""
    span = {"since": event.event_time - back, "until": event.event_time + timedelta(minutes=1)}
    asked = urlencode({name: at.isoformat(timespec="minutes") for name, at in span.items()})
    kind = schedule._meta.model_name
    return f"{reverse(f'admin:scheduling_{kind}_why_not', args=[schedule.pk])}?{asked}"


def _of_job(event: SchedulerLog) -> Schedule | None:
    """Return the schedule of an event of a job: its only one, or the one that the event's start names."""
    schedules = list(event.job.schedules.all()) if event.job else []
    named = [schedule for schedule in schedules if event.trigger_source.endswith(f" {schedule.name}")]
    found = schedules if len(schedules) == 1 else named
    return found[0] if len(found) == 1 else None
