"""Promise: from what is stored in the midst of things, a forecast says what real cycles then do."""

import pytest

from scheduling.forecast.forecast import forecast
from scheduling.jobs.declare import daily, every
from scheduling.models import JobSchedule, Plan, Run, SchedulerLog, SqlScript
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_plans_now
from scheduling.runs.execute import work_off_run
from scheduling.schedules.pause import pause
from tests.scheduling.plans.conftest import step
from tests.scheduling.simulation.making import MINUTE, START
from tests.scheduling.simulation.real import Workers, live_one, name_of, nothing_dies, seen_before, start_fresh

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def entity(make_entity):
    """Return a factory of entities that run every so many minutes."""

    def make(code: str, minutes: int = 0, **fields):
        if minutes:
            fields |= {"processing_mode": "scheduled", "schedule_type": "interval", "interval_minutes": minutes}
        return make_entity(code, **fields).entity

    return make


def plan(name: str, minutes: int, *steps, overlap: str = "skip", tries=None, **fields) -> Plan:
    every_so_often = {"schedule_type": "interval", "interval_minutes": minutes, **fields} if minutes else {}
    made = Plan(name=name, overlap=overlap, **(tries or {}))
    return save_plan(PlanDraft(made, every_so_often, list(steps)), now=START - MINUTE)


def tried_again(overlap: str, waits: int, minutes: int = 10, **fields) -> Plan:
    """Store a plan of two scripts, the second after the first, that waits so many minutes for its next attempt."""
    scripts = [SqlScript.objects.create(name=name, sql="SELECT 1") for name in ("Good", "Bad")]
    tries = {"run_attempts": 3, "run_retry_interval_seconds": 60 * waits}
    steps = step(scripts[0]), step(scripts[1], step_index=2)
    return plan("Nightly", minutes, *steps, overlap=overlap, tries=tries, **fields)


