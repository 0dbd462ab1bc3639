"""Plans and jobs in the simulation do what real cycles do with them, whatever the overlap policy."""

from datetime import time

import pytest

from scheduling.forecast.forecast import forecast
from scheduling.jobs.declare import daily as daily_job
from scheduling.jobs.declare import every as every_minutes
from scheduling.jobs.declare import once
from scheduling.kinds import KINDS, usual_runs
from scheduling.models import (
    BlackoutCalendar,
    BlackoutPeriod,
    JobSchedule,
    Plan,
    PlanStep,
    Run,
    SchedulerLog,
    SchedulerState,
)
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.simulation.grid import Grid
from scheduling.simulation.simulate import simulate
from scheduling.states import Overlap
from scheduling.usual_runs import Piece, UsualRun, key_of
from staging.models import Entity
from tests.depth import DEEP
from tests.scheduling.plans.conftest import step
from tests.scheduling.simulation.making import MINUTE, START, rows, triggered
from tests.scheduling.simulation.real import (
    live_through,
    name_of,
    seen_before,
    simulated,
    start_fresh,
    what_happened,
    what_was_simulated,
)

pytestmark = pytest.mark.django_db(transaction=True)


def grid(minutes: int) -> Grid:
    return Grid(START, START + minutes * MINUTE, MINUTE)


def every(minutes: int, **more):
    return {"schedule_type": "interval", "interval_minutes": minutes, **more}


def make_plan(name: str, schedule: dict, *steps, **fields) -> Plan:
    return save_plan(PlanDraft(Plan(name=name, **fields), schedule, list(steps)), now=START - MINUTE)


def compare(span: Grid, lasts: dict[str, float], landed=None, deposit=None) -> list:
    """Simulate, live through the same cycles, hold one against the other, and return what both say.

    What is not in `lasts` nobody has seen before: it takes a minute.
    """
    start_fresh()
    seen_before(lasts)
    found = simulated(span, landed or {})
    waiting = [(arrival, code) for code, arrivals in (landed or {}).items() for arrival in arrivals]

    def land(now):
        for arrival, code in [one for one in waiting if one[0].at <= now]:
            deposit(code, rows=arrival.rows, at=arrival.at, prefix=f"{code}{arrival.at:%H%M%S}_")
            waiting.remove((arrival, code))

    live_through(span, lambda task: lasts.get(task.key.removeprefix("job "), 1) * MINUTE, land)
    assert what_was_simulated(found) == what_happened()
    assert [fire.trigger_source for fire in found.fires] == sources()
    return what_was_simulated(found)


def sources() -> list[str]:
    """Return the sources of what fired by itself, in the order of a simulation."""
    fired = SchedulerLog.objects.filter(event_type="fired").select_related("entity", "plan", "job")
    named = [(one.event_time, name_of(one), one.trigger_source) for one in fired]
    return [source for _, _, source in sorted(named)]


