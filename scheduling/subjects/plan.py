"""Plans with their steps as versions: the section of a model file, and back through the same rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.db.models import Model
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.model_files.load import load
from scheduling.model_files.sections import (
    PLAN_KINDS,
    PLAN_SCHEDULE_KINDS,
    STEP_KINDS,
    STEP_TARGETS,
    VERSION,
)
from scheduling.model_files.steps import plan_section
from scheduling.models import Job, Plan, PlanAfter, PlanStep, SqlScript
from scheduling.models.step import wait_key
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import OWN_COLUMNS
from scheduling.schedules.settings import SETTINGS
from scheduling.states import RunIf
from scheduling.subjects.configuration import SCHEDULE_LABELS, SCHEDULE_SHOWN
from scheduling.subjects.named import rename
from scheduling.subjects.telling import in_the_log, in_words
from staging.model_files.read import load_json
from staging.models import Entity
from staging.versions.subjects import Content, Tracked
from staging.versions.words import ID, Parts, Words
from staging.wording import say


def _or_of_plan(value: Any) -> str:
    return say("as the plan says") if value is None else str(value)


# What the fields of a step are called, in its form as in its history.
STEP_LABELS = {
    "step_index": _("Number"),
    "run_if": _("Runs"),
    "only_when": _("Only when"),
    "attempts": _("Tries in all"),
    "retry_interval_seconds": _("Between tries (seconds)"),
    "retry_backoff": _("Longer and longer between tries"),
    "retry_on": _("Try again only after"),
    "timeout_seconds": _("May take (seconds)"),
    "expected_minutes": _("Usually takes (minutes)"),
    "due_by": _("Done by"),
    "due_after_minutes": _("Done so many minutes after its slot"),
    "continue_on_failure": _("Go on all the same"),
    "is_cancelled": _("Cancelled"),
    "depends_on": _("Only after"),
    "arguments": _("Values"),
    "for_each": _("For each item of"),
    "for_each_result": _("For each item that a step gave"),
    "for_each_query": _("For each row of a query"),
    "side_by_side": _("Side by side"),
    "wait_until": _("Wait until"),
    "wait_days": _("Days later"),
    "wait_minutes": _("Wait so many minutes"),
    "wait_rows": _("Wait for so many rows"),
    "wait_query": _("Wait until its query is true"),
    "wait_name": _("Name of the wait"),
    "plan": _("Plan"),
    "job": _("Job"),
}
_STEP = Words(
    PlanStep,
    keys=STEP_KINDS,
    labels=STEP_LABELS,
    shown={"run_if": lambda value: str(RunIf(value).label), **dict.fromkeys(PlanStep.BY_PLAN, _or_of_plan)},
    columns=dict.fromkeys(PlanStep.BY_PLAN, ""),  # where it says nothing, no default of a column stands for it
)


def _read(plan: Plan) -> Content:
    """Return a plan as a model file shows it, its settings among its own facts, each step with its key and number."""
    draft = PlanDraft.of(plan)
    section = plan_section(draft)
    ordered = sorted(draft.steps, key=lambda each: (each.step.step_index, each.step.pk or 0))
    steps = [
        {ID: each.step.pk, "step_index": each.step.step_index, **part}
        for each, part in zip(ordered, section["steps"], strict=True)
    ]
    schedule = section.pop("schedule", {})
    return {**section, **schedule, "steps": steps}


def _name(step: Mapping[str, Any]) -> str:
    """Return what people call a step."""
    kind, name = next(((kind, step[kind]) for kind in STEP_TARGETS if step.get(kind)), ("entity", ""))
    told = ", ".join(f"{key}={value}" for key, value in sorted(step.get("arguments", {}).items()))
    if any(step.get(key) for key in ("wait_until", "wait_minutes", "wait_rows", "wait_query")):
        script = f"script {name} ({told})" if told else f"script {name}"
        return wait_key(
            until=step.get("wait_until") or "", days=step.get("wait_days") or 0, minutes=step.get("wait_minutes"),
            rows=step.get("wait_rows"), of=name if kind == "entity" else script, name=step.get("wait_name") or "",
        )  # fmt: skip
    if kind == "entity":
        return str(name)
    return f"{kind} {name} ({told})" if told and kind in ("job", "script") else f"{kind} {name}"


@in_words
def _go_back(plan: Plan, content: Content) -> None:
    """Make a plan what the content says; steps that came since are cancelled."""
    wanted = load_json(json.dumps(content))  # fractions as a file has them
    rename(plan, wanted["name"])
    then = {_name(step) for step in content["steps"]}  # by values as they are stored, as those of the plan are
    since = [{**step, "is_cancelled": True} for step in _read(plan)["steps"] if _name(step) not in then]
    steps = [{key: value for key, value in step.items() if key != ID} for step in [*wanted["steps"], *since]]
    own = {key: value for key, value in wanted.items() if key in PLAN_KINDS and key != "steps"}
    schedule = {key: value for key, value in wanted.items() if key not in PLAN_KINDS}
    section = {**own, "steps": steps, "schedule": schedule}
    load({"version": VERSION, "plans": [section]}, now=clock.now())
    plan.refresh_from_db()


_WORDS = Words(
    Plan,
    keys=[*PLAN_KINDS, *PLAN_SCHEDULE_KINDS],
    labels={
        **SCHEDULE_LABELS,
        "categories": _("Categories"),
        "order": _("What comes first"),
        "parameters": _("Parameters"),
        "overlap": _("While a run goes on"),
        "is_cancelled": _("Cancelled"),
        "run_timeout_seconds": _("A run may take (seconds)"),
        "run_attempts": _("Attempts of a run in all"),
        "run_retry_interval_seconds": _("Between attempts (seconds)"),
        "run_retry_backoff": _("Each wait twice the one before"),
        "expected_minutes": _("Usually takes (minutes)"),
        "due_by": _("Done by"),
        "due_after_minutes": _("Done so many minutes after its slot"),
        "default_queue": _("Queue of steps"),
        "default_attempts": _("Tries in all, of steps"),
        "default_retry_interval_seconds": _("Between tries of steps (seconds)"),
        "default_timeout_seconds": _("A step may take (seconds)"),
        "after_plans": _("Runs after plans"),
        "after_entities": _("Runs after entities"),
    },
    shown=SCHEDULE_SHOWN | {"schedule_type": lambda value: _how_often(value)},
    parts={"steps": Parts(_("Step"), _name, _STEP)},
)


def _how_often(value: Any) -> str:
    return (
        SCHEDULE_SHOWN["schedule_type"](value) if value else say("by no clock: people start it, or the end of others")
    )


def _needs(content: Content) -> list[str]:
    """Return what it takes to say that these steps run: scripts may stand in a plan that is a step, too."""
    runs_scripts = any({"script", "plan", "for_each_query"} & step.keys() for step in content.get("steps", []))
    return ["scheduling.run_sqlscript"] if runs_scripts else []


def _names(content: Content) -> list[tuple[type[Model], str, str]]:
    """Return what the steps run, and what the plan runs after; a reader who is limited has to see all of it."""
    kinds: dict[str, tuple[type[Model], str]] = {
        "entity": (Entity, "code"),
        "plan": (Plan, "name"),
        "job": (Job, "name"),
        "script": (SqlScript, "name"),
    }
    queries = [step["for_each_query"] for step in content.get("steps", []) if step.get("for_each_query")]
    run = [(*kinds[kind], step[kind]) for step in content.get("steps", []) for kind in STEP_TARGETS if step.get(kind)]
    plans = [(*kinds["plan"], name) for name in content.get("after_plans", ())]
    run += [(*kinds["script"], name) for name in queries]
    return [*run, *plans, *((*kinds["entity"], code) for code in content.get("after_entities", ()))]


def _plan_of(part: PlanStep | PlanAfter) -> list[int]:
    return [part.plan_id]


PLAN = Tracked(
    Plan,
    columns=(*OWN_COLUMNS, *SETTINGS),
    read=_read,
    words=_WORDS,
    go_back=_go_back,
    parts={PlanStep: _plan_of, PlanAfter: _plan_of},
    links={PlanStep.depends_on.through: _plan_of},
    tell=in_the_log(_WORDS),
    needs=_needs,
    names=_names,
    owned="",
)
