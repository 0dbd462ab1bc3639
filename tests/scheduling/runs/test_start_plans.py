"""Starting plans: one run, one guard for each, by people and by the clock."""

import threading
from datetime import timedelta

import pytest
from django.db import connection

from scheduling import statements
from scheduling.dispatch.cycle import run_cycle
from scheduling.errors import AlreadyRunning, InvalidPlan
from scheduling.models import EntityDependency, Plan, Run, SchedulerLog, SqlScript, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_dependencies, save_plan
from scheduling.plans.scripts import save_script
from scheduling.runs.by_hand import start_plans_now
from scheduling.runs.cancel import cancel_run
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.plans.conftest import step

MINUTE = timedelta(minutes=1)
EVERY_TEN = {"schedule_type": "interval", "interval_minutes": 10}


@pytest.fixture
def entities(make_entity):
    made = {code: make_entity(code).entity for code in ("region", "branch")}
    save_dependencies(made["branch"], ["region"])
    return made


@pytest.fixture
def plan(entities):
    return make("Nightly", entities)


def make(name, entities, codes=("branch", "region"), schedule=None, **fields):
    draft = PlanDraft(
        Plan(name=name, **{"order": "hierarchy", **fields}), schedule or {}, [step(entities[c]) for c in codes]
    )
    return save_plan(draft, now=NOW - MINUTE)


def stored(plan):
    return Plan.objects.get(pk=plan.pk)


def log(plan):
    return list(SchedulerLog.objects.filter(plan=plan).order_by("id").values_list("event_type", flat=True))


def test_a_plan_runs_its_entities_in_their_order_and_frees_itself_at_the_end(plan, deposit):
    deposit("region")
    deposit("branch")
    run = start_plans_now(["Nightly"], started_by="anna", now=NOW)
    assert stored(plan).is_running and stored(plan).running_run == run and run.plans == ["Nightly"]
    assert work_off(NOW) == 2
    done = list(Task.objects.filter(run=run).order_by("started_at", "id").values_list("key", "status"))
    assert done == [("region", "completed"), ("branch", "completed")]
    after = stored(plan)
    assert (after.is_running, after.running_run, after.last_result) == (False, None, "completed")
    assert after.last_completed_at == NOW and log(plan) == ["fired", "completed"]


def test_a_plan_that_runs_is_refused_a_second_start(plan):
    start_plans_now(["Nightly"], started_by="anna", now=NOW)
    with pytest.raises(AlreadyRunning, match="Plan Nightly is already running"):
        start_plans_now(["Nightly"], started_by="ben", now=NOW)
    assert Run.objects.count() == 1


def test_a_run_of_two_plans_holds_both_guards_and_a_refused_one_holds_none(plan, entities):
    other = make("Other", entities, ("region",))
    third = make("Third", entities, ("region",))
    run = start_plans_now(["Nightly", "Other"], started_by="anna", now=NOW)
    assert stored(plan).running_run == stored(other).running_run == run and run.tasks.count() == 2
    with pytest.raises(AlreadyRunning):
        start_plans_now(["Third", "Other"], started_by="ben", now=NOW)
    assert not stored(third).is_running and Run.objects.count() == 1
    work_off(NOW)
    assert not stored(plan).is_running and not stored(other).is_running
    assert log(other) == ["fired", "completed"]


def test_a_due_plan_is_fired_once_and_its_next_run_is_planned(entities):
    plan = make("Nightly", entities, schedule=EVERY_TEN)
    assert stored(plan).next_scheduled_run == NOW
    assert run_cycle(NOW).fired == ["plan Nightly"]
    assert run_cycle(NOW).fired == []
    assert stored(plan).next_scheduled_run == NOW + 10 * MINUTE and Run.objects.get().scheduled_for == NOW
    event = SchedulerLog.objects.get(plan=plan)
    assert event.message == f"Plan started. Due since {NOW:%Y-%m-%d %H:%M:%S} UTC." and event.details["gates"]


def test_a_slot_during_a_run_is_left_out_and_the_log_says_so(entities):
    plan = make("Nightly", entities, schedule=EVERY_TEN)
    run_cycle(NOW)
    assert run_cycle(NOW + 10 * MINUTE).skipped == ["plan Nightly"]
    assert stored(plan).next_scheduled_run == NOW + 20 * MINUTE and log(plan) == ["fired", "skipped"]
    assert "already running" in SchedulerLog.objects.get(plan=plan, event_type="skipped").message


