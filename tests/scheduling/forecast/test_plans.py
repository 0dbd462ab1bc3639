"""Plans in the forecast, in the explanations and paused: judged as entities are."""

import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling.dispatch.cycle import run_cycle
from scheduling.explanations.why_not import why_not
from scheduling.forecast.forecast import forecast
from scheduling.models import Plan, PlanStep, Queue, Run, SchedulerLog, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.queues import claim_next
from scheduling.schedules.pause import pause, pause_everything, resume, resume_everything
from staging.models import Entity
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
HOURLY = {"schedule_type": "interval", "interval_minutes": 60}


@pytest.fixture
def plan(db):
    region = Entity.objects.create(code="region", name="Region")
    return save_plan(PlanDraft(Plan(name="Nightly"), HOURLY, [step(region)]), now=NOW - timedelta(minutes=1))


def stored(plan):
    return Plan.objects.get(pk=plan.pk)


def ends(plan, after):
    Run.objects.update(status="completed", started_at=NOW, finished_at=NOW + after)
    Plan.objects.update(is_running=False, run_started_at=None, running_run=None)


def test_a_plan_is_in_the_forecast_with_its_usual_duration(plan):
    run_cycle(NOW)
    ends(plan, timedelta(minutes=10))
    ahead = forecast(NOW, NOW + 3 * HOUR, now=NOW)
    assert [(fire.what, fire.at, fire.expected_ms) for fire in ahead.fires] == [
        ("plan Nightly", NOW + hours * HOUR, 600_000) for hours in (1, 2)
    ]
    assert ahead.fires[0].sentence == stored(plan).describe()


def test_a_slot_that_waits_for_the_run_before_fires_late_in_the_forecast_too(plan):
    Plan.objects.update(overlap="queue_one")
    run_cycle(NOW)
    ends(plan, timedelta(minutes=90))
    fires = forecast(NOW, NOW + 5 * HOUR, now=NOW).fires
    assert [fire.at - NOW for fire in fires if fire.state == "fires"][:2] == [HOUR, 2.5 * HOUR]


def test_cancelled_and_disabled_plans_are_not_in_the_forecast(plan):
    Plan.objects.update(is_cancelled=True)
    assert not forecast(NOW, NOW + 3 * HOUR, now=NOW).fires


def test_why_not_tells_the_slots_of_a_plan(plan, capsys):
    run_cycle(NOW)
    run_cycle(NOW + HOUR)
    told = why_not(stored(plan), since=NOW - HOUR, until=NOW + 2 * HOUR, now=NOW + HOUR)
    assert told.entity == "plan Nightly"
    assert [(slot.at - NOW, slot.state.value) for slot in told.slots] == [
        (-HOUR, "not due"), (0 * HOUR, "fired"), (HOUR, "skipped"), (2 * HOUR, "not due")
    ]  # fmt: skip
    assert told.decision is not None and "already running" in told.decision.reason
    call_command("why_not", "plan Nightly", "--from", NOW.isoformat(), "--until", NOW.isoformat(), "--json")
    assert json.loads(capsys.readouterr().out)["counts"]["fired"] == 1
    with pytest.raises(CommandError, match="There is no plan 'Daily'"):
        call_command("why_not", "plan Daily")


def test_why_not_says_that_a_slot_waits_for_the_end_of_the_run_before(plan):
    Plan.objects.update(overlap="queue_one")
    run_cycle(NOW)
    for minutes in (60, 70):
        now = NOW + timedelta(minutes=minutes)
        run_cycle(now)
        (slot,) = why_not(stored(plan), since=NOW + HOUR, until=NOW + HOUR, now=now).slots
        assert (slot.state.value, slot.reason) == ("not due", "Due; it waits for the end of the run before.")


def test_a_paused_plan_does_not_fire_says_who_paused_it_and_starts_from_the_end_of_the_pause(plan):
    assert pause(plan, by="anna", reason="closed", until=NOW + 2 * HOUR, now=NOW)
    assert run_cycle(NOW + HOUR).fired == []
    told = why_not(stored(plan), since=NOW + HOUR, until=NOW + HOUR, now=NOW + HOUR)
    assert told.slots[0].state.value == "not due" and "anna" in told.slots[0].reason
    assert run_cycle(NOW + 2 * HOUR).fired == []
    assert stored(plan).paused_at is None and stored(plan).next_scheduled_run == NOW + 3 * HOUR
    kinds = SchedulerLog.objects.filter(plan=plan).order_by("id").values_list("event_type", flat=True)
    assert list(kinds) == ["paused", "resumed"]


def test_the_pause_of_one_plan_is_not_taken_for_a_pause_of_everything(plan):
    other = save_plan(PlanDraft(Plan(name="Other"), HOURLY, []), now=NOW - HOUR)
    pause(plan, by="anna", reason="closed", now=NOW)
    told = why_not(other, since=NOW, until=NOW, now=NOW)
    assert "Paused" not in told.slots[0].reason
    assert resume(plan, by="ben", now=NOW)


def test_a_plan_rests_while_everything_is_paused_and_goes_on_from_its_end(plan):
    pause_everything(by="anna", reason="move", now=NOW)
    assert run_cycle(NOW).fired == []
    resume_everything(by="anna", now=NOW + HOUR)
    assert stored(plan).next_scheduled_run == NOW + 2 * HOUR


