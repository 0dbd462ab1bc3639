"""Pausing and resuming in the admin: a schedule or a job from its page, several from their list, everything at once.

A pause asks for its reason on a page of its own; resuming is one press of a button. Both change by POST only.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.admin.inputs import LocalMoment, zone_of
from scheduling.admin.schedules.bulk import BulkVerb, Hand
from scheduling.admin.schedules.finding import Listed, get_schedule, list_place, name_of, page_of
from scheduling.cadence.errors import CadenceError
from scheduling.errors import InvalidSchedule
from scheduling.models import Job, JobSchedule, Schedule, SchedulerState
from scheduling.schedules.pause import Pausable, check_pause, pause, pause_everything, resume, resume_everything
from staging.pages import ASK, DO, PagesAdmin, insist, page, shown, told, warned
from staging.rights import reach
from staging.version_pages import Versioned
from staging.wording import say

_OF_JOBS = gettext_noop(
    "The pause of a job holds for all its schedules, also for one that comes meanwhile. Plans that have the job as a "
    "step still run it."
)


_MEANS = gettext_noop(
    "While paused, nothing starts by itself; people still can. What runs now goes on. What falls into the pause does "
    "not run later: on resuming, a schedule starts from then."
)


class ReasonForm(forms.Form):
    """Why something is paused; it is asked of everybody who pauses."""

    pause_reason = forms.CharField(
        max_length=200,
        label=_("Reason"),
        help_text=_("Everybody who sees that it is paused reads this."),
        error_messages={"required": _("Say why, so that others know.")},
        widget=forms.TextInput(attrs={"size": 60, "autocomplete": "off"}),
    )


class PauseForm(ReasonForm):
    """A reason is required, the end is not. The verbs of `schedules.pause` judge; `refused` shows their words here."""

    def __init__(self, data: Any = None, *, zone: ZoneInfo):
        """Read the end in `zone`."""
        super().__init__(data)
        self.fields["paused_until"] = LocalMoment(
            zone=zone,
            required=False,
            label=say("Until ({zone})", zone=zone.key),
            help_text=say("It resumes by itself then. Empty: until somebody resumes it."),
        )

    def clean(self) -> dict[str, Any]:
        """Show what makes no pause at its field, before anything is paused."""
        if not self.errors:
            try:
                check_pause(**self.facts(), now=clock.now())
            except InvalidSchedule as error:
                self.refused(error)
        return self.cleaned_data

    def facts(self) -> dict[str, Any]:
        """Return the reason and the end as the verbs take them; only for a valid form."""
        return {"reason": self.cleaned_data["pause_reason"], "until": self.cleaned_data["paused_until"]}

    def refused(self, error: InvalidSchedule) -> None:
        """Show each message of a verb at its field."""
        for field, texts in error.errors.items():
            for text in texts:
                self.add_error(field if field in self.fields else None, text)


class PausableAdmin(Versioned, PagesAdmin):
    """The admin of what people may pause."""

    def has_pause_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this person may pause and resume."""
        return request.user.has_perm("scheduling.pause", obj)


