"""Plans: listed, read as the model file has them, checked and run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from django.http import Http404

from scheduling.api.base import STARTED, SchedulingResource, instant, started_document
from scheduling.dag.manifest import Manifest
from scheduling.errors import InvalidArguments
from scheduling.model_files.sections import PLAN_KINDS
from scheduling.model_files.steps import plan_section
from scheduling.models import Plan
from scheduling.models.plan import others_along
from scheduling.plans.categories import categories_of, in_category
from scheduling.plans.check import check_plans
from scheduling.plans.compile import compile_plans
from scheduling.plans.draft import PlanDraft
from scheduling.runs.by_hand import start_plans_now
from scheduling.schedules.sentence import describe
from scheduling.states import RunKind
from staging.api.kit.doors import TOGETHER, Answer, Body, answer, door
from staging.api.kit.listing import page_example, page_schema, paged
from staging.api.kit.parameters import MINE, PAGED, Parameter
from staging.api.kit.problems import invalid
from staging.model_files.owners import owner_document
from staging.model_files.shape import MAPPING
from staging.states import Scope
from staging.wording import say

_TEXT = {"type": "string"}
_MAYBE = {"type": ["string", "null"]}
_INSTANT = {"type": ["string", "null"], "format": "date-time"}
_LINES = {"type": "array", "items": _TEXT}
_STATE = {
    "description": _TEXT,
    "categories": _LINES,
    "owner": _MAYBE,
    "owner_group": _MAYBE,
    "is_cancelled": {"type": "boolean"},
    "is_enabled": {"type": "boolean"},
    "schedule": _TEXT,
    "next_scheduled_run": _INSTANT,
    "is_running": {"type": "boolean"},
    "last_completed_at": _INSTANT,
    "last_result": _TEXT,
    "paused": {"type": "boolean"},
}
_LISTED = {"type": "object", "required": ["name"], "properties": {"name": _TEXT, **_STATE}}
_LISTED_EXAMPLE = {
    "name": "Nightly",
    "description": "",
    "categories": ["Finance"],
    "owner": "anna",
    "owner_group": None,
    "is_cancelled": False,
    "is_enabled": True,
    "schedule": "Every day at 02:30, Europe/Amsterdam",
    "next_scheduled_run": "2026-03-02T01:30:00+00:00",
    "is_running": False,
    "last_completed_at": None,
    "last_result": "",
    "paused": False,
}
_PLAN = {
    "type": "object",
    "required": ["plan", "state"],
    "properties": {"plan": Body(PLAN_KINDS, ("name", "steps")).schema(), "state": _LISTED},
}
_PLAN_EXAMPLE = {"plan": {"name": "Nightly", "steps": [{"entity": "branch"}]}, "state": _LISTED_EXAMPLE}
_CHECK = {
    "type": "object",
    "required": ["cycles", "waves", "hierarchy"],
    "properties": {
        "cycles": _LINES,
        "waves": {"type": "array", "items": _LINES},
        "hierarchy": _LINES,
        "leading_into_cycles": _LINES,
        "conditions": {"type": "object", "additionalProperties": _LINES, "description": "What steps ask about others."},
    },
}


class OfPlans(SchedulingResource):
    """What all addresses of plans do alike."""

    def plans(self) -> QuerySet[Plan]:
        """Return the plans that the caller may see: of somebody for entities those that run nothing else."""
        return self.caller.only(Plan.objects.select_related("owner", "owner_group"))

    def find_plan(self, name: str) -> Plan:
        """Return a plan; a 404 when there is none, a 403 when it runs more than the caller's entities."""
        found = Plan.objects.filter(name=name[:101]).first()
        if self.caller.is_limited and (found is None or not self.plans().filter(pk=found.pk).exists()):
            self.caller.insist_on_all(say("Plan {name!r}", name=name))
        if found is None:
            raise Http404(say("There is no plan {name!r}.", name=name))
        self.caller.insist_on_thing(found, say("Plan {name!r}", name=name))
        return found


class Plans(OfPlans):
    """The plans that the caller may see."""

    @door(
        Scope.READ,
        "scheduling.view_plan",
        summary="List plans by name",
        query=(Parameter("category", "text", "Only those in this category."), MINE, *PAGED),
        answers={200: answer(page_schema(_LISTED), page_example(_LISTED_EXAMPLE), "A page of plans.")},
    )
    def get(self) -> Any:
        """Return a page of them."""
        plans = self.listed(
            Plan.objects.select_related("owner", "owner_group", "calendar").prefetch_related(others_along())
        )
        if self.query["category"] is not None:
            plans = plans.filter(in_category(self.query["category"]))
        return paged(self, plans, _state, order=["name"])


class OnePlan(OfPlans):
    """One plan."""

    @door(
        Scope.READ,
        "scheduling.view_plan",
        summary="Read a plan",
        answers={200: Answer(_PLAN, _PLAN_EXAMPLE, "The plan as a model file has it, and how it stands.")},
    )
    def get(self, name: str) -> Any:
        """Return it."""
        plan = self.find_plan(name)
        return {"plan": plan_section(PlanDraft.of(plan)), "state": _state(plan)}


class CheckPlan(OfPlans):
    """In which order would it run?"""

    @door(
        Scope.READ,
        "scheduling.view_plan",
        summary="Say in which order a plan would run, or the circles because of which it cannot; writes nothing",
        answers={200: Answer(_CHECK, {"cycles": [], "waves": [["branch"]], "hierarchy": ["branch"]}, "The order.")},
    )
    def post(self, name: str) -> Any:
        """Check without starting anything."""
        return check_plans([self.find_plan(name).name]).as_json()


class RunPlan(OfPlans):
    """Start a plan."""

    @door(
        Scope.OPERATE,
        "scheduling.run_plan",
        summary="Start a plan now, outside its schedule, with values for its parameters when it has some",
        body=Body({"parameters": MAPPING}, example={"parameters": {}}),
        keyed=TOGETHER,
        answers={202: STARTED},
        problems=(409,),
    )
    def post(self, name: str) -> Any:
        """Start it, with the right for everything in it."""
        plan = self.find_plan(name)
        made = compile_plans([plan.name])
        if self.caller.entity_ids is not None and not is_of(made.tasks, self.caller.entity_ids):
            self.caller.insist_on_all(say("Plan {name!r}", name=plan.name))
        try:
            run = start_plans_now(
                [plan.name],
                self.body.get("parameters") or {},
                started_by=self.caller.by,
                made=made,
                person=self.caller.person,
                now=self.now,
            )
        except InvalidArguments as error:
            raise invalid({f"parameters.{name}": texts for name, texts in error.errors.items()}) from None
        return started_document(run)


def is_of(manifest: Manifest, entity_ids: Iterable[int]) -> bool:
    """Return whether a manifest has nothing but batches of these entities."""
    return all(item.workload == RunKind.BATCH and item.target_id in set(entity_ids) for item in manifest)


def _state(plan: Plan) -> dict[str, Any]:
    return {
        "name": plan.name,
        "description": plan.description,
        "categories": categories_of(plan.categories),
        **owner_document(plan),
        "is_cancelled": plan.is_cancelled,
        "is_enabled": plan.is_enabled,
        "schedule": describe(plan),
        "next_scheduled_run": instant(plan.next_scheduled_run),
        "is_running": plan.is_running,
        "last_completed_at": instant(plan.last_completed_at),
        "last_result": plan.last_result,
        "paused": plan.is_paused,
    }