def load(name, hours=1):
    found = {load.queue: load for load in forecast(NOW + HOUR, NOW + (1 + hours) * HOUR, now=NOW).load}
    return [((step.start - NOW - HOUR) // MINUTE, (step.end - NOW - HOUR) // MINUTE, step.running)
            for step in found[name].steps]  # fmt: skip


def took(workload, target_id, minutes, queue, run):
    """Store a completed task."""
    Task.objects.create(
        run=run, key=f"{workload} {target_id}", workload=workload, target_id=target_id, queue=queue,
        status="completed", started_at=NOW - minutes * MINUTE, finished_at=NOW,
    )  # fmt: skip


def test_the_load_counts_the_steps_of_a_plan_in_their_queues_in_their_order(plan, make_job):
    heavy = Queue.objects.create(name="heavy", max_running=1)
    region = Entity.objects.get()
    branch = Entity.objects.create(code="branch", name="Branch")
    job = make_job("Report")
    steps = [step(region), step(branch, queue=heavy), step("Report", step_index=2, queue=heavy)]
    save_plan(PlanDraft(Plan(name="Weekly"), {"schedule_type": "daily", "run_times": "07:00"}, steps), now=NOW)
    Plan.objects.filter(pk=plan.pk).update(is_enabled=False)
    run = Run.objects.create(kind="ordered", fire_key="before", status="completed", created_at=NOW, finished_at=NOW)
    for workload, target, minutes in (("batch", region.pk, 5), ("batch", branch.pk, 20), ("job", job.pk, 10)):
        took(workload, target, minutes, heavy, run)
    assert load("heavy") == [(0, 30, 1), (30, 60, 0)]
    assert load("default") == [(0, 5, 1), (5, 60, 0)]
    assert forecast(NOW, NOW + 2 * HOUR, now=NOW).fires[0].expected_ms is None, "it never ran as a plan"


def test_a_step_that_never_ran_counts_as_a_minute(plan):
    assert load("default") == [(0, 1, 1), (1, 60, 0)]


def test_a_plan_that_cannot_run_is_noted_and_is_no_load(plan):
    PlanStep.objects.update(is_cancelled=True)
    ahead = forecast(NOW, NOW + 2 * HOUR, now=NOW)
    assert "plan Nightly cannot run as it stands: Nothing to run" in ahead.notes[0]
    assert ahead.load == ()


def test_of_a_plan_that_runs_the_tasks_that_are_left_are_the_load(plan):
    branch = Entity.objects.create(code="branch", name="Branch")
    steps = [step(Entity.objects.get(code="region")), step(branch, step_index=2)]
    save_plan(PlanDraft(Plan(name="Weekly"), HOURLY, steps), now=NOW - MINUTE)
    Plan.objects.filter(pk=plan.pk).update(is_enabled=False)
    run_cycle(NOW)
    before = Run.objects.create(kind="ordered", fire_key="before", status="completed", created_at=NOW, finished_at=NOW)
    queue = Queue.objects.get(name="default")
    took("batch", branch.pk, 30, queue, before)
    took("batch", Entity.objects.get(code="region").pk, 10, queue, before)
    Task.objects.filter(key="region").update(status="running", started_at=NOW)
    at = NOW + 4 * MINUTE
    found = forecast(at, at + HOUR, now=at).load
    assert [((step.start - at) / MINUTE, (step.end - at) / MINUTE, step.running) for step in found[0].steps] == [
        (0, 36, 1), (36, 56, 0), (56, 60, 1)
    ], "six minutes of region, thirty of branch; the next slot is at the full hour"  # fmt: skip
    Task.objects.filter(key="region").update(status="completed", finished_at=at)
    found = forecast(at, at + HOUR, now=at).load
    assert found[0].steps[0].end == at + 30 * MINUTE


def test_a_batch_that_runs_as_a_step_is_counted_once(plan, make_entity):
    entity = make_entity("branch", processing_mode="triggered", trigger_row_threshold=5).entity
    save_plan(PlanDraft(Plan(name="Weekly"), HOURLY, [step(entity)]), now=NOW - MINUTE)
    Plan.objects.filter(pk=plan.pk).update(is_enabled=False)
    run_cycle(NOW)
    assert claim_next(worker="test", now=NOW)
    ahead = forecast(NOW, NOW + HOUR, now=NOW)
    assert {fire.what for fire in ahead.running} == {"branch", "plan Weekly"}
    assert ahead.load[0].peak == 1


def test_the_statements_do_not_grow_with_the_plans(plan):
    def statements():
        with CaptureQueriesContext(connection) as asked:
            forecast(NOW, NOW + HOUR, now=NOW)
        return len(asked)

    few = statements()
    for number in range(5):
        save_plan(PlanDraft(Plan(name=f"P{number}"), HOURLY, [step(Entity.objects.get())]), now=NOW)
    assert statements() == few


def test_a_look_ahead_asks_as_many_statements_for_many_plans_after_others_as_for_few(plan):
    def asked(number):
        for place in range(number):
            name = f"After {Plan.objects.count()} {place}"
            save_plan(PlanDraft(Plan(name=name), {}, [step(plan)], after=[plan]), now=NOW)
        with CaptureQueriesContext(connection) as statements:
            forecast(NOW, NOW + HOUR, now=NOW)
        return len(statements)

    assert asked(1) == asked(5)
