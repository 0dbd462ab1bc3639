"""What is asked and started of an entity by the API comes from the verbs that pages and commands call."""

import json
from typing import Any

import pytest
from django.core.management import call_command

from scheduling import clock
from scheduling.models import Run, SchedulerLog
from scheduling.runs.execute import work_off_run
from staging.models import Batch, KeptAnswer
from tests.staging.api.test_resource import problem

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def branch(make_entity: Any, deposit: Any) -> Any:
    """An entity with three rows that wait, one of them wrong."""
    configuration = make_entity("branch")
    deposit("branch", 2)
    deposit("branch", staff="many", prefix="wrong")
    return configuration


def test_a_batch_is_started_and_waited_for(api, branch):
    caller = api("Operator")
    started = caller.post("entities/branch/process", {}, Idempotency_Key="once")
    assert started.status_code == 202, started.content
    assert caller.post("entities/branch/process", {}, Idempotency_Key="once").json() == started.json()
    run = Run.objects.get()
    assert started.json() == {"run": run.pk, "batch": Batch.objects.get().pk, "status": "pending"}
    assert run.started_by == "operator (token loader)" and KeptAnswer.objects.count() == 1
    problem(caller.post("entities/branch/process", {}), 409)
    work_off_run(run, time=clock.now)
    batch = caller.get(f"batches/{started.json()['batch']}").json()
    assert (batch["status"], batch["inserted"], batch["rejected"]) == ("completed", 2, 1)
    assert caller.get(f"runs/{run.pk}").json()["tasks"][0]["status"] == "completed"
    (event,) = caller.get("log?event=fired").json()["results"]
    assert event["message"] == "Batch started by operator (token loader)." and event["run"] == run.pk
    assert SchedulerLog.objects.filter(event_type="fired").count() == 1


def test_a_tag_that_no_row_has_is_refused(api, branch):
    for tag in ("no such", "x" * 300):
        (error,) = problem(api().post("entities/branch/process", {"tag": tag}), 400)["errors"]
        assert error["path"] == "tag"
    assert not Run.objects.exists()


def test_unknown_keys_and_kinds_are_refused(api, branch):
    errors = problem(api().post("entities/branch/process", {"tga": "x"}), 400)["errors"]
    assert errors[0]["text"] == "There is no key 'tga' here. Did you mean 'tag'?"
    problem(api().post("entities/branch/process", {"tag": 7}), 400)
    problem(api().post("entities/branch/process", []), 400)
    problem(api().post("entities/branch/test-run", {"x": 1}), 400)


def test_the_answers_are_those_of_the_commands(api, branch, capsys):
    caller = api("Viewer"), api("Operator")
    call_command("preview_batch", "branch", "--json")
    assert caller[0].post("entities/branch/preview", {}).json() == json.loads(capsys.readouterr().out)
    assert len(caller[0].post("entities/branch/preview", {"limit": 1}).json()["changes"]) == 1
    call_command("test_run", "branch", "--json")
    expected = json.loads(capsys.readouterr().out)
    found = caller[1].post("entities/branch/test-run").json()
    assert found.keys() == expected.keys() and found["pending_rows"] == 3
    explained = caller[0].post("entities/branch/why-not", {"from": "2026-03-01T00:00:00Z"}).json()
    assert explained["entity"] == "branch" and explained["from"] == "2026-03-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"from": "yesterday"}, "from"),
        ({"from": "2026-03-01"}, "from"),
        ({"from": "2026-03-02T00:00:00Z", "until": "2026-03-01T00:00:00Z"}, "until"),
        ({"from": "0001-01-01T00:00:00Z"}, "from"),
        ({"until": "9999-12-31T23:59:59-12:00"}, "until"),
    ],
)
def test_periods_that_are_none(api, branch, body, path):
    assert problem(api().post("entities/branch/why-not", body), 400)["errors"][0]["path"] == path


def test_rights_of_each_role(api, branch):
    viewer, operator = api("Viewer"), api("Operator")
    problem(viewer.post("entities/branch/process", {}), 403)
    problem(viewer.post("entities/branch/test-run"), 403)
    problem(api("Operator", scopes=("read", "deposit", "configure"), name="other").post("entities/branch/process"), 403)
    assert operator.post("entities/branch/test-run").status_code == 200
    problem(operator.post("entities/nowhere/process", {}), 404)


def test_a_cancelled_entity_is_a_conflict(api, branch):
    branch.entity.is_cancelled = True
    branch.entity.save()
    assert "retired" in problem(api().post("entities/branch/process", {}), 409)["detail"]
