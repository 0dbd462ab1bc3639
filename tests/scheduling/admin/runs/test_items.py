"""Promises of the page of a run about items: how far they are beneath their step, and each of them when asked for."""

from datetime import timedelta

import pytest
from django.urls import reverse

from scheduling.admin.runs.state import run_state
from scheduling.admin.runs.times import spans_of
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import FAILING, item, start, work
from tests.scheduling.runs.test_items import listed

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)


def page(client, run, query=""):
    return client.get(reverse("admin:scheduling_run_change", args=[run.pk]) + query).content.decode()


def test_a_step_tells_how_many_of_its_items_have_ended_and_folds_them(viewer):
    FAILING.add("load [2]")
    run = start(item("before"), listed("north", "south", "east", after="before", side_by_side=1), item("after", "load"))
    work(most=4)
    text = page(viewer, run)
    assert "2 of 3 items" in text and "load [1]" not in text
    step = run.tasks.get(key="load")
    text = page(viewer, run, f"?of={step.pk}")
    assert all(each in text for each in ("load [1]", "load [2]", "load [3]", "&quot;north&quot;", "load and its items"))
    assert ">after<" not in text
    for mangled in ("?of=x", "?of=0", f"?of={run.tasks.get(key='before').pk}", "?of=" + "9" * 30):
        assert "2 of 3 items" in page(viewer, run, mangled)


def test_many_items_stand_on_pages(viewer):
    run = start(listed(*range(130)))
    work(most=1)
    step = run.tasks.get(key="load")
    first, second = page(viewer, run, f"?of={step.pk}"), page(viewer, run, f"?of={step.pk}&steps=2")
    assert "load [100]" in first and "load [101]" not in first and f"of={step.pk}&amp;steps=2" in first
    assert "load [101]" in second and "load [130]" in second and "load [100]" not in second


def test_among_the_times_of_a_run_its_items_are_work_and_no_wait():
    run = start(listed("north", "south"))
    work(most=1)
    (step,) = run_state(run, {}, NOW + MINUTE).steps
    (span,) = spans_of(step, NOW + MINUTE)
    assert (span.what, span.start, span.end, span.is_awaited) == ("running", NOW, NOW + MINUTE, False)
    work(NOW + MINUTE)
    (step,) = run_state(run, {}, NOW + 2 * MINUTE).steps
    (span,) = spans_of(step, NOW + 2 * MINUTE)
    assert (span.what, span.start, span.end) == ("completed", NOW, NOW + MINUTE)
