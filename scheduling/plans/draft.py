"""A plan as somebody wants it, not stored yet, and every fault of it by field: one set of rules for every door."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_noop

from scheduling.dag.graph import Graph
from scheduling.errors import InvalidPlan
from scheduling.models import Job, Plan, PlanStep
from scheduling.plans.after import Other, after_errors, after_of, circle_errors, name_of_other
from scheduling.plans.categories import category_errors
from scheduling.plans.check import check_outlines
from scheduling.plans.conditions import condition_faults, no_step
from scheduling.plans.each import each_errors
from scheduling.plans.order import ordered
from scheduling.plans.outline import (
    Outline,
    Sight,
    outline,
    plans_behind,
    priors_of,
    read_hierarchy,
    read_outlines,
    runs_in,
    with_targets,
)
from scheduling.plans.parameters import (
    ITEM,
    bound,
    declaration_errors,
    job_step_errors,
    known_jobs,
    of_plans,
    references,
    samples,
    without_default,
)
from scheduling.plans.script_rights import script_right_errors
from scheduling.plans.scripts import argument_errors
from scheduling.plans.waits import WAIT_COLUMNS, wait_errors
from scheduling.schedules.change import settings_columns, with_mode
from scheduling.schedules.deadlines import DEADLINE_COLUMNS, deadline_errors
from scheduling.schedules.rules import schedule_errors
from scheduling.states import Overlap, PlanOrder, RunIf
from staging.models import owner_errors
from staging.wording import say

_ONE_THING = gettext_noop("A step is one thing: an entity, a job, a SQL script, another plan, or a wait for a time.")
# What the steps of a plan take that say nothing of their own.
STEP_DEFAULTS = (
    "default_queue",
    "default_attempts",
    "default_retry_interval_seconds",
    "default_timeout_seconds",
)
# How often a run of a plan is tried that fails.
ATTEMPT_COLUMNS = ("run_attempts", "run_retry_interval_seconds", "run_retry_backoff")
_OF_ITS_STEPS = (
    *DEADLINE_COLUMNS,
    "run_if",
    "only_when",
    "continue_on_failure",
    "attempts",
    "retry_backoff",
    "retry_on",
    "timeout_seconds",
    "queue_id",
)
_CHECKED = (
    *DEADLINE_COLUMNS,
    "step_index",
    "priority",
    "attempts",
    "retry_interval_seconds",
    "retry_on",
    "timeout_seconds",
    "job_name",
    "run_if",
    "side_by_side",
    *WAIT_COLUMNS,
)

Errors = dict[str, list[str]]


@dataclass
class StepDraft:
    """One step as wanted, stored or new; `depends_on` are keys of steps of the same plan."""

    step: PlanStep
    depends_on: Sequence[str] = ()


@dataclass
class PlanDraft:
    """One plan as wanted: its own columns on `plan`, its settings as people write them, all its steps.

    Settings that are left out keep what is stored. Stored steps that are left out are none of the draft's business
    and stay; a step is cancelled, never deleted. `may_script`: whether who saves it may run SQL scripts; `sight`: of
    what they may be told, None for everything. `after`: what it runs after; None keeps what is stored. `stored`: its
    stored steps `with_targets`, where somebody has read them already.
    """

    plan: Plan
    schedule: Mapping[str, Any] = field(default_factory=dict)
    steps: list[StepDraft] = field(default_factory=list)
    may_script: bool = True
    sight: Sight | None = None
    after: Sequence[Other] | None = None
    stored: Sequence[PlanStep] | None = None

    @classmethod
    def of(cls, plan: Plan) -> PlanDraft:
        """Return a stored plan as a draft of itself."""
        steps = with_targets(plan.steps.all())
        return cls(plan, {}, [StepDraft(step, priors_of(step)) for step in steps])

    @property
    def left_out(self) -> list[PlanStep]:
        """Return the stored steps that are none of the draft's business."""
        if self.stored is None:
            self.stored = with_targets(self.plan.steps.all()) if self.plan.pk else []
        own = {each.step.pk for each in self.steps}
        return [step for step in self.stored if step.pk not in own]

    @cached_property
    def runs_after(self) -> list[Other]:
        """Return what the plan is to run after."""
        return after_of(self.plan) if self.after is None else list(self.after)

    @property
    def runs_by_itself(self) -> bool:
        """Return whether the plan is to have a cadence, or to run after others."""
        return bool(self.schedule_type or self.runs_after)

    @property
    def schedule_type(self) -> str:
        """Return the schedule type that the plan is to have; empty for none."""
        return str(self.schedule.get("schedule_type", self.plan.schedule_type) or "")

    def outline(self) -> Outline:
        """Return the plan as values, with the stored steps that the draft leaves out."""
        steps, priors = [each.step for each in self.steps], [list(each.depends_on) for each in self.steps]
        own = {step.pk: step.key for step in steps if step.pk}
        steps += self.left_out
        priors += [priors_of(stored, own) for stored in self.left_out]
        made = outline(self.plan, steps, dict(enumerate(priors)))
        return replace(made, after=tuple(map(name_of_other, self.runs_after)))


