"""Undo a batch: first what will happen, with everything that stands in the way, then the start."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import ModelAdmin
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.admin.schedules.finding import get_configuration
from scheduling.errors import SchedulingError
from scheduling.models import SchedulerConfiguration
from scheduling.runs.by_hand import start_undo
from staging.batches.undo.undo import foresee, in_the_way
from staging.errors import StagingError
from staging.models import Batch
from staging.pages import ASK, page, row_or_404, shown, told, warned
from staging.wording import say

_SHOWN = 200  # conflicts on the page
_UNREADABLE = gettext_noop("The database could not look at the members in time, or its tables were altered.")


@page("staging.undo_batch", "staging.view_rows", methods=ASK)
def undo_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest, pk: int) -> HttpResponse:
    """Show what the undo of the batch in the address would do (GET), then start it (POST) and lead to its run."""
    configuration = get_configuration(pk)
    if not request.GET.get("batch"):
        return HttpResponseRedirect(f"{reverse('admin:staging_batch_changelist')}?entity={configuration.entity_id}")
    of = _find(request.GET["batch"], configuration)
    if request.method == "POST":
        return _start(request, of)
    return shown(
        model_admin,
        request,
        "scheduling/undo.html",
        title=say("Undo batch {batch} of {entity}?", batch=of.pk, entity=of.entity.name),
        batch=of,
        **_outlook(of),
    )


def _find(text: str, configuration: SchedulerConfiguration) -> Batch:
    known = Batch.objects.select_related("entity").filter(entity=configuration.entity)
    return row_or_404(known, text, say("There is no such batch; retention may have deleted it."))


def _outlook(of: Batch) -> dict[str, Any]:
    try:
        foreseen = foresee(of, clock.now())
    except StagingError as error:
        return {"refusal": str(error)}
    except DatabaseError:
        return {"refusal": say(_UNREADABLE)}
    count = len(foreseen.conflicts)
    return {"foreseen": foreseen, "conflicts": foreseen.conflicts[:_SHOWN], "count": count, "more": count > _SHOWN}


def _start(request: HttpRequest, of: Batch) -> HttpResponse:
    """Start the undo; whatever forbids it is a warning, and nothing has changed."""
    skip = request.POST.get("skip_changed") == "1"
    try:
        answer = start_undo(of, skip_changed=skip, by=request.user.get_username(), now=clock.now())
    except (SchedulingError, StagingError) as error:
        return warned(request, error, request.get_full_path())
    if answer.started is None:
        return warned(request, in_the_way(of, answer.foreseen.conflicts), request.get_full_path())
    to = reverse("admin:scheduling_run_change", args=[answer.started.run.pk])
    return told(request, say("Undo of batch {batch} started.", batch=of.pk), to)
