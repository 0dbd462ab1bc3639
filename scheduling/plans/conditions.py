"""What the steps of a plan may ask about what others gave: the rules when it is saved, and the names that stay true."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from difflib import get_close_matches

from django.db.models import Q

from scheduling.dag.conditions import Condition
from scheduling.dag.graph import Graph, reach
from scheduling.models import PlanStep, SqlScript
from scheduling.plans.order import ordered
from scheduling.plans.outline import Outline, Step
from staging.versions.units import as_one_change
from staging.wording import aloud, say

# What a batch gives: its counts, all it merged as `changed`, and all somebody should look at as `warnings`.
OF_BATCH = (
    "rows", "changed", "inserted", "updated", "unchanged", "deactivated", "deleted", "rejected", "superseded", "warned",
    "warnings",
)  # fmt: skip
CHANGED = ("inserted", "updated", "deactivated", "deleted")
OF_SCRIPT = ("rows", "warnings")


def condition_faults(plan: Outline, hierarchy: Graph, *, of_lists: bool = False) -> dict[str, list[str]]:
    """Return what is wrong with the conditions of the steps of a plan, by their names; a cancelled one asks nothing.

    `of_lists`: with where the lists of their items stand, instead.
    """

    def asks(step: Step) -> tuple[Condition, ...]:
        return step.only_when if not of_lists else () if step.listed_by is None else (step.listed_by,)

    asking = {step.key: step for step in plan.steps if asks(step) and step.runs}
    if not asking:
        return {}
    steps = {step.key: step for step in plan.steps}
    alone = replace(
        plan,
        steps=tuple(replace(step, runs=True, sub_plan="", only_when=(), listed_by=None) for step in plan.steps),
        is_cancelled=False,
    )
    order = ordered({plan.name: alone}, [plan.name], hierarchy)
    found = {
        key: [text for condition in asks(step) if (text := _fault(key, condition, steps, order))]
        for key, step in asking.items()
    }
    return {key: texts for key, texts in found.items() if texts}


def _fault(key: str, condition: Condition, steps: Mapping[str, Step], order: Graph) -> str:
    """Return what is wrong with one condition of the step of this name; empty when nothing is."""
    named = steps.get(condition.step)
    if fault := condition.fault():
        return aloud(fault)
    if named is None:
        return no_step(condition.step, steps)
    if condition.step == key:
        return say("A step cannot ask about itself: nothing is there when it is its turn.")
    if named.sub_plan:
        return say("{step} gives no value: only entities, jobs and scripts do.", step=condition.step)
    if key in reach([condition.step], order):
        return say("{step} comes after this step: nothing of it is there when it is its turn.", step=condition.step)
    return _value_fault(condition, named)


def _value_fault(condition: Condition, named: Step) -> str:
    """Return what is wrong with a question about the counts of a batch or a script; a job may return anything."""
    if named.stored is not None and named.stored.has_items:
        return ""  # a list of what its items gave
    script = named.stored is not None and named.stored.script is not None
    if not (named.entity or script):
        return ""
    known = OF_SCRIPT if script else OF_BATCH
    if condition.path not in known:
        unknown, names = condition.path, ", ".join(known)
        return say("{step} gives {names}; {unknown!r} is none of them.", step=named.key, names=names, unknown=unknown)
    values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return say("{path} of {step} is a number: compare it with one.", path=condition.path, step=condition.step)
    return ""


def no_step(name: str, keys: Collection[str]) -> str:
    """Return the sentence that refuses to name a step that is not there, with the likely one."""
    if likely := get_close_matches(name, list(keys), n=1):
        return say(
            "There is no step {missing!r} in this plan; did you mean {likely!r}?", missing=name, likely=likely[0]
        )
    return say("There is no step {missing!r} in this plan.", missing=name)


@as_one_change
def follow_renamed_script(script: SqlScript, before: str) -> None:
    """Let the conditions that name steps of a script, which was called `before`, name them as they are called now."""
    names: dict[int, dict[str, str]] = {}
    for step in PlanStep.objects.filter(script=script).select_related("script"):
        is_called = step.key
        step.script = SqlScript(name=before)
        names.setdefault(step.plan_id, {})[step.key] = is_called
    asks = Q(only_when__isnull=False) | Q(for_each_result__isnull=False)
    for step in PlanStep.objects.filter(asks, plan__in=names):
        renamed, listed = names[step.plan_id], step.for_each_result
        asked = [{**each, "step": renamed.get(each["step"], each["step"])} for each in step.only_when or ()] or None
        listed = listed and {**listed, "step": renamed.get(listed["step"], listed["step"])}
        if (asked, listed) != (step.only_when or None, step.for_each_result):
            step.only_when, step.for_each_result = asked, listed
            step.save(update_fields=["only_when", "for_each_result"])
