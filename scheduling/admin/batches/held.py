"""The pages on which held batches are reviewed: which there are, what one would do, and the decision about its rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.admin.batches.changes import changes_page
from scheduling.admin.schedules.finding import get_configuration
from scheduling.errors import SchedulingError
from scheduling.models import SchedulerConfiguration
from scheduling.runs.by_hand import approve, review
from staging.batches.shown.held import comment_fault
from staging.batches.shown.preview import fresh_preview, keep_preview
from staging.errors import StagingError
from staging.models import Batch
from staging.pages import ASK, DO, is_confirmed, number_in, page, row_or_404, shown, told, warned
from staging.states import BatchStatus, ReviewVerb
from staging.tables.held import held_rows
from staging.wording import counted, say

SEE, DECIDE = "staging.view_rows", "staging.approve_batch"
_PAGE = "admin:scheduling_schedulerconfiguration_held"


class CommentForm(forms.Form):
    """What a person says of a decision; the history of the batch keeps it."""

    comment = forms.CharField(
        label=_("Comment"),
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
        strip=True,
    )


class DecisionForm(CommentForm):
    """What a person decides about which rows, and why."""

    verb = forms.ChoiceField(choices=ReviewVerb.choices)
    scope = forms.ChoiceField(required=False, choices=[("all", _("all rows")), ("ticked", _("the ticked rows"))])

    def clean(self) -> dict[str, Any]:
        """Ask for a comment where the decision needs one."""
        if fault := comment_fault(self.cleaned_data.get("verb", ""), self.cleaned_data.get("comment", "")):
            self.add_error("comment", fault)
        return self.cleaned_data


@page(SEE, methods=ASK)
def held_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest, pk: int) -> HttpResponse:
    """List an entity's held batches (GET), show one (GET with `batch`), or make the preview of its rows (POST)."""
    configuration, now = get_configuration(pk), clock.now()
    if request.method == "POST":
        return _make_preview(request, configuration, now)
    context: dict[str, Any] = {"configuration": configuration, "entity": configuration.entity, "now": now}
    if "batch" in request.GET:
        context |= _of_batch(request, configuration, now)
        return shown(model_admin, request, "scheduling/held.html", **context)
    held = configuration.entity.batches.filter(status=BatchStatus.HELD)
    batches = [(batch, held_rows(configuration.entity, batch.pk)) for batch in held[:50]]
    title = say("Held batches of {entity}", entity=configuration.entity.name)
    return shown(model_admin, request, "scheduling/held_list.html", title=title, batches=batches, **context)


@page(DECIDE, methods=DO)
def decide_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for a comment and a confirmation, then decide: about the ticked rows, or about all when none is ticked."""
    configuration = get_configuration(pk)
    batch, ids = _batch(request.POST.get("batch", ""), configuration), _ticked(request)
    form = DecisionForm(request.POST)
    confirmed = is_confirmed(request)
    if form.is_valid() and confirmed:
        return _decide(request, configuration, batch, form.cleaned_data, ids)
    verb = form.cleaned_data.get("verb")
    if not verb or (form.cleaned_data.get("scope") == "ticked" and not ids):
        return warned(request, say("Tick the rows first, or decide about all of them."), _url(configuration, batch))
    scope = "ticked" if ids else "all"
    return shown(
        model_admin,
        request,
        "scheduling/held_decide.html",
        title=say("{verbs} rows of {entity}?", verbs=say(_VERBS[verb]), entity=configuration.entity.name),
        configuration=configuration,
        entity=configuration.entity,
        batch=batch,
        form=form if confirmed else DecisionForm(initial={"comment": ""}),
        verb=verb,
        verb_word=say(_VERBS[verb]),
        scope=scope,
        ids=ids,
        rows=len(ids) or held_rows(configuration.entity, batch.pk),
    )


_VERBS: dict[str, str] = {
    ReviewVerb.APPROVE: gettext_noop("Approve"),
    ReviewVerb.SEND_BACK: gettext_noop("Send back"),
    ReviewVerb.DISCARD: gettext_noop("Discard"),
}


def _of_batch(request: HttpRequest, configuration: SchedulerConfiguration, now: datetime) -> dict[str, Any]:
    """Return what the page of one held batch shows."""
    batch = _batch(request.GET.get("batch", ""), configuration)
    is_held = batch.status == BatchStatus.HELD
    kept = fresh_preview(batch, now) if is_held else None
    return {
        "title": say("Review batch {batch} of {entity}", batch=batch.pk, entity=configuration.entity.name),
        "batch": batch,
        "is_held": is_held,
        "rows": held_rows(configuration.entity, batch.pk),
        "foreseen": (batch.foreseen or {}).items(),
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
        return told(request, str(error), _url(configuration, batch), messages.ERROR)
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
            text = say("Batch {batch} merges the approved rows.", batch=started.batch.pk)
        else:
            rows = review(batch, ReviewVerb(decision["verb"]), ids=ids, comment=comment, by=by, now=now)
            verb = ReviewVerb(decision["verb"]).label
            text = say("{rows} {verb}.", rows=counted(rows, "row", "rows"), verb=verb)
    except (StagingError, SchedulingError) as error:
        return warned(request, error, _url(configuration, batch))
    return told(request, text, _url(configuration, batch))


def _batch(number: str, configuration: SchedulerConfiguration) -> Batch:
    """Return a batch of the entity that was held once; raises Http404 for any other."""
    return row_or_404(configuration.entity.batches.exclude(hold_reason=""), number, say("There is no such held batch."))


def _ticked(request: HttpRequest) -> list[int]:
    return [number for text in request.POST.getlist("row") if (number := number_in(text)) is not None]


def _url(configuration: SchedulerConfiguration, batch: Batch) -> str:
    return f"{reverse(_PAGE, args=[configuration.pk])}?batch={batch.pk}"
