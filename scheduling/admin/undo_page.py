"""Undo a batch: first what will happen, with everything that stands in the way, then the start."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from scheduling import clock
from scheduling.admin.finding import get_configuration
from scheduling.errors import SchedulingError
from scheduling.models import SchedulerConfiguration
from scheduling.runs.undo import start_undo
from staging.batches.undo.undo import foresee, in_the_way
from staging.errors import StagingError
from staging.models import Batch

_NEEDED = ("staging.undo_batch", "staging.view_rows")
_MOST_DIGITS = 18
_SHOWN = 200  # conflicts on the page
_UNREADABLE = "The database could not look at the members in time, or its tables were altered."


def undo_page(model_admin: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Show what the undo of the batch in the address would do (GET), then start it (POST) and lead to its run."""
    if not request.user.has_perms(_NEEDED):
        raise PermissionDenied
    if request.method not in ("GET", "HEAD", "POST"):
        return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
    configuration = get_configuration(pk)
    if not request.GET.get("batch"):
        return HttpResponseRedirect(f"{reverse('admin:staging_batch_changelist')}?entity={configuration.entity_id}")
    of = _find(request.GET["batch"], configuration)
    if request.method == "POST":
        return _start(model_admin, request, of)
    context = {
        **model_admin.admin_site.each_context(request),
        "title": f"Undo batch {of.pk} of {of.entity.name}?",
        "batch": of,
        **_outlook(of),
    }
    return TemplateResponse(request, "scheduling/undo.html", context)


def _find(text: str, configuration: SchedulerConfiguration) -> Batch:
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0
    batch = Batch.objects.select_related("entity").filter(pk=number, entity=configuration.entity).first()
    if batch is None:
        raise Http404("There is no such batch; retention may have deleted it.")
    return batch


def _outlook(of: Batch) -> dict[str, Any]:
    try:
        foreseen = foresee(of, clock.now())
    except StagingError as error:
        return {"refusal": str(error)}
    except DatabaseError:
        return {"refusal": _UNREADABLE}
    count = len(foreseen.conflicts)
    return {"foreseen": foreseen, "conflicts": foreseen.conflicts[:_SHOWN], "count": count, "more": count > _SHOWN}


def _start(model_admin: Any, request: HttpRequest, of: Batch) -> HttpResponse:
    """Start the undo; whatever forbids it is a warning, and nothing has changed."""
    skip = request.POST.get("skip_changed") == "1"
    try:
        answer = start_undo(of, skip_changed=skip, by=request.user.get_username(), now=clock.now())
    except (SchedulingError, StagingError) as error:
        model_admin.message_user(request, str(error), messages.WARNING)
        return HttpResponseRedirect(request.get_full_path())
    if answer.started is None:
        model_admin.message_user(request, in_the_way(of, answer.foreseen.conflicts), messages.WARNING)
        return HttpResponseRedirect(request.get_full_path())
    model_admin.message_user(request, f"Undo of batch {of.pk} started.", messages.SUCCESS)
    return HttpResponseRedirect(reverse("admin:scheduling_run_change", args=[answer.started.run.pk]))
