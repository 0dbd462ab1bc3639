"""The pages beside the plan's form: its facts, order and preview, and Run now with its confirmation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import Case, Q, QuerySet, When
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.arguments import ArgumentsForm, of_plans
from scheduling.admin.durations import durations_of
from scheduling.admin.figures import periods_of
from scheduling.admin.graph import drawn
from scheduling.admin.plans.form import PlanForm
from scheduling.admin.plans.offered import awaits_it, runs_it
from scheduling.admin.plans.shown_steps import stored_steps
from scheduling.admin.schedules.backfill import backfills_of
from scheduling.admin.schedules.finding import get_schedule, list_place, log_of, page_of
from scheduling.admin.schedules.form import preview_of, preview_of_form, settings_of
from scheduling.dag.graph import Graph
from scheduling.dag.manifest import ManifestTask
from scheduling.decisions.decide import decide
from scheduling.errors import InvalidArguments, InvalidPlan, NotAllowed, SchedulingError
from scheduling.kinds import measured
from scheduling.models import Plan, PlanStep, Run, SchedulerConfiguration, SiteFacts
from scheduling.plans.after import after_of, name_of_other
from scheduling.plans.check import PlanCheck, check_outlines
from scheduling.plans.compile import compile_outlines, parameters_of
from scheduling.plans.outline import Outlines, Step, hierarchy_of, outline, read_outlines
from scheduling.plans.parameters import PlanParameter
from scheduling.runs.by_hand import start_plans_now
from scheduling.runs.fire import refuse_without_right
from scheduling.schedules.sentence import describe
from scheduling.states import RunIf, RunKind
from staging.pages import ASK, DO, insist, is_confirmed, may, page, seen, shown, told, warned
from staging.wording import say

COPY = "copy"  # in the address of the form of a new plan: the one that it copies


def form_context(model_admin: ModelAdmin[Plan], request: HttpRequest, object_id: str) -> dict[str, Any]:
    """Return what the form page shows beside its fields; nothing for an unknown plan."""
    found = model_admin.get_object(request, object_id)
    if found is None:
        return {}
    plan = copy(found)  # the form puts onto the other what was typed
    now = clock.now()
    return {
        "title": say("Plan {plan}", plan=plan.name),
        "subtitle": None,
        "plan": plan,
        **order_shown(plan, stored_steps(found)),
        **_plans_around(plan, request),
        "runs_after": _runs_after(plan, request, now),
        "preview": {**preview_of(settings_of(plan), None, now), "sentence": describe(plan)},
        "periods": periods_of(RunKind.PLAN, plan.name, now, SiteFacts.of(request).mark),
        "durations": durations_of(_runs_of(plan, request), now),
        "log_url": log_of(plan),
        "may_run": may(model_admin, request, "run", of=plan),
        "backfills": backfills_of(plan),
        "may_pause": may(model_admin, request, "pause", of=plan),
        "may_change": may(model_admin, request, "change", of=plan),
        "may_copy": may(model_admin, request, "add"),
        "now": now,
    }


def _plans_around(plan: Plan, request: HttpRequest) -> dict[str, list[Plan]]:
    """Return the plans that run this one as a step, and those that run after it, as far as the person may see them."""
    if (offer := getattr(plan, "offer", None)) is not None:
        return {"used_in": offer.runs_it, "awaited_by": offer.awaits_it}
    rows = Plan.objects.annotate(runs_it=runs_it(plan), awaits_it=Case(When(awaits_it(plan), then=True), default=False))
    found = list(seen(rows.filter(Q(runs_it=True) | Q(awaits_it=True)), request))
    return {
        "used_in": [each for each in found if each.runs_it],
        "awaited_by": [each for each in found if each.awaits_it],
    }


def _runs_after(plan: Plan, request: HttpRequest, now: datetime) -> list[dict[str, str]]:
    """Return what a plan runs after, with what its gate says now; with the address of what the person may open."""
    if not plan.after_others:
        return []
    gates = {gate.name: gate.text for gate in decide(plan, measured(plan, now), now).gates}
    plans = seen(Plan.objects.filter(awaited_by__plan=plan), request).values_list("name", "pk")
    entities = seen(SchedulerConfiguration.objects.filter(entity__awaited_by__plan=plan), request)
    urls = {f"plan {name}": reverse("admin:scheduling_plan_change", args=[pk]) for name, pk in plans}
    for code, pk in entities.values_list("entity__code", "pk"):
        urls[f"entity {code}"] = reverse("admin:scheduling_schedulerconfiguration_change", args=[pk])
    names = [name_of_other(one) for one in after_of(plan)]
    return [{"what": name, "url": urls.get(name, ""), "text": gates.get(f"after:{name}", "")} for name in names]


def _runs_of(plan: Plan, request: HttpRequest) -> QuerySet[Run]:
    """Return the runs of a plan alone that this person may see."""
    return seen(Run.objects.like(Run(kind=RunKind.PLAN, title=plan.run_title)), request)


def source_of(request: HttpRequest) -> Plan | None:
    """Return the plan that the form of a new one copies; None when it copies none."""
    found: Plan | None = getattr(request, "copied_plan", None)
    return found


def copy_context(model_admin: ModelAdmin[Plan], request: HttpRequest) -> dict[str, Any]:
    """Find the plan that the address asks to copy, for whoever may see it, and return what the form says of it."""
    plan = model_admin.get_object(request, request.GET[COPY])
    insist(may(model_admin, request, "view", of=plan))
    if plan is None:
        raise Http404(say("There is no such {kind}.", kind=model_admin.opts.verbose_name))
    request.copied_plan = plan  # type: ignore[attr-defined]
    return {
        "title": say("Copy plan {plan}", plan=plan.name),
        "copied_plan": plan,
        "preview": preview_of(settings_of(plan), None, clock.now()),
    }


@admin.action(description=_("Run together, as one run"), permissions=["run"])
def run_selected(model_admin: ModelAdmin[Plan], request: HttpRequest, queryset: QuerySet[Plan]) -> HttpResponse:
    """Ask first, showing the order of all of them, then start one run in which shared steps run once."""
    plans = list(queryset.order_by("name"))
    return _asked(model_admin, request, plans, is_meant=is_confirmed(request))


def order_shown(plan: Plan, steps: Sequence[PlanStep]) -> dict[str, Any]:
    """Return the order of a stored plan: its waves, and where it is not too big, its lines and its drawing."""
    outlines = read_outlines([plan.name], {plan.name: outline(plan, steps)})
    check = check_outlines(outlines, [plan.name], hierarchy_of(outlines))
    known = {step.key: step for each in outlines.values() for step in each.steps}
    fewest: Graph = {} if check.is_big else check.fewest
    graphic = drawn(check.waves, fewest, lambda key: (_kind(known.get(key)), "quiet", "○"))
    return {"check": check, "graphic": graphic, "steps": len(check.order)}


def _kind(step: Step | None) -> str:
    """Return what kind of thing a step runs, and on what condition; what is no step is an entity that others run."""
    if step is None:
        return say("entity")
    if step.stored is not None and step.stored.is_wait:
        kind = say("wait")
    elif step.entity:
        kind = say("entity")
    else:
        kind = say("job") if step.stored is not None and step.stored.job_name else say("SQL script")
    if step.only_when:
        kind = say("{kind}, on a condition", kind=kind)
    if step.run_if == RunIf.ALL_SUCCEEDED:
        return kind
    return (
        say("{kind}, after a failure", kind=kind)
        if step.run_if == RunIf.ANY_FAILED
        else say("{kind}, always", kind=kind)
    )


@page(methods=DO)
def preview_answer(model_admin: ModelAdmin[Plan], request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """Answer the form's script: the preview of its unsaved schedule as JSON. Writes nothing."""
    insist(may(model_admin, request, "change" if pk else "add"))
    form = PlanForm(request.POST, instance=get_schedule(model_admin, pk) if pk else Plan())
    return JsonResponse(preview_of_form(form, None, clock.now(), beside=("name", "__all__")))


