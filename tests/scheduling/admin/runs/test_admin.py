"""Promises of the run pages."""

import re
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from scheduling import clock
from scheduling.admin.keyset import read_page
from scheduling.admin.runs import admin as runs
from scheduling.models import Job, Plan, Run, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_batch_now, start_plans_now
from scheduling.states import RunStatus
from tests.scheduling.admin.conftest import make_configuration
from tests.scheduling.plans.conftest import step
from tests.scheduling.runs.pieces import item, start, work

pytestmark = pytest.mark.django_db
LIST = "/admin/scheduling/run/"


def started(code="customer"):
    return start_batch_now(make_configuration(code), started_by="carla", now=clock.now())


def page_of(client, run, page="change") -> str:
    response = client.get(reverse(f"admin:scheduling_run_{page}", args=[run.pk]))
    assert response.status_code == 200
    return response.content.decode()


def test_the_page_tells_state_entity_starter_and_that_no_worker_has_it_yet(viewer):
    page = page_of(viewer, started().run)
    for expected in ("Pending: Customer", "carla", "No worker has taken it yet"):
        assert expected in page
    assert "Cancel this run" not in page


def test_progress_is_a_labelled_bar(viewer):
    found = started()
    Task.objects.filter(pk=found.task.pk).update(rows_total=40_000, rows_done=10_000)
    page = page_of(viewer, found.run, "fragment")
    assert "10,000 of 40,000 rows" in page and re.search(r'<progress [^>]*max="40000" value="10000"', page)


def test_the_fragment_is_polled_only_while_the_run_has_not_ended(viewer):
    found = started()
    assert "data-poll=" in page_of(viewer, found.run) and 'data-final="no"' in page_of(viewer, found.run)
    Run.objects.filter(pk=found.run.pk).update(status=RunStatus.COMPLETED, finished_at=clock.now())
    assert "data-poll=" not in page_of(viewer, found.run)
    assert 'data-final="yes"' in page_of(viewer, found.run, "fragment")


def test_an_operator_cancels_what_waits(operator):
    found = started()
    response = operator.post(reverse("admin:scheduling_run_cancel", args=[found.run.pk]), follow=True)
    assert "Cancel asked for" in response.content.decode()
    found.run.refresh_from_db()
    assert found.run.status == RunStatus.CANCELLED
    again = operator.post(reverse("admin:scheduling_run_cancel", args=[found.run.pk]), follow=True)
    assert "nothing left to cancel" in again.content.decode()


def test_messages_and_errors_are_escaped(viewer):
    found = started()
    Run.objects.filter(pk=found.run.pk).update(error="<script>alert(1)</script>")
    Task.objects.filter(pk=found.task.pk).update(message="<img src=x onerror=alert(1)>")
    page = page_of(viewer, found.run)
    assert "<script>alert" not in page and "<img src=x" not in page


def test_the_list_filters_by_entity_and_state(viewer):
    first, second = started("alpha").run, started("bravo").run
    Run.objects.filter(pk=second.pk).update(status=RunStatus.FAILED, finished_at=clock.now(), error="Disk full")
    assert "Disk full" in viewer.get(LIST, {"status": "failed"}).content.decode()
    live = viewer.get(LIST, {"status": "live"}).content.decode()
    assert f"Run {first.pk}" in live and f"Run {second.pk}<" not in live
    assert f"Run {second.pk}<" in viewer.get(LIST, {"entity": "BRAVO"}).content.decode()


def test_the_list_filters_by_kind_plan_job_and_days(viewer):
    batch = started("alpha").run
    entity = batch.entity
    plan = save_plan(PlanDraft(Plan(name="Ω nightly"), {}, [step(entity)]), now=clock.now())
    other = save_plan(PlanDraft(Plan(name="Ω nightly 2"), {}, [step(entity)]), now=clock.now())
    run = start_plans_now(["Ω nightly"], started_by="ann", now=clock.now())
    second = start_plans_now(["Ω nightly 2"], started_by="ann", now=clock.now())
    job = Job.objects.create(name="Report", path="shop.report", source="shop.py:1")
    Task.objects.filter(run=second).update(workload="job", target_id=job.pk, entity=None)

    def found(**asked) -> set[int]:
        response = viewer.get(LIST, asked)
        assert response.status_code == 200
        return {each.pk for each in response.context["page"].rows}

    assert found(kind="plan") == {run.pk, second.pk} and found(kind="batch") == {batch.pk}
    assert found(plan=plan.pk) == {run.pk} and found(plan=other.pk) == {second.pk}
    assert found(job=job.pk) == {second.pk}
    assert found(entity="alpha") == {batch.pk, run.pk}, "also the plans in which it was a step"
    assert found(entity="nobody") == set()
    today = timezone.localdate()
    assert len(found(since=today, until=today)) == 3 and found(until=today - timedelta(days=1)) == set()
    assert len(found(kind="x", plan="x", job="999", since="x", status="'")) == 3, "what is not valid does not filter"


def test_the_list_tells_how_far_a_live_run_is_and_costs_the_same_for_many(viewer):
    start(item("a"), item("b", "a"), now=clock.now())
    work(clock.now(), most=1)
    assert "1 of 2 steps ended" in viewer.get(LIST).content.decode()
    with CaptureQueriesContext(connection) as one:
        viewer.get(LIST)
    for number in range(8):
        start(item("a"), item("b", "a"), key=f"k{number}", now=clock.now())
    with CaptureQueriesContext(connection) as many:
        viewer.get(LIST)
    assert len(many) == len(one) <= 9


def test_pages_of_the_list_follow_each_other_without_a_gap(viewer, monkeypatch):
    monkeypatch.setattr(runs, "read_page", partial(read_page, size=3))
    made = [start(item("a"), key=f"k{number}", now=clock.now()).pk for number in range(7)]
    seen, url = [], LIST
    while url:
        context = viewer.get(url).context
        seen += [run.pk for run in context["page"].rows]
        url = context["older_url"] and LIST + context["older_url"]
    assert seen == made[::-1]


def test_an_empty_list_says_what_to_do(viewer):
    assert "Nothing has run yet" in viewer.get(LIST).content.decode()
    assert "Show all runs" in viewer.get(LIST, {"status": "failed"}).content.decode()


def test_a_run_that_retention_deleted_leads_back_to_the_list(viewer):
    response = viewer.get(reverse("admin:scheduling_run_change", args=[999]), follow=True)
    assert "There is no run 999" in response.content.decode()
