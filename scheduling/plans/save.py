"""The verbs that store plans and what entities depend on; every door calls them, so the same rules hold."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from scheduling.dag.graph import cycle_lines, cycle_sentence, leading_into_cycles, restricted
from scheduling.errors import InvalidPlan
from scheduling.lifecycle.again import give_up_of_plans
from scheduling.models import EntityDependency, Plan, PlanStep, SchedulerConfiguration
from scheduling.plans.after import Other, after_of, name_of_other, store_after
from scheduling.plans.check import check_outlines
from scheduling.plans.draft import ATTEMPT_COLUMNS, STEP_DEFAULTS, PlanDraft, fault_in_plan, plan_errors
from scheduling.plans.outline import Sight, read_hierarchy, read_outlines
from scheduling.schedules.change import apply_schedule, rearm
from scheduling.schedules.deadlines import DEADLINE_COLUMNS
from staging.models import OWNER_COLUMNS, Entity
from staging.tables.columns import DEFINITIONS, one_at_a_time
from staging.transactions import require_lock
from staging.versions.units import as_one_change, touch
from staging.wording import aloud, say

OWN_COLUMNS = [
    "name", "description", "categories", "order", "parameters", "overlap", "is_cancelled", "run_timeout_seconds",
    *ATTEMPT_COLUMNS,
    *OWNER_COLUMNS,
    *STEP_DEFAULTS,
    *DEADLINE_COLUMNS,
]  # fmt: skip


@as_one_change
def save_plan(draft: PlanDraft, *, now: datetime) -> Plan:
    """Store a plan with its schedule and its steps; raises InvalidPlan with every fault, and then stores nothing.

    Changing its schedule or what it runs after, or taking it back into force, lets it count from `now`: editing never
    fires.
    """
    with transaction.atomic():
        one_at_a_time()  # two plans that are fine by themselves may be a circle together
        if errors := plan_errors(draft, now=now):
            raise InvalidPlan(errors)
        store_plan(draft, now=now)
        store_steps(draft)
    return draft.plan


def store_plan(draft: PlanDraft, *, now: datetime) -> None:
    """Store a plan that was checked, with its schedule and without its steps and what it runs after.

    Since before the check nobody else changes definitions: `one_at_a_time`.
    """
    require_lock(*DEFINITIONS)
    plan = draft.plan
    with transaction.atomic():
        was_cancelled = Plan.objects.filter(pk=plan.pk, is_cancelled=True).exists()
        is_new, has_others = plan.pk is None, draft.after is not None and _names(draft.after) != _names(after_of(plan))
        plan.after_others = bool(draft.runs_after)
        if not is_new and plan.is_cancelled and not was_cancelled:  # before the plan is locked, as whoever ends a run
            give_up_of_plans([plan.pk], say("Its plan was cancelled."), now=now)
        if not is_new:
            plan.save(update_fields=[*OWN_COLUMNS, "after_others"])
        apply_schedule(plan, draft.schedule, now=now)
        if not is_new and ((was_cancelled and not plan.is_cancelled) or has_others):
            rearm(plan, now=now)


def _names(others: Sequence[Other]) -> set[str]:
    return {name_of_other(one) for one in others}


def store_steps(draft: PlanDraft) -> None:
    """Store the checked steps of a stored plan: first the steps, then their dependencies, which may name new ones.

    Of a plan of a thousand steps only what differs is written. What the plan runs after is stored with them: it may be
    as new as they are.
    """
    require_lock(*DEFINITIONS)
    touch(draft.plan)  # for what no signal tells of
    if draft.after is not None:
        store_after(draft.plan, draft.after)
    steps = [each.step for each in draft.steps]
    for step in steps:
        step.plan = draft.plan
        for name in ("entity", "script", "sub_plan", "queue"):  # what was stored meanwhile has its key now
            if name in step._state.fields_cache:
                setattr(step, name, getattr(step, name))
    stored = PlanStep.objects.in_bulk([step.pk for step in steps if step.pk is not None])
    PlanStep.objects.bulk_create([step for step in steps if step.pk not in stored])
    for step in steps:
        if step.pk in stored and _columns(step) != _columns(stored[step.pk]):
            step.save()
    _store_order(draft)


def _store_order(draft: PlanDraft) -> None:
    """Store what the steps of a draft wait for: these and no others."""
    links = PlanStep.depends_on.through.objects
    by_key = {step.key: step.pk for step in [*draft.left_out, *(each.step for each in draft.steps)]}
    wanted = {(each.step.pk, by_key[key]) for each in draft.steps for key in each.depends_on}
    own = {each.step.pk for each in draft.steps}
    known = links.filter(from_planstep__plan=draft.plan).values_list("pk", "from_planstep", "to_planstep")
    before = {(step, prior): pk for pk, step, prior in known if step in own}
    links.filter(pk__in=[pk for link, pk in before.items() if link not in wanted]).delete()
    links.bulk_create(
        links.model(from_planstep_id=step, to_planstep_id=prior) for step, prior in wanted - before.keys()
    )


def _columns(step: PlanStep) -> dict[str, Any]:
    """Return what is stored of a step; a document as its text, for in Python 1 is True."""
    values = {each.attname: getattr(step, each.attname) for each in PlanStep._meta.concrete_fields}
    return {name: json.dumps(value) if isinstance(value, dict | list) else value for name, value in values.items()}


@as_one_change
def save_dependencies(entity: Entity, depends_on: Collection[str], *, sight: Sight | None = None) -> None:
    """Make these entities, by code, the ones that `entity` depends on; no others stay.

    Raises InvalidPlan when one is unknown, or when a circle would come of it, here or in a plan; what it tells names
    nothing beyond `sight`.
    """
    one_at_a_time()
    known = Entity.objects.filter(code__in=depends_on).values_list("code", flat=True)
    if missing := sorted(set(depends_on) - set(known)):
        raise InvalidPlan({"depends_on": [say("There is no entity {missing!r}.", missing=missing[0])]})
    if text := dependency_fault({entity.code: set(depends_on)}, sight):
        raise InvalidPlan({"depends_on": [text]})
    store_dependencies(entity, depends_on)


@as_one_change
def store_dependencies(entity: Entity, depends_on: Collection[str]) -> None:
    """Store dependencies that were checked: these and no others. As `store_plan`, behind `one_at_a_time`."""
    require_lock(*DEFINITIONS)
    with transaction.atomic():
        for configuration in SchedulerConfiguration.objects.filter(entity=entity):
            touch(configuration)
        stored = EntityDependency.objects.filter(entity=entity)
        stored.exclude(depends_on__code__in=depends_on).delete()
        before = stored.values_list("depends_on__code", flat=True)
        new = Entity.objects.filter(code__in=depends_on).exclude(code__in=list(before)).order_by("code")
        EntityDependency.objects.bulk_create(EntityDependency(entity=entity, depends_on=other) for other in new)


def dependency_fault(changed: Mapping[str, Collection[str]], sight: Sight | None = None) -> str:
    """Return the sentence about the circles that new dependencies would bring, in the hierarchy or in a plan."""
    hierarchy = read_hierarchy() | {code: set(priors) for code, priors in changed.items()}
    if cycles := cycle_lines(hierarchy):
        if sight is not None:
            seen = {*sight.entities, *changed, *(prior for priors in changed.values() for prior in priors)}
            part = restricted(hierarchy, seen)
            if not (own := cycle_lines(part)):
                return say("These would depend on each other in a circle, through entities that you do not see.")
            return aloud(cycle_sentence(own, leading_into_cycles(part)))
        return aloud(cycle_sentence(cycles, leading_into_cycles(hierarchy)))
    names = list(Plan.objects.filter(is_cancelled=False).values_list("name", flat=True))
    outlines = read_outlines(names)
    for name in names:
        if sentence := check_outlines(outlines, [name], hierarchy).sentence:
            return fault_in_plan(name, sentence, sight)
    return ""