@page("run", methods=ASK)
def run_page(model_admin: ModelAdmin[Plan], request: HttpRequest, pk: int) -> HttpResponse:
    """Show what would run (GET), then start the plan (POST) and lead to its run."""
    return _asked(model_admin, request, [get_schedule(model_admin, pk)], is_meant=request.method == "POST")


def _asked(model_admin: ModelAdmin[Plan], request: HttpRequest, plans: list[Plan], *, is_meant: bool) -> HttpResponse:
    """Show what would run, in its order, and what it may be given; start it when that is meant and nothing is wrong."""
    names, place = [plan.name for plan in plans], list_place(model_admin)
    several = len(plans) > 1
    outlines = read_outlines(names)
    check = check_outlines(outlines, names, hierarchy_of(outlines))
    refusal = "" if is_meant else _refusal(request, outlines, names)
    form = ArgumentsForm(of_plans(_given(outlines, names, check)), request.POST if is_meant else None)
    if is_meant and form.is_valid() and (answer := _start(model_admin, request, plans, form)) is not None:
        return answer
    return shown(
        model_admin,
        request,
        "scheduling/run_plan.html",
        title=say("Run {plans} plans together now?", plans=len(plans))
        if several
        else say("Run plan {names} now?", names=names[0]),
        plans=plans,
        check=check,
        refusal=refusal,
        form=form,
        list_place=place,
        back=place[0] if several else page_of(model_admin, plans[0].pk),
        address=place[0] if several else page_of(model_admin, plans[0].pk, "run"),
    )


