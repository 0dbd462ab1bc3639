"""Who may save a plan that runs SQL scripts: its schedule runs with the rights of whoever saved it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scheduling.models import Plan, PlanStep
from scheduling.plans.after import after_names, after_of
from scheduling.plans.outline import Outline, Outlines, Step, read_outlines, runs_in
from scheduling.schedules.change import settings_columns
from staging.wording import say

if TYPE_CHECKING:
    from scheduling.plans.draft import PlanDraft

_WHAT_IT_RUNS = ("script_id", "sub_plan_id", "arguments", "is_cancelled", "wait_query", "for_each", "for_each_result",
                 "for_each_query_id")  # fmt: skip


def script_right_errors(draft: PlanDraft, mine: Outline, others: Outlines) -> dict[str, list[str]]:
    """Return by path what somebody without the right to run SQL scripts may not save.

    That is a step that newly runs a script, itself or in a plan however deep, and of a plan that runs one changed
    parameters, a changed schedule, or its return into force. `others` are plans to be stored together with it.
    """
    places = {each.step.key: place for place, each in enumerate(draft.steps)}
    running = {step.key: scripts for step in mine.steps if (scripts := scripts_behind(step, others))}
    errors: dict[str, list[str]] = {}
    for key, scripts in running.items():
        if key in places and _is_changed(draft.steps[places[key]].step):
            text = say(
                "{key} runs the SQL script {scripts}; only people who may run scripts may save that.",
                key=key,
                scripts=scripts[0],
            )
            errors[f"steps.{places[key]}.script"] = [text]
    if running and (column := _changed_schedule(draft)):
        key, scripts = next(iter(running.items()))
        text = say(
            "This plan runs the SQL script {scripts} ({key}); only people who may run scripts may change when.",
            scripts=scripts[0],
            key=key,
        )
        errors[column] = [text]
    if running and draft.plan.pk and _has_other_parameters(draft.plan):
        text = say("This plan runs SQL scripts; only people who may run them may change what they are given.")
        errors["parameters"] = [text]
    return errors


def scripts_behind(step: Step, others: Outlines) -> list[str]:
    """Return the names of the SQL scripts that a step runs, itself or in a plan however deep; sorted."""
    if not step.runs:
        return []
    steps = [step]
    if step.sub_plan:
        stored = Plan.objects.filter(name=step.sub_plan).values_list("name", flat=True)
        known = read_outlines(list(stored)) | dict(others)
        steps = [each for plan in runs_in(known, [step.sub_plan]) for each in plan.steps if each.runs]
    stored_steps = [each.stored for each in steps if each.stored is not None]
    scripts = [script for each in stored_steps for script in (each.script, each.for_each_query) if script is not None]
    return sorted({script.name for script in scripts})


def _is_changed(step: PlanStep) -> bool:
    """Return whether a step is new, or would run something else, or again, than what is stored."""
    stored = PlanStep.objects.filter(pk=step.pk).values(*_WHAT_IT_RUNS).first() if step.pk else None
    return stored != {name: getattr(step, name) for name in _WHAT_IT_RUNS}


def _has_other_parameters(plan: Plan) -> bool:
    """Return whether runs of a stored plan would be given other values, or others by default."""
    stored = Plan.objects.filter(pk=plan.pk).values_list("parameters", flat=True).first()
    return (stored or {}) != (plan.parameters or {})


def _changed_schedule(draft: PlanDraft) -> str:
    """Return the first setting of the schedule that would change so that the plan may start by itself; empty if none.

    What is switched off starts nothing: that anybody may who may change the plan.
    """
    stored = Plan.objects.filter(pk=draft.plan.pk).first() if draft.plan.pk else Plan()
    before = {column: getattr(stored, column) for column in settings_columns(draft.plan)}
    after: Mapping[str, object] = {**before, **draft.schedule}
    if stored is not None and stored.is_cancelled and not draft.plan.is_cancelled and draft.runs_by_itself:
        return "is_cancelled"
    if not (after["is_enabled"] and draft.runs_by_itself):
        return ""
    named, wanted = after_names(after_of(draft.plan)), after_names(draft.runs_after)
    changed = (
        *(key for key in named if named[key] != wanted[key]),
        *(key for key in before if before[key] != after[key]),
    )
    return next(iter(changed), "")
