"""Storing plans: refused with every fault at its field, never half done, and editing never fires."""

from datetime import date, timedelta

import pytest

from scheduling.errors import InvalidPlan
from scheduling.models import EntityDependency, Job, Plan, PlanStep
from scheduling.plans.draft import PlanDraft, StepDraft
from scheduling.plans.save import save_dependencies, save_plan
from scheduling.runs.by_hand import start_plans_now
from tests.scheduling.conftest import work_off
from tests.scheduling.plans.conftest import NOW, step

DAILY = {"schedule_type": "daily", "run_times": "02:30", "timezone": "Europe/Amsterdam"}


def faults(plan, *steps, schedule=None):
    with pytest.raises(InvalidPlan) as refused:
        save_plan(PlanDraft(plan, schedule or {}, list(steps)), now=NOW)
    assert not Plan.objects.filter(name=plan.name, pk=None).exists()
    return refused.value.errors


def test_a_plan_with_a_cadence_is_planned_from_now(make_plan, entities):
    plan = make_plan("Nightly", step(entities["region"]), schedule=DAILY)
    plan.refresh_from_db()
    assert plan.armed_from == NOW and plan.next_scheduled_run > NOW and plan.processing_mode == "scheduled"


def test_a_plan_without_a_cadence_is_started_by_people(make_plan, entities):
    plan = make_plan("Nightly", step(entities["region"]))
    assert plan.next_scheduled_run is None and plan.processing_mode == "manual"


def test_changing_the_steps_does_not_rearm_the_schedule(make_plan, entities):
    plan = make_plan("Nightly", step(entities["region"]), schedule=DAILY)
    later = NOW + timedelta(hours=1)
    save_plan(PlanDraft(Plan.objects.get(pk=plan.pk), DAILY, [step(entities["branch"])]), now=later)
    plan.refresh_from_db()
    assert plan.armed_from == NOW and plan.steps.count() == 2


def test_taking_a_plan_back_into_force_never_fires_slots_of_before(make_plan, entities):
    plan = make_plan("Nightly", step(entities["region"]), schedule=DAILY, is_cancelled=True)
    plan.is_cancelled = False
    save_plan(PlanDraft(plan), now=NOW + timedelta(days=3))
    plan.refresh_from_db()
    assert plan.armed_from == NOW + timedelta(days=3) and plan.next_scheduled_run > plan.armed_from


def test_every_fault_is_told_at_its_field_and_nothing_is_stored(entities, script):
    errors = faults(
        Plan(name="a,b", order="up"),
        StepDraft(PlanStep()),
        step(entities["region"], "branch", attempts=0),
        step(script, arguments={"year": "x", "month": 1}),
        step("Gone"),
        schedule={"schedule_type": "daily"},
    )
    assert set(errors) == {
        "name", "order", "run_times", "steps.0.entity", "steps.1.attempts", "steps.1.depends_on", "steps.2.arguments",
        "steps.3.job_name",
    }  # fmt: skip
    assert errors["steps.2.arguments"] == [
        "There is no parameter month.",
        "The parameter year takes values of the type integer, not 'x'.",
    ]
    assert not Plan.objects.exists() and not PlanStep.objects.exists()


def test_a_step_is_one_thing_and_comes_once(entities):
    both = StepDraft(PlanStep(entity=entities["region"], job_name="X"))
    assert "one thing" in faults(Plan(name="P"), both)["steps.0.entity"][0]
    twice = faults(Plan(name="P"), step(entities["region"]), step(entities["region"], step_index=2))
    assert twice["steps.1.entity"] == ["region is a step of this plan twice; leave one out."]


def test_circles_are_refused_with_the_circle_printed(make_plan, entities):
    named = faults(Plan(name="P"), step(entities["region"], "branch"), step(entities["branch"], "region"))
    assert named["steps"] == ["These depend on each other in a circle: branch > region > branch."]
    own = faults(Plan(name="P"), step(entities["region"], "region"))
    assert own["steps.0.depends_on"] == ["A step cannot depend on itself: region > region."]


def test_plans_that_run_each_other_are_refused(make_plan, entities):
    inner = make_plan("Inner", step(entities["region"]))
    outer = make_plan("Outer", step(inner))
    with pytest.raises(InvalidPlan, match="plan Inner > plan Outer > plan Inner"):
        save_plan(PlanDraft(inner, {}, [step(outer)]), now=NOW)
    assert inner.steps.count() == 1


def test_a_change_that_breaks_a_plan_that_runs_this_one_is_refused_and_names_it(make_plan, entities):
    inner = make_plan("Inner", step(entities["till"]))
    make_plan("Outer", step(inner), step(entities["branch"], "plan Inner"))
    inner.order = "hierarchy"
    with pytest.raises(InvalidPlan, match=r"In plan Outer: .* branch > till > branch"):
        save_plan(PlanDraft(inner), now=NOW)
    assert Plan.objects.get(name="Inner").order == "steps"


