"""The page on which people see what a batch of an entity would do now: ask for it, then read its changes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.batches.changes import changes_page
from scheduling.admin.schedules.finding import get_configuration
from scheduling.models import SchedulerConfiguration
from staging.batches.shown.preview import KEPT_FOR, keep_preview
from staging.errors import StagingError
from staging.models import KeptPreview
from staging.pages import ASK, may, page, row_or_404, shown, told, warned
from staging.tables.columns import pending_statistics
from staging.wording import say

SEE = "staging.view_rows"
_PAGE = "admin:scheduling_schedulerconfiguration_rows_preview"


class TagForm(forms.Form):
    """The one choice of a preview."""

    tag = forms.CharField(
        required=False,
        max_length=200,
        label=_("Batch tag"),
        help_text=_("Only rows with this tag; leave empty for all that wait."),
    )


@page(SEE, methods=ASK)
def rows_preview_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest, pk: int) -> HttpResponse:
    """Offer a preview and those that are kept (GET), show one (GET with `kept`), or make a new one (POST)."""
    configuration, now = get_configuration(pk), clock.now()
    if request.method == "POST":
        return _make(request, configuration, now)
    if "kept" in request.GET:
        return _show(model_admin, request, configuration, now)
    fresh = KeptPreview.objects.filter(entity=configuration.entity, held_by=None, made_at__gt=now - KEPT_FOR)
    return shown(
        model_admin,
        request,
        "scheduling/rows_preview_ask.html",
        title=say("Preview of {entity}", entity=configuration.entity.name),
        configuration=configuration,
        pending=pending_statistics([configuration.entity])[configuration.entity_id],
        form=TagForm(),
        kept=fresh.order_by("-pk")[:10],
        now=now,
    )


def kept_preview(request: HttpRequest, **where: Any) -> KeptPreview:
    """Return the kept preview that the address names; raises Http404 when it is none of these, or has expired."""
    known = KeptPreview.objects.select_related("entity").filter(**where)
    return row_or_404(known, request.GET.get("kept", ""), say("This preview has expired; make a new one."))


def _make(request: HttpRequest, configuration: SchedulerConfiguration, now: datetime) -> HttpResponse:
    form, place = TagForm(request.POST), reverse(_PAGE, args=[configuration.pk])
    if not form.is_valid():
        return warned(request, say("A batch tag has at most 200 characters."), place)
    tag, by = form.cleaned_data["tag"], request.user.get_username()
    try:
        kept = keep_preview(configuration.entity, tag=tag, made_by=by, now=now)
    except StagingError as error:
        return told(request, str(error), place, messages.ERROR)
    return HttpResponseRedirect(f"{place}?kept={kept.pk}")


def _show(
    model_admin: ModelAdmin[SchedulerConfiguration],
    request: HttpRequest,
    configuration: SchedulerConfiguration,
    now: datetime,
) -> HttpResponse:
    kept = kept_preview(request, entity=configuration.entity, held_by=None)
    return shown(
        model_admin,
        request,
        "scheduling/rows_preview.html",
        title=say("Preview of {entity}", entity=configuration.entity.name),
        configuration=configuration,
        entity=configuration.entity,
        page=changes_page(kept, request.GET.dict(), {"kept": kept.pk}, now),
        kept=kept,
        is_outdated=configuration.entity.batches.filter(finished_at__gt=kept.made_at).exists(),
        may_process=may(model_admin, request, "process_batch"),
        now=now,
    )
