"""The part of a model file that orders work: dependencies, queues, scripts and plans, which may name each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scheduling.dag.graph import CYCLE_ARROW, Graph, cycle_lines, cycle_sentence, leading_into_cycles
from scheduling.model_files.named import NamedPlan, apply_named, ask_the_database, plain_json, plan_queues, plan_scripts
from scheduling.model_files.schedule import ScheduleReader
from scheduling.model_files.sections import PLAN_KINDS
from scheduling.model_files.steps import Known, StepReader, find, plan_section, read_after, time_of_day
from scheduling.models import Plan, Queue, SqlScript
from scheduling.plans.after import AFTER_KEYS
from scheduling.plans.categories import category_text
from scheduling.plans.check import check_outlines
from scheduling.plans.draft import STEP_DEFAULTS, PlanDraft, plan_errors
from scheduling.plans.outline import read_hierarchy, read_outlines
from scheduling.plans.save import store_dependencies, store_plan, store_steps
from scheduling.queues import in_use
from scheduling.states import Overlap, PlanOrder
from staging.model_files.owners import read_owner
from staging.model_files.plan import EntityPlan
from staging.model_files.shape import Problems, did_you_mean, known_keys, path_of
from staging.models import Entity
from staging.wording import aloud, say


@dataclass
class WorkPlan:
    """What the file says of the order of work, as it would be stored."""

    dependencies: list[DependencyPlan]
    queues: list[NamedPlan]
    scripts: list[NamedPlan]
    plans: list[PlannedPlan]

    def changes(self) -> Iterator[tuple[str, dict[str, Any] | None]]:
        """Yield each thing with what would change, None for a new one."""
        for dependency in self.dependencies:
            if dependency.before or dependency.depends_on:
                yield f"{dependency.entity.code} depends_on", dependency.changes()
        for kind, named in (("queue", self.queues), ("script", self.scripts)):
            yield from ((f"{kind} {each.instance.name}", each.changes()) for each in named)
        yield from ((f"plan {each.draft.plan.name}", each.changes()) for each in self.plans)

    def apply(self, now: datetime) -> None:
        """Store what is new or changed; the entities are stored by now, the caller holds the transaction."""
        apply_dependencies(self.dependencies)
        ask_the_database(self.scripts)
        apply_named([*self.queues, *self.scripts])
        apply_plans(self.plans, now)


def plan_work(file: dict[str, Any], entities: Sequence[EntityPlan], reader: ScheduleReader) -> WorkPlan:
    """Return what the file says of the order of work, everything wrong in the reader's problems; changes nothing."""
    problems = reader.problems
    by_code = {entity.code: entity for entity in Entity.objects.all()}
    by_code |= {each.entity.code: each.entity for each in entities}
    dependencies = plan_dependencies(entities, by_code, problems)
    queues = plan_queues(file.get("queues", []), problems)
    scripts = plan_scripts(file.get("scripts", []), problems)
    known = Known(
        entities=by_code,
        scripts=_by_name(SqlScript, scripts),
        queues=_by_name(Queue, queues),
        plans=_by_name(Plan, []),
    )
    plans = plan_plans(file.get("plans", []), reader, known)
    if not problems.errors:
        check_loaded_plans(plans, hierarchy_with(dependencies), problems, reader.now)
        _check_cancelled_queues(queues, plans, problems)
    changed = [each for each in dependencies if each.changes()]
    if changed and not problems.errors:
        _check_other_plans(plans, changed, problems)
    return WorkPlan(dependencies, queues, scripts, plans)


def _check_cancelled_queues(queues: Sequence[NamedPlan], plans: Sequence[PlannedPlan], problems: Problems) -> None:
    """Refuse to cancel a queue that a stored plan, one of the file, or a job still names."""
    mine = {each.draft.plan.name: each.draft for each in plans}
    for index, queue in enumerate(each.instance for each in queues):
        if not queue.is_cancelled:
            continue
        text = in_use(queue, but=mine)
        for name, draft in mine.items():
            steps = () if draft.plan.is_cancelled else draft.outline().steps
            named = {step.stored.queue.name for step in steps if step.stored and step.stored.queue and step.runs}
            if draft.plan.default_queue and not draft.plan.is_cancelled:
                named.add(draft.plan.default_queue.name)
            if queue.name in named:
                text = text or say("It is used by plan {name}; give that another queue first.", name=name)
        if text:
            problems.add(f"queues[{index}].is_cancelled", text)


def _check_other_plans(plans: Sequence[PlannedPlan], changed: Sequence[DependencyPlan], problems: Problems) -> None:
    """Refuse dependencies that take the order from a stored plan which the file does not speak of."""
    mine = {each.draft.plan.name: each.draft.outline() for each in plans}
    names = Plan.objects.filter(is_cancelled=False).exclude(name__in=mine).values_list("name", flat=True)
    outlines = read_outlines(list(names)) | mine
    for name in names:
        if sentence := check_outlines(outlines, [name], hierarchy_with(changed)).sentence:
            problems.add(changed[0].path, say("In plan {name}: {sentence}", name=name, sentence=sentence))


def _by_name(model: Any, planned: Sequence[NamedPlan]) -> dict[str, Any]:
    """Return what is stored of a kind, and what the file defines of it, by name."""
    return {each.name: each for each in (*model.objects.all(), *(plan.instance for plan in planned))}


