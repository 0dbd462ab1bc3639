"""Checks the order of plans before anything runs: circles, waves, and the lines of the hierarchy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from scheduling.dag.conditions import Condition
from scheduling.dag.graph import (
    Graph,
    cycle_lines,
    cycle_sentence,
    hierarchy_lines,
    leading_into_cycles,
    reduced,
    waves,
)
from scheduling.plans.order import conditions_in, hierarchy_behind, ordered
from scheduling.plans.outline import Outlines, hierarchy_of, plan_graph, read_outlines, runs_in
from scheduling.statements import made_of
from staging.wording import aloud

_MOST_DEPENDENCIES = 1000
_GLANCE = 20  # lines


@dataclass(frozen=True)
class PlanCheck:
    """The answer of `check_plan` (docs/commands.md). With circles there are no waves and no lines.

    `leading` names what could never start because it depends on a circle.
    """

    cycles: tuple[str, ...] = ()
    leading: tuple[str, ...] = ()
    order: Graph = field(default_factory=dict)  # what each step depends on, by its key
    conditions: Mapping[str, tuple[Condition, ...]] = field(default_factory=dict)  # what steps ask about others

    @cached_property
    def waves(self) -> tuple[tuple[str, ...], ...]:
        """Return the steps of each wave: those of one may run at once."""
        return tuple(tuple(wave) for wave in waves(self.order)) if self.order else ()

    @property
    def is_big(self) -> bool:
        """Return whether there are too many dependencies to be thinned out while somebody waits for a page."""
        return sum(map(len, self.order.values())) > _MOST_DEPENDENCIES

    @property
    def is_long(self) -> bool:
        """Return whether its waves take more room than a glance does."""
        return len(self.waves) > _GLANCE

    @cached_property
    def fewest(self) -> Graph:
        """Return the fewest dependencies with the same order; of a big plan that takes seconds."""
        return reduced(self.order)

    @cached_property
    def hierarchy(self) -> tuple[str, ...]:
        """Return the lines of the order, from what comes first."""
        return tuple(hierarchy_lines(self.fewest))

    @property
    def sentence(self) -> str:
        """Return what is wrong in one sentence, empty when nothing is."""
        return aloud(cycle_sentence(self.cycles, self.leading)) if self.cycles else ""

    def as_json(self) -> dict[str, Any]:
        """Return the JSON document of the command; it tells of conditions, and of circles, where there are some."""
        document: dict[str, Any] = {
            "cycles": list(self.cycles),
            "waves": [list(wave) for wave in self.waves],
            "hierarchy": list(self.hierarchy),
        }
        asked = {key: [condition.line for condition in conditions] for key, conditions in self.conditions.items()}
        document |= {"conditions": asked} if asked else {}
        return document | ({"leading_into_cycles": list(self.leading)} if self.leading else {})


def check_plans(names: Sequence[str]) -> PlanCheck:
    """Return what the stored plans come to when they run as one. Raises UnknownPlan."""
    outlines = read_outlines(names)
    return check_outlines(outlines, names, hierarchy_of(outlines))


def check_outlines(outlines: Outlines, names: Sequence[str], hierarchy: Graph) -> PlanCheck:
    """Return what these plans come to when they run as one; reads nothing. Nobody may change it.

    It is found out again when one of them, or the hierarchy, is another: of a thousand steps a page would wait for it.
    """
    return made_of(("check", *names), (outlines, hierarchy), lambda _: _checked(outlines, names, hierarchy))


def _checked(outlines: Outlines, names: Sequence[str], hierarchy: Graph) -> PlanCheck:
    graphs: tuple[Graph, ...] = (
        plan_graph(runs_in(outlines, names)),
        hierarchy_behind(outlines, names, hierarchy),
        order := ordered(outlines, names, hierarchy),
    )
    cycles = tuple(dict.fromkeys(line for graph in graphs for line in cycle_lines(graph)))
    if cycles:
        leading = sorted({node for graph in graphs for node in leading_into_cycles(graph)})
        return PlanCheck(cycles, tuple(leading))
    return PlanCheck(order=order, conditions=conditions_in(outlines, names))
