"""The `depends_on` key of an entity in a model file: the hierarchy, checked over the whole file at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scheduling.dag.graph import CYCLE_ARROW, Graph, cycle_lines, cycle_sentence, leading_into_cycles
from scheduling.plans.outline import read_hierarchy
from scheduling.plans.save import store_dependencies
from staging.model_files.plan import EntityPlan
from staging.model_files.shape import Problems, did_you_mean
from staging.models import Entity


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
                problems.add(f"{path}[{index}]", f"There is no entity {code!r}.{did_you_mean(code, known)}")
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
            problems.add(place, cycle_sentence([line], leading))
