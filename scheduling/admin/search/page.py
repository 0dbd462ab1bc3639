"""The page of the search, and what the box in the header shows while somebody types."""

from __future__ import annotations

from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from scheduling.admin.search.asked import LONGEST, read_wanted
from scheduling.admin.search.finding import find
from scheduling.admin.search.visited import visited
from scheduling.models import SchedulerConfiguration
from staging.pages import page, shown
from staging.wording import say

_ON_THE_PAGE, _IN_THE_BOX = 25, 5


@page("view")
def search_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponse:
    """Show what was found, by kind; without a text, what the person opened lately."""
    wanted = read_wanted(request.GET.get("q", ""))
    groups = find(model_admin.admin_site, request, wanted, _ON_THE_PAGE)
    return shown(
        model_admin,
        request,
        "scheduling/search.html",
        title=say("Search"),
        subtitle=wanted.text or None,
        wanted=wanted,
        groups=groups,
        visited=[] if wanted.text else visited(request),
        longest=LONGEST,
    )


@page("view")
def search_answer(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponse:
    """Answer the script of the box: the options for what is typed; without a text, what was opened lately."""
    wanted = read_wanted(request.GET.get("q", ""))
    found = [each for group in find(model_admin.admin_site, request, wanted, _IN_THE_BOX) for each in group.rows]
    context = {"found": found if wanted.text else visited(request), "wanted": wanted}
    return render(request, "scheduling/search_options.html", context)
