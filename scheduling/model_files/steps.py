"""The steps of a plan in a model file: read into drafts that may name what the same file defines, and written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import time
from typing import Any

from scheduling.cadence.words import read_time
from scheduling.dag.conditions import InvalidCondition, parsed, place_line, place_of, stored_conditions
from scheduling.model_files.named import plain_json
from scheduling.model_files.schedule import plan_schedule_section
from scheduling.model_files.sections import PLAN_SCHEDULE_KINDS, STEP_KINDS, STEP_TARGETS
from scheduling.models import Plan, PlanStep, Queue, SqlScript
from scheduling.plans.after import Other, after_names, name_of_other
from scheduling.plans.categories import categories_of
from scheduling.plans.draft import ATTEMPT_COLUMNS, STEP_DEFAULTS, PlanDraft, StepDraft
from scheduling.plans.waits import WAIT_COLUMNS
from scheduling.queues import DEFAULT_QUEUE
from scheduling.schedules.deadlines import DEADLINE_COLUMNS, due_text
from scheduling.states import PlanOrder
from staging.model_files.owners import owner_section
from staging.model_files.shape import Problems, did_you_mean, known_keys, scalar_text
from staging.models import Entity
from staging.wording import aloud, say

_PLAIN = (
    "step_index", "priority", "run_if", "continue_on_failure", "attempts", "retry_interval_seconds", "retry_backoff",
    "retry_on", "timeout_seconds", "arguments", "is_cancelled", *WAIT_COLUMNS, *DEADLINE_COLUMNS,
)  # fmt: skip


@dataclass
class Known:
    """What steps may name: what is stored, and what the file defines besides."""

    entities: Mapping[str, Entity]
    scripts: Mapping[str, SqlScript]
    queues: Mapping[str, Queue]
    plans: dict[str, Plan] = field(default_factory=dict)


@dataclass
class StepReader:
    """Reads the steps of one file."""

    known: Known
    problems: Problems

    def read(self, contents: list[Any], path: str, plan: Plan) -> list[StepDraft]:
        """Return the steps of a plan, those of the file and the stored ones that it does not list, unchanged.

        Everything wrong with their shape goes to the problems. Steps without a number follow each other where numbers
        order them.
        """
        stored = PlanDraft.of(plan).steps if plan.pk else []
        by_key = {each.step.key: each.step for each in stored}
        drafts, met = [], set[str]()
        for index, content in enumerate(contents):
            place = f"{path}.steps[{index}]"
            section = known_keys(content, place, STEP_KINDS, self.problems)
            step = PlanStep(step_index=usual_number(plan, index))
            self._fill(step, section, place)
            if (same := by_key.get(step.key)) is not None and step.key not in met:
                step.pk, step.plan = same.pk, plan
            met.add(step.key)
            drafts.append(StepDraft(step, [str(key) for key in section.get("depends_on", [])]))
        return drafts + [each for each in stored if each.step.key not in met]

    def _fill(self, step: PlanStep, section: dict[str, Any], place: str) -> None:
        """Set what the section says; what it does not say has its default."""
        places = {
            "entity": ("entity", self.known.entities),
            "script": ("script", self.known.scripts),
            "plan": ("sub_plan", self.known.plans),
        }
        for key, (column, known) in places.items():
            if key in section:
                setattr(step, column, find(section, key, place, known, self.problems))
        if section.get("queue", DEFAULT_QUEUE) != DEFAULT_QUEUE:  # that one need not be stored yet
            step.queue = find(section, "queue", place, self.known.queues, self.problems)
        step.insists_on = [name for name in (*PlanStep.BY_PLAN, "queue") if name in section] or None
        step.job_name = section.get("job", "")
        if "for_each_query" in section:
            step.for_each_query = find(section, "for_each_query", place, self.known.scripts, self.problems)
        step.for_each, step.side_by_side = plain_json(section.get("for_each")), section.get("side_by_side")
        step.for_each_result = self._place(section.get("for_each_result"), f"{place}.for_each_result")
        step.only_when = self._conditions(section.get("only_when", []), f"{place}.only_when")
        for name in _PLAIN:
            if name in section:
                value = section[name]
                texts = ", ".join(scalar_text(item) for item in value) if isinstance(value, list) else value
                is_time = name in ("wait_until", "due_by")
                read = time_of_day(texts, f"{place}.{name}", self.problems) if is_time else plain_json(texts)
                setattr(step, name, read)

    def _place(self, line: Any, path: str) -> dict[str, Any] | None:
        """Return where the list stands that a line names, as a step keeps it; None without a line."""
        try:
            found = None if line is None else place_of(line if isinstance(line, str) else "")
        except InvalidCondition as error:
            self.problems.add(path, aloud(error))
            return None
        return None if found is None else {"step": found.step, "path": found.path}

    def _conditions(self, lines: list[Any], path: str) -> list[dict[str, Any]] | None:
        """Return the conditions that these lines say, as a step keeps them; None without any."""
        found = []
        for index, line in enumerate(lines):
            try:
                found.append(parsed(line if isinstance(line, str) else "").as_json())
            except InvalidCondition as error:
                self.problems.add(f"{path}[{index}]", aloud(error))
        return found or None


def time_of_day(text: str, place: str, problems: Problems) -> time | None:
    """Return a time of day, None and a problem for what is none."""
    try:
        return read_time(text)
    except ValueError as error:
        problems.add(place, aloud(error))
        return None


def find(section: Mapping[str, Any], key: str, place: str, known: Mapping[str, Any], problems: Problems) -> Any:
    """Return what a section names, None and a problem when there is no such thing."""
    name = section[key]
    if name not in known:
        kind = "script" if key == "for_each_query" else key.removeprefix("default_")
        likely = did_you_mean(name, known)
        text = say("There is no {key} {name!r}.{did_you_mean}", key=say(kind), name=name, did_you_mean=likely)
        problems.add(f"{place}.{key}", text)
    return known.get(name)


def read_after(section: Mapping[str, Any], path: str, known: Known, problems: Problems) -> list[Other]:
    """Return what a plan of a file runs after; a name that is not there is a problem at its place."""
    found: list[Other] = []
    places: tuple[tuple[str, str, Mapping[str, Other]], ...] = (
        ("after_plans", "plan", known.plans),
        ("after_entities", "entity", known.entities),
    )
    for key, kind, named in places:
        for index, name in enumerate(section.get(key, ())):
            if isinstance(name, str) and name in named:
                found.append(named[name])
                continue
            likely = did_you_mean(name, named)
            text = say("There is no {key} {name!r}.{did_you_mean}", key=say(kind), name=name, did_you_mean=likely)
            problems.add(f"{path}.{key}[{index}]", text)
    return list({name_of_other(one): one for one in found}.values())


def usual_number(plan: Plan, place: int) -> int:
    """Return the number of a step that says none: its place in the list where numbers order the steps, else 1."""
    return place + 1 if plan.order in (PlanOrder.STEPS, PlanOrder.BOTH) else 1


def plan_section(draft: PlanDraft) -> dict[str, Any]:
    """Return a plan as the file shows it: what differs from the defaults, and all its steps."""
    plan, empty = draft.plan, Plan()
    section: dict[str, Any] = {"name": plan.name}
    for column in ("description", "order", "parameters", "overlap", "is_cancelled", *ATTEMPT_COLUMNS):
        if getattr(plan, column) != getattr(empty, column):
            section[column] = getattr(plan, column)
    section |= {"categories": names} if (names := categories_of(plan.categories)) else {}
    section |= owner_section(plan)
    section |= {"default_queue": plan.default_queue.name} if plan.default_queue else {}
    numbers = ("run_timeout_seconds", "expected_minutes", "due_after_minutes", *STEP_DEFAULTS[1:])
    section |= {name: value for name in numbers if (value := getattr(plan, name)) is not None}
    section |= {"due_by": due_text(plan)} if plan.due_by is not None else {}
    settings = {name: getattr(plan, name) for name in PLAN_SCHEDULE_KINDS} | dict(draft.schedule)
    if schedule := plan_schedule_section(settings):
        section["schedule"] = schedule
    section |= {key: names for key, names in after_names(draft.runs_after).items() if names}
    steps = sorted(draft.steps, key=lambda each: (each.step.step_index, each.step.pk or 0))
    return section | {"steps": [_step_section(each, plan, place) for place, each in enumerate(steps)]}


def _step_section(draft: StepDraft, plan: Plan, place: int) -> dict[str, Any]:
    step, empty = draft.step, PlanStep(step_index=usual_number(plan, place))
    targets = (step.entity and step.entity.code, step.job_name, step.script and step.script.name,
               step.sub_plan and step.sub_plan.name)  # fmt: skip
    section: dict[str, Any] = {key: name for key, name in zip(STEP_TARGETS, targets, strict=True) if name}
    own = {name for name in PlanStep.BY_PLAN if step.own(name) is not None}
    section |= {
        name: getattr(step, name) for name in _PLAIN if name in own or getattr(step, name) != getattr(empty, name)
    }
    section |= {"wait_until": step.until_text} if step.wait_until is not None else {}
    section |= {"due_by": due_text(step)} if step.due_by is not None else {}
    section |= {"for_each": step.for_each} if step.for_each is not None else {}
    section |= {"for_each_result": place_line(step.for_each_result)} if step.for_each_result is not None else {}
    section |= {"for_each_query": step.for_each_query.name} if step.for_each_query is not None else {}
    section |= {"side_by_side": step.side_by_side} if step.side_by_side is not None else {}
    if conditions := stored_conditions(step.only_when):
        section["only_when"] = [condition.line for condition in conditions]
    section |= {"queue": step.own_queue} if step.own_queue else {}
    return section | ({"depends_on": sorted(draft.depends_on)} if draft.depends_on else {})
