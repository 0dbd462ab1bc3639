"""An entity's schedule by the API: the form of the model file, the rules of the form, nobody's change overwritten."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry

from scheduling.models import SchedulerConfiguration
from tests.staging.api.test_resource import problem

pytestmark = pytest.mark.django_db
DAILY = {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": ["02:30"]}


@pytest.fixture
def branch(make_entity: Any) -> SchedulerConfiguration:
    """An entity that people start."""
    return make_entity("branch")


def test_put_sets_it_anew_and_arms_it(api, branch):
    caller = api("Steward")
    read = caller.get("entities/branch/schedule")
    assert read.json() == {"processing_mode": "manual"}
    put = caller("PUT", "entities/branch/schedule", DAILY, If_Match=read.headers["ETag"])
    assert put.status_code == 200 and put.json() == DAILY
    branch.refresh_from_db()
    assert branch.next_scheduled_run is not None and branch.armed_from is not None
    assert "by steward (token loader)" in LogEntry.objects.get().get_change_message()
    again = caller("PUT", "entities/branch/schedule", put.json(), If_Match=put.headers["ETag"])
    assert again.json() == DAILY and LogEntry.objects.count() == 1


def test_patch_takes_what_the_new_mode_does_not_use_away(api, branch):
    caller = api()
    caller("PUT", "entities/branch/schedule", DAILY, If_Match="*")
    change = {"processing_mode": "triggered", "trigger_row_threshold": 5}
    assert caller("PATCH", "entities/branch/schedule", change, If_Match="*").json() == change
    branch.refresh_from_db()
    assert branch.run_times == "" and branch.schedule_type == ""
    back = caller("PATCH", "entities/branch/schedule", {**DAILY, "timezone": "Europe/Amsterdam"}, If_Match="*")
    assert back.json() == {**DAILY, "timezone": "Europe/Amsterdam"}
    assert caller("PATCH", "entities/branch/schedule", {"timezone": None}, If_Match="*").json() == DAILY


def test_the_faults_have_the_paths_of_the_document(api, branch):
    wrong = {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": ["25:00"], "timezone": "Mars/X",
             "cron_expression": "* * * * *", "run_tims": 1}  # fmt: skip
    errors = {
        each["path"]: each["text"]
        for each in problem(api()("PUT", "entities/branch/schedule", wrong, If_Match="*"), 400)["errors"]
    }
    assert errors.keys() >= {"run_times", "timezone", "cron_expression", "run_tims"}
    assert errors["cron_expression"] == "A schedule of type daily has no use for cron_expression; leave it out."
    for body in ("[]", "null", {}, {"processing_mode": None}):
        problem(api()("PUT", "entities/branch/schedule", body, If_Match="*"), 400)


def test_preconditions(api, branch):
    caller = api()
    tag = caller.get("entities/branch/schedule").headers["ETag"]
    for method in ("PUT", "PATCH"):
        problem(caller(method, "entities/branch/schedule", DAILY), 428)
    caller("PUT", "entities/branch/schedule", DAILY, If_Match=tag)
    refused = problem(caller("PATCH", "entities/branch/schedule", {"is_enabled": False}, If_Match=tag), 412)
    assert {each["path"] for each in refused["errors"]} == {"processing_mode", "schedule_type", "run_times"}


def test_rights(api, branch, make_entity):
    problem(api("Operator")("PUT", "entities/branch/schedule", DAILY, If_Match="*"), 403)
    other = make_entity("other").entity
    limited = api("Steward", entities=[other], name="limited")
    problem(limited.get("entities/branch/schedule"), 403)
    assert limited.get("entities/other/schedule").status_code == 200
