"""Pausing and resuming in the admin: a schedule or a job from its page, everything from the start page.

A pause asks for its reason on a page of its own; resuming is one press of a button. Both change by POST only.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from scheduling import clock
from scheduling.admin.finding import get_schedule, list_place, name_of, page_of
from scheduling.admin.local_moment import zone_of
from scheduling.admin.pause_form import PauseForm
from scheduling.cadence.errors import CadenceError
from scheduling.errors import InvalidSchedule
from scheduling.models import Job, JobSchedule, Schedule, SchedulerState
from scheduling.schedules.pause import Pausable, pause, pause_everything, resume, resume_everything
from staging.pages import ASK, DO, page, shown, told, warned

_OF_JOBS = (
    "The pause of a job holds for all its schedules, also for one that comes meanwhile. Plans that have the job as a "
    "step still run it."
)


@page("pause", methods=ASK)
def pause_page(model_admin: ModelAdmin[Any], request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for the reason (GET), then pause one schedule or job (POST)."""
    schedule = get_schedule(model_admin, pk)
    form = PauseForm(request.POST if request.method == "POST" else None, zone=zone_for([schedule]))
    back = page_of(model_admin, pk)
    if form.is_valid() and pause_one(model_admin, request, schedule, form, clock.now()) is not None:
        return HttpResponseRedirect(back)
    name = name_of(schedule)
    trail = [list_place(model_admin), (back, name)]
    title = f"Pause {name}?"
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
    return _OF_JOBS if any(isinstance(one, Job) for one in chosen) else ""


def pause_one(
    model_admin: ModelAdmin[Any], request: HttpRequest, schedule: Pausable, form: PauseForm, now: datetime
) -> bool | None:
    """Pause and tell it; False when it was paused before, None when the verb refused and the form says why."""
    try:
        paused = pause(schedule, by=request.user.get_username(), **form.facts(), now=now)
    except InvalidSchedule as error:
        form.refused(error)
        return None
    if paused:
        note(model_admin, request, schedule, f"Paused: {form.cleaned_data['pause_reason']}")
        model_admin.message_user(request, f"{name_of(schedule)} is paused.", messages.SUCCESS)
    else:
        text = f"{name_of(schedule)} was paused already; nothing was changed."
        model_admin.message_user(request, text, messages.WARNING)
    return paused


@page("pause", methods=DO)
def resume_page(model_admin: ModelAdmin[Any], request: HttpRequest, pk: int) -> HttpResponse:
    """Resume one schedule or job (POST) and lead back to it."""
    resume_one(model_admin, request, get_schedule(model_admin, pk), clock.now())
    return HttpResponseRedirect(page_of(model_admin, pk))


def resume_one(model_admin: ModelAdmin[Any], request: HttpRequest, schedule: Pausable, now: datetime) -> bool:
    """Resume and tell it; False when it was not paused."""
    name = name_of(schedule)
    try:
        resumed = resume(schedule, by=request.user.get_username(), now=now)
    except CadenceError as error:
        text = f"{name} stays paused, for its schedule cannot be read: {error}"
        model_admin.message_user(request, text, messages.ERROR)
        return False
    if resumed:
        note(model_admin, request, schedule, "Resumed")
        text = f"{name} goes on from now. What fell into the pause does not run later."
        model_admin.message_user(request, text, messages.SUCCESS)
    else:
        model_admin.message_user(request, f"{name} was not paused.", messages.WARNING)
    return resumed


@page("pause", methods=ASK)
def pause_everything_page(model_admin: ModelAdmin[Any], request: HttpRequest) -> HttpResponse:
    """Ask for the reason (GET), then pause all that starts by itself (POST)."""
    form = PauseForm(request.POST if request.method == "POST" else None, zone=zone_of(""))
    back = reverse("admin:index")
    if form.is_valid() and _pause_all(model_admin, request, form):
        return HttpResponseRedirect(back)
    return pause_question(model_admin, request, form, title="Pause everything?", trail=[], back=back)


@page("pause", methods=DO)
def resume_everything_page(model_admin: ModelAdmin[Any], request: HttpRequest) -> HttpResponse:
    """Resume everything (POST) and lead back to the start page."""
    if not resume_everything(by=request.user.get_username(), now=clock.now()):
        return warned(request, "It was not paused.", reverse("admin:index"))
    text = "Everything goes on from now. What was paused by itself stays paused."
    return told(request, text, reverse("admin:index"))


def pause_question(
    model_admin: ModelAdmin[Any],
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


def note(model_admin: ModelAdmin[Any], request: HttpRequest, schedule: Pausable, what: str) -> None:
    """Write the history of a schedule or job."""
    model_admin.log_change(request, schedule, [{"changed": {"fields": [what]}}])


def _pause_all(model_admin: ModelAdmin[Any], request: HttpRequest, form: PauseForm) -> bool:
    """Pause everything and tell it; False when the verb refused and the form says why."""
    try:
        paused = pause_everything(by=request.user.get_username(), **form.facts(), now=clock.now())
    except InvalidSchedule as error:
        form.refused(error)
        return False
    if paused:
        model_admin.message_user(request, "Everything is paused.", messages.SUCCESS)
    else:
        by = SchedulerState.current().paused_by
        text = f"Everything was paused already, by {by}; nothing was changed."
        model_admin.message_user(request, text, messages.WARNING)
    return True
