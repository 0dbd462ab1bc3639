"""Bulk actions of the configurations page that pause and resume."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from scheduling import clock
from scheduling.admin.chosen import chosen_for
from scheduling.admin.local_moment import zone_of
from scheduling.admin.pause_form import PauseForm
from scheduling.admin.pausing import pause_one, pause_question, resume_one
from scheduling.models import SchedulerConfiguration


@admin.action(description="Pause", permissions=["pause"])
def pause_selected(model_admin: Any, request: HttpRequest, queryset: QuerySet[SchedulerConfiguration]) -> Any:
    """Ask once for the reason and the end, then pause each; those that are paused already stay as they are."""
    chosen = chosen_for(model_admin, request, queryset)
    if not chosen:
        return None
    zones = {configuration.timezone for configuration in chosen}
    confirmed = request.POST.get("confirmed") == "yes"
    form = PauseForm(request.POST if confirmed else None, zone=zone_of(zones.pop() if len(zones) == 1 else ""))
    if form.is_valid():
        now = clock.now()
        done = [pause_one(model_admin, request, configuration, form, now) for configuration in chosen]
        if None not in done:
            return None
    names = [configuration.entity.name for configuration in chosen]
    back = reverse("admin:scheduling_schedulerconfiguration_changelist")
    return pause_question(
        model_admin,
        request,
        form,
        title=f"Pause {names[0] if len(names) == 1 else f'{len(names)} entities'}?",
        trail=[(back, "Configurations")],
        back=back,
        names=names,
        hidden=[("action", "pause_selected"), ("confirmed", "yes")]
        + [(ACTION_CHECKBOX_NAME, str(configuration.pk)) for configuration in chosen],
    )


@admin.action(description="Resume", permissions=["pause"])
def resume_selected(model_admin: Any, request: HttpRequest, queryset: QuerySet[SchedulerConfiguration]) -> None:
    """Let each selected entity go on from now."""
    now = clock.now()
    for configuration in chosen_for(model_admin, request, queryset) or ():
        resume_one(model_admin, request, configuration, now)