def test_one_slot_waits_for_the_end_of_the_run_and_more_are_left_out(entities):
    plan = make("Nightly", entities, schedule=EVERY_TEN, overlap="queue_one")
    run_cycle(NOW)
    for minute in range(10, 31):
        assert run_cycle(NOW + minute * MINUTE).fired == []
    skipped = SchedulerLog.objects.filter(plan=plan, event_type="skipped").order_by("id")
    assert [event.details["slot"] for event in skipped] == [
        (NOW + minutes * MINUTE).isoformat() for minutes in (20, 30)
    ]
    work_off(NOW + 31 * MINUTE)
    assert run_cycle(NOW + 31 * MINUTE).fired == ["plan Nightly"]
    assert Run.objects.latest("id").scheduled_for == NOW + 10 * MINUTE
    assert run_cycle(NOW + 32 * MINUTE).fired == []


def test_a_new_slot_cancels_the_run_and_starts_after_its_end(entities):
    plan = make("Nightly", entities, schedule=EVERY_TEN, overlap="cancel_running")
    run_cycle(NOW)
    assert run_cycle(NOW + 10 * MINUTE).fired == []
    assert Run.objects.get().status == "cancelled" and stored(plan).last_result == "cancelled"
    assert run_cycle(NOW + 11 * MINUTE).fired == ["plan Nightly"]
    assert Run.objects.latest("id").scheduled_for == NOW + 10 * MINUTE


def test_a_failed_plan_backs_off_and_a_cancelled_one_does_not(entities, deposit, monkeypatch):
    plan = make("Nightly", entities, ("region",), schedule={"schedule_type": "interval", "interval_minutes": 1})
    monkeypatch.setattr("scheduling.workloads.batch.process", _explode)
    run_cycle(NOW)
    work_off(NOW)
    assert stored(plan).last_result == "failed" and stored(plan).backoff_until == NOW + MINUTE
    assert log(plan) == ["fired", "error"]
    run_cycle(NOW + MINUTE)
    cancel_run(Run.objects.latest("id"), by="anna", now=NOW + MINUTE)
    assert stored(plan).last_result == "cancelled" and stored(plan).consecutive_failures == 1


def test_a_plan_that_cannot_run_is_an_error_of_its_own_and_backs_off(entities, make_entity, deposit):
    plan = make("Nightly", entities, schedule=EVERY_TEN)
    make_entity("apple", processing_mode="triggered", trigger_row_threshold=1)
    deposit("apple")
    EntityDependency.objects.create(entity=entities["region"], depends_on=entities["branch"])
    report = run_cycle(NOW)
    assert report.errors == ["plan Nightly"] and report.fired == ["apple"]
    assert "branch > region > branch" in SchedulerLog.objects.get(plan=plan).message
    with pytest.raises(InvalidPlan):
        start_plans_now(["Nightly"], started_by="anna", now=NOW)


def test_an_edit_between_decision_and_fire_makes_the_fire_lose(entities, monkeypatch):
    plan = make("Nightly", entities, schedule=EVERY_TEN)
    from scheduling.dispatch import firing

    decide = firing.decide

    def edit_meanwhile(*args):
        decision = decide(*args)
        Plan.objects.filter(pk=plan.pk).update(is_cancelled=True)
        return decision

    monkeypatch.setattr(firing, "decide", edit_meanwhile)
    assert run_cycle(NOW).fired == [] and not Run.objects.exists()


@pytest.mark.parametrize("change", [{"is_enabled": False}, {"is_cancelled": True}, {"paused_at": NOW}])
def test_what_is_off_cancelled_or_paused_does_not_fire(entities, change):
    plan = make("Nightly", entities, schedule=EVERY_TEN)
    Plan.objects.filter(pk=plan.pk).update(**change)
    assert run_cycle(NOW).fired == []


def test_a_guard_whose_run_is_gone_is_given_back(plan):
    start_plans_now(["Nightly"], started_by="anna", now=NOW)
    Run.objects.all().delete()
    run_cycle(NOW + 29 * MINUTE)
    assert stored(plan).is_running
    run_cycle(NOW + 31 * MINUTE)
    assert not stored(plan).is_running