def plan_errors(
    draft: PlanDraft, *, others: Mapping[str, Outline] | None = None, hierarchy: Graph | None = None, now: datetime
) -> Errors:
    """Return every fault of a plan by path: "name", "run_times", "steps.2.entity", "steps"; empty when it is fine.

    `others` are plans, and `hierarchy` dependencies, that are to be stored together with it and are not yet.
    """
    runs_by_itself = draft.runs_by_itself
    errors = own_errors(draft.plan, runs_by_itself=runs_by_itself) | _schedule_errors(draft, now)
    jobs = known_jobs() if any(each.step.job_name for each in draft.steps) else {}
    values = None if "parameters" in errors else samples(draft.plan.parameters or {})
    for place, each in enumerate(draft.steps):
        faults = _step_errors(each.step, jobs, values)
        errors |= {f"steps.{place}.{name}": texts for name, texts in faults.items()}
    mine = draft.outline()
    errors |= _key_errors(draft, mine) | after_errors(mine, draft.runs_after, bool(draft.schedule_type))
    if not draft.may_script:
        errors |= script_right_errors(draft, mine, others or {})
    if errors:
        return errors
    hierarchy = read_hierarchy() if hierarchy is None else hierarchy
    errors = _idle_errors(draft, mine, hierarchy)
    if asking := _condition_errors(draft, mine, hierarchy):
        return errors | asking
    known = _all_with(mine, others or {})
    errors |= circle_errors(mine, known, draft.sight)
    fault = _order_fault(mine, known, hierarchy, draft.sight)
    if fault := fault or _parameter_fault(mine, others or {}, runs_by_itself=runs_by_itself):
        errors["steps"] = [fault]
    return errors


def after_faults(draft: PlanDraft) -> Errors:
    """Return what is wrong with what a plan is to run after, with the steps of the draft, by key."""
    mine = draft.outline()
    errors = after_errors(mine, draft.runs_after, bool(draft.schedule_type))
    return errors or circle_errors(mine, _all_with(mine, {}), draft.sight)


def own_errors(plan: Plan, *, runs_by_itself: bool) -> Errors:
    """Return the faults of what a plan is besides its schedule and steps, by field."""
    errors: Errors = owner_errors(plan) | _column_errors(
        plan, (*STEP_DEFAULTS[1:], "run_timeout_seconds", *ATTEMPT_COLUMNS, *DEADLINE_COLUMNS)
    )
    errors |= deadline_errors(plan)
    if faults := category_errors(plan.categories):
        errors["categories"] = faults
    name = plan.name
    if not name.strip() or name != name.strip() or "," in name or "\n" in name or len(name) > 100:
        errors["name"] = [say("A plan needs a name of at most 100 characters, without commas.")]
    elif Plan.objects.filter(name=name).exclude(pk=plan.pk).exists():
        errors["name"] = [say("There is a plan {name!r} already.", name=name)]
    elif other := _differs_in_case_only(plan):
        errors["name"] = [say("There is a plan {other!r} already; write more than another case.", other=other)]
    if plan.parameters and (faults := declaration_errors(plan.parameters, runs_by_itself=runs_by_itself)):
        errors["parameters"] = faults
    for column, choices in (("order", PlanOrder), ("overlap", Overlap)):
        if getattr(plan, column) not in choices.values:
            errors[column] = [
                say(
                    "{getattr!r} is not known; write {values}.",
                    getattr=getattr(plan, column),
                    values=", ".join(choices.values),
                )
            ]
    return errors


