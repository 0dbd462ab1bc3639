"""Promises of the page of a run while a step waits: it says for what and until when, and people can let it look."""

from datetime import timedelta

import pytest
from django.urls import reverse

from scheduling import clock
from scheduling.admin.runs.order import order_of
from scheduling.admin.runs.state import run_state
from scheduling.admin.runs.times import WAITED, chart_of
from scheduling.dag.manifest import ManifestTask
from scheduling.runs.intervene import hold_step
from scheduling.states import RunKind
from tests.scheduling.admin.runs.test_views import page_of
from tests.scheduling.runs.pieces import item, of, start, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def waiting(make_entity):
    """A run that waits for rows, and for a time."""
    now = clock.now()
    entity = make_entity().entity
    run = start(
        ManifestTask("rows", RunKind.WAIT, None, arguments={"rows": 1, "entity": entity.pk}, attempts=5),
        ManifestTask("minutes", RunKind.WAIT, None, arguments={"minutes": 30}, attempts=5),
        item("after", "rows minutes"),
        now=now,
    )
    work(now)
    return run


def test_it_says_for_what_and_until_when_instead_of_queued(viewer, waiting):
    page = page_of(viewer, waiting)
    assert "Waits for 1 row of Branch since" in page and "Looks again at" in page and "Waits until" in page
    assert page.count("awaiting</span>") >= 2 and "queued</span>" not in page.split("run-steps")[1]
    assert "No worker has taken it yet" not in page and "Not before" not in page and "0 of 5" not in page
    assert "Waits for minutes, rows." in page, "of what comes after it"


def test_those_that_wait_are_shown_alone_and_in_the_drawing(viewer, waiting):
    assert page_of(viewer, waiting, state="awaiting").count("<tr id=") == 2
    assert dict(order_of(waiting).waves[0]) == {"rows": "awaiting", "minutes": "awaiting"}


def test_each_step_is_counted_once_and_each_count_opens_those_it_counted(waiting):
    hold_step(of(waiting, "after"), by="ann", now=clock.now())
    state = run_state(waiting, {}, clock.now())
    counted = {name: number for name, number, _ in state.links}
    assert counted == {"awaiting": 2, "held": 1} and state.total == 3
    for name, number in counted.items():
        assert len(run_state(waiting, {"state": name}, clock.now()).steps) == number
    assert run_state(waiting, {"state": "queued"}, clock.now()).steps == []


def test_the_times_show_the_wait_as_one_flat_line(waiting):
    later = clock.now() + timedelta(minutes=10)
    spans = [span for span in chart_of(run_state(waiting, {}, later), later).spans if span.step == "rows"]
    assert [(span.what, span.words) for span in spans] == [(WAITED, "waited")]
    assert spans[0].end == later
    work(later)
    ended = later + timedelta(minutes=30)
    work(ended)
    spans = [span for span in chart_of(run_state(waiting, {}, ended), ended).spans if span.step == "minutes"]
    assert [span.what for span in spans] == [WAITED, "completed"]
    assert spans[0].start == waiting.created_at and spans[0].end == spans[1].start


def test_a_person_lets_it_look_now(steward, waiting, deposit):
    page = page_of(steward, waiting)
    assert page.count("Look now …") == 2 and "Retry now …" not in page
    asked = reverse("admin:scheduling_run_retry", args=[waiting.pk])
    task = of(waiting, "rows")
    shown = steward.get(asked, {"task": task.pk}).content.decode()
    assert "It looks at once, instead of waiting for its next look." in shown
    deposit()
    assert steward.post(asked, {"task": task.pk}).status_code == 302
    work(clock.now())
    assert of(waiting, "rows").status == "completed"
