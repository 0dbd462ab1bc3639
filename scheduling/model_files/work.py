"""The part of a model file that orders work: dependencies, queues, scripts and plans, which may name each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scheduling.model_files.dependencies import (
    DependencyPlan,
    apply_dependencies,
    hierarchy_with,
    plan_dependencies,
)
from scheduling.model_files.named import NamedPlan, apply_named, plan_queues, plan_scripts
from scheduling.model_files.plans import PlannedPlan, apply_plans, check_plans, plan_plans
from scheduling.model_files.schedule import ScheduleReader
from scheduling.model_files.steps import Known
from scheduling.models import Plan, Queue, SqlScript
from scheduling.plans.check import check_outlines
from scheduling.plans.outline import read_outlines
from scheduling.queues.save import in_use
from staging.model_files.plan import EntityPlan
from staging.model_files.shape import Problems
from staging.models import Entity


@dataclass
class Work:
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
        apply_named([*self.queues, *self.scripts])
        apply_plans(self.plans, now)


def plan_work(file: dict[str, Any], entities: Sequence[EntityPlan], reader: ScheduleReader) -> Work:
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
        check_plans(plans, hierarchy_with(dependencies), problems, reader.now)
        _check_cancelled_queues(queues, plans, problems)
    changed = [each for each in dependencies if each.changes()]
    if changed and not problems.errors:
        _check_other_plans(plans, changed, problems)
    return Work(dependencies, queues, scripts, plans)


def _check_cancelled_queues(queues: Sequence[NamedPlan], plans: Sequence[PlannedPlan], problems: Problems) -> None:
    """Refuse to cancel a queue that a stored plan, one of the file, or a job still names."""
    mine = {each.draft.plan.name: each.draft for each in plans}
    for index, queue in enumerate(each.instance for each in queues):
        if not queue.is_cancelled:
            continue
        text = in_use(queue, but=mine)
        for name, draft in mine.items():
            steps = () if draft.plan.is_cancelled else draft.outline().steps
            named = (step.stored.queue.name for step in steps if step.stored and step.stored.queue and step.runs)
            if queue.name in named:
                text = text or f"It is used by plan {name}; give that another queue first."
        if text:
            problems.add(f"queues[{index}].is_cancelled", text)


def _check_other_plans(plans: Sequence[PlannedPlan], changed: Sequence[DependencyPlan], problems: Problems) -> None:
    """Refuse dependencies that take the order from a stored plan which the file does not speak of."""
    mine = {each.draft.plan.name: each.draft.outline() for each in plans}
    names = Plan.objects.filter(is_cancelled=False).exclude(name__in=mine).values_list("name", flat=True)
    outlines = read_outlines(list(names)) | mine
    for name in names:
        if sentence := check_outlines(outlines, [name], hierarchy_with(changed)).sentence:
            problems.add(changed[0].path, f"In plan {name}: {sentence}")


def _by_name(model: Any, planned: Sequence[NamedPlan]) -> dict[str, Any]:
    """Return what is stored of a kind, and what the file defines of it, by name."""
    return {each.name: each for each in (*model.objects.all(), *(plan.instance for plan in planned))}
