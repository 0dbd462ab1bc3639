"""Promises of the page that shows two runs beside each other: every step of both, few statements, the same rights."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from scheduling import clock
from scheduling.admin.runs.compare import by_difference, differing, pairs_of, whole_of
from scheduling.models import Plan, Run, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_batch_now
from tests.scheduling.admin.conftest import client_for, client_of, make_configuration, make_event, make_limited
from tests.scheduling.runs.pieces import FAILING, item, of, start, work

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


@pytest.fixture
def two():
    """Two runs of the same a day apart: `old` only in the first, `new` only in the second, `b` slower and failed."""
    now = clock.now()
    first = start(item("a"), item("b", "a"), item("old"), key="first", now=now - timedelta(days=1))
    work(now - timedelta(days=1))
    FAILING.add("b")
    second = start(item("a"), item("b", "a"), item("new"), key="second", now=now)
    work(now)
    FAILING.clear()
    for run, lasted in ((first, 10), (second, 25)):
        task = of(run, "b")
        Task.objects.filter(pk=task.pk).update(started_at=task.finished_at - lasted * SECOND, rows_total=lasted * 100)
    return Run.objects.get(pk=first.pk), Run.objects.get(pk=second.pk)


def page_of(client, *keys, expected=200, **asked):
    name = "compared" if len(keys) > 1 else "compare"
    response = client.get(reverse(f"admin:scheduling_run_{name}", args=keys), asked)
    assert response.status_code == expected
    return response


def test_each_step_stands_beside_itself_and_what_only_one_has_alone(two):
    first, second = two
    with CaptureQueriesContext(connection) as caught:
        pairs = {pair.step: pair for pair in pairs_of(second, first, clock.now())}
    assert len(caught) == 1 and list(pairs) == ["a", "b", "new", "old"]
    slower = pairs["b"]
    assert (slower.one.status, slower.other.status, slower.words) == ("failed", "completed", "15.0 s longer")
    assert (slower.one.rows, slower.other.rows) == (2500, 1000)
    assert pairs["old"].one is None and pairs["new"].other is None and pairs["old"].words == ""
    assert pairs["a"].words == "the same" and by_difference(list(pairs.values()))[0].step == "b"
    assert whole_of(second, first, clock.now()).one.status == "failed"


def test_the_default_is_the_run_before_of_the_same_that_completed(viewer, two):
    first, second = two
    start(item("x"), key="other", title="Another", now=clock.now())
    led = page_of(viewer, second.pk, expected=302)
    assert led["Location"] == reverse("admin:scheduling_run_compared", args=[second.pk, first.pk])
    chosen = page_of(viewer, second.pk, expected=302, **{"with": second.pk})
    assert chosen["Location"].endswith(f"/run/{second.pk}/compare/{second.pk}/")
    page = page_of(viewer, first.pk).content.decode()
    assert "No run of the same completed before this one." in page and f'value="{second.pk}"' in page


def test_the_page_tells_all_of_it_and_the_page_of_a_run_leads_to_it(viewer, two):
    first, second = two
    Run.objects.filter(pk=first.pk).update(parameters={"day": "2026-03-01", "all": True})
    Run.objects.filter(pk=second.pk).update(parameters={"day": "2026-03-02<", "all": True})
    page = page_of(viewer, second.pk, first.pk).content.decode()
    for expected in ("15.0 s longer", "not part of it", "2026-03-02&lt;", "The whole run", "2,500"):
        assert expected in page
    assert page.count('<td data-label="Difference"') == 5 and ">all<" not in page
    assert "Both are the same run." in page_of(viewer, second.pk, second.pk).content.decode()
    run_page = viewer.get(reverse("admin:scheduling_run_change", args=[second.pk])).content.decode()
    assert f"/run/{second.pk}/compare/" in run_page
    by = page_of(viewer, second.pk, first.pk, order="difference").content.decode()
    assert by.index(">b</th>") < by.index(">a</th>")


def test_changes_of_the_settings_between_both_are_told(viewer):
    plan = save_plan(PlanDraft(Plan(name="Daily"), {}, []), now=clock.now())
    now = clock.now()
    first, second, third = (
        Run.objects.create(kind="plan", title=plan.run_title, plans=["Daily"], fire_key=str(number), status="completed",
                           created_at=at, started_at=at, finished_at=at + timedelta(minutes=1))
        for number, at in enumerate((now, now + timedelta(hours=2), now + timedelta(hours=4)))
    )  # fmt: skip
    make_event(event_type="changed", plan=plan, event_time=now + timedelta(hours=1), message="Another queue.")
    for one, other in ((second, first), (first, second), (third, first)):
        assert "Another queue." in page_of(viewer, one.pk, other.pk).content.decode()
    assert "Another queue." not in page_of(viewer, third.pk, second.pk).content.decode()


def test_many_steps_come_in_pages_and_cost_the_same(viewer):
    counts = []
    for number, size in enumerate((2, 230)):
        steps = [item(f"s{place:03}") for place in range(size)]
        runs = [start(*steps, key=f"{number}{key}", title=f"Of {size}", now=clock.now()) for key in "ab"]
        page_of(viewer, runs[1].pk, runs[0].pk)
        with CaptureQueriesContext(connection) as caught:
            page = page_of(viewer, runs[1].pk, runs[0].pk).content.decode()
        counts.append(len(caught))
    assert counts[0] == counts[1] <= 12
    assert (
        page.count('<td data-label="Difference"') == 1 + 100 and "Later steps" in page and "Earlier steps" not in page
    )
    last = page_of(viewer, runs[1].pk, runs[0].pk, steps=3).content.decode()
    assert last.count('<td data-label="Difference"') == 1 + 30 and "Earlier steps" in last and "Later steps" not in last


def test_whoever_may_not_see_one_of_both_sees_no_comparison():
    mine = start_batch_now(make_configuration("customer"), started_by="ann", now=clock.now()).run
    others = start_batch_now(make_configuration("region"), started_by="ann", now=clock.now()).run
    client = client_of(make_limited("Viewer", "customer"))
    assert page_of(client, mine.pk, mine.pk).status_code == 200
    assert "Region" not in page_of(client, mine.pk, others.pk, expected=302).content.decode()
    page_of(client, others.pk, mine.pk, expected=403)
    everybody = client_for("Viewer")
    assert "Compare Customer" in page_of(everybody, mine.pk, others.pk).content.decode()
    page_of(everybody, mine.pk, 999_999, expected=302)


def test_parameters_that_are_the_same_are_left_out():
    assert differing({"a": 1, "b": 2}, {"b": 2, "c": None}) == [("a", 1, None)]
    assert differing(None, {"a": 0}) == [("a", None, 0)]
