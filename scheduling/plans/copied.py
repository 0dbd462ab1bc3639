"""A plan taken over into a new one that is not stored yet: all that people set on it, and nothing that it did."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from scheduling.models import Plan, PlanStep
from scheduling.plans.draft import StepDraft
from scheduling.plans.outline import priors_of
from scheduling.plans.save import OWN_COLUMNS
from scheduling.schedules.change import settings_columns
from staging.wording import say

_LONGEST = 100  # characters of a name


def copy_of(plan: Plan) -> Plan:
    """Return a new plan with everything that people set on this one, in force and switched off, under a free name."""
    kept = {name: getattr(plan, name) for name in (*OWN_COLUMNS, *settings_columns(plan))}
    return Plan(**{**kept, "name": _free_name(plan.name), "is_cancelled": False, "is_enabled": False})


def copied_steps(steps: Iterable[PlanStep]) -> list[StepDraft]:
    """Return steps as new ones, without a plan; the steps must have been read `with_targets`."""
    kept = [field.name for field in PlanStep._meta.concrete_fields if field.name not in ("id", "plan")]
    drafts = []
    for step in steps:
        new = PlanStep(**{name: getattr(step, name) for name in kept})
        drafts.append(StepDraft(new, priors_of(step)))
    return drafts


def _free_name(name: str) -> str:
    """Return "Copy of …", with a number where a plan is called so."""
    taken = {known.casefold() for known in Plan.objects.values_list("name", flat=True)}
    wanted = say("Copy of {name}", name=name)
    endings = (f" ({number})" if number > 1 else "" for number in count(1))
    return next(
        free
        for ending in endings
        if (free := f"{wanted[: _LONGEST - len(ending)].rstrip()}{ending}").casefold() not in taken
    )
