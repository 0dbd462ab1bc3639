"""The pages beside the schedule form: its facts and preview, Test run, and Process now with its confirmation."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from copy import copy
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.configurations.form import ConfigurationForm
from scheduling.admin.figures import periods_of
from scheduling.admin.monitoring.first_steps import TESTED
from scheduling.admin.schedules.finding import get_configuration
from scheduling.admin.schedules.form import preview_of, preview_of_form, settings_of
from scheduling.decisions.decision import DueSlots, held_sentence, missed_event
from scheduling.errors import SchedulingError
from scheduling.kinds import test_run
from scheduling.models import Plan, SchedulerConfiguration, SiteFacts
from scheduling.runs.by_hand import start_batch_now
from scheduling.schedules.change import take_over
from scheduling.schedules.sentence import describe
from scheduling.states import RunKind
from staging.pages import ASK, DO, may, page, seen, shown, told, warned
from staging.tables.columns import pending_statistics
from staging.versions import reasons
from staging.wording import said_together, say

TYPED = "typed"
# The page of a test run asks for these itself, or they belong to the button that led there.
_NOT_TO_SAVE = frozenset({"csrfmiddlewaretoken", "_test_run", "_save", "_continue", "change_reason"})
_CHANGE = "admin:scheduling_schedulerconfiguration_change"


def form_context(
    model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest, object_id: str
) -> dict[str, Any]:
    """Return what the form page shows beside its fields; nothing for an unknown configuration."""
    found = model_admin.get_object(request, object_id)
    if found is None:
        return {}
    configuration: Any = copy(found)  # the form puts onto the other what was typed
    now, typed_form = clock.now(), form_of_typed(model_admin, request, configuration)
    return {
        "title": say("Configuration of {entity}", entity=configuration.entity.name),
        "subtitle": None,
        "configuration": configuration,
        "is_unsaved": typed_form is not None,
        "preview": preview_of_form(typed_form, configuration.entity, now)
        if typed_form
        else preview_of(settings_of(configuration), configuration.entity, now),
        "periods": periods_of(RunKind.BATCH, configuration.entity_id, now, SiteFacts.of(request).mark),
        "rows": pending_statistics([configuration.entity], with_rejected=True)[configuration.entity_id],
        "held_batches": configuration.held_batches,
        "depends_on": [str(each.depends_on) for each in configuration.entity.dependencies.select_related("depends_on")],
        "awaited_by": seen(
            Plan.objects.filter(after__entity=configuration.entity_id, after_others=True, is_cancelled=False), request
        ),
        "may_test_run": may(model_admin, request, "test_run", of=configuration),
        "may_process": may(model_admin, request, "process_batch", of=configuration),
        "may_change": may(model_admin, request, "change", of=configuration),
        "may_pause": may(model_admin, request, "pause", of=configuration),
        "now": now,
    }


@page("change", methods=DO)
def preview_answer(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest, pk: int) -> HttpResponse:
    """Answer the form's script: the preview of its unsaved values as JSON. Writes nothing."""
    configuration = get_configuration(pk)
    form = ConfigurationForm(request.POST, instance=configuration)
    return JsonResponse(preview_of_form(form, configuration.entity, clock.now()))


def form_of_typed(
    model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest, configuration: SchedulerConfiguration
) -> ConfigurationForm | None:
    """Return a form of what a person comes back with from a test run; None when it shows the stored ones."""
    if not opens_typed(model_admin, request):
        return None
    return ConfigurationForm(request.GET, instance=get_configuration(configuration.pk))


def opens_typed(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> bool:
    """Return whether the form opens with the values of its address, which only people who may change it may say."""
    return request.method == "GET" and TYPED in request.GET and may(model_admin, request, "change")


@page("test_run", methods=ASK)
def test_run_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest, pk: int) -> HttpResponse:
    """Show what the scheduler would decide now: of the stored values, or of the unsaved ones posted by the form."""
    configuration, now = get_configuration(pk), clock.now()
    context: dict[str, Any] = {"configuration": configuration, "now": now}
    show = partial(shown, model_admin, request, "scheduling/test_run.html")
    title = say("Test run of {entity}", entity=configuration.entity.name)
    if request.method == "POST" and "processing_mode" in request.POST:
        form = ConfigurationForm(request.POST, instance=get_configuration(pk))
        context |= {"unsaved": True, "typed": typed(request)}
        if form.is_valid() and may(model_admin, request, "change", of=configuration):
            context |= {"to_save": sent(request, but=_NOT_TO_SAVE), "given_reason": reasons.reason_in(request)}
        if not form.is_valid():
            return show(title=title, form=form, **context)
        configuration = _as_saved(configuration, form, now)
    result = test_run(configuration, now)
    if TESTED not in request.session:  # a session that changes is written
        request.session[TESTED] = True
    context |= {
        "result": result,
        "gates": result.as_json()["gates"],
        "sentence": describe(configuration),
        "passed_slots": list(_passed_slots(result.slots)),
    }
    return show(title=title, **context)


def typed(request: HttpRequest) -> str:
    """Return the values that a form posted, as a query with which its page opens again with them, unsaved."""
    return urlencode([(TYPED, "1"), *sent(request, but={"csrfmiddlewaretoken"})])


def sent(request: HttpRequest, *, but: Collection[str]) -> list[tuple[str, str]]:
    """Return what a form posted, but for these names."""
    return [(name, str(value)) for name, values in request.POST.lists() for value in values if name not in but]


class ProcessForm(forms.Form):
    """The one choice of Process now."""

    tag = forms.CharField(
        required=False,
        max_length=200,
        label=_("Batch tag"),
        help_text=_("Only rows with this tag; leave empty for all that wait."),
    )


@page("process_batch", methods=ASK)
def process_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest, pk: int) -> HttpResponse:
    """Ask first (GET), then start one batch (POST) and lead to its run."""
    configuration = get_configuration(pk)
    form = ProcessForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        return _start(request, configuration, form.cleaned_data["tag"])
    return shown(
        model_admin,
        request,
        "scheduling/process.html",
        title=say("Process {entity} now?", entity=configuration.entity.name),
        configuration=configuration,
        pending=pending_statistics([configuration.entity])[configuration.entity_id],
        form=form,
        now=clock.now(),
    )


def _start(request: HttpRequest, configuration: SchedulerConfiguration, tag: str) -> HttpResponse:
    """Start the batch; a guard that is held, or an entity that was cancelled, is a warning."""
    try:
        started = start_batch_now(configuration, tag=tag, started_by=request.user.get_username(), now=clock.now())
    except SchedulingError as error:
        return warned(request, error, reverse(_CHANGE, args=[configuration.pk]))
    text = say("Batch of {entity} started.", entity=configuration.entity.name)
    return told(request, text, reverse("admin:scheduling_run_change", args=[started.run.pk]))


def _passed_slots(slots: DueSlots) -> Iterator[str]:
    """Yield what became of the slots before the one that counts now."""
    if slots.missed:
        yield said_together(missed_event(slots.missed), say("By the catch-up policy, dropped."))
    if slots.held:
        yield held_sentence(slots.held)
    if slots.late and slots.fire:
        yield say("The slot of {slot} would run late, by the catch-up policy.", slot=slots.fire)


def _as_saved(stored: SchedulerConfiguration, form: ConfigurationForm, now: datetime) -> SchedulerConfiguration:
    """Return the configuration as a save would leave it."""
    take_over(stored, form.wanted(), settings_of(stored), now)
    return stored
