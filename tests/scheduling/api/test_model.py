"""The whole model by the API is the model file: the same checks, the same answers, and a history."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import OperationalError

from scheduling.api import model
from scheduling.model_files import load
from staging.models import Entity
from tests.staging.api.test_resource import problem

pytestmark = pytest.mark.django_db
FILE: dict[str, Any] = {
    "version": 1,
    "calendars": [{"name": "Holidays", "periods": [{"kind": "days", "first_day": "2026-12-25"}]}],
    "entities": [
        {"code": "own", "name": "Own", "max_error_rate": 0.2, "attributes": [{"name": "staff", "type": "integer"}]}
    ],
    "plans": [{"name": "Nightly", "steps": [{"entity": "own"}]}],
}


def test_it_is_loaded_read_and_loading_it_again_changes_nothing(api, make_entity):
    make_entity("own")
    caller = api()
    dry = caller("PUT", "model?dry_run=1", FILE)
    assert dry.status_code == 200 and dry.json()["dry_run"] is True and "plan Nightly" in dry.json()["created"]
    assert not LogEntry.objects.exists() and Entity.objects.get().max_error_rate is None
    loaded = caller("PUT", "model", FILE).json()
    assert loaded["changes"]["own"]["max_error_rate"]["to"] == 0.2
    told = {entry.object_repr: entry.get_change_message() for entry in LogEntry.objects.all()}
    assert told["Own"] == "Changed own by administrator (token loader)." and "Nightly" in told and "Holidays" in told
    dumped = caller.get("model").json()
    assert dumped["entities"][0]["code"] == "own" and dumped["calendars"] == FILE["calendars"]
    again = caller("PUT", "model", dumped).json()
    assert again["created"] == again["changed"] == [] and LogEntry.objects.count() == len(told)
    assert caller.get("calendars").json()["results"] == FILE["calendars"] == [caller.get("calendars/Holidays").json()]


def test_the_paths_are_those_of_load_model(api):
    wrong = {
        "version": 1,
        "entities": [{"code": "own", "name": "Own", "schedule": {"processing_mode": "x"}}],
        "plan": [],
    }
    errors = {each["path"] for each in problem(api()("PUT", "model", wrong), 400)["errors"]}
    assert {"entities[0].schedule.processing_mode", "plan"} <= errors
    for body in ("[]", "null", "7", {"version": 2}, {}):
        problem(api()("PUT", "model", body), 400)
    problem(api()("PUT", "model?dry_run=maybe", FILE), 400)
    assert not Entity.objects.exists()


def test_only_whoever_may_change_all_of_it(api, make_entity):
    for role in ("Viewer", "Operator", "Steward"):
        problem(api(role)("PUT", "model", FILE), 403)
    assert api("Viewer").get("model").status_code == 200
    own = make_entity("own").entity
    problem(api(entities=[own], name="limited").get("model"), 403)


def test_who_sends_what_they_read_overwrites_nothing_that_came_later(api, make_entity):
    make_entity("own")
    caller = api()
    read = caller.get("model")
    tag = read.headers["ETag"]
    assert caller("GET", "model", If_None_Match=tag).status_code == 304
    assert caller("PUT", "model", FILE, If_Match=tag).status_code == 200
    stale = caller("PUT", "model", {"version": 1, "entities": []}, If_Match=tag)
    paths = [each["path"] for each in problem(stale, 412)["errors"]]
    assert "entities" in paths and "plans" in paths and "version" not in paths
    assert caller("PUT", "model?dry_run=1", FILE, If_Match=tag).status_code == 412
    for fresh in (caller.get("model").headers["ETag"], "*", None):
        headers = {} if fresh is None else {"If_Match": fresh}
        assert caller("PUT", "model", FILE, **headers).status_code == 200


@pytest.mark.parametrize("headers", [{}, {"If_Match": "*"}])
def test_whoever_waits_too_long_for_another_load_is_told_that_it_is_in_use(api, monkeypatch, headers):
    def never():
        raise OperationalError("database is locked")

    for module in (load, model):
        monkeypatch.setattr(module, "one_at_a_time", never)
    problem(api()("PUT", "model", FILE, **headers), 409)
