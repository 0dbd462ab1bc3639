"""What a plan runs after: plans and entities by name, the circles that would come of them, and their place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from scheduling.dag.graph import CYCLE_ARROW, cycle_lines
from scheduling.models import Plan, PlanAfter
from scheduling.plans.outline import Outline, Outlines, Sight, plans_behind
from staging.models import Entity
from staging.versions.units import touch
from staging.wording import say

AFTER_KEYS = ("after_plans", "after_entities")

Other = Plan | Entity
Errors = dict[str, list[str]]


def after_of(plan: Plan) -> list[Other]:
    """Return what a stored plan runs after, plans first; one statement, none for a plan that is not stored."""
    rows = PlanAfter.objects.filter(plan=plan.pk).by_name() if plan.pk else ()
    return [one for row in rows if (one := row.other or row.entity) is not None]


def name_of_other(one: Other) -> str:
    """Return what gates and circles call it: "plan Morning", "entity branch"."""
    return f"plan {one.name}" if isinstance(one, Plan) else f"entity {one.code}"


def after_names(others: Iterable[Other]) -> dict[str, list[str]]:
    """Return the names by which files, forms and the API say it: plans by name, entities by code; sorted."""
    found: dict[str, list[str]] = {key: [] for key in AFTER_KEYS}
    for one in others:
        found[_key_of(name_of_other(one))].append(one.name if isinstance(one, Plan) else one.code)
    return {key: sorted(names) for key, names in found.items()}


def store_after(plan: Plan, others: Sequence[Other]) -> None:
    """Store what a stored plan runs after: these and nothing else. What was named before keeps what it has used."""
    touch(plan)  # for what no signal tells of
    stored = {row.what: row for row in PlanAfter.objects.filter(plan=plan.pk).by_name()}
    wanted = {name_of_other(one): one for one in others}
    PlanAfter.objects.filter(pk__in=[row.pk for what, row in stored.items() if what not in wanted]).delete()
    PlanAfter.objects.bulk_create(
        PlanAfter(plan=plan, **{"other" if isinstance(one, Plan) else "entity": one})
        for what, one in wanted.items()
        if what not in stored
    )


def after_errors(mine: Outline, others: Sequence[Other], has_type: bool) -> Errors:
    """Return the faults of what a plan runs after that the plan itself shows, by key."""
    names = {key: named for key, named in after_names(others).items() if named}
    if names and has_type:
        text = say("A plan goes by a schedule, or it runs after others; leave one of both out.")
        return {next(iter(names)): [text]}
    if mine.name in names.get("after_plans", ()):
        return {"after_plans": [say("A plan cannot run after itself.")]}
    return {}


def circle_errors(mine: Outline, known: Outlines, sight: Sight | None) -> Errors:
    """Return the circles in which plans would start each other for ever; `known` are all plans in force, as wanted.

    A plan completes itself, and the entities that its steps process, however deep in its plans. A plan that is a step
    of another completes only with that one, so it cannot run after it.
    """
    after = _after_of_all(known)
    if not any(after.values()):
        return {}
    circle = next(_inside(after, known), "") or next(iter(cycle_lines(_started_by(after, known))), "")
    if not circle:
        return {}
    key = next((_key_of(name) for name in after.get(mine.name, ()) if name in circle.split(CYCLE_ARROW)), "steps")
    if sight is not None and not _is_seen(circle, sight, mine):
        return {key: [say("Plans would start each other in a circle, through some that you do not see.")]}
    return {key: [say("They would start each other for ever: {circle}.", circle=circle)]}


def _after_of_all(known: Outlines) -> dict[str, tuple[str, ...]]:
    """Return what each plan in force runs after: as it is wanted, else as it is stored; one statement."""
    found: dict[str, tuple[str, ...]] = {}
    for row in PlanAfter.objects.filter(plan__name__in=list(known)).select_related("plan").by_name():
        found[row.plan.name] = (*found.get(row.plan.name, ()), row.what)
    wanted = {name: each.after for name, each in known.items() if each.after is not None}
    return {name: named for name, named in {**found, **wanted}.items() if not known[name].is_cancelled}


def _inside(after: Mapping[str, Iterable[str]], known: Outlines) -> Iterator[str]:
    """Yield the circle of each plan that is a step of what it runs after, however deep."""
    for name, named in after.items():
        for other in known:
            if f"plan {other}" in named and name in plans_behind(other, known, but_cancelled=True) and name != other:
                yield CYCLE_ARROW.join((f"plan {name}", f"plan {other}", f"plan {name}"))


def _started_by(after: Mapping[str, Iterable[str]], known: Outlines) -> dict[str, set[str]]:
    """Return the graph of what completes before what: a plan after what it names, an entity after who processes it."""
    graph = {f"plan {name}": set(named) for name, named in after.items()}
    awaited = {name for named in graph.values() for name in named}
    for name, each in known.items():
        if each.is_cancelled:
            continue
        for inner in {name} | plans_behind(name, known, but_cancelled=True):
            for step in known[inner].steps if inner in known else ():
                entity = f"entity {step.entity}"
                if step.entity and entity in awaited and not (step.stored and step.stored.is_cancelled):
                    graph.setdefault(entity, set()).add(f"plan {name}")
    return graph


def _key_of(name: str) -> str:
    return "after_plans" if name.startswith("plan ") else "after_entities"


def _is_seen(circle: str, sight: Sight, mine: Outline) -> bool:
    """Return whether a reader may be told of all that a circle names."""
    seen = {
        f"plan {mine.name}",
        *(f"plan {name}" for name in sight.plans),
        *(f"entity {code}" for code in sight.entities),
    }
    return seen.issuperset(circle.split(CYCLE_ARROW))