def compare(lasts: dict[str, float], *, seen_at: int, until: int, meanwhile=lambda: None, fails=()) -> list:
    """Live until the minute `seen_at`, look ahead, live on, and hold one against the other; return what came.

    The scripts in `fails` fail until then.
    """
    start_fresh()
    SqlScript.objects.filter(name__in=fails).update(sql="SELECT nothing FROM nowhere")
    seen_before(lasts)
    workers = Workers(lambda task: lasts.get(task.key.removeprefix("job "), 1) * MINUTE)
    with nothing_dies():
        for minute in range(seen_at):
            live_one(START + minute * MINUTE, workers)
        meanwhile()
        now, end = START + seen_at * MINUTE, START + until * MINUTE
        workers.pass_time(now)
        found = forecast(now, end, now=now)
        SqlScript.objects.update(sql="SELECT 1")
        for minute in range(seen_at, until):
            live_one(START + minute * MINUTE, workers)
    said = {"fires": "fired", "rolled": "fired", "skipped": "skipped", "held": "held"}
    expected = sorted((fire.at, fire.what, said[fire.state]) for fire in found.fires)
    happened = SchedulerLog.objects.filter(event_time__gte=now, event_type__in=set(said.values()))
    told = happened.select_related("entity", "plan", "job")
    assert expected == sorted((one.event_time, name_of(one), one.event_type) for one in told)
    return [((at - START) // MINUTE, what, state) for at, what, state in expected]


@pytest.mark.parametrize("overlap", ["skip", "queue_one", "cancel_running"])
def test_a_plan_that_runs_goes_on_and_the_next_one_does_as_its_overlap_policy_says(entity, overlap):
    plan("Nightly", 10, step(entity("region")), overlap=overlap)
    assert compare({"region": 25}, seen_at=14, until=60)


def test_a_step_that_runs_or_is_to_come_keeps_its_entity(entity):
    plan("Nightly", 30, step(entity("branch")), step(entity("region", 4), step_index=2))
    found = compare({"branch": 5, "region": 3}, seen_at=3, until=50)
    assert (36, "region", "skipped") in found and (40, "region", "fired") in found


def test_of_two_schedules_of_a_job_in_one_cycle_the_second_stands_back(make_job):
    make_job("Report", every(10), daily("06:30"))
    found = compare({"Report": 4}, seen_at=12, until=60)
    assert [event for event in found if event[0] == 30] == [(30, "job Report", "fired"), (30, "job Report", "skipped")]


def test_an_interval_after_completion_goes_on_from_the_run_under_way(entity, make_job):
    entity("branch", 10, interval_anchor="last_completion")
    make_job("Report", every(15))
    JobSchedule.objects.update(interval_anchor="last_completion")
    plan("Weekly", 20, step(entity("region")), interval_anchor="last_completion")
    found = compare({"branch": 7, "Report": 4, "region": 9}, seen_at=22, until=120)
    assert {what for _, what, _ in found} == {"branch", "job Report", "plan Weekly"}


def test_a_run_that_outlasts_its_interval_leaves_slots_out(entity):
    entity("branch", 10, interval_anchor="last_completion")
    found = compare({"branch": 25}, seen_at=12, until=100)
    assert {state for _, _, state in found} == {"fired", "skipped"}


def test_a_pause_ends_in_the_midst_of_a_run(entity):
    nightly = plan("Nightly", 10, step(entity("region")))
    ends = START + 45 * MINUTE
    found = compare(
        {"region": 6}, seen_at=22, until=70,
        meanwhile=lambda: pause(nightly, by="ann", reason="move", until=ends, now=START + 21 * MINUTE),
    )  # fmt: skip
    assert [minute for minute, _, state in found if state == "fired"] == [50, 60]


@pytest.mark.parametrize(
    ("overlap", "waits"), [("skip", 17), ("queue_one", 17), ("cancel_running", 17), ("cancel_running", 3)]
)
def test_a_plan_that_waits_for_its_next_attempt_keeps_its_guard_until_that_has_ended(entity, overlap, waits):
    tried_again(overlap, waits)
    plan("Beside", 7, step(entity("region")))
    found = compare({"script Good": 2, "region": 3}, seen_at=4, until=45, fails=["Bad"])
    fired = [minute for minute, *what in found if what == ["plan Nightly", "fired"]]
    assert fired[0] == (11 if (overlap, waits) == ("cancel_running", 17) else waits + 3)


def test_an_attempt_that_is_due_waits_for_the_end_of_a_pause(entity):
    nightly = tried_again("skip", 3)
    ends = START + 25 * MINUTE
    found = compare(
        {"script Good": 2}, seen_at=5, until=60, fails=["Bad"],
        meanwhile=lambda: pause(nightly, by="ann", reason="move", until=ends, now=START + 4 * MINUTE),
    )  # fmt: skip
    assert found[0] == (25, "plan Nightly", "fired")


def test_what_a_person_began_does_not_wait_for_the_end_of_a_pause(entity):
    nightly = tried_again("skip", 6)

    def meanwhile():
        Run.objects.update(started_by="ann")
        pause(nightly, by="ann", reason="move", until=START + 25 * MINUTE, now=START + 4 * MINUTE)

    found = compare({"script Good": 2}, seen_at=5, until=60, fails=["Bad"], meanwhile=meanwhile)
    assert [event[0] for event in found][:2] == [9, 30]


def test_the_attempt_keeps_the_entity_of_a_step_of_it_alone(entity):
    """The entity that failed is at work again from the attempt on, with what is decided in that cycle before it."""
    region, branch = entity("region", 4), entity("branch", 4)
    scripts = SqlScript.objects.create(name="Bad", sql="SELECT 1")
    tries = {"run_attempts": 2, "run_retry_interval_seconds": 480}
    plan("Nightly", 60, step(branch), step(scripts, step_index=2), step(region, step_index=3), tries=tries)
    found = compare({"script Bad": 1, "region": 6, "branch": 2}, seen_at=5, until=50, fails=["Bad"])
    assert [event[0] for event in found if event[1:] == ("region", "skipped")] != []


def test_the_attempt_of_what_no_schedule_starts_is_foreseen_and_what_waits_does_not_run():
    nightly = tried_again("skip", 10, minutes=0)
    start_plans_now(["Nightly"], started_by="ann", now=START)
    found = compare({"script Good": 2}, seen_at=5, until=30, fails=["Bad"])
    assert found == [(13, "plan Nightly", "fired")] and Plan.objects.get() == nightly


def test_a_plan_that_waits_is_not_said_to_run_and_its_attempt_is_what_is_left():
    tried_again("skip", 10)
    start_fresh()
    SqlScript.objects.filter(name="Bad").update(sql="SELECT nothing FROM nowhere")
    workers = Workers(lambda task: 2 * MINUTE)
    with nothing_dies():
        for minute in range(5):
            live_one(START + minute * MINUTE, workers)
    now = START + 5 * MINUTE
    run = Run.objects.waiting().get()
    found = forecast(now, START + 20 * MINUTE, now=now)
    first = found.fires[0] if found.fires[0].state == "fires" else found.fires[1]
    assert found.running == () and first.at == START + 14 * MINUTE == run.next_attempt_at
    assert first.reason == f"Attempt 2 of 3: run {run.pk} failed." and first.expected_ms == 60_000
    assert [piece.workload for piece in first.pieces] == ["script"]


def test_a_plan_that_runs_after_others_stays_listed_while_it_waits_for_its_next_attempt(entity):
    region = entity("region", processing_mode="triggered", trigger_on_new_rows=True)
    made = tried_again("skip", 10, minutes=0)
    save_plan(PlanDraft(Plan.objects.get(pk=made.pk), after=[region]), now=START - MINUTE)
    before = forecast(START, START + 30 * MINUTE, now=START).when_data_arrives
    SqlScript.objects.update(sql="SELECT nothing FROM nowhere")
    work_off_run(start_plans_now(["Nightly"], started_by="ann", now=START), time=lambda: START)
    now = START + MINUTE
    found = forecast(now, START + 30 * MINUTE, now=now)
    assert [fire.what for fire in found.fires] == ["plan Nightly"] and found.when_data_arrives == before
    assert [one.what for one in before] == ["region", "plan Nightly"]
