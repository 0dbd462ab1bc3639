"""Bulk actions of the pages of schedules that pause and resume."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse

from scheduling import clock
from scheduling.admin.chosen import of_chosen
from scheduling.admin.finding import list_place, name_of
from scheduling.admin.pause_form import PauseForm
from scheduling.admin.pausing import more_about, pause_one, pause_question, resume_one, zone_for
from staging.pages import confirming, is_confirmed


@admin.action(description="Pause", permissions=["pause"])
@of_chosen
def pause_selected(model_admin: ModelAdmin[Any], request: HttpRequest, chosen: list[Any]) -> HttpResponse | None:
    """Ask once for the reason and the end, then pause each; those that are paused already stay as they are."""
    if not chosen:
        return None
    confirmed = is_confirmed(request)
    form = PauseForm(request.POST if confirmed else None, zone=zone_for(chosen))
    if form.is_valid():
        now = clock.now()
        done = [pause_one(model_admin, request, schedule, form, now) for schedule in chosen]
        if None not in done:
            return None
    names = [name_of(schedule) for schedule in chosen]
    back, words = list_place(model_admin)
    several = "entities" if words == "Configurations" else words.lower()
    return pause_question(
        model_admin,
        request,
        form,
        title=f"Pause {names[0] if len(names) == 1 else f'{len(names)} {several}'}?",
        trail=[(back, words)],
        back=back,
        names=names,
        more=more_about(chosen),
        hidden=confirming("pause_selected", chosen),
    )


@admin.action(description="Resume", permissions=["pause"])
@of_chosen
def resume_selected(model_admin: ModelAdmin[Any], request: HttpRequest, chosen: list[Any]) -> None:
    """Let each selected schedule go on from now."""
    now = clock.now()
    for schedule in chosen:
        resume_one(model_admin, request, schedule, now)
