"""From plans to the manifest of one run."""

import pytest

from scheduling.errors import InvalidPlan, UnknownPlan
from scheduling.models import EntityDependency, Plan, PlanStep, Queue
from scheduling.plans.compile import compile_plans
from tests.scheduling.plans.conftest import step


def compiled(*names):
    return {task.key: task for task in compile_plans(names).tasks}


def test_a_plan_becomes_tasks_in_the_order_of_the_hierarchy(entities, make_plan):
    make_plan("Nightly", step(entities["till"], priority=5), step(entities["region"], attempts=3), order="hierarchy")
    tasks = compiled("Nightly")
    assert list(tasks) == ["region", "till"]
    assert tasks["till"].depends_on == {"region"} and tasks["till"].priority == 5 and tasks["till"].step_index == 2
    assert tasks["region"].attempts == 3 and tasks["region"].workload == "batch"
    assert tasks["region"].target_id == entities["region"].pk


def test_a_shared_step_runs_once_with_the_higher_priority_and_else_as_the_first_plan_says(entities, make_plan):
    slow = Queue.objects.create(name="slow", max_running=1)
    make_plan("Daily", step(entities["region"], queue=slow, priority=1, attempts=2))
    make_plan("Sunday", step(entities["region"], priority=9), step(entities["branch"], step_index=2))
    tasks = compiled("Daily", "Sunday")
    assert set(tasks) == {"region", "branch"}
    assert (tasks["region"].queue, tasks["region"].priority, tasks["region"].attempts) == ("slow", 9, 2)
    assert tasks["branch"].depends_on == {"region"}


def test_a_script_step_carries_its_values(make_plan, script):
    make_plan("Nightly", step(script, arguments={"year": 2026}), step(script, arguments={"year": 2025}))
    tasks = compiled("Nightly")
    assert set(tasks) == {"script Refresh (year=2026)", "script Refresh (year=2025)"}
    found = tasks["script Refresh (year=2026)"]
    assert found.workload == "script" and found.target_id == script.pk and found.arguments == {"year": 2026}


def test_a_cancelled_entity_is_left_out_and_its_place_in_the_order_is_kept(entities, make_plan):
    make_plan("Nightly", *(step(entities[code]) for code in ("till", "branch", "region")), order="hierarchy")
    entities["branch"].is_cancelled = True
    entities["branch"].save()
    assert {key: set(task.depends_on) for key, task in compiled("Nightly").items()} == {
        "region": set(),
        "till": {"region"},
    }


def test_an_unknown_plan_is_refused_with_the_likely_name(make_plan, entities):
    make_plan("Nightly", step(entities["region"]))
    with pytest.raises(UnknownPlan, match="Did you mean 'Nightly'"):
        compile_plans(["Nigtly"])


def test_a_cancelled_plan_does_not_start(make_plan, entities):
    make_plan("Nightly", step(entities["region"]), is_cancelled=True)
    with pytest.raises(InvalidPlan, match="is cancelled"):
        compile_plans(["Nightly"])


def test_a_plan_with_nothing_in_force_does_not_start(make_plan, entities):
    make_plan("Nightly", step(entities["region"], is_cancelled=True))
    with pytest.raises(InvalidPlan, match="Nothing to run: plan Nightly"):
        compile_plans(["Nightly"])


def test_circles_are_refused_at_the_start_too_with_the_circle_printed(make_plan, entities):
    make_plan("Nightly", step(entities["region"]), step(entities["branch"]), order="hierarchy")
    EntityDependency.objects.create(entity=entities["region"], depends_on=entities["branch"])
    with pytest.raises(InvalidPlan, match="branch > region > branch"):
        compile_plans(["Nightly"])


def test_a_job_that_code_does_not_declare_is_refused(make_plan, entities):
    plan = make_plan("Nightly", step(entities["region"]))
    PlanStep.objects.create(plan=plan, job_name="Gone")
    with pytest.raises(InvalidPlan, match="There is no job 'Gone'"):
        compile_plans(["Nightly"])


def test_reading_many_plans_takes_few_statements(make_plan, entities, django_assert_max_num_queries):
    names = [f"Plan {number}" for number in range(20)]
    for name in names:
        make_plan(name, step(entities["region"]), step(entities["branch"], "region", step_index=2))
    assert Plan.objects.count() == 20
    with django_assert_max_num_queries(12):
        compile_plans(names)


def test_conditions_are_part_of_the_manifest_and_finally_is_always_at_the_end(make_plan, entities):
    make_plan(
        "Nightly",
        step(entities["till"], run_if="finally"),
        step(entities["region"]),
        step(entities["branch"], step_index=2, run_if="any_failed"),
    )
    tasks = compiled("Nightly")
    assert {key: (task.run_if, set(task.depends_on)) for key, task in tasks.items()} == {
        "region": ("all_succeeded", set()),
        "branch": ("any_failed", {"region"}),
        "till": ("always", {"region", "branch"}),
    }


def test_what_asks_about_failures_of_nothing_is_left_out(make_plan, entities):
    asks = {"run_if": "any_failed"}
    make_plan(
        "Nightly", step(entities["region"]), step(entities["branch"], step_index=2, **asks),
        step(entities["till"], step_index=3, **asks),
    )  # fmt: skip
    make_plan("Other", step(entities["region"], is_cancelled=True), step(entities["branch"], step_index=2))
    PlanStep.objects.filter(plan__name="Nightly", entity=entities["region"]).update(is_cancelled=True)
    with pytest.raises(InvalidPlan, match="Nothing to run"):
        compile_plans(["Nightly"])
    assert set(compiled("Other", "Nightly")) == {"branch", "till"}, "as the plan named first says"