def _refusal(request: HttpRequest, outlines: Outlines, names: Sequence[str]) -> str:
    """Return why this person may not start these plans; empty for who may, and for plans that cannot run at all."""
    try:
        refuse_without_right(_tasks(outlines, names), request.user)
    except NotAllowed as error:
        return str(error)
    except InvalidPlan:
        return ""
    return ""


def _tasks(outlines: Outlines, names: Sequence[str]) -> Iterator[ManifestTask]:
    """Yield the tasks of a run of these plans; who may start anything waits for none. Raises InvalidPlan."""
    yield from compile_outlines(outlines, names, hierarchy_of(outlines)).tasks


def _given(outlines: Outlines, names: Sequence[str], check: PlanCheck) -> dict[str, PlanParameter]:
    """Return what a run of these plans may be given; nothing for what cannot run: its order says why."""
    if not check.order or any(outlines[name].is_cancelled for name in names):
        return {}
    try:
        return parameters_of(outlines, names)
    except InvalidPlan:
        return {}


def _start(
    model_admin: ModelAdmin[Plan], request: HttpRequest, plans: list[Plan], form: ArgumentsForm
) -> HttpResponse | None:
    """Start the plans as one run; a guard that is held, or a plan that cannot run, is a warning.

    None when a parameter was refused, which stands at its field then.
    """
    names, by = [plan.name for plan in plans], request.user.get_username()
    try:
        run = start_plans_now(names, form.given(), started_by=by, person=request.user, now=clock.now())
    except InvalidArguments as error:
        form.refuse(error)
        return None
    except SchedulingError as error:
        several = len(plans) > 1
        return warned(request, error, list_place(model_admin)[0] if several else page_of(model_admin, plans[0].pk))
    told_names = ", ".join(names)
    text = say("Plans {names} started.", names=told_names)
    if len(plans) == 1:
        text = say("Plan {name} started.", name=told_names)
    to = reverse("admin:scheduling_run_change", args=[run.pk])
    return told(request, text, to)