@dataclass
class DependencyPlan:
    """What one entity of the file depends on, by code, and what it depends on now."""

    path: str
    entity: Entity
    depends_on: list[str]
    before: list[str]

    def changes(self) -> dict[str, object]:
        """Return the change with its old and new value, empty when there is none."""
        same = self.before == self.depends_on
        return {} if same else {"depends_on": {"from": self.before, "to": self.depends_on}}


def plan_dependencies(
    plans: Iterable[EntityPlan], known: Mapping[str, Entity], problems: Problems
) -> list[DependencyPlan]:
    """Return the dependencies that the file speaks of; a list is the whole of an entity's, no others stay."""
    stored, found = read_hierarchy(), []
    for plan in plans:
        if "depends_on" not in plan.section:
            continue
        path, codes = f"{plan.path}.depends_on", plan.section["depends_on"]
        for index, code in enumerate(codes):
            if not isinstance(code, str) or code not in known:
                problems.add(
                    f"{path}[{index}]",
                    say(
                        "There is no entity {code!r}.{did_you_mean}", code=code, did_you_mean=did_you_mean(code, known)
                    ),
                )
        wanted = sorted({code for code in codes if isinstance(code, str)})
        found.append(DependencyPlan(path, plan.entity, wanted, sorted(stored.get(plan.entity.code, ()))))
    _refuse_circles(found, hierarchy_with(found), problems)
    return found


def hierarchy_with(plans: Iterable[DependencyPlan]) -> Graph:
    """Return the hierarchy as it would be with the file's dependencies."""
    return read_hierarchy() | {each.entity.code: set(each.depends_on) for each in plans}


def apply_dependencies(plans: Iterable[DependencyPlan]) -> None:
    """Store the dependencies that changed; the entities are stored by now, the caller holds the transaction."""
    for each in plans:
        if each.changes():
            store_dependencies(each.entity, each.depends_on)


def _refuse_circles(plans: list[DependencyPlan], hierarchy: Graph, problems: Problems) -> None:
    """Add each circle at the first entity of the file that is on it."""
    leading = leading_into_cycles(hierarchy)
    for line in cycle_lines(hierarchy):
        members = line.split(CYCLE_ARROW)
        place = next((each.path for each in plans if each.entity.code in members), None)
        if place is not None:
            problems.add(place, aloud(cycle_sentence([line], leading)))


_DEFAULTS: dict[str, Any] = {
    "name": "",
    "description": "",
    "order": PlanOrder.STEPS.value,
    "overlap": Overlap.SKIP.value,
    "is_cancelled": False,
    "run_attempts": 1,
    "run_retry_interval_seconds": 60,
    "run_retry_backoff": False,
    **dict.fromkeys(("run_timeout_seconds", "expected_minutes", "due_after_minutes", *STEP_DEFAULTS[1:])),
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
        (f"plans[{index}]", known_keys(content, f"plans[{index}]", PLAN_KINDS, problems, required=("name",)))
        for index, content in enumerate(sections)
    ]
    stored = {plan.name: plan for plan in Plan.objects.select_related("owner", "owner_group", "default_queue")}
    before = {name: plan_section(PlanDraft.of(plan)) for name, plan in stored.items()}
    seen: dict[str, str] = {}
    for path, section in checked:
        name = section.get("name", "")
        if name and name.casefold() in seen:
            problems.add(
                f"{path}.name",
                say("{name!r} is defined at {seen} already; leave one out.", name=name, seen=seen[name.casefold()]),
            )
        seen.setdefault(name.casefold(), path)
        known.plans.setdefault(name, stored.get(name) or Plan(name=name))
    return [_planned(path, section, schedules, known, before) for path, section in checked]


def _planned(
    path: str, section: Mapping[str, Any], schedules: ScheduleReader, known: Known, before: Mapping[str, Any]
) -> PlannedPlan:
    """Return one plan of the file with its steps, and what is wrong with its shape in the problems."""
    problems, plan = schedules.problems, known.plans[section.get("name", "")]
    for column, default in _DEFAULTS.items():
        setattr(plan, column, section.get(column, default))
    plan.due_by = time_of_day(section["due_by"], f"{path}.due_by", problems) if "due_by" in section else None
    plan.categories = category_text(section.get("categories", ""))
    plan.default_queue = None
    if "default_queue" in section:
        plan.default_queue = find(section, "default_queue", path, known.queues, problems)
    plan.parameters = plain_json(section.get("parameters")) or None
    read_owner(plan, section, path, problems)
    settings = {}
    if "schedule" in section:
        is_after = any(section.get(key) for key in AFTER_KEYS)
        settings = schedules.read_of_plan(section["schedule"], f"{path}.schedule", plan, is_after)
    steps = StepReader(known, problems).read(section.get("steps", []), path, plan)
    after = read_after(section, path, known, problems)
    return PlannedPlan(path, PlanDraft(plan, settings, steps, after=after), before.get(plan.name))


def check_loaded_plans(plans: Sequence[PlannedPlan], hierarchy: Graph, problems: Problems, now: datetime) -> None:
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
        return path_of(f"{path}.steps[{rest[0]}]", _KEYS.get(rest[1], rest[1]))
    return path_of(path, head) if head in PLAN_KINDS else path_of(f"{path}.schedule", head)
