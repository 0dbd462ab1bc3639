"""The keys that lead through the site: which there are, the sheet that tells them, and whether a person wants them."""

from __future__ import annotations

from dataclasses import dataclass

from django import forms
from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from scheduling.admin.times.choices import choose, has_shortcuts
from scheduling.models import SchedulerConfiguration
from staging.pages import ASK, page, shown, told
from staging.wording import say

# What is pressed after "g", the page that it opens, its name, and the permission without which it is not offered.
_GO_TO = (
    ("h", "index", gettext_noop("Start page"), ""),
    ("c", "scheduling_schedulerconfiguration_changelist", gettext_noop("Configurations"),
     "scheduling.view_schedulerconfiguration"),
    ("l", "scheduling_schedulerlog_changelist", gettext_noop("Scheduler log"), "scheduling.view_schedulerlog"),
    ("r", "scheduling_run_changelist", gettext_noop("Runs"), "scheduling.view_run"),
    ("b", "staging_batch_changelist", gettext_noop("Batches"), "staging.view_batch"),
    ("e", "staging_entity_changelist", gettext_noop("Entities"), "staging.view_entity"),
    ("p", "scheduling_plan_changelist", gettext_noop("Plans"), "scheduling.view_plan"),
    ("j", "scheduling_job_changelist", gettext_noop("Jobs"), "scheduling.view_job"),
    ("a", "scheduling_alert_changelist", gettext_noop("Alerts"), "scheduling.view_alert"),
    ("f", "scheduling_schedulerconfiguration_forecast", gettext_noop("Forecast"),
     "scheduling.view_schedulerconfiguration"),
)  # fmt: skip


@dataclass(frozen=True)
class KeyToPage:
    """A page, and the letter that opens it after "g"."""

    letter: str
    name: str
    url: str


class KeysForm(forms.Form):
    """Whether single keys do something."""

    has_shortcuts = forms.BooleanField(required=False, label=_("Use these keys"))


def keys_of(request: HttpRequest) -> list[KeyToPage]:
    """Return the pages that this person opens by a key."""
    may = request.user.has_perm
    return [
        KeyToPage(letter, say(name), reverse(f"admin:{address}"))
        for letter, address, name, permission in _GO_TO
        if not permission or may(permission)
    ]


@page("view", methods=ASK)
def keys_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponse:
    """Tell the keys, and ask whether they do something for this person; then keep it. With `sheet`: only the sheet."""
    if request.method != "POST" and "sheet" in request.GET:
        return render(request, "scheduling/keys_sheet.html", {"keys": keys_of(request)})
    form = KeysForm(
        request.POST if request.method == "POST" else None, initial={"has_shortcuts": has_shortcuts(request)}
    )
    if request.method == "POST" and form.is_valid():
        choose(request, **form.cleaned_data)
        text = say("The keys are on.") if form.cleaned_data["has_shortcuts"] else say("The keys are off.")
        return told(request, text, request.path)
    title = say("Keys")
    return shown(model_admin, request, "scheduling/keys.html", title=title, form=form, keys=keys_of(request))
