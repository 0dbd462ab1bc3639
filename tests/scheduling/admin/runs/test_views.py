"""Promises of the three views of a run: every step with its state, its times, its order; few queries, however big."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from scheduling import clock
from scheduling.admin.graph import MOST_DRAWN
from scheduling.admin.runs.order import order_of
from scheduling.admin.runs.state import STEPS_AT_ONCE, run_state
from scheduling.admin.runs.times import WAITED, chart_of
from scheduling.dag.conditions import parsed
from scheduling.models import Attempt, Queue, Run, Task, TaskDependency
from scheduling.queues import claim, pause_queue
from scheduling.runs.advance import finish
from scheduling.states import RunKind
from scheduling.workloads.outcome import Outcome
from tests.scheduling.runs.pieces import FAILING, item, of, start, work

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture
def run():
    """Region completed, branch failed on its worker, till is blocked by it, other waits for a worker."""
    FAILING.add("branch")
    now = clock.now()
    run = start(item("region"), item("branch", "region"), item("till", "branch"), now=now)
    work(now)
    run.refresh_from_db()
    return run


def page_of(client, run, page="change", **asked) -> str:
    response = client.get(reverse(f"admin:scheduling_run_{page}", args=[run.pk]), asked)
    assert response.status_code == 200
    return response.content.decode()


# --- steps -----------------------------------------------------------------------------------------------------------


def test_each_step_has_its_state_as_a_word_its_worker_and_its_message(viewer, run):
    page = page_of(viewer, run)
    for expected in ("1 <span", "completed", "failed", "blocked", "branch is broken", "1 of 1", ">test<"):
        assert expected in page
    assert page.count("<tr id=") == 3


def test_a_state_shows_only_its_steps(viewer, run):
    page = page_of(viewer, run, state="blocked")
    assert page.count("<tr id=") == 1 and f'id="step-{of(run, "till").pk}"' in page and "all 3 steps" in page
    assert page_of(viewer, run, state="x' OR 1").count("<tr id=") == 3


def test_a_waiting_step_names_what_it_waits_for_and_a_queued_one_a_paused_queue(viewer):
    run = start(item("a"), item("b", "a"), now=clock.now())
    assert "Waits for a." in page_of(viewer, run)
    pause_queue(Queue.objects.get(), by="ann", now=clock.now())
    assert "Its queue default is paused." in page_of(viewer, run)


def test_a_big_run_comes_in_pages_and_costs_the_same(viewer):
    small = start(item("a"), item("b", "a"), key="small", now=clock.now())
    big = start(*(item(f"s{number:03}") for number in range(STEPS_AT_ONCE + 5)), key="big", now=clock.now())
    for page in ("change", "times", "order"):
        counts = []
        for each in (small, big):
            with CaptureQueriesContext(
                connection,
            ) as caught:
                page_of(viewer, each, page)
            counts.append(len(caught))
        assert counts[1] <= counts[0] <= 11, (page, counts)
    first, second = page_of(viewer, big), page_of(viewer, big, steps=2)
    assert first.count("<tr id=") == STEPS_AT_ONCE and "Later steps" in first and "Earlier steps" not in first
    assert second.count("<tr id=") == 5 and "Earlier steps" in second and "Later steps" not in second
    for mangled in ("0", "x", "9" * 30, "-1"):
        assert page_of(viewer, big, steps=mangled)


def test_the_steps_of_a_big_run_that_ended_are_counted_with_its_way(viewer):
    run = start(*(item(f"s{number:03}") for number in range(STEPS_AT_ONCE + 5)), now=clock.now())
    now = {"finished_at": clock.now(), "started_at": clock.now()}
    run.tasks.filter(key="s104").update(status="failed", **now)
    run.tasks.exclude(key="s104").update(status="completed", queued_at=clock.now(), **now)
    Run.objects.filter(pk=run.pk).update(status="failed", finished_at=clock.now())
    for page in ("change", "times"):
        with CaptureQueriesContext(connection) as caught:
            page_of(viewer, run, page)
        assert len(caught) <= 10 and len([one for one in caught if "COUNT(" in one["sql"]]) == 0, page
    shown = page_of(viewer, run)
    assert "?state=failed" in shown and "?state=completed" in shown and "104 <span" in shown
    assert page_of(viewer, run, state="failed").count("<tr id=") == 1


def test_the_fragment_of_each_view_is_what_its_page_shows(viewer):
    run = start(item("a"), now=clock.now())
    for page, mark in (("change", 'id="run-steps"'), ("times", "Gantt chart"), ("order", "Graph of the steps")):
        view = "steps" if page == "change" else page
        assert f"fragment/?view={view}" in page_of(viewer, run, page)
        assert mark in page_of(viewer, run, page) and mark in page_of(viewer, run, "fragment", view=view)
    assert 'id="run-steps"' in page_of(viewer, run, "fragment", view="<script>")


def test_a_step_tells_what_it_asks_and_what_it_saw(viewer):
    asks = (parsed("a: rows.new > 0"), parsed("a: gone = 1"))
    run = start(item("a"), item("b", "a", only_when=asks), now=clock.now())
    assert "only when a: rows.new &gt; 0; a: gone = 1<" in page_of(viewer, run)
    attempt = claim(of(run, "a").pk, worker="w", now=clock.now())
    finish(attempt, of(run, "a"), Outcome("completed", "Done.", result={"rows": {"new": 5}}), now=clock.now())
    page = page_of(viewer, run)
    assert "only when a: rows.new &gt; 0 (it was 5); a: gone = 1<" in page and "Skipped: a gave no gone." in page


def test_a_task_leads_to_its_run(viewer, run):
    found = viewer.get(reverse("admin:scheduling_run_of_task", args=[of(run, "till").pk]))
    assert found.headers["Location"] == reverse("admin:scheduling_run_change", args=[run.pk])
    assert viewer.get(reverse("admin:scheduling_run_of_task", args=[10**9])).status_code == 302


# --- times -----------------------------------------------------------------------------------------------------------


def test_waits_and_attempts_become_spans_in_their_order():
    now = clock.now()
    run = start(item("a"), now=now)
    task = of(run, "a")
    outcomes = [("failed", 1, 2), ("lost", 4, 6), ("running", 7, None)]
    for number, (outcome, begin, end) in enumerate(outcomes, 1):
        Attempt.objects.create(
            task=task, number=number, worker="w", token=f"{number:032}", outcome=outcome,
            claimed_at=now + begin * MINUTE, heartbeat_at=now, finished_at=None if end is None else now + end * MINUTE,
        )  # fmt: skip
    Task.objects.filter(pk=task.pk).update(status="running", queued_at=now + 6 * MINUTE)
    until = now + 10 * MINUTE
    chart = chart_of(run_state(run, {}, until), until)
    minutes = [(span.what, (span.start - now) / MINUTE, (span.end - now) / MINUTE) for span in chart.spans]
    assert minutes == [
        ("failed", 1, 2), (WAITED, 2, 4), ("lost", 4, 6), (WAITED, 6, 7), ("running", 7, 10),
    ]  # fmt: skip
    assert [bar.x for bar in chart.drawing.lanes[0].bars] == ["10%", "20%", "40%", "60%", "70%"]
    assert chart.drawing.lanes[0].bars[-1].width == "30%" and 2 <= len(chart.drawing.ticks) <= 9


@pytest.mark.parametrize("length", [0, 0.01, 1, 59, 3600, 86_400, 40 * 86_400, 3000 * 86_400])
def test_a_chart_of_any_length_stays_inside_its_frame(length):
    now = clock.now()
    run = start(item("a"), now=now)
    until = now + timedelta(seconds=length)
    chart = chart_of(run_state(run, {}, until), until)
    assert 1 <= len(chart.drawing.ticks) <= 9 or length <= 1
    for lane in chart.drawing.lanes:
        for bar in lane.bars:
            assert float(bar.x[:-1]) >= 0 and float(bar.x[:-1]) + float(bar.width[:-1]) <= 100.001


def test_the_times_are_drawn_and_told_in_a_table(viewer, run):
    page = page_of(viewer, run, "times")
    assert page.count('<rect class="span-') == 2 and "span-failed" in page and "span-completed" in page
    assert page.count('<td data-label="What">attempt 1</td>') == 2


# --- order -----------------------------------------------------------------------------------------------------------


def test_the_graph_has_a_node_a_step_a_column_a_wave_and_the_fewest_lines():
    run = start(item("a"), item("b", "a"), item("c", "a b"), item("d"), now=clock.now())
    order = order_of(run)
    assert [[key for key, _ in wave] for wave in order.waves] == [["a", "d"], ["b"], ["c"]]
    assert len(order.graphic.edges) == 2, "a to c follows from the others"
    assert "a >>> b >>> c" in order.lines
    columns = {node.name: node.x for node in order.graphic.nodes}
    assert columns["a"] == columns["d"] < columns["b"] < columns["c"]
    assert {node.told for node in order.graphic.nodes} == {"queued", "waiting"}


def test_ordered_work_goes_by_its_numbers():
    items = [item("a", step_index=1), item("b", step_index=1), item("c", step_index=2)]
    order = order_of(start(*items, kind=RunKind.ORDERED, now=clock.now()))
    assert [[key for key, _ in wave] for wave in order.waves] == [["a", "b"], ["c"]]
    assert order.graphic.edges == () and order.graphic.is_sparse


def test_a_run_that_is_too_big_is_told_in_words_only(viewer, monkeypatch):
    run = start(*(item(f"s{number:03}") for number in range(MOST_DRAWN + 1)), now=clock.now())
    page = page_of(viewer, run, "order")
    assert 'class="node' not in page and "s000" in page
    monkeypatch.setattr("scheduling.admin.runs.order.MOST_STEPS", 100)
    page = page_of(viewer, run, "order")
    assert "too many to draw" in page and "s000" not in page


def test_names_are_escaped_in_text_and_drawing(viewer):
    run = start(item("<img src=x onerror=alert(1)>"), now=clock.now())
    assert TaskDependency.objects.count() == 0
    for page in ("change", "times", "order"):
        assert "<img src=x" not in page_of(viewer, run, page)
