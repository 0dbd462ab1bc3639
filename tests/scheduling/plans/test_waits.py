"""Promises of wait steps in a plan: what may be said of one, what it is called, where it stands, and whose it is."""

from datetime import time, timedelta

import pytest
from django.db import IntegrityError, transaction

from scheduling.errors import InvalidPlan
from scheduling.kinds import usual_runs
from scheduling.models import Plan, PlanStep, SqlScript
from scheduling.plans.check import check_plans
from scheduling.plans.compile import compile_plans
from scheduling.plans.draft import PlanDraft, StepDraft, plan_errors
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_plans_now
from tests.scheduling.plans.conftest import NOW, step


def wait(*depends_on, **fields):
    """Return a draft of a step that waits for a time."""
    return StepDraft(PlanStep(**fields), list(depends_on))


def faults(*steps, **fields):
    """Return the faults of a plan of these steps by path."""
    return plan_errors(PlanDraft(Plan(name="P", **fields), {}, list(steps)), now=NOW)


@pytest.mark.pure
@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"wait_until": time(14)}, "wait until 14:00"),
        ({"wait_until": time(2, 30), "wait_days": 1}, "wait until 02:30 + 1"),
        ({"wait_minutes": 1}, "wait 1 minute"),
        ({"wait_minutes": 30}, "wait 30 minutes"),
        ({"wait_minutes": 30, "wait_name": "cool down"}, "wait 30 minutes (cool down)"),
        (
            {"script": SqlScript(name="Ready"), "wait_query": True, "arguments": {"year": 2026}},
            "wait for script Ready (year=2026)",
        ),
    ],
)
def test_it_is_called_after_what_it_waits_for(fields, key):
    assert PlanStep(**fields).key == key


def test_of_an_entity_it_is_another_step_than_its_batch(entities, make_plan):
    branch = entities["branch"]
    make_plan(
        "P",
        step(branch, wait_rows=1),
        step(branch, step_index=2),
        step(branch, "branch", wait_rows=100, step_index=3),
    )
    tasks = {task.key: task for task in compile_plans(["P"]).tasks}
    assert set(tasks) == {"branch", "wait for rows of branch", "wait for 100 rows of branch"}
    assert tasks["branch"].depends_on == {"wait for rows of branch"}
    waits = tasks["wait for 100 rows of branch"]
    assert (waits.workload, waits.target_id, waits.arguments) == ("wait", None, {"rows": 100, "entity": branch.pk})


def test_a_wait_for_rows_has_no_place_in_the_hierarchy(entities, make_plan):
    make_plan("P", step(entities["region"]), step(entities["branch"], wait_rows=1), order="hierarchy")
    assert check_plans(["P"]).waves == (("region", "wait for rows of branch"),)


def test_the_plan_says_its_queue_and_neither_its_tries_nor_its_time_out(make_plan, entities):
    make_plan(
        "P", wait(wait_minutes=5, timeout_seconds=900), wait(wait_until=time(14)), default_attempts=3,
        default_timeout_seconds=60,
    )  # fmt: skip
    minutes, until = sorted(compile_plans(["P"]).tasks, key=lambda task: task.key)
    assert (minutes.timeout_seconds, until.timeout_seconds) == (900, None)
    assert minutes.arguments == {"minutes": 5}


def test_until_a_time_it_knows_the_zone_of_its_plan_and_the_slot_of_the_run(make_plan):
    make_plan("P", wait(wait_until=time(14), wait_days=1), timezone="Europe/Amsterdam")
    run = start_plans_now(["P"], {}, started_by="ann", now=NOW)
    asked = {"until": "14:00", "days": 1, "zone": "Europe/Amsterdam", "slot": NOW.isoformat()}
    assert run.tasks.get().arguments == asked


