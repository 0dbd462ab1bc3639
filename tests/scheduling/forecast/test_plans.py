"""Plans in the forecast, in the explanations and paused: judged as entities are."""

import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from scheduling.dispatch.cycle import run_cycle
from scheduling.explanations.why_not import why_not
from scheduling.forecast.forecast import forecast
from scheduling.models import Plan, Run, SchedulerLog
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.schedules.pause import pause, pause_everything, resume, resume_everything
from staging.models import Entity
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step

HOUR = timedelta(hours=1)
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