def _differs_in_case_only(plan: Plan) -> str:
    """Return the name of another plan that this new name is but for its case; empty when there is none."""
    names = dict(Plan.objects.values_list("pk", "name"))
    if names.get(plan.pk) == plan.name:
        return ""
    same = (name for pk, name in names.items() if pk != plan.pk and name.casefold() == plan.name.casefold())
    return next(same, "")


def _schedule_errors(draft: PlanDraft, now: datetime) -> Errors:
    """Return the faults of the settings, by the rules that hold for every schedule."""
    before = {column: getattr(draft.plan, column) for column in settings_columns(draft.plan)}
    stored = with_mode(before, draft.plan.after_others) if draft.plan.pk else None
    wanted = with_mode({**before, **draft.schedule}, bool(draft.runs_after))
    return schedule_errors(wanted, now=now, before=stored)


def _step_errors(step: PlanStep, jobs: Mapping[str, Job], values: Mapping[str, Any] | None) -> Errors:
    """Return the faults of one step by field; `values` are of the types of the parameters; None: unknown."""
    targets = [step.entity is not None, bool(step.job_name), step.script is not None, step.sub_plan is not None]
    if sum([*targets, step.waits_for_time]) != 1:
        return {"entity": [say(_ONE_THING)]}
    errors = _column_errors(step, _CHECKED) or wait_errors(step) | deadline_errors(step)
    if faults_of_items := each_errors(step, jobs, values):
        return errors | faults_of_items
    if step.has_items:
        pass  # its values were judged with the items
    elif step.job_name:
        errors |= job_step_errors(step, jobs)
    elif step.script is not None and values is not None:
        if faults := argument_errors(step.script, bound(step.arguments, values)):
            errors["arguments"] = faults
    elif step.script is None and step.arguments:
        errors["arguments"] = [say("Only jobs and scripts take values.")]
    own = {ITEM} if step.has_items else set()
    if values is not None and (unknown := sorted(references(step.arguments) - values.keys() - own)):
        names = ", ".join(values)
        text = say("The plan has no parameter {name!r}; it has: {names}.", name=unknown[0], names=names)
        errors["arguments"] = [text]
    if step.sub_plan is not None:
        empty = PlanStep()
        for name in _OF_ITS_STEPS:
            if getattr(step, name) != getattr(empty, name):
                errors[name.removesuffix("_id")] = [
                    say("The steps of that plan say this themselves; leave it as it is.")
                ]
    return errors


def _column_errors(thing: Plan | PlanStep, names: Collection[str]) -> Errors:
    """Return what these columns themselves refuse, such as a number that is too small."""
    try:
        thing.clean_fields(exclude=[column.name for column in thing._meta.fields if column.name not in names])
    except ValidationError as error:
        return {name: [str(text) for text in texts] for name, texts in error.message_dict.items()}
    return {}


def _key_errors(draft: PlanDraft, mine: Outline) -> Errors:
    """Return what is wrong with the names of the steps: one twice, a dependency on what is not there."""
    errors: Errors = {}
    keys = Counter(step.key for step in mine.steps)
    for place, each in enumerate(draft.steps):
        key = each.step.key
        if keys[key] > 1:
            errors[f"steps.{place}.entity"] = [say("{key} is a step of this plan twice; leave one out.", key=key)]
        if len(key) > each.step.longest_key:
            errors[f"steps.{place}.arguments"] = [
                say("The step's name with its values is too long: over 200 characters.")
            ]
        if key in each.depends_on:
            errors[f"steps.{place}.depends_on"] = [say("A step cannot depend on itself: {key} > {key}.", key=key)]
        if missing := [prior for prior in each.depends_on if prior not in keys]:
            errors[f"steps.{place}.depends_on"] = [no_step(missing[0], keys)]
    return errors


