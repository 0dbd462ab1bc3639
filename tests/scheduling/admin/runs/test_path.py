"""Promises of where the time went, on the pages of a run: the table, its marks, and what is usual beside it."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from scheduling import clock
from scheduling.admin.runs.path import MOST_ROWS, path_table
from scheduling.dag.path import PathPiece, Spent
from scheduling.models import Plan, Run, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_plans_now
from tests.scheduling.admin.conftest import make_configuration
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.plans.conftest import step
from tests.scheduling.runs.pieces import item, start, work

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def page_of(client, run, page="change", **asked) -> str:
    return client.get(reverse(f"admin:scheduling_run_{page}", args=[run.pk]), asked).content.decode()


def piece(step, what, begin, end):
    return PathPiece(step, what, NOW + begin * MINUTE, NOW + end * MINUTE)


def test_the_table_adds_up_and_leaves_out_columns_that_are_empty():
    pieces = [piece("a", Spent.QUEUED, 0, 1), piece("a", Spent.WORKED, 1, 5), piece("b", Spent.WORKED, 5, 20)]
    table = path_table(pieces)
    assert table.columns == ("Waited in its queue", "Worked") and table.took == 20 * 60_000
    assert [(row.step, row.took // 60_000, row.share) for row in table.rows] == [("a", 5, 25), ("b", 15, 75)]
    assert table.rows[1].spent == (("Waited in its queue", None), ("Worked", 15 * 60_000))
    assert path_table(()).rows == ()


def test_of_a_long_chain_the_longest_steps_are_shown_in_their_order():
    lengths = [5 if number % 3 else 1 for number in range(60)]
    ends = [sum(lengths[: number + 1]) for number in range(60)]
    table = path_table(
        [piece(f"s{number:02}", Spent.WORKED, end - lengths[number], end) for number, end in enumerate(ends)]
    )
    names = [row.step for row in table.rows]
    assert len(names) == MOST_ROWS and names == sorted(names) and table.left_out == 30
    assert sum(row.took for row in table.rows) + table.left_took == table.took


def test_an_ended_run_shows_it_on_its_first_page_a_live_one_under_times_so_far(viewer):
    run = start(item("a"), item("b", "a"), now=clock.now() - 9 * MINUTE)
    assert 'id="run-path"' not in page_of(viewer, run)
    live = page_of(viewer, run, "times")
    assert "Where the time went so far" in live and live.count('<rect class="on-path"') == 1
    work(clock.now() - 5 * MINUTE)
    ended, times = page_of(viewer, run), page_of(viewer, run, "times")
    for page in (ended, times):
        assert "Where the time went: the steps that decided" in page and "100 %" in page
    assert times.count('<rect class="on-path"') == 1, "b took no time at all"
    assert 'id="run-path"' in page_of(viewer, run, "fragment", view="times")


def test_a_run_of_one_thing_has_no_table(viewer):
    run = start(item("a"), kind="call", now=clock.now())
    assert 'id="run-path"' not in page_of(viewer, run, "times")


def test_took_stands_beside_what_is_usual_for_the_run_and_each_step(viewer):
    entity = make_configuration("customer").entity
    plan = save_plan(PlanDraft(Plan(name="Daily"), {}, [step(entity)]), now=clock.now())
    runs = []
    for number, minutes in enumerate((8, 9, 30, 12)):
        runs.append(start_plans_now(["Daily"], started_by="ann", now=NOW + number * 60 * MINUTE))
        work_off(NOW + number * 60 * MINUTE)
        for rows in (Run.objects.filter(pk=runs[-1].pk), Task.objects.filter(run=runs[-1])):
            began = rows.get().started_at
            rows.update(finished_at=began + minutes * MINUTE)
    page = page_of(viewer, runs[-1])
    assert "<dt>Took</dt><dd>12 min; usually 9 min" in page
    assert '<span class="quiet-line">usually 9 min</span>' in page
    assert "usually" not in page_of(viewer, runs[0])
    of_plan = viewer.get(reverse("admin:scheduling_plan_change", args=[plan.pk])).content.decode()
    for shown in (page_of(viewer, runs[-1], "times"), of_plan):
        assert "How long the last 4 runs took" in shown and shown.count('class="span-completed') >= 4
        assert 'id="run-durations"' in shown


def test_the_last_runs_cost_the_same_whatever_their_number(viewer):
    counts = []
    for _ in range(2):
        for number in range(12):
            run = start(item("a"), key=f"{len(counts)}{number}", now=clock.now())
            work(clock.now())
        for page in ("change", "times"):
            page_of(viewer, run, page)
            with CaptureQueriesContext(connection) as caught:
                page_of(viewer, run, page)
            counts.append(len(caught))
    assert counts[:2] == counts[2:]
