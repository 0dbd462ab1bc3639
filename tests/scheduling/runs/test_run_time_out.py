"""The time-out of a whole run: what has not ended is cancelled, once, and the run ends as failed and says why."""

from datetime import timedelta

import pytest

from scheduling.dispatch.cycle import run_cycle
from scheduling.dispatch.recover import advance_stuck_runs, give_up_cancelled_attempts
from scheduling.errors import CannotIntervene, InvalidPlan
from scheduling.model_files.dump import dump
from scheduling.model_files.load import load
from scheduling.models import Plan, Run, SchedulerLog, SqlScript
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.queues import claim_next
from scheduling.runs.advance import finish
from scheduling.runs.by_hand import start_plans_now
from scheduling.runs.cancel import cancel_run, time_out_run
from scheduling.runs.execute import run_attempt
from scheduling.runs.intervene import hold_step, skip_step
from scheduling.runs.restart import restart_run
from scheduling.states import TaskStatus
from scheduling.workloads.outcome import Outcome
from staging.model_files.read import parse_yaml
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step
from tests.scheduling.runs.auditor import audit
from tests.scheduling.runs.pieces import FAILING, item, of, start, states, status, work

pytestmark = pytest.mark.django_db(transaction=True)
MINUTE = timedelta(minutes=1)
WHY = "It may take 10 min and took longer: what had not ended by then was cancelled."


@pytest.fixture(autouse=True)
def promises():
    yield
    assert audit() == []


def begun(*items, seconds=600, **options):
    """Start a run that may take so long, and let a worker take its first task."""
    run = start(*items, **options)
    Run.objects.filter(pk=run.pk).update(timeout_seconds=seconds)
    return run, claim_next(worker="w", now=NOW)


def test_what_waits_is_cancelled_what_runs_is_asked_to_stop_and_the_run_failed():
    run, attempt = begun(item("a"), item("b", "a"), item("last", "a b", run_if="always"))
    assert advance_stuck_runs(NOW + 9 * MINUTE) == 0 and states(run)["b"] == "waiting"
    assert advance_stuck_runs(NOW + 10 * MINUTE) == 1
    assert states(run) == {"a": "running", "b": "cancelled", "last": "cancelled"} and status(run) == "running"
    assert of(run, "b").message == "Cancelled before it started: the time of its run was up."
    run_attempt(attempt, time=lambda: NOW + 11 * MINUTE)
    run.refresh_from_db()
    assert (run.status, run.error, run.timed_out_at) == ("failed", WHY, NOW + 10 * MINUTE)
    told = SchedulerLog.objects.get(event_type="error")
    assert told.message == f"Test failed: {WHY}" and run.error_said


def test_it_is_done_once_and_a_run_that_has_not_begun_has_all_its_time():
    run, _ = begun(item("a"), item("b", "a"))
    waits = start(item("a"), key="waits")
    Run.objects.filter(pk=waits.pk).update(timeout_seconds=1)
    assert advance_stuck_runs(NOW + 20 * MINUTE) == 1 and advance_stuck_runs(NOW + 21 * MINUTE) == 0
    assert not time_out_run(Run.objects.get(pk=run.pk), NOW + 21 * MINUTE)
    assert status(waits) == "pending"


def test_work_that_does_not_stop_is_given_up_and_the_run_ends_as_failed(settings):
    settings.ZOMBIE_TIMEOUT_MINUTES = 24 * 60
    run, _ = begun(item("a"))
    run_cycle(NOW + 10 * MINUTE)
    run_cycle(NOW + 10 * MINUTE + timedelta(seconds=settings.CANCEL_GRACE_SECONDS + 1))
    assert states(run) == {"a": "cancelled"} and status(run) == "failed"


def test_what_ends_well_after_its_time_ends_a_failed_run_and_nothing_of_it_goes_on():
    run, attempt = begun(item("a"), item("b", "a"))
    advance_stuck_runs(NOW + 10 * MINUTE)
    assert finish(attempt, of(run, "a"), Outcome(TaskStatus.COMPLETED, "too late"), now=NOW + 11 * MINUTE)
    assert states(run) == {"a": "completed", "b": "cancelled"} and status(run) == "failed"


