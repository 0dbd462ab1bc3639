"""Promise: wherever a run is shown, it says how many of its steps have ended, and of how many, in few statements."""

import json

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from scheduling import clock
from scheduling.models import Plan, Run, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import run_document, start_plans_now
from scheduling.states import TaskStatus
from staging.models import Entity
from tests.scheduling.admin.conftest import client_for, client_of, make_limited
from tests.scheduling.plans.conftest import step
from tests.scheduling.runs.pieces import FAILING, item, start, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    """A run of three steps, of which one has ended."""
    made = start(item("a"), item("b", "a", step_index=1), item("c", "b", step_index=2), now=clock.now())
    work(clock.now(), most=1)
    return made


def plan_run():
    """A run of a plan of two steps, of which one has ended, and its plan."""
    entities = [Entity.objects.create(code=code, name=code.capitalize()) for code in ("region", "branch")]
    plan = save_plan(PlanDraft(Plan(name="Nightly"), {}, [step(one) for one in entities]), now=clock.now())
    made = start_plans_now(["Nightly"], started_by="someone", now=clock.now())
    first = Task.objects.filter(run=made).order_by("id").values("pk")[:1]
    Task.objects.filter(pk__in=first).update(status=TaskStatus.CANCELLED, finished_at=clock.now())
    return plan, made


def test_rows_of_runs_count_their_steps_whatever_became_of_them(run):
    FAILING.add("x")
    failed = start(item("x"), item("y", "x"), key="other", now=clock.now())
    work(clock.now())
    counted = {each.pk: (each.steps_done, each.steps_total) for each in Run.objects.with_steps()}
    assert counted == {run.pk: (3, 3), failed.pk: (2, 2)}
    bare = Run.objects.create(kind="plan", fire_key="bare", created_at=clock.now())
    counted = Run.objects.with_steps().get(pk=bare.pk)
    assert (counted.steps_done, counted.steps_total) == (0, 0)


def test_the_document_of_a_run_and_its_line(run, capsys):
    assert {name: run_document(run)[name] for name in ("steps_done", "steps_total")} == {
        "steps_done": 1,
        "steps_total": 3,
    }
    call_command("show_run", str(run.pk))
    assert f"run {run.pk}: running, 1 of 3 steps ended" in capsys.readouterr().out
    work(clock.now())
    call_command("show_run", str(run.pk))
    assert f"run {run.pk}: completed\n" in capsys.readouterr().out


def test_the_api_tells_it_in_the_list_and_of_one_run(run):
    client = client_for("Viewer")
    (listed,) = client.get("/api/v1/runs").json()["results"]
    one = client.get(f"/api/v1/runs/{run.pk}").json()
    assert (listed["steps_done"], listed["steps_total"]) == (one["steps_done"], one["steps_total"]) == (1, 3)


@pytest.mark.parametrize(
    "address", ["/api/v1/runs", reverse("admin:scheduling_run_changelist"), reverse("admin:index")]
)
def test_many_runs_cost_as_many_statements_as_one(run, address):
    client = client_for("Viewer")
    client.get(address)
    with CaptureQueriesContext(connection) as one:
        client.get(address)
    for number in range(6):
        start(item("a"), item("b", "a"), key=f"k{number}", now=clock.now())
    with CaptureQueriesContext(connection) as many:
        client.get(address)
    assert len(many) == len(one)


def test_the_pages_of_a_run_say_how_far_it_is_until_it_has_ended(run):
    client = client_for("Viewer")
    for page in ("change", "times", "order", "fragment"):
        assert "1 of 3 steps ended" in client.get(reverse(f"admin:scheduling_run_{page}", args=[run.pk])).text, page
    work(clock.now())
    assert "steps ended" not in client.get(reverse("admin:scheduling_run_change", args=[run.pk])).text


def test_the_start_page_lists_what_runs_now_with_how_far_it_is(run):
    page = client_for("Viewer").get("/admin/").text
    assert "Running now" in page and "1 of 3 steps ended" in page
    assert reverse("admin:scheduling_run_change", args=[run.pk]) in page
    for number in range(12):
        start(item("a"), item("b", "a"), key=f"k{number}", title=f"Late {number}", now=clock.now())
    page = client_for("Operator").get("/admin/").text
    assert page.count("steps ended") == 10, "the oldest ten"


def test_the_start_page_tells_of_no_run_that_its_reader_does_not_see(run):
    plan_run()
    assert "Running now" not in client_for("nobody").get("/admin/").text
    page = client_of(make_limited("Viewer", "region")).get("/admin/").text
    assert "Running now" not in page and "steps ended" not in page
    assert "1 of 2 steps ended" in client_of(make_limited("Viewer", "region", "branch")).get("/admin/").text
    assert "Running now" not in client_for("Viewer").get("/admin/", {"mine": "yes"}).text


def test_a_plan_that_runs_says_how_far_its_run_is_in_its_list_and_on_its_page():
    plan, _ = plan_run()
    client = client_for("Viewer")
    for address in (reverse("admin:scheduling_plan_changelist"),
                    reverse("admin:scheduling_plan_change", args=[plan.pk])):  # fmt: skip
        assert "1 of 2 steps ended" in client.get(address).text
    assert "1 of 2 steps ended" not in client_of(make_limited("Viewer", "region")).get("/admin/scheduling/plan/").text


def test_status_tells_it_of_the_run_of_each_task(run, capsys):
    Task.objects.filter(key="b").update(status=TaskStatus.RUNNING)
    call_command("status", "--json")
    (task,) = json.loads(capsys.readouterr().out)["running"]
    assert (task["name"], task["steps_done"], task["steps_total"]) == ("b", 1, 3)
