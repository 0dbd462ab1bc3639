"""What lies ahead and what is, by the API: the documents of the commands."""

from typing import Any

import pytest

from scheduling import clock
from scheduling.models import Plan, Queue, SqlScript
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_plans_now
from scheduling.runs.execute import work_off_run
from scheduling.states import ProcessingMode, ScheduleType
from tests.scheduling.plans.conftest import step
from tests.staging.api.test_resource import problem

pytestmark = pytest.mark.django_db
SPAN = "from=2026-03-02T00:00:00Z&until=2026-03-04T00:00:00Z"


@pytest.fixture
def daily(make_entity: Any, now: Any) -> Any:
    """An entity whose batch starts each day at six, one on a trigger, and one of somebody else."""
    fields = {"processing_mode": ProcessingMode.SCHEDULED, "schedule_type": ScheduleType.DAILY, "run_times": "06:00"}
    make_entity("other", **fields)
    make_entity("eager", processing_mode=ProcessingMode.TRIGGERED, trigger_row_threshold=5)
    return make_entity("daily", **fields)


def test_the_forecast(api, daily):
    found = api("Viewer").get(f"forecast?{SPAN}").json()
    assert {each["what"] for each in found["fires"]} == {"daily", "other"} and len(found["fires"]) == 4
    limited = api("Viewer", entities=[daily.entity], name="limited").get(f"forecast?{SPAN}").json()
    assert [each["what"] for each in limited["fires"]] == ["daily", "daily"]
    assert [each["peak"] for each in limited["load"]] == [1] and limited["when_data_arrives"] == []
    assert api("Viewer", name="now").get("forecast").status_code == 200


@pytest.mark.parametrize(
    "query",
    ["until=2026-03-01T00:00:00Z&from=2026-03-02T00:00:00Z", "from=2026-01-01T00:00:00Z&until=2026-12-01T00:00:00Z",
     "from=0001-01-01T00:00:00Z", "until=9999-12-31T23:59:59Z", "from=tomorrow", "from=2026-01-01", "from="],
)  # fmt: skip
def test_spans_that_are_none(api, query):
    assert problem(api().get(f"forecast?{query}"), 400)["errors"]


def test_a_simulation(api, daily):
    body = {"from": "2026-03-02T00:00:00Z", "until": "2026-03-03T00:00:00Z",
            "arrivals": [{"at": "2026-03-02T10:00:00Z", "entity": "eager", "rows": 9}]}  # fmt: skip
    found = api("Viewer").post("simulate", body).json()
    assert {each["entity"] for each in found["fires"]} == {"daily", "other", "eager"}
    limited = api("Viewer", entities=[daily.entity], name="limited")
    problem(limited.post("simulate", body), 403)
    assert {each["entity"] for each in limited.post("simulate", {**body, "arrivals": []}).json()["fires"]} == {"daily"}


def test_arrivals_that_are_none(api, daily):
    body = {"from": "2026-03-02T00:00:00Z", "until": "2026-03-03T00:00:00Z"}
    wrong = [{"at": "x", "entity": "daily", "rows": 1}, 7, {"at": "2026-03-02T00:00:00Z", "entity": "no", "rows": 1},
             {"at": "2026-03-02T00:00:00Z", "entity": "daily", "rows": 0},
             {"at": 1, "entity": [], "rows": {}}]  # fmt: skip
    errors = problem(api().post("simulate", {**body, "arrivals": wrong}), 400)["errors"]
    assert [each["path"] for each in errors] == [f"arrivals[{number}]" for number in range(5)]
    problem(api().post("simulate", {"from": body["from"]}), 400)
    problem(api().post("simulate", {**body, "from": ""}), 400)


def test_the_status(api, daily):
    Queue.objects.get_or_create(name="default")
    found = api("Viewer").get("status").json()
    assert found["queues"][0]["name"] == "default" and found["running"] == []


@pytest.mark.django_db(transaction=True)
def test_the_forecast_from_now_goes_on_from_what_is_stored(api):
    script = SqlScript.objects.create(name="Bad", sql="SELECT nothing FROM nowhere")
    made = Plan(name="Nightly", run_attempts=2, run_retry_interval_seconds=600)
    save_plan(PlanDraft(made, {}, [step(script)]), now=clock.now())
    run = start_plans_now(["Nightly"], started_by="ann", now=clock.now())
    work_off_run(run, time=clock.now)
    (fire,) = api("Viewer").get("forecast").json()["fires"]
    assert (fire["what"], fire["reason"]) == ("plan Nightly", f"Attempt 2 of 2: run {run.pk} failed.")