def test_settings_of_a_sub_plan_are_said_by_its_own_steps(make_plan, entities):
    inner = make_plan("Inner", step(entities["region"]))
    errors = faults(Plan(name="P"), step(inner, attempts=3, continue_on_failure=True, run_if="always"))
    assert set(errors) == {"steps.0.attempts", "steps.0.continue_on_failure", "steps.0.run_if"}


def test_dependencies_are_replaced_as_a_whole(entities):
    save_dependencies(entities["till"], ["region"])
    assert [str(each) for each in EntityDependency.objects.filter(entity=entities["till"])] == [
        "till depends on region"
    ]
    save_dependencies(entities["till"], [])
    assert not entities["till"].dependencies.exists()


def test_a_circle_in_the_hierarchy_is_refused_at_the_field_with_what_leads_into_it(entities):
    with pytest.raises(InvalidPlan) as refused:
        save_dependencies(entities["region"], ["branch"])
    assert refused.value.errors == {
        "depends_on": [
            "These depend on each other in a circle: branch > region > branch. Waiting for it for ever: till."
        ]
    }
    assert not entities["region"].dependencies.exists()


def test_an_entity_cannot_depend_on_itself(entities):
    with pytest.raises(InvalidPlan, match="region > region"):
        save_dependencies(entities["region"], ["region"])


def test_a_dependency_that_contradicts_a_plan_is_refused_and_names_the_plan(make_plan, entities):
    make_plan("Nightly", step(entities["region"], step_index=1), step(entities["till"], step_index=2), order="both")
    with pytest.raises(InvalidPlan, match=r"In plan Nightly: .* region > till > region"):
        save_dependencies(entities["till"], [])
        save_dependencies(entities["region"], ["till"])


def test_a_condition_that_is_none_is_refused(entities):
    assert set(faults(Plan(name="P"), step(entities["region"], run_if="sometimes"))) == {"steps.0.run_if"}


def test_what_runs_after_a_failure_needs_something_before_it(make_plan, entities):
    asks = {"run_if": "any_failed"}
    errors = faults(Plan(name="P"), step(entities["region"], step_index=2), step(entities["branch"], **asks))
    assert errors == {
        "steps.1.run_if": ["Nothing comes before this step, so nothing can have failed when it is its turn."]
    }
    make_plan("P", step(entities["region"]), step(entities["branch"], step_index=2, **asks))


def test_what_is_before_it_may_be_cancelled_or_be_a_plan(make_plan, entities):
    inner = make_plan("Inner", step(entities["till"]))
    asks = {"step_index": 2, "run_if": "any_failed"}
    make_plan("P", step(inner), step(entities["branch"], **asks))
    make_plan("Q", step(entities["region"], is_cancelled=True), step(entities["branch"], **asks))


def takes_a_day(context, day: date, factor: int = 1):
    """Do something."""
    return {"day": day.isoformat(), "factor": factor}


def test_a_step_gives_its_job_what_that_takes_and_every_fault_stands_at_its_values(make_job, make_plan, entities):
    make_job("Report", body=takes_a_day)
    errors = faults(
        Plan(name="P"),
        step("Report"),
        step("Report", arguments={"day": "yesterday", "color": 1}),
        step(entities["region"], arguments={"day": "2026-03-01"}),
    )
    assert errors == {
        "steps.0.arguments": ["day is missing."],
        "steps.1.arguments": [
            "day is 'yesterday'; it must be a date, like 2026-03-01.",
            "There is no argument 'color'; it takes: day, factor.",
        ],
        "steps.2.arguments": ["Only jobs and scripts take values."],
    }


def test_the_same_job_with_other_values_is_another_step_and_gets_them(make_job, make_plan):
    make_job("Report", body=takes_a_day)
    days = ("2026-03-01", "2026-03-02")
    make_plan("P", *(step("Report", arguments={"day": day, "factor": 2}) for day in days))
    run = start_plans_now(["P"], started_by="ann", now=NOW)
    work_off(NOW)
    results = dict(run.tasks.values_list("key", "result"))
    assert results == {f"job Report (day={day}, factor=2)": {"day": day, "factor": 2} for day in days}


def test_a_step_gives_nothing_to_a_job_whose_code_is_not_here(make_plan):
    Job.objects.create(name="Elsewhere", path="elsewhere.jobs.work")
    make_plan("P", step("Elsewhere"))
    errors = faults(Plan(name="Q"), step("Elsewhere", arguments={"day": "2026-03-01"}))
    assert errors == {"steps.0.arguments": ["The code of Elsewhere is not here, so nothing can be given to it."]}