def test_two_waits_alike_need_a_name_each(make_plan, entities):
    alike = faults(wait(wait_minutes=5), wait(wait_minutes=5))
    assert set(alike) == {"steps.0.entity", "steps.1.entity"}
    assert not faults(wait(wait_minutes=5), wait("wait 5 minutes", wait_minutes=5, wait_name="once more"))


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"wait_until": time(14), "wait_minutes": 5}, "wait_minutes"),
        ({"wait_minutes": 0}, "wait_minutes"),
        ({"wait_minutes": 44_641}, "wait_minutes"),
        ({"wait_minutes": 5, "wait_days": 1}, "wait_days"),
        ({"wait_until": time(14), "wait_days": 32}, "wait_days"),
        ({"wait_until": "25:00"}, "wait_until"),
        ({"wait_minutes": 5, "wait_rows": 1}, "wait_rows"),
        ({"wait_minutes": 5, "wait_query": True}, "wait_query"),
        ({"wait_minutes": 5, "attempts": 2}, "attempts"),
        ({"wait_minutes": 5, "retry_backoff": True}, "retry_backoff"),
        ({"wait_minutes": 5, "retry_on": "OSError"}, "retry_on"),
        ({"wait_minutes": 5, "timeout_seconds": 300}, "timeout_seconds"),
        ({"wait_minutes": 5, "arguments": {"year": 1}}, "arguments"),
        ({"wait_minutes": 5, "wait_name": "two\nlines"}, "wait_name"),
        ({"wait_minutes": 5, "wait_name": " x"}, "wait_name"),
        ({"wait_minutes": 5, "wait_name": "x" * 61}, "wait_name"),
        ({"job_name": "x", "wait_minutes": 5}, "entity"),
    ],
)
def test_what_makes_no_sense_is_told_at_its_field(fields, field, db):
    assert f"steps.0.{field}" in faults(wait(**fields))


def test_a_wait_for_rows_or_a_query_takes_what_it_is_of(entities, script):
    assert "steps.0.wait_rows" in faults(step(script, wait_rows=1, arguments={"year": 1}))
    assert "steps.0.wait_query" in faults(step(entities["branch"], wait_query=True))
    assert "steps.0.wait_rows" in faults(step(entities["branch"], wait_rows=0))
    assert "steps.0.wait_name" in faults(step(entities["branch"], wait_name="x"))
    assert "steps.0.arguments" in faults(step(script, wait_query=True))
    assert not faults(step(script, wait_query=True, arguments={"year": 1}), step(entities["branch"], wait_rows=1))


def test_whoever_may_not_run_scripts_saves_no_wait_for_a_query(script, make_plan):
    asks = step(script, wait_query=True, arguments={"year": 1})
    assert "steps.0.script" in plan_errors(PlanDraft(Plan(name="P"), {}, [asks], may_script=False), now=NOW)
    plan = make_plan("P", asks)
    changed = PlanDraft.of(plan)
    changed.steps[0].step.wait_query = False
    changed.may_script = False
    with pytest.raises(InvalidPlan):
        save_plan(changed, now=NOW)


@pytest.mark.parametrize(
    "fields",
    [
        {"wait_rows": 1},
        {"wait_query": True},
        {"wait_minutes": 0},
        {"wait_minutes": 1, "wait_until": time(1)},
        {"wait_minutes": 1, "job_name": "x"},
        {"wait_minutes": 1, "wait_days": 1},
        {},
    ],
)
def test_the_database_keeps_to_it(fields, make_plan):
    plan = make_plan("P", wait(wait_minutes=5))
    with pytest.raises(IntegrityError), transaction.atomic():
        PlanStep.objects.create(plan=plan, **fields)


def test_a_wait_for_a_time_makes_a_plan_nobody_elses(entities, make_plan):
    branch = entities["branch"]
    plan = make_plan("Own", step(branch), wait(wait_minutes=5), step(branch, wait_rows=1))
    make_plan("Other", step(branch), step(entities["region"], wait_rows=1))
    make_plan("Nobody's", wait(wait_minutes=5))
    assert list(Plan.objects.of_entities([branch.pk])) == [plan]


def test_a_cancelled_entity_has_nobody_wait_for_it(entities, make_plan):
    branch = entities["branch"]
    make_plan("P", step(branch, wait_rows=1), step(entities["region"], step_index=2))
    type(branch).objects.filter(pk=branch.pk).update(is_cancelled=True)
    assert [task.key for task in compile_plans(["P"]).tasks] == ["region"]


def test_a_forecast_counts_the_minutes_of_a_wait_and_no_load_for_it(entities, make_plan):
    plan = make_plan(
        "P", wait(wait_minutes=45), step(entities["region"], step_index=2), step(entities["branch"], wait_rows=1)
    )
    (usual,) = usual_runs([plan]).values()
    assert [(piece.workload, piece.after, piece.is_first) for piece in usual.pieces] == [
        ("batch", timedelta(minutes=45), False)
    ]
