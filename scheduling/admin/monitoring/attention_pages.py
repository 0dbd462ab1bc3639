"""The lists behind the cards of the start page that no other list shows, and the part of it that stays fresh."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.admin import ModelAdmin
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from scheduling import clock
from scheduling.admin.keyset import link
from scheduling.admin.monitoring import attention
from scheduling.admin.schedules.finding import log_of, place_of, readable
from scheduling.models import Job, Schedule, SchedulerConfiguration
from scheduling.models.schedule import ScheduleQuerySet
from scheduling.schedules.sentence import describe
from staging.pages import page, shown
from staging.wording import say

_PAGE_SIZE = 100


@dataclass(frozen=True)
class AttentionRow:
    """One thing in a list: its name, its page, its sentence, and the row itself."""

    name: str
    url: str
    sentence: str
    thing: Schedule | Job
    why_not_url: str = ""
    log_url: str = ""


@page("view")
def home_state(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponse:
    """Show the part of the start page that stays fresh, and nothing around it."""
    return render(request, "scheduling/home_state.html")


@page("view")
def overdue_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponse:
    """Show what should have started and did not, longest due first."""
    now = clock.now()
    found = [schedule for rows in attention.overdue(request, now) for schedule in readable(rows)]
    return _list(
        model_admin, request, "overdue", say("Overdue"), sorted(found, key=lambda one: (_due(one), one.label)), now
    )


@page("view")
def paused_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponse:
    """Show what somebody paused, the longest pause first."""
    found = [one for rows in attention.paused(request) for one in _read(rows)]
    rows = sorted(found, key=lambda one: (one.paused_at, str(one)))
    return _list(model_admin, request, "paused", say("Paused"), rows, clock.now())


@page("view", attention.SEES_ROWS)
def rejected_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponse:
    """Show the entities that have rejected rows, the most first, and those that cannot be counted."""
    found = [(entity, count) for entity, count in attention.rejecting(request) if count != 0]
    rows = sorted(found, key=lambda row: (-(row[1] or 0), row[0].name))
    title, total = say("Rejected rows that wait for a person"), sum(count or 0 for _, count in rows)
    return shown(model_admin, request, "scheduling/rejected.html", title=title, entities=rows, total=total)


def _due(schedule: Any) -> datetime:
    due: datetime = schedule.next_scheduled_run
    return due


def _read(rows: Any) -> list[Any]:
    return list(rows.readable() if isinstance(rows, ScheduleQuerySet) else rows)


def _list(
    model_admin: ModelAdmin[SchedulerConfiguration],
    request: HttpRequest,
    what: str,
    title: str,
    things: list[Any],
    now: datetime,
) -> HttpResponse:
    """Show a page of schedules and jobs."""
    whose = {"mine": "yes" if attention.is_mine(request) else ""}
    found = Paginator(things, _PAGE_SIZE).get_page(request.GET.get("page"))
    return shown(
        model_admin,
        request,
        f"scheduling/{what}.html",
        title=title,
        rows=[_row(thing) for thing in found.object_list],
        page=found,
        newer_url=link({"page": str(found.number - 1), **whose}) if found.has_previous() else "",
        older_url=link({"page": str(found.number + 1), **whose}) if found.has_next() else "",
        now=now,
    )


def _row(thing: Any) -> AttentionRow:
    if isinstance(thing, Job):
        return AttentionRow(thing.what, reverse("admin:scheduling_job_change", args=[thing.pk]), "", thing)
    why_not = reverse(f"admin:scheduling_{thing._meta.model_name}_why_not", args=[thing.pk])
    name = f"{thing.label} {thing.own_name}".strip()
    return AttentionRow(name, place_of(thing), describe(thing), thing, why_not, log_of(thing))
