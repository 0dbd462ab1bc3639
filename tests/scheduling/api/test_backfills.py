"""Backfills by the API: foreseen, begun once, read and cancelled."""

from typing import Any

import pytest
from django.db import connection

from scheduling import clock
from scheduling.jobs.declare import daily, every
from scheduling.model_files.load import load
from scheduling.models import Backfill, Run
from scheduling.runs import cancel as cancelling
from tests.staging.api.test_resource import problem

pytestmark = pytest.mark.django_db(transaction=True)

RANGE = {"from": "2026-02-01T00:00:00Z", "until": "2026-02-04T00:00:00Z"}


@pytest.fixture
def site(make_entity: Any) -> Any:
    """A plan of every night for each of two entities."""
    own, other = make_entity("own"), make_entity("other")
    daily_at_two = {"schedule_type": "daily", "run_times": ["02:00"]}
    plans = [
        {"name": name.capitalize(), "steps": [{"entity": name}], "schedule": daily_at_two} for name in ("own", "other")
    ]
    load({"version": 1, "plans": plans}, now=clock.now())
    return own, other


def test_it_is_foreseen_begun_once_read_and_cancelled(api, site):
    caller = api("Operator")
    foreseen = caller.post("plans/Own/backfill", {**RANGE, "dry_run": True})
    assert foreseen.status_code == 200 and foreseen.json()["will_run"] == 3 and not Backfill.objects.exists()
    begun = caller.post("plans/Own/backfill", {**RANGE, "side_by_side": 2}, Idempotency_Key="k")
    assert begun.status_code == 202 and begun.json()["slots_total"] == 3
    assert caller.post("plans/Own/backfill", {**RANGE, "side_by_side": 2}, Idempotency_Key="k").json() == begun.json()
    assert Run.objects.count() == 2 and Run.objects.first().trigger_source == "Backfill by operator (token loader)"
    problem(caller.post("plans/Own/backfill", RANGE), 409)
    number = begun.json()["backfill"]
    assert caller.get(f"backfills/{number}").json() == begun.json()
    (listed,) = caller.get("backfills").json()["results"]
    assert listed == {name: value for name, value in begun.json().items() if name != "slots"}
    assert caller.post(f"backfills/{number}/cancel").json()["status"] == "cancelled"
    problem(caller.post(f"backfills/{number}/cancel"), 409)
    assert set(Run.objects.values_list("status", flat=True)) == {"cancelled"}


def test_a_cancel_with_a_key_commits_run_by_run(api, site, monkeypatch):
    caller, within = api("Operator"), []
    number = caller.post("plans/Own/backfill", {**RANGE, "side_by_side": 2}).json()["backfill"]
    original = cancelling.cancel_run

    def noted(run: Run, **fields: Any) -> bool:
        within.append(connection.in_atomic_block)
        return original(run, **fields)

    monkeypatch.setattr(cancelling, "cancel_run", noted)
    first = caller.post(f"backfills/{number}/cancel", Idempotency_Key="k")
    assert first.json()["status"] == "cancelled" and within == [False, False]
    assert caller.post(f"backfills/{number}/cancel", Idempotency_Key="k").json() == first.json()


def test_what_is_wrong_is_told_at_its_path(api, site, make_job):
    caller = api("Operator")
    for body, path in (
        ({**RANGE, "until": RANGE["from"]}, "until"),
        ({**RANGE, "until": "2999-01-01T00:00:00Z"}, "until"),
        ({**RANGE, "side_by_side": 1}, "side_by_side"),
        ({**RANGE, "from": "monday"}, "from"),
        ({"from": RANGE["from"]}, "until"),
    ):
        assert problem(caller.post("plans/Own/backfill", body), 400)["errors"][0]["path"] == path
    make_job("Report", daily("02:30"), every(60))
    assert problem(caller.post("jobs/Report/backfill", RANGE), 400)["errors"][0]["path"] == "schedule"
    begun = caller.post("jobs/Report/backfill", {**RANGE, "schedule": "Daily_02_30", "stop_on_failure": False})
    assert begun.status_code == 202 and begun.json()["schedule"] == "Daily_02_30"
    assert begun.json()["stop_on_failure"] is False


def test_a_token_for_one_entity_sees_and_begins_what_is_of_it_alone(api, site):
    caller = api(entities=[site[0].entity])
    problem(caller.post("plans/Other/backfill", RANGE), 403)
    other = api("Operator", name="all").post("plans/Other/backfill", RANGE).json()["backfill"]
    own = caller.post("plans/Own/backfill", RANGE).json()["backfill"]
    assert [each["backfill"] for each in caller.get("backfills").json()["results"]] == [own]
    problem(caller.get(f"backfills/{other}"), 403)
    problem(caller.post(f"backfills/{other}/cancel"), 403)
