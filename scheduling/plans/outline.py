"""A plan as plain values: its steps and what it says of their order, whether it is stored yet or not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from django.db.models import Model, QuerySet
from django.db.models.expressions import RawSQL

from scheduling.dag.conditions import Condition, stored_conditions
from scheduling.dag.graph import Graph
from scheduling.errors import UnknownPlan
from scheduling.models import EntityDependency, Plan, PlanStep, SqlScript
from scheduling.statements import referred_to, sharing
from scheduling.states import PlanOrder, RunIf
from staging.sql.dialect import dialect
from staging.wording import say

_TARGETS = ("entity", "script", "sub_plan", "queue", "for_each_query")
_NAMING = ("id", "name", "code", "is_cancelled")  # what is read of a target, as far as it has it
_PRIORS = "priors"  # on a step, the steps that it waits for


@dataclass(frozen=True)
class Sight:
    """The entities, by code, and the plans, by name, of which somebody who is limited to some may be told."""

    entities: Collection[str]
    plans: Collection[str]


@dataclass(slots=True)
class Step:
    """One step. `runs` is False for what is cancelled: the order still passes through it, nothing is run.

    Nobody changes it; frozen, a thousand of them would take thrice the time to make.
    """

    key: str
    number: int
    runs: bool = True
    entity: str = ""  # the code, for a step that processes an entity
    sub_plan: str = ""  # the name, for a step that runs another plan
    depends_on: frozenset[str] = frozenset()
    run_if: str = RunIf.ALL_SUCCEEDED
    only_when: tuple[Condition, ...] = ()
    listed_by: Condition | None = None  # where the list of its items stands, as a question
    stored: PlanStep | None = field(default=None, compare=False)

    @property
    def asks(self) -> tuple[Condition, ...]:
        """Return all that it asks about what other steps gave."""
        return self.only_when if self.listed_by is None else (*self.only_when, self.listed_by)


@dataclass(frozen=True)
class StepDefaults:
    """What a plan says for its steps that say nothing of their own; empty or None where it says nothing either."""

    queue: str = ""
    attempts: int | None = None
    retry_interval_seconds: int | None = None
    timeout_seconds: int | None = None
    timezone: str = "UTC"  # of times of day


@dataclass(frozen=True)
class Outline:
    """One plan: its steps by number, and what orders them besides the dependencies they name."""

    name: str
    order: str = PlanOrder.STEPS
    steps: tuple[Step, ...] = ()
    is_cancelled: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    defaults: StepDefaults = StepDefaults()
    after: tuple[str, ...] | None = None  # what it is to run after; None: as it is stored

    @property
    def by_number(self) -> bool:
        """Return whether the numbers of the steps order them."""
        return self.order in (PlanOrder.STEPS, PlanOrder.BOTH)

    @property
    def by_hierarchy(self) -> bool:
        """Return whether the dependencies of the entities order them."""
        return self.order in (PlanOrder.HIERARCHY, PlanOrder.BOTH)


Outlines = Mapping[str, Outline]


# Of these names, and all that their steps run, however deep; what is known already is not gone into.
_REACHED = """
WITH RECURSIVE reached (id) AS (
    SELECT id FROM scheduling_plan WHERE name IN ({wanted})
    UNION SELECT run.id FROM reached
    JOIN scheduling_planstep AS step ON step.plan_id = reached.id
    JOIN scheduling_plan AS run ON run.id = step.sub_plan_id{but_known}
) SELECT id FROM reached
"""
_PRIOR_KEYS = """
SELECT {joined}(CAST(link.to_planstep_id AS text), ',') FROM scheduling_planstep_depends_on AS link
WHERE link.from_planstep_id = scheduling_planstep.id
"""


def read_outlines(
    names: Iterable[str], known: Outlines | None = None, stored: Iterable[Plan] = ()
) -> dict[str, Outline]:
    """Return the plans of these names and all plans they run, however deep; two statements.

    `known`: plans that were read already; `stored`: rows that were, `with_defaults`, so that these are not read again.
    Raises UnknownPlan, with the likely name.
    """
    wanted = list(dict.fromkeys(names))
    found: dict[str, Outline] = dict(known or {})
    ahead = ({*wanted} | {step.sub_plan for each in found.values() for step in each.steps if step.sub_plan}) - {*found}
    if ahead:
        steps = defaultdict[int, list[PlanStep]](list)
        for step in with_targets(PlanStep.objects.filter(plan__in=_reached(ahead, found.keys()))):
            steps[step.plan_id].append(step)
            ahead |= {step.sub_plan.name} - found.keys() if step.sub_plan else set()
        plans = {plan.name: plan for plan in stored if plan.name in ahead}
        if unread := ahead - plans.keys():
            plans |= {plan.name: plan for plan in with_defaults(Plan.objects.filter(name__in=unread))}
        found |= {name: outline(plan, steps[plan.pk]) for name, plan in plans.items()}
    if unknown := [name for name in wanted if name not in found]:
        raise UnknownPlan(_unknown(unknown[0]))
    return found


def _reached(names: Collection[str], known: Collection[str]) -> RawSQL:
    """Return the keys of the plans of these names and of all that they run."""
    but_known = f" AND run.name NOT IN ({_marks(known)})" if known else ""
    return RawSQL(_REACHED.format(wanted=_marks(names), but_known=but_known), [*names, *known])  # noqa: S611 (marks)


def _marks(values: Collection[str]) -> str:
    return ", ".join(["%s"] * len(values))


def with_defaults(plans: QuerySet[Plan]) -> QuerySet[Plan]:
    """Return plans with what they say for their steps; in one statement."""
    return plans.select_related("default_queue")


def has_defaults(plan: Plan) -> bool:
    """Return whether it was read `with_defaults`, or has no queue of its own."""
    return plan.default_queue_id is None or Plan.default_queue.is_cached(plan)


def with_targets(steps: QuerySet[PlanStep]) -> list[PlanStep]:
    """Return all steps of plans as `named`, their scripts whole, and with what they wait for; in one statement."""
    keys = RawSQL(_PRIOR_KEYS.format(joined=dialect().joins_texts), [])  # noqa: S611 (a name of the dialect's)
    columns = {target: _columns_of(target, whole=(SqlScript,)) for target in _TARGETS}
    found = list(sharing(steps.annotate(prior_keys=keys), columns, more=("prior_keys",)))
    pairs = ((step.pk, int(key)) for step, (priors,) in found if priors for key in priors.split(","))
    return with_priors([step for step, _ in found], pairs)


def named(plan: Plan, known: Mapping[type[Model], Mapping[Any, Model]] | None = None) -> list[PlanStep]:
    """Return its steps with the names of what they run and of their queue, and whether those are cancelled.

    One statement. Steps that run the same share it; `known` is what they may run that was read so already, by its key.
    """
    columns = {target: _columns_of(target) for target in _TARGETS}
    found = sharing(plan.steps.all(), columns, known=known, key=("steps", plan.pk))
    return [step for step, _ in found]


def _columns_of(target: str, whole: Collection[type[Model]] = ()) -> list[str]:
    """Return the columns of a target that are read, in the order of its model: its key comes first."""
    model = referred_to(PlanStep, target)
    return [each.attname for each in model._meta.concrete_fields if model in whole or each.name in _NAMING]


def with_priors(steps: list[PlanStep], pairs: Iterable[tuple[int, int]]) -> list[PlanStep]:
    """Return all steps of plans, each with the ones it waits for: the second of the pairs that have its key first."""
    places, before = {step.pk: place for place, step in enumerate(steps)}, defaultdict[int, list[int]](list)
    for key, prior in pairs:
        if prior in places:  # one that was added meanwhile is not
            before[key].append(places[prior])
    for step in steps:
        setattr(step, _PRIORS, [steps[place] for place in sorted(before[step.pk])] if step.pk in before else ())
    return steps


def priors_of(step: PlanStep, renamed: Mapping[int, str] | None = None) -> list[str]:
    """Return what the steps are called that a stored step waits for; no statement for one `with_targets`.

    `renamed`: what steps are to be called, by their pk, where that is not stored yet.
    """
    known, names = getattr(step, _PRIORS, None), renamed or {}
    return [names.get(prior.pk) or prior.key for prior in (step.depends_on.all() if known is None else known)]


def outline(plan: Plan, steps: Iterable[PlanStep], priors: Mapping[int, Collection[str]] | None = None) -> Outline:
    """Return a plan as values; `priors` are the dependencies of steps by their place, when they are not stored yet."""
    found = []
    for place, step in enumerate(steps):
        depends_on = priors[place] if priors is not None else priors_of(step)
        entity, sub_plan = step.entity, step.sub_plan  # asked once: Django looks where they are, a thousand times
        found.append(
            Step(
                key=step.key,
                number=step.step_index,
                runs=is_run(step),
                entity=entity.code if entity and not step.is_wait else "",
                sub_plan=sub_plan.name if sub_plan else "",
                depends_on=frozenset(depends_on),
                run_if=step.run_if,
                only_when=stored_conditions(step.only_when),
                listed_by=_listed_by(step),
                stored=step,
            )
        )
    return Outline(plan.name, plan.order, tuple(found), plan.is_cancelled, plan.parameters or {}, _defaults(plan))


def _listed_by(step: PlanStep) -> Condition | None:
    place = step.for_each_result
    return None if place is None else Condition(place["step"], place["path"], "is not empty")


def _defaults(plan: Plan) -> StepDefaults:
    return StepDefaults(
        plan.default_queue.name if plan.default_queue else "",
        plan.default_attempts,
        plan.default_retry_interval_seconds,
        plan.default_timeout_seconds,
        plan.timezone,
    )


def is_run(step: PlanStep) -> bool:
    """Return whether the step does anything: neither it nor what it runs is cancelled."""
    targets = (step.entity, step.script, step.sub_plan)
    return not step.is_cancelled and not any(target is not None and target.is_cancelled for target in targets)


def hierarchy_of(outlines: Outlines) -> dict[str, set[str]]:
    """Return the hierarchy where one of these plans goes by it, else nothing; at most one statement."""
    return read_hierarchy() if any(each.by_hierarchy for each in outlines.values()) else {}


def read_hierarchy() -> dict[str, set[str]]:
    """Return what every entity with dependencies depends on, by code; one statement."""
    found: dict[str, set[str]] = {}
    for code, prior in EntityDependency.objects.values_list("entity__code", "depends_on__code"):
        found.setdefault(code, set()).add(prior)
    return found


def runs_in(outlines: Outlines, names: Sequence[str]) -> list[Outline]:
    """Return the plans of a run: those named and those their steps run, each once, in the order they are met."""
    met: dict[str, Outline] = {}
    ahead = list(names)
    while ahead:
        name = ahead.pop(0)
        if name not in met:
            met[name] = outlines[name]
            ahead += [step.sub_plan for step in outlines[name].steps if step.sub_plan and step.runs]
    return list(met.values())


def plans_behind(name: str, known: Outlines, *, but_cancelled: bool = False) -> set[str]:
    """Return the plans that a plan runs, however deep; `but_cancelled`: not by steps that are cancelled."""
    found, ahead = set[str](), [name]
    while ahead:
        for step in known[plan].steps if (plan := ahead.pop()) in known else ():
            left_out = but_cancelled and step.stored is not None and step.stored.is_cancelled
            if step.sub_plan and step.sub_plan not in found and not left_out:
                found.add(step.sub_plan)
                ahead.append(step.sub_plan)
    return found


def plan_graph(plans: Iterable[Outline]) -> Graph:
    """Return which plan runs which, as "plan Nightly"."""
    return {
        f"plan {each.name}": {f"plan {step.sub_plan}" for step in each.steps if step.sub_plan and step.runs}
        for each in plans
    }


def _unknown(name: str) -> str:
    likely = get_close_matches(name, list(Plan.objects.values_list("name", flat=True)), n=1)
    if likely:
        return say("There is no plan {name!r}. Did you mean {likely!r}?", name=name, likely=likely[0])
    return say("There is no plan {name!r}.", name=name)