@page("pause", methods=ASK)
def pause_page(model_admin: PausableAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for the reason (GET), then pause one schedule or job (POST)."""
    schedule = get_schedule(model_admin, pk)
    form = PauseForm(request.POST if request.method == "POST" else None, zone=zone_for([schedule]))
    back = page_of(model_admin, pk)
    if form.is_valid() and pause_one(model_admin, request, schedule, form, clock.now()) is not None:
        return HttpResponseRedirect(back)
    name = name_of(schedule)
    trail = [list_place(model_admin), (back, name)]
    title = say("Pause {name}?", name=name)
    return pause_question(model_admin, request, form, title=title, trail=trail, back=back, more=more_about([schedule]))


def zone_for(chosen: Sequence[Pausable]) -> ZoneInfo:
    """Return the zone in which the end of their pause is read: theirs when they share one, else that of the site."""
    zones = {one.timezone for one in chosen if isinstance(one, Schedule)}
    jobs = [one.pk for one in chosen if isinstance(one, Job)]
    if jobs:
        zones |= set(JobSchedule.objects.filter(job__in=jobs, removed_at=None).values_list("timezone", flat=True))
    return zone_of(zones.pop() if len(zones) == 1 else "")


def more_about(chosen: Sequence[Pausable]) -> str:
    """Return what the page of a pause says besides: what that of a job means."""
    return say(_OF_JOBS) if any(isinstance(one, Job) for one in chosen) else ""


def pause_one(
    model_admin: ModelAdmin[Listed], request: HttpRequest, schedule: Listed, form: PauseForm, now: datetime
) -> bool | None:
    """Pause and tell it; False when it was paused before, None when the verb refused and the form says why."""
    try:
        paused = pause(schedule, by=request.user.get_username(), **form.facts(), now=now)
    except InvalidSchedule as error:
        form.refused(error)
        return None
    if paused:
        write_history(model_admin, request, schedule, say("Paused: {reason}", reason=form.cleaned_data["pause_reason"]))
        model_admin.message_user(request, say("{schedule} is paused.", schedule=name_of(schedule)), messages.SUCCESS)
    else:
        text = say("{schedule} was paused already; nothing was changed.", schedule=name_of(schedule))
        model_admin.message_user(request, text, messages.WARNING)
    return paused


@page("pause", methods=DO)
def resume_page(model_admin: PausableAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    """Resume one schedule or job (POST) and lead back to it."""
    resume_one(model_admin, request, get_schedule(model_admin, pk), clock.now())
    return HttpResponseRedirect(page_of(model_admin, pk))


def resume_one(model_admin: ModelAdmin[Listed], request: HttpRequest, schedule: Listed, now: datetime) -> bool:
    """Resume and tell it; False when it was not paused."""
    name = name_of(schedule)
    try:
        resumed = resume(schedule, by=request.user.get_username(), now=now)
    except CadenceError as error:
        text = say("{name} stays paused, for its schedule cannot be read: {error}", name=name, error=error)
        model_admin.message_user(request, text, messages.ERROR)
        return False
    if resumed:
        write_history(model_admin, request, schedule, say("Resumed"))
        text = say("{name} goes on from now. What fell into the pause does not run later.", name=name)
        model_admin.message_user(request, text, messages.SUCCESS)
    else:
        model_admin.message_user(request, say("{name} was not paused.", name=name), messages.WARNING)
    return resumed


def may_pause_everything(request: HttpRequest) -> bool:
    """Return whether this person may pause and resume what is of no entity, and so all of it."""
    return reach(request.user, "scheduling.pause") is None


@page("pause", methods=ASK)
def pause_everything_page(model_admin: PausableAdmin, request: HttpRequest) -> HttpResponse:
    """Ask for the reason (GET), then pause all that starts by itself (POST)."""
    insist(may_pause_everything(request))
    form = PauseForm(request.POST if request.method == "POST" else None, zone=zone_of(""))
    back = reverse("admin:index")
    if form.is_valid() and _pause_all(model_admin, request, form):
        return HttpResponseRedirect(back)
    return pause_question(model_admin, request, form, title=say("Pause everything?"), trail=[], back=back)


@page("pause", methods=DO)
def resume_everything_page(model_admin: PausableAdmin, request: HttpRequest) -> HttpResponse:
    """Resume everything (POST) and lead back to the start page."""
    insist(may_pause_everything(request))
    if not resume_everything(by=request.user.get_username(), now=clock.now()):
        return warned(request, say("It was not paused."), reverse("admin:index"))
    text = say("Everything goes on from now. What was paused by itself stays paused.")
    return told(request, text, reverse("admin:index"))


def pause_question(
    model_admin: ModelAdmin[Listed],
    request: HttpRequest,
    form: PauseForm,
    *,
    title: str,
    trail: list[tuple[str, str]],
    back: str,
    **more: Any,
) -> HttpResponse:
    """Return the page with the form; `trail` is the way to it, `back` where «No» leads."""
    return shown(
        model_admin,
        request,
        "scheduling/pause.html",
        title=title,
        form=form,
        trail=trail,
        back=back,
        **more,
    )


def write_history(model_admin: ModelAdmin[Listed], request: HttpRequest, schedule: Listed, what: str) -> None:
    """Write the history of a schedule or job."""
    model_admin.log_change(request, schedule, [{"changed": {"fields": [what]}}])


def _pause_all(model_admin: PausableAdmin, request: HttpRequest, form: PauseForm) -> bool:
    """Pause everything and tell it; False when the verb refused and the form says why."""
    try:
        paused = pause_everything(by=request.user.get_username(), **form.facts(), now=clock.now())
    except InvalidSchedule as error:
        form.refused(error)
        return False
    if paused:
        model_admin.message_user(request, say("Everything is paused."), messages.SUCCESS)
    else:
        by = SchedulerState.current().paused_by
        text = say("Everything was paused already, by {by}; nothing was changed.", by=by)
        model_admin.message_user(request, text, messages.WARNING)
    return True


class PauseEach(BulkVerb[Any]):
    """Pause each, with one reason and one end; those that are paused already stay as they are."""

    name, words = "pause_selected", gettext_noop("Pause")
    means, did = _MEANS, gettext_noop("Paused: {names}.")
    needs, permission = "pause", "scheduling.pause"

    def idle(self, things: Sequence[Any]) -> dict[int, str]:
        """Those that are paused."""
        return {each.pk: say("it is paused already") for each in things if each.paused_at is not None}

    def adds(self, things: Sequence[Any]) -> str:
        """Of jobs: what their pause means."""
        return more_about(things)

    def form(self, data: Any, things: Sequence[Any]) -> PauseForm:
        """Ask for the reason and the end."""
        return PauseForm(data, zone=zone_for(things))

    def values(self, form: forms.Form) -> dict[str, Any]:
        """Keep the end as text."""
        until = form.cleaned_data["paused_until"]
        return {"reason": form.cleaned_data["pause_reason"], "until": until.isoformat() if until else ""}

    def act(self, hand: Hand, thing: Any) -> bool:
        """Pause it, and write its history."""
        reason, until = hand.values["reason"], hand.values["until"]
        ends = datetime.fromisoformat(until) if until else None
        if not pause(thing, by=hand.by, reason=reason, until=ends, now=hand.now):
            return False
        write_history(hand.model_admin, hand.request, thing, say("Paused: {reason}", reason=reason))
        return True


class ResumeEach(BulkVerb[Any]):
    """Let each go on from now."""

    name, words = "resume_selected", gettext_noop("Resume")
    means = gettext_noop("They start by themselves again, from now on. What fell into the pause does not run later.")
    did = gettext_noop("On from now: {names}. What fell into the pause does not run later.")
    needs, permission = "pause", "scheduling.pause"

    def idle(self, things: Sequence[Any]) -> dict[int, str]:
        """Those that are not paused."""
        return {each.pk: say("it is not paused") for each in things if each.paused_at is None}

    def act(self, hand: Hand, thing: Any) -> bool:
        """Resume it, and write its history."""
        if not resume(thing, by=hand.by, now=hand.now):
            return False
        write_history(hand.model_admin, hand.request, thing, say("Resumed"))
        return True


BULK: tuple[BulkVerb[Any], ...] = (PauseEach(), ResumeEach())