def told(found, name):
    return [(event, (at - START) // MINUTE) for at, who, event in found if who == name]


@pytest.mark.parametrize(
    ("overlap", "expected"),
    [
        (Overlap.SKIP, [("fired", 0), ("skipped", 10), ("skipped", 20), ("fired", 30), ("skipped", 40)]),
        (Overlap.QUEUE_ONE, [("fired", 0), ("skipped", 20), ("fired", 25), ("skipped", 40)]),
        (Overlap.CANCEL_RUNNING, [("fired", 0), ("fired", 11), ("fired", 21), ("fired", 31), ("fired", 41)]),
    ],
)
def test_a_plan_fires_as_its_overlap_policy_says(make_entity, overlap, expected):
    region = make_entity("region").entity
    make_plan("Nightly", every(10), step(region), overlap=overlap)
    assert told(compare(grid(50), {"region": 25}), "plan Nightly") == expected


@pytest.mark.parametrize(
    ("overlap", "expected"),
    [
        ("skip", [("fired", 0), ("skipped", 10), ("skipped", 20), ("fired", 30), ("skipped", 40)]),
        ("queue_one", [("fired", 0), ("skipped", 20), ("fired", 25), ("skipped", 40)]),
        ("cancel_running", [("fired", 0), ("fired", 11), ("fired", 21), ("fired", 31), ("fired", 41)]),
    ],
)
def test_a_job_fires_as_its_overlap_policy_says(make_job, overlap, expected):
    make_job("Report", every_minutes(10), overlap=overlap)
    assert told(compare(grid(50), {"Report": 25}), "job Report") == expected


@pytest.mark.parametrize("catch_up", ["none", "last", "all"])
@pytest.mark.parametrize("overlap", Overlap.values)
def test_cycles_that_come_late_miss_and_catch_up_alike(make_entity, overlap, catch_up):
    region = make_entity("region").entity
    make_plan("Nightly", every(3, catch_up=catch_up), step(region), overlap=overlap)
    found = compare(Grid(START, START + (90 if DEEP else 36) * MINUTE, 11 * MINUTE), {"region": 14})
    missed = set() if catch_up == "all" else {"missed"}
    assert {event for event, _ in told(found, "plan Nightly")} >= {"fired"} | missed


def test_what_was_due_beside_a_late_slot_that_fired_is_judged_in_the_next_cycle(make_entity):
    """At 08:06 the slot of 07:54 fires late, and that of 08:00 is due already: at 08:13 it replaces the run."""
    region = make_entity("region").entity
    minutes = {"schedule_type": "cron", "cron_expression": "*/27 5-9 * * *", "catch_up": "last"}
    make_plan("Nightly", minutes, step(region), overlap=Overlap.CANCEL_RUNNING)
    found = compare(Grid(START, START + 161 * MINUTE, 7 * MINUTE), {"region": 45})
    assert ("fired", 140) in told(found, "plan Nightly")


@pytest.mark.parametrize("overlap", ["skip", "queue_one", "cancel_running"])
def test_schedules_of_one_job_stand_back_for_each_other(make_job, overlap):
    make_job(
        "Report", every_minutes(10), daily_job("06:20"), daily_job("06:27"), once("2026-03-02 06:20"), overlap=overlap
    )
    found = compare(grid(60), {"Report": 8})
    at_twenty = [event for event, minute in told(found, "job Report") if minute == 20]
    assert sorted(at_twenty) == ["fired", "skipped", "skipped"]


def test_an_interval_after_the_last_run_counts_from_the_end_of_any_run_of_the_job(make_job):
    make_job("Report", every_minutes(20), daily_job("06:33"))
    JobSchedule.objects.filter(name="Every_20m").update(interval_anchor="last_completion")
    found = compare(grid(90), {"Report": 5})
    assert told(found, "job Report") == [("fired", 20), ("fired", 33), ("fired", 58), ("fired", 83)]


def test_a_job_is_left_out_while_a_plan_runs_it_or_has_it_in_line(make_job, make_entity):
    make_job("Report", every_minutes(5))
    region = make_entity("region").entity
    make_plan("Nightly", {"schedule_type": "daily", "run_times": "06:03"}, step(region), step("Report", step_index=2))
    make_plan("Direct", {"schedule_type": "daily", "run_times": "06:30"}, step("Report"))
    found = compare(grid(40), {"Report": 4, "region": 6})
    assert [minute for event, minute in told(found, "job Report") if event == "skipped"] == [10, 30]


def test_what_only_a_failure_brings_is_not_expected_and_what_is_behind_it_does_not_wait(make_job, make_entity):
    make_job("Tell", every_minutes(5))
    region, branch = make_entity("region").entity, make_entity("branch").entity
    steps = step(region), step("Tell", step_index=2, run_if="any_failed"), step(branch, step_index=3)
    plan = make_plan("Nightly", {"schedule_type": "daily", "run_times": "06:03"}, *steps)
    found = compare(grid(30), {"Tell": 4, "region": 6, "branch": 6})
    assert [event for event, _ in told(found, "job Tell")] == ["fired"] * 6
    pieces = usual_runs([plan])[key_of(plan)].pieces
    assert [(one.target_id, one.after) for one in pieces] == [(region.pk, 0 * MINUTE), (branch.pk, 6 * MINUTE)]


def test_a_step_takes_the_rows_of_its_entity_before_a_trigger_sees_them(make_entity, deposit):
    branch = make_entity("branch", processing_mode="triggered", trigger_row_threshold=10).entity
    region = make_entity("region", processing_mode="triggered", trigger_idle_minutes=15).entity
    make_plan("Nightly", every(30), step(region), step(branch, step_index=2))
    landed = {
        "branch": rows((2, 6), (33.5, 6), (36, 2), (45, 2), (64, 12)),
        "region": rows((20, 3), (28, 3), (61, 4), (70, 1)),
    }
    found = compare(grid(110), {}, landed, deposit)
    assert told(found, "branch") == [("fired", 45), ("fired", 64)], "the six rows of 06:02 went with the plan"
    assert told(found, "region") == [("fired", 76)], "and so did those of 06:20, after ten minutes"


def nightly(pk: int, *steps: Piece, **fields) -> tuple[Plan, UsualRun]:
    """Return an unsaved plan each half hour and its work of so many minutes."""
    plan = Plan(id=pk, name="Nightly", schedule_type="interval", interval_minutes=30, **fields)
    return plan, UsualRun(max(step.after + step.lasts for step in steps), steps)


def test_a_step_holds_the_entity_while_it_found_and_waits_while_another_batch_runs():
    busy = triggered(trigger_row_threshold=5)
    plan, work = nightly(1, Piece("batch", 1, 10 * MINUTE, 15 * MINUTE))
    landed = {"branch": rows((5, 5), (13, 1), (22, 5), (41, 7))}
    usual = {key_of(plan): work, key_of(busy): UsualRun(8 * MINUTE)}
    found = simulate([busy, plan], grid(60), arrivals=landed, usual=usual, everything=SchedulerState())
    assert [((fire.at - START) // MINUTE, fire.entity, fire.rows) for fire in found.fires] == [
        (0, "plan Nightly", 0), (5, "branch", 5), (28, "branch", 5), (30, "plan Nightly", 0), (55, "branch", 7)
    ], "the step begins at 13 with one row, and at 40 for 15 minutes"  # fmt: skip
    assert [((event.at - START) // MINUTE, event.entity, event.event) for event in found.not_fired] == [
        (22, "branch", "skipped"), (41, "branch", "skipped")
    ]  # fmt: skip


def test_a_cancelled_run_of_a_plan_frees_its_entities_and_does_not_begin_the_rest():
    one, two = triggered(trigger_row_threshold=5), triggered(trigger_row_threshold=5)
    two.entity = Entity(id=2, code="till", name="Till")
    two.pk = two.id = 2
    steps = (Piece("batch", 1, lasts=40 * MINUTE), Piece("batch", 2, 35 * MINUTE, MINUTE, is_first=False))
    plan, work = nightly(1, *steps, overlap="cancel_running")
    landed = {"branch": rows((20, 5)), "till": rows((34, 3), (36, 2))}
    found = simulate([one, two, plan], grid(50), arrivals=landed, usual={key_of(plan): work},
                     everything=SchedulerState())  # fmt: skip
    assert [((fire.at - START) // MINUTE, fire.entity, fire.rows) for fire in found.fires] == [
        (0, "plan Nightly", 0), (31, "branch", 5), (31, "plan Nightly", 0), (36, "till", 5)
    ]  # fmt: skip


def test_a_plan_that_cannot_run_is_an_error_and_backs_off(make_entity):
    make_plan("Nightly", every(5), step(make_entity("region").entity))
    PlanStep.objects.update(is_cancelled=True)
    found = compare(grid(30), {})
    assert told(found, "plan Nightly")[0] == ("error", 0)
    assert "fired" not in {event for event, _ in told(found, "plan Nightly")}


def test_a_job_without_its_queue_is_an_error_and_backs_off(make_job):
    make_job("Report", every_minutes(5), queue="nowhere")
    assert told(compare(grid(20), {}), "job Report")[0] == ("error", 0)


def test_blackouts_and_pauses_hold_plans_and_jobs_back(make_job, make_entity):
    dark = BlackoutCalendar.objects.create(name="Lunch")
    BlackoutPeriod.objects.create(
        calendar=dark, kind="weekly", run_days="mon", window_start=time(6, 20), window_end=time(6, 50)
    )
    make_job("Report", every_minutes(15))
    make_plan("Nightly", every(10, calendar=dark), step(make_entity("region").entity))
    JobSchedule.objects.update(calendar=dark)
    found = compare(grid(80), {})
    assert [minute for event, minute in told(found, "plan Nightly") if event == "held"] == [20, 30, 40]
    assert [minute for event, minute in told(found, "job Report") if event == "fired"] == [0, 15, 60, 75]
    paused = {"paused_at": START + 5 * MINUTE, "paused_until": START + 40 * MINUTE, "paused_by": "ann"}
    Plan.objects.update(**paused)
    again = simulated(grid(80), {})
    assert [(fire.at - START) // MINUTE for fire in again.fires if fire.subject.kind == "plan"] == [0, 50, 60, 70]


def test_durations_and_steps_come_from_what_ran_before(make_job, make_entity):
    region, branch = make_entity("region").entity, make_entity("branch").entity
    report = make_job("Report", every_minutes(10))
    weekly = make_plan("Weekly", every(10), step(region), step(branch), step("Report", step_index=2))
    seen_before({"region": 5, "branch": 9, "Report": 3})
    found = usual_runs([*Plan.objects.all(), *JobSchedule.objects.all(), region.configuration])
    assert found[key_of(region.configuration)].lasts == 5 * MINUTE
    assert found[key_of(JobSchedule.objects.get())].lasts == 3 * MINUTE
    pieces = found[key_of(weekly)].pieces
    steps = {(one.workload, one.target_id): (one.after, one.lasts, one.is_first) for one in pieces}
    assert steps == {
        ("batch", region.pk): (0 * MINUTE, 5 * MINUTE, True),
        ("batch", branch.pk): (0 * MINUTE, 9 * MINUTE, True),
        ("job", report.pk): (9 * MINUTE, 3 * MINUTE, False),
    }
    assert found[key_of(weekly)].lasts == 12 * MINUTE, "it never ran as a plan: its steps say how long it takes"
    Run.objects.create(
        kind="plan", title="Plan Weekly", fire_key="w", status="completed", created_at=START,
        started_at=START, finished_at=START + 20 * MINUTE,
    )  # fmt: skip
    assert usual_runs([weekly])[key_of(weekly)].lasts == 20 * MINUTE


def test_what_nobody_has_seen_takes_a_minute_in_the_forecast_the_simulation_and_real_cycles(make_job, make_entity):
    make_job("Report", every_minutes(10))
    JobSchedule.objects.update(interval_anchor="last_completion")
    make_plan("Weekly", every(10, interval_anchor="last_completion"), step(make_entity("region").entity))
    make_entity("branch", processing_mode="scheduled", **every(10, interval_anchor="last_completion"))
    start_fresh()
    ahead = forecast(START, START + 40 * MINUTE, now=START)
    found = compare(grid(40), {})
    for name in ("job Report", "plan Weekly", "branch"):
        expected = [10, 21, 32]
        assert told(found, name) == [("fired", minute) for minute in expected]
        assert [round((fire.at - START) / MINUTE) for fire in ahead.fires if fire.what == name] == expected


def test_every_kind_that_cycles_fire_is_replayed(make_job, make_entity):
    make_entity("region", processing_mode="scheduled", schedule_type="daily", run_times="06:10")
    make_job("Report", daily_job("06:10"))
    make_plan("Nightly", {"schedule_type": "daily", "run_times": "06:10"}, step(Entity.objects.get()))
    found = simulated(grid(20), {})
    assert len(found.fires) == len(KINDS) == 3
    assert [fire.as_json().get("kind") for fire in found.fires] == ["job", "plan", None]
    assert [fire.as_json()["entity"] for fire in found.fires] == ["job Report", "plan Nightly", "region"]
    assert found.fires[0].as_json()["schedule"] == "Daily_06_10"