def _explode(*_, **__):
    raise RuntimeError("the disk is on fire")


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_many_starts_at_one_instant_make_one_run(plan):
    barrier, told = threading.Barrier(6), []

    def start(number):
        try:
            barrier.wait()
            start_plans_now(["Nightly"], started_by=str(number), now=NOW)
            told.append("started")
        except AlreadyRunning:
            told.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=start, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == ["refused"] * 5 + ["started"]
    assert Run.objects.count() == 1 and log(plan) == ["fired"]


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_two_starts_of_the_same_plans_in_another_order_do_not_lock_each_other_out(entities):
    for name in ("One", "Two"):
        make(name, entities, ("region",))
    for _ in range(5):
        barrier, told = threading.Barrier(2), []

        def start(names, barrier=barrier, told=told):
            try:
                barrier.wait()
                start_plans_now(names, started_by="anna", now=NOW)
                told.append("started")
            except AlreadyRunning:
                told.append("refused")
            finally:
                connection.close()

        threads = [threading.Thread(target=start, args=(names,)) for names in (["One", "Two"], ["Two", "One"])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(told) == ["refused", "started"]
        work_off(NOW)


def test_a_script_step_runs_with_its_values_as_parameters(entities, deposit):
    deposit(rows=2)
    script = SqlScript(
        name="Rename",
        sql="UPDATE stg_branch SET name = %(text)s WHERE code LIKE 'b0%%' AND id > %(least)s",
        parameters={"text": "text", "least": "integer"},
    )
    save_script(script)
    text = "'; DROP TABLE staging_entity; -- 100%"
    steps = [step(entities["region"]), step(script, "region", arguments={"text": text, "least": 0})]
    save_plan(PlanDraft(Plan(name="Scripted"), {}, steps), now=NOW)
    start_plans_now(["Scripted"], started_by="anna", now=NOW)
    assert work_off(NOW) == 2
    task = Task.objects.get(workload="script")
    assert (task.status, task.message, task.rows_done) == ("completed", "1 row.", 1)
    assert statements.rows("SELECT name FROM stg_branch ORDER BY code") == [(text,), ("Branch 1",)]


def test_a_script_without_parameters_means_its_percent_signs_the_same_way(entities, deposit):
    deposit(rows=1)
    script = SqlScript(name="Mark", sql="UPDATE stg_branch SET name = 'x' WHERE code LIKE 'b0%%'")
    save_script(script)
    save_plan(PlanDraft(Plan(name="Scripted"), {}, [step(script)]), now=NOW)
    start_plans_now(["Scripted"], started_by="anna", now=NOW)
    work_off(NOW)
    assert statements.rows("SELECT name FROM stg_branch") == [("x",)]


def test_what_depends_on_a_failed_step_is_blocked_and_the_rest_goes_on(entities, make_entity, deposit, monkeypatch):
    other = make_entity("other").entity
    steps = [step(entities["region"]), step(entities["branch"], "region"), step(other)]
    save_plan(PlanDraft(Plan(name="Mixed", order="hierarchy"), {}, steps), now=NOW)
    from scheduling.workloads import batch

    process = batch.process

    def fail_for_region(a_batch, **fields):
        if a_batch.entity.code == "region":
            raise RuntimeError("the disk is on fire")
        return process(a_batch, **fields)

    monkeypatch.setattr(batch, "process", fail_for_region)
    run = start_plans_now(["Mixed"], started_by="anna", now=NOW)
    work_off(NOW)
    ended = dict(run.tasks.values_list("key", "status"))
    assert ended == {"region": "failed", "branch": "blocked", "other": "completed"}
    assert Plan.objects.get(name="Mixed").last_result == "failed"


@pytest.mark.django_db(transaction=True)
def test_a_job_step_runs_the_job_in_its_place(entities, make_job):
    make_job("Report")
    steps = [step("Report", "region"), step(entities["region"])]
    save_plan(PlanDraft(Plan(name="With a job"), {}, steps), now=NOW)
    run = start_plans_now(["With a job"], started_by="anna", now=NOW)
    assert work_off(NOW) == 2
    done = list(run.tasks.order_by("step_index").values_list("key", "workload", "status"))
    assert done == [("region", "batch", "completed"), ("job Report", "job", "completed")]
