"""Promise: from what is stored in the midst of things, a forecast says what real cycles then do."""

import pytest

from scheduling.forecast.forecast import forecast
from scheduling.jobs.declare import daily, every
from scheduling.models import JobSchedule, Plan, SchedulerLog
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
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


def plan(name: str, minutes: int, *steps, overlap: str = "skip", **fields) -> Plan:
    every_so_often = {"schedule_type": "interval", "interval_minutes": minutes, **fields}
    return save_plan(PlanDraft(Plan(name=name, overlap=overlap), every_so_often, list(steps)), now=START - MINUTE)


def compare(lasts: dict[str, float], *, seen_at: int, until: int, meanwhile=lambda: None) -> list:
    """Live until the minute `seen_at`, look ahead, live on, and hold one against the other; return what came."""
    start_fresh()
    seen_before(lasts)
    workers = Workers(lambda task: lasts.get(task.key.removeprefix("job "), 1) * MINUTE)
    with nothing_dies():
        for minute in range(seen_at):
            live_one(START + minute * MINUTE, workers)
        meanwhile()
        now, end = START + seen_at * MINUTE, START + until * MINUTE
        workers.pass_time(now)
        found = forecast(now, end, now=now)
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
