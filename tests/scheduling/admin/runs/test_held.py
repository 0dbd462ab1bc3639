"""Promise: a run with a held step says so wherever runs are listed, in no statement more, and can be filtered."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from scheduling import clock
from scheduling.models import Plan, Run, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_plans_now
from scheduling.runs.intervene import hold_step, let_step_go_on
from staging.tokens import issue
from tests.scheduling.admin.conftest import make_configuration
from tests.scheduling.plans.conftest import step
from tests.scheduling.runs.pieces import item, of, start

pytestmark = pytest.mark.django_db
LIST, START, PLANS = "/admin/scheduling/run/", "/admin/", "/admin/scheduling/plan/"
BADGE = '<span class="badge badge-warn"><span class="sign" aria-hidden="true">‖</span> held</span>'


@pytest.fixture
def two():
    """Two live runs of a plan; a step of the second is held."""
    entity = make_configuration("customer").entity
    save_plan(PlanDraft(Plan(name="Daily"), {}, [step(entity)]), now=clock.now())
    free = start(item("a"), item("b", "a"), key="free", title="Free", now=clock.now())
    run = start_plans_now(["Daily"], started_by="ann", now=clock.now())
    hold_step(run.tasks.select_related("run").get(), by="ann", now=clock.now())
    return free, run


def shown(client, address) -> str:
    """Return what a page shows of runs: the start page explains its marks besides."""
    page = client.get(address).text
    return page.split('id="live-runs"')[1].split("</section>")[0] if address == START else page


def test_lists_and_the_start_page_show_it_until_it_is_let_go(viewer, two):
    _, run = two
    plan = f"{PLANS}{Plan.objects.get().pk}/change/"
    for address in (LIST, START, PLANS, plan, f"{LIST}{run.pk}/change/"):
        assert BADGE in shown(viewer, address), address
    let_step_go_on(run.tasks.select_related("run").get(), by="ann", now=clock.now())
    for address in (LIST, START, PLANS, plan):
        assert BADGE not in shown(viewer, address), address
    assert 'id="card-holding"' not in viewer.get(START).text


def test_the_filter_and_the_card_find_these_and_no_others(viewer, two):
    free, run = two
    shown = viewer.get(LIST, {"status": "held"}).context["rows"]
    assert [each.pk for each, *_ in shown] == [run.pk]
    page = viewer.get(START).text
    assert 'id="card-holding"' in page and f'href="{LIST}?status=held"' in page
    task = of(free, "b")
    Task.objects.filter(pk=task.pk).update(held_at=clock.now(), status="completed", finished_at=clock.now())
    assert list(Run.objects.with_a_held_step()) == [run], "what has ended is held by nobody"


def test_the_api_filters_these(two):
    person = User.objects.create_superuser("boss")
    token = issue(person, name="t", scopes=["read"], entities=None, by="boss")[1]
    found = Client().get("/api/v1/runs", {"status": "held"}, headers={"Authorization": f"Bearer {token}"})
    assert [run["run"] for run in found.json()["results"]] == [two[1].pk]


@pytest.mark.parametrize("address", [LIST, START, PLANS])
def test_it_costs_no_statement_more(viewer, two, address):
    counts = []
    for is_held in (True, False):
        if not is_held:
            let_step_go_on(two[1].tasks.select_related("run").get(), by="ann", now=clock.now())
        viewer.get(address)
        with CaptureQueriesContext(connection) as caught:
            viewer.get(address)
        counts.append(len(caught))
    assert counts[0] == counts[1]
