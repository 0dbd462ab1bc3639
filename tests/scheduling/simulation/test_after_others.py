"""Promise: a forecast and a simulation start a plan after others at the end of the last of them, as cycles would."""

from datetime import timedelta

import pytest

from scheduling.dispatch.cycle import run_cycle
from scheduling.forecast.forecast import forecast
from scheduling.kinds import KINDS, usual_runs
from scheduling.models import Plan, Run, SchedulerConfiguration, SchedulerState
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_plans_now
from scheduling.schedules.change import apply_schedule
from scheduling.simulation.grid import Grid
from scheduling.simulation.simulate import simulate
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
EVERY_20 = {"schedule_type": "interval", "interval_minutes": 20}


@pytest.fixture
def entities(make_entity):
    return {code: make_entity(code).entity for code in ("region", "branch", "till")}


def plan(name, entity, schedule=None, after=None, **fields):
    return save_plan(PlanDraft(Plan(name=name, **fields), schedule or {}, [step(entity)], after=after), now=NOW)


@pytest.fixture
def chain(entities):
    """A plan every twenty minutes, one after it, and one after that and the entity of the first."""
    first = plan("First", entities["region"], EVERY_20)
    second = plan("Second", entities["branch"], after=[first])
    return [first, second, plan("Third", entities["till"], after=[second, entities["region"]])]


def simulated(minutes):
    schedules = [schedule for kind in KINDS for schedule in kind.automatic()]
    grid = Grid(NOW, NOW + minutes * MINUTE, MINUTE)
    usual = usual_runs(schedules)
    found = simulate(schedules, grid, arrivals={}, usual=usual, everything=SchedulerState.current())
    return [(str(fire.subject.name), (fire.at - NOW) // MINUTE) for fire in found.fires]


def foreseen(minutes):
    found = forecast(NOW, NOW + minutes * MINUTE, now=NOW)
    return [(fire.what, (fire.at - NOW) // MINUTE, fire.state) for fire in found.fires], found


@pytest.fixture
def evening(entities):
    """The entity is simulated, for it has a schedule; its own slot does not come in time."""
    configuration = SchedulerConfiguration.objects.get(entity=entities["region"])
    apply_schedule(
        configuration, {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": "20:00"}, now=NOW
    )


def test_each_starts_in_the_cycle_that_finds_the_last_one_ended(chain, evening):
    """A run that nobody has seen counts as a minute."""
    assert simulated(45) == [
        (name, start + minute)
        for start in (0, 20, 40)
        for minute, name in enumerate(["plan First", "plan Second", "plan Third"])
    ]


def test_the_forecast_has_a_time_where_all_of_them_have_one(chain, entities):
    region = entities["region"].configuration
    apply_schedule(region, {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": "06:30"}, now=NOW)
    fires, found = foreseen(35)
    assert fires == [
        ("plan First", 20, "fires"), ("plan Second", 21, "fires"), ("plan Third", 22, "fires"), ("region", 30, "fires"),
    ]  # fmt: skip
    assert found.when_data_arrives == ()
    assert "plan First: completed" in found.fires[1].reason


def test_without_a_time_of_one_of_them_it_has_none(chain, entities):
    fires, found = foreseen(30)
    assert [what for what, *_ in fires] == ["plan First", "plan Second"]
    assert [(one.what, one.sentence) for one in found.when_data_arrives] == [
        ("plan Third", "After plan Second and entity region")
    ]


def test_a_forecast_goes_on_from_what_completed_before(entities):
    first = plan("First", entities["region"], EVERY_20)
    other = plan("Other", entities["branch"], EVERY_20)
    plan("Report", entities["till"], after=[first, other])
    start_plans_now(["First"], started_by="anna", now=NOW)
    work_off(NOW + timedelta(seconds=1))
    assert Run.objects.get().status == "completed"
    apply_schedule(Plan.objects.get(name="First"), {"schedule_type": "daily", "run_times": "20:00"}, now=NOW)
    assert [each for each in foreseen(30)[0] if each[0] == "plan Report"] == [("plan Report", 21, "fires")]


def test_real_cycles_fire_what_the_simulation_says(chain, evening):
    """The work of a minute is done when the next cycle comes."""
    fired = []
    for minute in range(1, 46):
        work_off(NOW + minute * MINUTE)
        fired += [(name, minute) for name in run_cycle(NOW + minute * MINUTE).fired]
    expected = [
        (name, start + minute) for start in (20, 40) for minute, name in enumerate(["First", "Second", "Third"])
    ]
    assert fired == [(f"plan {name}", minute) for name, minute in expected]
    assert fired == [each for each in simulated(46) if each[1] >= 20]
