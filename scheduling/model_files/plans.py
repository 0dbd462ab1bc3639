"""The `plans` section of a model file: plans with their schedules and steps, checked, compared, stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scheduling.dag.graph import Graph
from scheduling.model_files.schedule import ScheduleReader
from scheduling.model_files.sections import PLAN_KINDS
from scheduling.model_files.steps import Known, StepReader, plan_section
from scheduling.models import Plan
from scheduling.plans.draft import PlanDraft, plan_errors
from scheduling.plans.save import store_plan, store_steps
from scheduling.states import Overlap, PlanOrder
from staging.model_files.shape import Problems, check_mapping, join

_DEFAULTS: dict[str, Any] = {
    "name": "",
    "description": "",
    "order": PlanOrder.STEPS.value,
    "overlap": Overlap.SKIP.value,
    "is_cancelled": False,
}
# A path of the rules in terms of the file.
_KEYS = {"job_name": "job", "sub_plan": "plan"}


@dataclass
class PlannedPlan:
    """One plan of the file as it would be stored, and its section as it is stored now (None: it is new)."""

    path: str
    draft: PlanDraft
    before: dict[str, Any] | None

    def changes(self) -> dict[str, Any] | None:
        """Return what would change, each with its old and new value as the file shows it; None for a new plan."""
        if self.before is None:
            return None
        after = plan_section(self.draft)
        return {
            name: {"from": self.before.get(name), "to": after.get(name)}
            for name in PLAN_KINDS
            if self.before.get(name) != after.get(name)
        }


def plan_plans(sections: Sequence[Any], schedules: ScheduleReader, known: Known) -> list[PlannedPlan]:
    """Return the plans of the file, everything wrong with their shape in the problems by path; changes nothing.

    Stored plans and steps that the file does not list stay: what is to go says `is_cancelled`.
    """
    problems = schedules.problems
    checked = [
        (f"plans[{index}]", check_mapping(content, f"plans[{index}]", PLAN_KINDS, problems, required=("name",)))
        for index, content in enumerate(sections)
    ]
    stored = {plan.name: plan for plan in Plan.objects.all()}
    before = {name: plan_section(PlanDraft.of(plan)) for name, plan in stored.items()}
    seen: dict[str, str] = {}
    for path, section in checked:
        name = section.get("name", "")
        if name and name.casefold() in seen:
            problems.add(f"{path}.name", f"{name!r} is defined at {seen[name.casefold()]} already; leave one out.")
        seen.setdefault(name.casefold(), path)
        known.plans.setdefault(name, stored.get(name) or Plan(name=name))
    found = []
    for path, section in checked:
        plan = known.plans[section.get("name", "")]
        for column, default in _DEFAULTS.items():
            setattr(plan, column, section.get(column, default))
        settings = {}
        if "schedule" in section:
            settings = schedules.read_of_plan(section["schedule"], f"{path}.schedule", plan)
        steps = StepReader(known, problems).read(section.get("steps", []), path, plan)
        found.append(PlannedPlan(path, PlanDraft(plan, settings, steps), before.get(plan.name)))
    return found


def check_plans(plans: Sequence[PlannedPlan], hierarchy: Graph, problems: Problems, now: datetime) -> None:
    """Add what the rules say of the plans, together and with what is stored."""
    others = {each.draft.plan.name: each.draft.outline() for each in plans}
    for each in plans:
        for path, texts in plan_errors(each.draft, others=others, hierarchy=hierarchy, now=now).items():
            place = _place(each.path, path)
            if not problems.under(place) and not any(known.startswith(place) for known in problems.errors):
                problems.errors[place] = texts


def apply_plans(plans: Iterable[PlannedPlan], now: datetime) -> None:
    """Store new and changed plans, then their steps, which may run any of them; the caller holds the transaction."""
    changed = [each.draft for each in plans if each.before is None or each.changes()]
    for draft in changed:
        store_plan(draft, now=now)
    for draft in changed:
        store_steps(draft)


def _place(path: str, rule_path: str) -> str:
    """Return a path of the rules (`steps.2.job_name`, `run_times`) as a path of the file."""
    head, *rest = rule_path.split(".")
    if head == "steps" and rest:
        return join(f"{path}.steps[{rest[0]}]", _KEYS.get(rest[1], rest[1]))
    return join(path, head) if head in PLAN_KINDS else join(f"{path}.schedule", head)