def test_between_two_attempts_and_held_it_ends_at_once():
    FAILING.add("a")
    run = start(item("a", attempts=3, retry_interval_seconds=3600), item("b", "a"))
    Run.objects.filter(pk=run.pk).update(timeout_seconds=600)
    work()
    hold_step(of(run, "b"), by="ann", now=NOW)
    assert advance_stuck_runs(NOW + 10 * MINUTE) == 1
    assert states(run) == {"a": "cancelled", "b": "cancelled"} and status(run) == "failed"


def test_what_a_person_cancelled_before_stays_cancelled_and_after_it_nobody_lays_hands_on_it():
    run, attempt = begun(item("a"), item("b", "a"))
    cancel_run(run, by="ann", now=NOW)
    assert advance_stuck_runs(NOW + 10 * MINUTE) == 0
    run_attempt(attempt, time=lambda: NOW + 11 * MINUTE)
    assert status(run) == "cancelled" and run.timed_out_at is None
    late, _ = begun(item("a"), key="late")
    advance_stuck_runs(NOW + 10 * MINUTE)
    with pytest.raises(CannotIntervene):
        skip_step(of(late, "a"), by="ann", now=NOW + 10 * MINUTE)


def test_a_run_that_is_late_and_stuck_and_being_cancelled_is_moved_on_all_the_same(monkeypatch):
    run, attempt = begun(item("a"), item("b"))
    cancel_run(run, by="ann", now=NOW)
    monkeypatch.setattr("scheduling.runs.advance.advance", lambda *_: {})
    run_attempt(attempt, time=lambda: NOW)
    monkeypatch.undo()
    assert status(run) == "running"
    assert advance_stuck_runs(NOW + 10 * MINUTE) == 1 and status(run) == "cancelled"


@pytest.fixture
def plan(make_entity):
    script = SqlScript.objects.create(name="S", sql="SELECT 1")
    return save_plan(PlanDraft(Plan(name="P", run_timeout_seconds=600), {}, [step(script)]), now=NOW)


def test_a_run_keeps_the_time_that_its_plan_said_and_fails_it_with_a_back_off(plan):
    run = start_plans_now(["P"], started_by="ann", now=NOW)
    Plan.objects.update(run_timeout_seconds=None)
    assert run.timeout_seconds == 600 and run.has_to_end_by is None
    claim_next(worker="w", now=NOW)
    run.refresh_from_db()
    assert run.has_to_end_by == NOW + 10 * MINUTE
    task = run.tasks.get()
    for minutes in (10, 12):
        advance_stuck_runs(NOW + minutes * MINUTE)
    give_up_cancelled_attempts(NOW + 60 * MINUTE)
    plan.refresh_from_db()
    task.refresh_from_db()
    assert task.status == "cancelled" and not plan.is_running
    assert (plan.last_result, plan.consecutive_failures) == ("failed", 1) and plan.backoff_until > NOW + 60 * MINUTE


def test_a_restart_may_take_what_its_plan_says_now(plan):
    run = start_plans_now(["P"], started_by="ann", now=NOW)
    cancel_run(run, by="ann", now=NOW)
    Plan.objects.update(run_timeout_seconds=60)
    assert restart_run(run, only_failed=True, started_by="ann", now=NOW).timeout_seconds == 60


def test_of_several_plans_the_first_that_says_one_counts_and_of_a_step_none(plan):
    script = SqlScript.objects.create(name="T", sql="SELECT 1")
    save_plan(PlanDraft(Plan(name="Q", run_timeout_seconds=60), {}, [step(script)]), now=NOW)
    save_plan(PlanDraft(Plan(name="Outer"), {}, [step(plan)]), now=NOW)
    assert start_plans_now(["Q", "P"], started_by="ann", now=NOW).timeout_seconds == 60
    assert start_plans_now(["Outer"], started_by="ann", now=NOW).timeout_seconds is None


def test_a_model_file_says_it_and_no_time_is_refused(plan):
    document = dump()
    assert document["plans"][0]["run_timeout_seconds"] == 600 and load(document, now=NOW).changes == {}
    text = "{version: 1, plans: [{name: P, run_timeout_seconds: 90, steps: [{script: S}]}]}"
    assert load(parse_yaml(text), now=NOW).changes["plan P"] == {"run_timeout_seconds": {"from": 600, "to": 90}}
    plan.run_timeout_seconds = 0
    with pytest.raises(InvalidPlan) as refused:
        save_plan(PlanDraft(plan), now=NOW)
    assert set(refused.value.errors) == {"run_timeout_seconds"}
