"""Two people save at the same instant, on two connections: never do both store what is a circle together."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from scheduling.errors import InvalidPlan
from scheduling.models import EntityDependency, Plan, PlanAfter, PlanStep
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_dependencies, save_plan, store_dependencies, store_plan, store_steps
from staging.models import Entity
from staging.transactions import Unprotected
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step
from tests.scheduling.runs.test_races import Racers

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 20 if connection.vendor == "postgresql" else 4


@pytest.fixture
def racers():
    two = Racers(2)
    yield two
    two.stop()


@pytest.fixture
def pair(entities):
    """Two plans with a step each."""
    both = {"One": entities["region"], "Two": entities["till"]}
    return [save_plan(PlanDraft(Plan(name=name), {}, [step(one)]), now=NOW) for name, one in both.items()]


def only_one_wins(
    racers: Racers, first: Callable[[], Any], second: Callable[[], Any], reset: Callable[[], Any]
) -> None:
    """Let both save at once, again and again: one is stored, the other is told of the circle."""
    for _ in range(ROUNDS):
        results = racers.at_once(first, second)
        refused = [result for result in results if isinstance(result, Exception)]
        assert len(refused) == 1 and isinstance(refused[0], InvalidPlan), results
        assert "circle" in str(refused[0].errors) or " > " in str(refused[0].errors)
        reset()


def test_two_plans_never_become_steps_of_each_other(racers, pair):
    def makes(one: Plan, other: Plan) -> Callable[[], Any]:
        def save() -> Plan:
            draft = PlanDraft.of(Plan.objects.get(pk=one.pk))
            draft.steps.append(step(Plan.objects.get(pk=other.pk), step_index=2))
            return save_plan(draft, now=NOW)

        return save

    one, two = pair
    only_one_wins(racers, makes(one, two), makes(two, one), PlanStep.objects.exclude(sub_plan=None).delete)


def test_two_plans_never_run_after_each_other(racers, pair):
    def makes(one: Plan, other: Plan) -> Callable[[], Any]:
        def save() -> Plan:
            draft = PlanDraft.of(Plan.objects.get(pk=one.pk))
            draft.after = [Plan.objects.get(pk=other.pk)]
            return save_plan(draft, now=NOW)

        return save

    def reset() -> None:
        PlanAfter.objects.all().delete()
        Plan.objects.update(after_others=False)

    one, two = pair
    only_one_wins(racers, makes(one, two), makes(two, one), reset)


def test_two_entities_never_depend_on_each_other(racers):
    one, two = (Entity.objects.create(code=code, name=code) for code in ("one", "two"))
    only_one_wins(
        racers,
        lambda: save_dependencies(Entity.objects.get(pk=one.pk), ["two"]),
        lambda: save_dependencies(Entity.objects.get(pk=two.pk), ["one"]),
        EntityDependency.objects.all().delete,
    )


def test_a_dependency_and_a_step_never_become_a_circle(racers, entities):
    plan = save_plan(PlanDraft(Plan(name="Both", order="both"), {}, [step(entities["region"])]), now=NOW)
    other = Entity.objects.create(code="other", name="Other")

    def adds() -> Plan:
        draft = PlanDraft.of(Plan.objects.get(pk=plan.pk))
        draft.steps.append(step(Entity.objects.get(pk=other.pk), step_index=2))
        return save_plan(draft, now=NOW)

    def reset() -> None:
        PlanStep.objects.filter(entity=other).delete()
        EntityDependency.objects.filter(depends_on=other).delete()

    depends = lambda: save_dependencies(Entity.objects.get(code="region"), ["other"])  # noqa: E731
    only_one_wins(racers, adds, depends, reset)


def test_nobody_stores_a_plan_or_a_dependency_without_the_lock(pair, entities):
    draft = PlanDraft.of(pair[0])
    for store in (
        lambda: store_plan(draft, now=NOW),
        lambda: store_steps(draft),
        lambda: store_dependencies(entities["till"], []),
    ):
        with pytest.raises(Unprotected), transaction.atomic():
            store()
