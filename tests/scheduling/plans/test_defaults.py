"""Promise: what a step does not say its plan says, else its job, else it is as usual; one rule, in the manifest."""

import pytest
from django.db import IntegrityError, transaction

from scheduling.errors import InvalidPlan
from scheduling.models import Job, Plan, PlanStep, Queue
from scheduling.plans.compile import compile_each, compile_plans
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.queues import in_use
from tests.scheduling.plans.conftest import NOW, step


def taken(*names):
    """Return the queue, tries, pause between them, and time-out of each task."""
    return {
        task.key: (task.queue, task.attempts, task.retry_interval_seconds, task.timeout_seconds)
        for task in compile_plans(names).tasks
    }


@pytest.fixture
def queues(db):
    return {name: Queue.objects.create(name=name) for name in ("night", "day", "default")}


@pytest.fixture
def job(db):
    return Job.objects.create(
        name="Report", path="shop.jobs.report", source="shop/jobs.py:1", queue_name="day", attempts=5,
        retry_interval_seconds=7, retry_backoff=True, timeout_seconds=70,
    )  # fmt: skip


def full(queues):
    """Return a plan that says all of it for its steps."""
    return {
        "default_queue": queues["night"], "default_attempts": 3, "default_retry_interval_seconds": 30,
        "default_timeout_seconds": 300,
    }  # fmt: skip


def test_a_step_that_says_nothing_takes_what_its_plan_says(entities, make_plan, queues, script):
    make_plan("Nightly", step(entities["region"]), step(script, arguments={"year": 1}), **full(queues))
    assert set(taken("Nightly").values()) == {("night", 3, 30, 300)}


def test_each_setting_of_a_step_goes_before_also_the_usual_one(entities, make_plan, queues):
    steps = [
        step(entities["region"], attempts=1, insists_on=["attempts"]),
        step(entities["branch"], retry_interval_seconds=0, timeout_seconds=9),
        step(entities["till"], queue=queues["default"], retry_interval_seconds=60,
             insists_on=["retry_interval_seconds"]),
    ]  # fmt: skip
    make_plan("Nightly", *steps, **full(queues))
    assert taken("Nightly") == {
        "region": ("night", 1, 30, 300),
        "branch": ("night", 3, 0, 9),
        "till": ("default", 3, 60, 300),
    }


def test_steps_of_the_version_before_said_what_is_not_the_usual(entities, make_plan, queues):
    plan = make_plan("Nightly", step(entities["region"], attempts=4), step(entities["branch"]), **full(queues))
    PlanStep.objects.filter(plan=plan).update(insists_on=None)
    assert {key: found[1] for key, found in taken("Nightly").items()} == {"region": 4, "branch": 3}


def test_without_either_a_job_says_it_and_else_it_is_as_usual(entities, make_plan, job):
    make_plan("Nightly", step("Report"), step(entities["region"]))
    assert taken("Nightly") == {"job Report": ("day", 5, 7, 70), "region": ("default", 1, 60, None)}
    assert {task.key: task.retry_backoff for task in compile_plans(["Nightly"]).tasks} == {
        "job Report": True, "region": False,
    }  # fmt: skip


def test_the_plan_goes_before_the_job_and_the_step_before_both(make_plan, queues, job):
    make_plan("Nightly", step("Report"), **full(queues))
    assert taken("Nightly") == {"job Report": ("night", 3, 30, 300)}
    assert not compile_plans(["Nightly"]).tasks[0].retry_backoff, "the pauses are those of the plan"
    make_plan("Some", step("Report", attempts=2), default_retry_interval_seconds=30)
    assert taken("Some") == {"job Report": ("day", 2, 30, 70)}


def test_a_plan_in_a_plan_says_it_for_its_own_steps(entities, make_plan, queues):
    inner = make_plan("Inner", step(entities["region"]), default_attempts=2)
    make_plan("Outer", step(inner), step(entities["branch"]), **full(queues))
    assert taken("Outer") == {"region": ("default", 2, 60, None), "branch": ("night", 3, 30, 300)}


def test_a_shared_step_is_as_the_plan_named_first_has_it(entities, make_plan, queues):
    make_plan("One", step(entities["region"]), default_attempts=2)
    make_plan("Two", step(entities["region"]), **full(queues))
    assert taken("One", "Two")["region"][1] == 2 and taken("Two", "One")["region"][1] == 3


def test_what_is_wrong_with_them_is_told_by_field(make_plan):
    with pytest.raises(InvalidPlan) as refused:
        make_plan("Nightly", default_attempts=0, default_timeout_seconds=0, default_retry_interval_seconds=86_401)
    assert set(refused.value.errors) == {
        "default_attempts", "default_timeout_seconds", "default_retry_interval_seconds",
    }  # fmt: skip
    for wrong in ({"default_attempts": 0}, {"default_timeout_seconds": 0}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Plan.objects.create(name="x", **wrong)


def test_a_queue_of_a_plan_is_in_use(make_plan, queues):
    plan = make_plan("Nightly", **full(queues))
    assert "plan Nightly" in in_use(queues["night"], but=()) and not in_use(queues["night"], but=["Nightly"])
    plan.is_cancelled = True
    save_plan(PlanDraft(plan), now=NOW)
    assert not in_use(queues["night"], but=())


def test_they_take_no_statement_of_their_own(entities, make_plan, queues, django_assert_num_queries):
    """One each for plans and their steps; no plan here goes by the hierarchy, or has a job."""
    for number in range(5):
        make_plan(f"Plan {number}", step(entities["region"], queue=queues["day"]), **full(queues))
    with django_assert_num_queries(2):
        compile_each([f"Plan {number}" for number in range(5)])
