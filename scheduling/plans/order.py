"""Puts the steps of one or several plans into one graph: numbers, named dependencies and the hierarchy together.

Every plan has a begin and an end, every number a line before it: nodes that run nothing and only pass the order on.
What is cancelled passes it on too. They all disappear at the end, and the order that went through them stays.

A step that also runs after a failure hides it from nobody: what comes after such a step depends on all that comes
before it, too.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby

from scheduling.dag.conditions import Condition
from scheduling.dag.graph import Graph, cycle_lines, reach, restricted, waves
from scheduling.plans.outline import Outline, Outlines, Step, runs_in
from scheduling.states import RunIf

_Nodes = defaultdict[str, set[str]]


def ordered(outlines: Outlines, names: Sequence[str], hierarchy: Graph) -> dict[str, set[str]]:
    """Return what each step of the run depends on, by key; it may hold circles, which `dag.graph.check_order` finds."""
    plans = runs_in(outlines, names)
    nodes: _Nodes = defaultdict(set)
    for plan in plans:
        _add_plan(plan, nodes)
    conditions = run_conditions(outlines, names)
    _add_hierarchy(plans, hierarchy, nodes)
    return _seeing_failures(restricted(nodes, conditions), conditions)


def run_conditions(outlines: Outlines, names: Sequence[str]) -> dict[str, str]:
    """Return when each step of the run runs, by key; a step that several plans have is as the one named first says."""
    found: dict[str, str] = {}
    for plan in runs_in(outlines, names):
        for step in plan.steps:
            if step.runs and not step.sub_plan:
                found.setdefault(step.key, step.run_if)
    return found


def conditions_in(outlines: Outlines, names: Sequence[str]) -> dict[str, tuple[Condition, ...]]:
    """Return what each step of the run asks about others, by key; as `run_conditions` where several plans have it."""
    met: dict[str, tuple[Condition, ...]] = {}
    for plan in runs_in(outlines, names):
        for step in plan.steps:
            if step.runs and not step.sub_plan:
                met.setdefault(step.key, step.only_when)
    return {key: conditions for key, conditions in met.items() if conditions}


def without_idle(
    order: Graph, conditions: Mapping[str, str], *, but: Collection[str] = ()
) -> dict[str, Collection[str]]:
    """Return the order without the steps that run after a failure only and have nothing before them that could fail.

    `conditions`: when each step runs, by key; `but` are steps that stay all the same.
    """
    idle: set[str] = set()
    for wave in waves(order) if RunIf.ANY_FAILED in conditions.values() else ():
        asking = {key for key in wave if conditions[key] == RunIf.ANY_FAILED and key not in but}
        idle |= {key for key in asking if idle.issuperset(order[key])}
    return {key: set(priors) - idle for key, priors in order.items() if key not in idle}


def hierarchy_behind(outlines: Outlines, names: Sequence[str], hierarchy: Graph) -> Graph:
    """Return the part of the hierarchy that the run's order comes from, entities outside the run included."""
    members = _members(runs_in(outlines, names))
    inside = members | reach(members, hierarchy)
    return {code: set(priors) for code, priors in hierarchy.items() if code in inside}


def _add_plan(plan: Outline, nodes: _Nodes) -> None:
    """Add the steps between the plan's begin and end, after those they name: as what they depend on, or ask about."""
    steps = {step.key: step for step in plan.steps}
    nodes[_end(plan.name)].add(_begin(plan.name))
    for step in plan.steps:
        asked = {condition.step for condition in step.asks if step.runs}
        priors = {_last(steps[key]) for key in step.depends_on | asked if key in steps}
        nodes[_first(step)] |= {_begin(plan.name), *priors}
        nodes[_end(plan.name)].add(_last(step))
    ordinary = [step for step in plan.steps if step.run_if != RunIf.FINALLY]
    for step in plan.steps:
        if step.run_if == RunIf.FINALLY:
            nodes[_first(step)] |= {_last(other) for other in ordinary}
    if plan.by_number:
        _add_numbers(plan, ordinary, nodes)


def _seeing_failures(order: Graph, conditions: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the order in which conditions find all they ask about.

    A step that runs when something before it failed depends on everything before it, however far; what depends on a
    step with a condition depends on all that step depends on. An order with circles is returned as it is.
    """
    found = {key: set(priors) for key, priors in order.items()}
    if all(condition == RunIf.ALL_SUCCEEDED for condition in conditions.values()) or cycle_lines(order):
        return found
    for wave in waves(order):
        for key in wave:
            if conditions[key] == RunIf.ANY_FAILED:
                found[key] = reach([key], found)
            for prior in list(found[key]):
                if conditions[prior] != RunIf.ALL_SUCCEEDED:
                    found[key] |= found[prior]
    return found


def _add_numbers(plan: Outline, steps: Sequence[Step], nodes: _Nodes) -> None:
    """Let each number wait for all steps of the numbers before it."""
    line = _begin(plan.name)
    for number, together in groupby(sorted(steps, key=lambda step: step.number), lambda step: step.number):
        following = _pass_on(f"{plan.name} after {number}")
        for step in together:
            nodes[_first(step)].add(line)
            nodes[following].add(_last(step))
        line = following


def _add_hierarchy(plans: Sequence[Outline], hierarchy: Graph, nodes: _Nodes) -> None:
    """Let each entity of a plan that goes by the hierarchy wait for the nearest entities of the run before it.

    Entities of other plans of the run count as well; behind them the way to the next one of such a plan is kept.
    """
    members = _members(plans)
    in_run = {step.entity for plan in plans for step in plan.steps if step.entity and step.runs}
    for graph in (restricted(hierarchy, in_run), restricted(hierarchy, members)):
        for code in members & graph.keys():
            nodes[code] |= graph[code]


def _members(plans: Sequence[Outline]) -> set[str]:
    """Return the codes of the entities whose order the hierarchy gives."""
    return {step.entity for plan in plans if plan.by_hierarchy for step in plan.steps if step.entity and step.runs}


def _first(step: Step) -> str:
    return _begin(step.sub_plan) if step.sub_plan and step.runs else step.key


def _last(step: Step) -> str:
    """Return what the step ends with; a plan that does not run is passed like any step that does not."""
    return _end(step.sub_plan) if step.sub_plan and step.runs else step.key


def _begin(plan: str) -> str:
    return _pass_on(f"begin {plan}")


def _end(plan: str) -> str:
    return _pass_on(f"end {plan}")


def _pass_on(name: str) -> str:
    """Return a node that no key can be: keys hold no line break."""
    return f"\n{name}"
