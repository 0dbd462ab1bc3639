"""The pages on which held batches are reviewed: which there are, what one would do, and the decision about its rows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from scheduling import clock
from scheduling.admin.changes_list import changes_page
from scheduling.admin.finding import get_configuration
from scheduling.errors import SchedulingError
from scheduling.models import SchedulerConfiguration
from scheduling.runs.approve import approve
from scheduling.runs.decided import decide
from staging.batches.kept_preview import fresh_preview, keep_preview
from staging.errors import StagingError
from staging.models import Batch
from staging.states import BatchStatus, ReviewVerb
from staging.tables.held import held_rows

SEE, DECIDE = "staging.view_rows", "staging.approve_batch"
_PAGE = "admin:scheduling_schedulerconfiguration_held"


class DecisionForm(forms.Form):
    """What a person decides about which rows, and why."""

    verb = forms.ChoiceField(choices=ReviewVerb.choices)
    scope = forms.ChoiceField(required=False, choices=[("all", "all rows"), ("ticked", "the ticked rows")])
    comment = forms.CharField(
        required=False, max_length=500, widget=forms.Textarea(attrs={"rows": 3, "cols": 60}), strip=True
    )

    def clean(self) -> dict[str, Any]:
        """Ask whoever sends rows back to say why: the comment is all that the others see."""
        if self.cleaned_data.get("verb") == ReviewVerb.SEND_BACK and not self.cleaned_data.get("comment"):
            self.add_error("comment", "Say what is to be mended.")
        return self.cleaned_data


def held_page(model_admin: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """List an entity's held batches (GET), show one (GET with `batch`), or make the preview of its rows (POST)."""
    if not request.user.has_perm(SEE):
        raise PermissionDenied
    if request.method not in ("GET", "HEAD", "POST"):
        return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
    configuration, now = get_configuration(pk), clock.now()
    if request.method == "POST":
        return _make_preview(request, configuration, now)
    context = {
        **model_admin.admin_site.each_context(request),
        "title": f"Held batches of {configuration.entity.name}",
        "opts": model_admin.opts,
        "configuration": configuration,
        "entity": configuration.entity,
        "now": now,
    }
    if "batch" in request.GET:
        return TemplateResponse(request, "scheduling/held.html", {**context, **_of_batch(request, configuration, now)})
    held = configuration.entity.batches.filter(status=BatchStatus.HELD)
    batches = [(batch, held_rows(configuration.entity, batch.pk)) for batch in held[:50]]
    return TemplateResponse(request, "scheduling/held_list.html", {**context, "batches": batches})


def decide_page(model_admin: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for a comment and a confirmation, then decide: about the ticked rows, or about all when none is ticked."""
    if not request.user.has_perm(DECIDE):
        raise PermissionDenied
    configuration = get_configuration(pk)
    batch, ids = _batch(request.POST.get("batch", ""), configuration), _ticked(request)
    form = DecisionForm(request.POST)
    confirmed = request.POST.get("confirmed") == "yes"
    if form.is_valid() and confirmed:
        return _decide(request, configuration, batch, form.cleaned_data, ids)
    verb = form.cleaned_data.get("verb")
    if not verb or (form.cleaned_data.get("scope") == "ticked" and not ids):
        messages.warning(request, "Tick the rows first, or decide about all of them.")
        return HttpResponseRedirect(_url(configuration, batch))
    scope = "ticked" if ids else "all"
    context = {
        **model_admin.admin_site.each_context(request),
        "title": f"{_VERBS[verb]} rows of {configuration.entity.name}?",
        "opts": model_admin.opts,
        "configuration": configuration,
        "entity": configuration.entity,
        "batch": batch,
        "form": form if confirmed else DecisionForm(initial={"comment": ""}),
        "verb": verb,
        "verb_word": _VERBS[verb],
        "scope": scope,
        "ids": ids,
        "rows": len(ids) or held_rows(configuration.entity, batch.pk),
    }
    return TemplateResponse(request, "scheduling/held_decide.html", context)


_VERBS: dict[str, str] = {
    ReviewVerb.APPROVE: "Approve",
    ReviewVerb.SEND_BACK: "Send back",
    ReviewVerb.DISCARD: "Discard",
}


def _of_batch(request: HttpRequest, configuration: SchedulerConfiguration, now: datetime) -> dict[str, Any]:
    """Return what the page of one held batch shows."""
    batch = _batch(request.GET.get("batch", ""), configuration)
    is_held = batch.status == BatchStatus.HELD
    kept = fresh_preview(batch, now) if is_held else None
    return {
        "title": f"Review batch {batch.pk} of {configuration.entity.name}",
        "batch": batch,
        "is_held": is_held,
        "rows": held_rows(configuration.entity, batch.pk),
        "foreseen": list((batch.foreseen or {}).items()),
        "page": changes_page(kept, request.GET.dict(), {"batch": batch.pk}, now) if kept else None,
        "kept": kept,
        "reviews": batch.reviews.select_related("merged_by"),
        "merging": batch.approvals.exclude(status__in=BatchStatus.final()).first(),
        "may_decide": is_held and request.user.has_perm(DECIDE),
    }


def _make_preview(request: HttpRequest, configuration: SchedulerConfiguration, now: datetime) -> HttpResponse:
    batch = _batch(request.POST.get("batch", ""), configuration)
    try:
        keep_preview(configuration.entity, held_by=batch, made_by=request.user.get_username(), now=now)
    except StagingError as error:
        messages.error(request, str(error))
    return HttpResponseRedirect(_url(configuration, batch))


def _decide(
    request: HttpRequest,
    configuration: SchedulerConfiguration,
    batch: Batch,
    decision: dict[str, Any],
    ticked: Sequence[int],
) -> HttpResponse:
    """Carry a decision out; what was too late, or is not this person's to decide, is a warning."""
    ids = ticked or None
    by, comment, now = request.user.get_username(), decision["comment"], clock.now()
    try:
        if decision["verb"] == ReviewVerb.APPROVE:
            started = approve(batch, ids=ids, comment=comment, by=by, now=now)
            messages.success(request, f"Batch {started.batch.pk} merges the approved rows.")
        else:
            rows = decide(batch, ReviewVerb(decision["verb"]), ids=ids, comment=comment, by=by, now=now)
            messages.success(request, f"{rows:,} row{'' if rows == 1 else 's'} {ReviewVerb(decision['verb']).label}.")
    except (StagingError, SchedulingError) as error:
        messages.warning(request, str(error))
    return HttpResponseRedirect(_url(configuration, batch))


def _batch(number: str, configuration: SchedulerConfiguration) -> Batch:
    """Return a batch of the entity that was held once; raises Http404 for any other."""
    known = number.isascii() and number.isdigit() and len(number) <= 18
    batch = configuration.entity.batches.filter(pk=number).exclude(hold_reason="").first() if known else None
    if batch is None:
        raise Http404("There is no such held batch.")
    return batch


def _ticked(request: HttpRequest) -> list[int]:
    return [int(text) for text in request.POST.getlist("row") if text.isascii() and text.isdigit() and len(text) <= 18]


def _url(configuration: SchedulerConfiguration, batch: Batch) -> str:
    return f"{reverse(_PAGE, args=[configuration.pk])}?batch={batch.pk}"
