"""The page on which a person chooses a time zone, and the clicks that change whose times it shows, and its language."""

from __future__ import annotations

from django import forms
from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _

from scheduling.admin.inputs import ZoneSelect, zones
from scheduling.admin.times.choices import choose, chosen_by, is_language
from scheduling.models import SchedulerConfiguration
from scheduling.states import TimesShown
from staging.pages import ASK, DO, page, shown, told, warned
from staging.wording import say


class TimesForm(forms.Form):
    """A zone, and whose times."""

    timezone = forms.ChoiceField(choices=zones, widget=ZoneSelect, label=_("Your time zone"))
    times_shown = forms.ChoiceField(choices=TimesShown, widget=forms.RadioSelect, label=_("Show times in"))


@page("view", methods=ASK)
def times_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponse:
    """Ask for the zone, then keep it."""
    zone, times = chosen_by(request) or ("", TimesShown.MINE)
    form = TimesForm(request.POST or None, initial={"timezone": zone, "times_shown": times})
    if request.method == "POST" and form.is_valid():
        choose(request, **form.cleaned_data)
        return told(request, say("Times are shown as you chose."), next_page(request))
    return shown(
        model_admin, request, "scheduling/times.html", title=say("Time zone"), form=form, next=next_page(request)
    )


@page("view", methods=DO)
def switch_times_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponse:
    """Show times as the button says, on the page on which it was pressed; who has no zone yet is asked for it."""
    times = request.POST.get("times_shown")
    is_zone_needed = times != TimesShown.UTC and chosen_by(request) is None
    if times not in TimesShown.values or is_zone_needed:
        return HttpResponseRedirect(reverse("admin:scheduling_schedulerconfiguration_times"))
    choose(request, times_shown=times)
    return HttpResponseRedirect(next_page(request))


@page("view", methods=DO)
def switch_language_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponse:
    """Show pages in the language of the button, beginning with the one on which it was pressed."""
    asked = request.POST.get("language", "")
    if not is_language(asked):
        return warned(request, say("“{asked}” is no language of these pages.", asked=asked[:20]), next_page(request))
    choose(request, language=asked)
    return HttpResponseRedirect(next_page(request))


def next_page(request: HttpRequest) -> str:
    """Return the page of ours to go back to."""
    asked = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(asked, allowed_hosts=None)
    return asked if asked.startswith("/") and is_ours else reverse("admin:index")
