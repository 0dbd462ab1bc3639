"""Filters of the log that people keep by name: their own, and those that others share."""

from __future__ import annotations

from dataclasses import dataclass

from django import forms
from django.contrib.admin import ModelAdmin
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from scheduling.admin.keyset import link
from scheduling.admin.log.filter import LogFilter
from scheduling.models import SavedFilter, SchedulerLog
from staging.pages import DO, may, page, row_or_404, shown, told, warned
from staging.wording import say

MOST = 50  # that one person keeps, and that one page shows
SHARE = "scheduling.share_filters"


@dataclass(frozen=True)
class Chip:
    """One saved filter as a link above the log; `is_on` when the page shows just this."""

    name: str
    query: str
    by: str
    is_on: bool


class SaveForm(forms.Form):
    """What a filter is called, and who sees it."""

    name = forms.CharField(max_length=60, label=_("Name"))
    is_shared = forms.BooleanField(required=False, label=_("Share it with everybody who sees the log"))


def known_to(request: HttpRequest) -> QuerySet[SavedFilter]:
    """Return the filters of this person and those that are shared, the own first."""
    mine = Q(owner=request.user.pk)
    return SavedFilter.objects.filter(mine | Q(is_shared=True)).select_related("owner").order_by("name", "pk")


def chips_for(request: HttpRequest, asked: LogFilter) -> list[Chip]:
    """Return the saved filters as links; one query."""
    here = link(asked.asked)
    return [
        Chip(each.name, each.query, "" if each.owner_id == request.user.pk else str(each.owner), each.query == here)
        for each in known_to(request)[:MOST]
    ]


@page("view")
def saved_filters_page(model_admin: ModelAdmin[SchedulerLog], request: HttpRequest) -> HttpResponse:
    """Show the saved filters with what may be done with each."""
    shares = may(model_admin, request, SHARE)
    rows = [(each, each.owner_id == request.user.pk or shares) for each in known_to(request)[: 10 * MOST]]
    return shown(model_admin, request, "scheduling/log_filters.html", title=say("Saved filters of the log"), rows=rows)


@page("view", methods=DO)
def save_filter_page(model_admin: ModelAdmin[SchedulerLog], request: HttpRequest) -> HttpResponse:
    """Keep the filter of the form's address under a name; an own one of that name is replaced."""
    query = link(LogFilter(request, QueryDict(request.POST.get("query", "").lstrip("?"))).asked)
    back = reverse("admin:scheduling_schedulerlog_changelist") + query
    form = SaveForm(request.POST)
    if not form.is_valid():
        return warned(request, say("Give the filter a name of at most 60 letters; nothing was saved."), back)
    if len(query) > SavedFilter.LONGEST:
        return warned(request, say("This filter is too long to be saved; use fewer words."), back)
    name, shares = form.cleaned_data["name"], form.cleaned_data["is_shared"] and may(model_admin, request, SHARE)
    with transaction.atomic():
        own = SavedFilter.objects.filter(owner=request.user.pk)
        if own.count() >= MOST and not own.filter(name=name).exists():
            text = say("You keep {most} filters already; delete one first.", most=MOST)
            return warned(request, text, reverse("admin:scheduling_schedulerlog_filters"))
        kept = {"query": query, "is_shared": shares}
        SavedFilter.objects.update_or_create(owner_id=request.user.pk, name=name, defaults=kept)
    return told(request, say("The filter “{name}” was saved.", name=name), back)


@page("view", methods=DO)
def delete_filter_page(model_admin: ModelAdmin[SchedulerLog], request: HttpRequest) -> HttpResponse:
    """Delete an own filter; whoever may share filters also deletes those of others that are shared."""
    theirs = Q(owner=request.user.pk)
    if may(model_admin, request, SHARE):
        theirs |= Q(is_shared=True)
    found = row_or_404(
        SavedFilter.objects.filter(theirs), request.POST.get("number", ""), say("There is no such filter.")
    )
    found.delete()
    to = reverse("admin:scheduling_schedulerlog_filters")
    return told(request, say("The filter “{name}” was deleted.", name=found.name), to)
