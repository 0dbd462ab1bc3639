"""What tests of plans share: entities without tables, and plans from a few words."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from scheduling.models import Plan, PlanStep, SqlScript
from scheduling.plans.draft import PlanDraft, StepDraft
from scheduling.plans.save import save_dependencies, save_plan
from staging.models import Entity

NOW = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)


@pytest.fixture
def entities(db: None) -> dict[str, Entity]:
    """Region, branch and till; a till depends on its branch, a branch on its region."""
    made = {code: Entity.objects.create(code=code, name=code.capitalize()) for code in ("region", "branch", "till")}
    save_dependencies(made["branch"], ["region"])
    save_dependencies(made["till"], ["branch"])
    return made


def step(target: Any, *depends_on: str, **fields: Any) -> StepDraft:
    """Return a draft of a step for an entity, a script, a plan, or a job by its name."""
    kind = {Entity: "entity", SqlScript: "script", Plan: "sub_plan"}.get(type(target), "job_name")
    return StepDraft(PlanStep(**{kind: target}, **fields), list(depends_on))


@pytest.fixture
def make_plan(db: None) -> Callable[..., Plan]:
    """Return a factory: a stored plan of these steps."""

    def make(name: str, *steps: StepDraft, schedule: Any = None, **fields: Any) -> Plan:
        return save_plan(PlanDraft(Plan(name=name, **fields), schedule or {}, list(steps)), now=NOW)

    return make


@pytest.fixture
def script(db: None) -> SqlScript:
    """A script with one parameter."""
    return SqlScript.objects.create(name="Refresh", sql="SELECT %(year)s", parameters={"year": "integer"})