def _idle_errors(draft: PlanDraft, mine: Outline, hierarchy: Graph) -> Errors:
    """Return which steps run after a failure only and have nothing before them, cancelled or not."""
    asking = {each.step.key: place for place, each in enumerate(draft.steps) if each.step.run_if == RunIf.ANY_FAILED}
    if not asking:
        return {}
    alone = replace(mine, steps=tuple(replace(step, runs=True, sub_plan="") for step in mine.steps), is_cancelled=False)
    order = ordered({mine.name: alone}, [mine.name], hierarchy)
    text = say("Nothing comes before this step, so nothing can have failed when it is its turn.")
    return {f"steps.{place}.run_if": [text] for key, place in asking.items() if not order[key]}


def _condition_errors(draft: PlanDraft, mine: Outline, hierarchy: Graph) -> Errors:
    """Return what is wrong with what steps ask about others; a stored step that the draft leaves out is named."""
    places = {each.step.key: place for place, each in enumerate(draft.steps)}
    errors: Errors = {}
    for name, of_lists in (("only_when", False), ("for_each_result", True)):
        for key, texts in condition_faults(mine, hierarchy, of_lists=of_lists).items():
            if key in places:
                errors[f"steps.{places[key]}.{name}"] = texts
            else:
                errors.setdefault("steps", []).extend(say("{step}: {text}", step=key, text=text) for text in texts)
    return errors


def _all_with(mine: Outline, others: Mapping[str, Outline]) -> dict[str, Outline]:
    """Return this plan with all others in force, and those of `others`, as they are to be stored."""
    stored = Plan.objects.filter(is_cancelled=False).exclude(name=mine.name).values_list("name", flat=True)
    known = read_outlines(list(stored)) | dict(others) | {mine.name: mine}
    missing = {step.sub_plan for each in known.values() for step in each.steps if step.sub_plan} - known.keys()
    return known | {name: Outline(name) for name in missing}  # cancelled ones run nothing


def _order_fault(mine: Outline, known: Mapping[str, Outline], hierarchy: Graph, sight: Sight | None) -> str:
    """Return the sentence about the circles that this plan, or one that runs it, would have; empty without any."""
    concerned = [mine.name, *(name for name in known if mine.name in plans_behind(name, known) and name != mine.name)]
    for name in concerned:
        if sentence := check_outlines(known, [name], hierarchy).sentence:
            return sentence if name == mine.name else fault_in_plan(name, sentence, sight)
    return ""


def _parameter_fault(mine: Outline, others: Mapping[str, Outline], *, runs_by_itself: bool) -> str:
    """Return the sentence about the parameters of the plans that this one runs; empty when nothing is wrong."""
    names = {step.sub_plan for step in mine.steps if step.sub_plan and step.runs}
    if not names:
        return ""
    known = read_outlines(sorted(names - others.keys())) | dict(others) | {mine.name: mine}
    missing = {step.sub_plan for each in known.values() for step in each.steps if step.sub_plan} - known.keys()
    known |= read_outlines(sorted(missing))
    try:
        found = of_plans((plan.name, plan.parameters) for plan in runs_in(known, [mine.name]))
    except InvalidPlan as error:
        return str(error)
    return next(iter(without_default(found)), "") if runs_by_itself else ""


def fault_in_plan(name: str, sentence: str, sight: Sight | None) -> str:
    """Return the sentence about a circle in a plan; of one that its reader does not see, no more than that."""
    if sight is not None and name not in sight.plans:
        return say("In a plan that you do not see, steps would depend on each other in a circle.")
    return say("In plan {name}: {sentence}", name=name, sentence=sentence)
