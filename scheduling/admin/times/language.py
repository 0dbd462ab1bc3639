"""The one click that changes the language in which a person reads pages."""

from __future__ import annotations

from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from scheduling.admin.times.choices import choose, is_language
from scheduling.admin.times.page import next_page
from scheduling.models import SchedulerConfiguration
from staging.pages import DO, page, warned
from staging.wording import say


@page("view", methods=DO)
def switch_language_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponse:
    """Show pages in the language of the button, beginning with the one on which it was pressed."""
    asked = request.POST.get("language", "")
    if not is_language(asked):
        return warned(request, say("“{asked}” is no language of these pages.", asked=asked[:20]), next_page(request))
    choose(request, language=asked)
    return HttpResponseRedirect(next_page(request))
