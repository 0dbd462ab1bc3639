"""Promises of how long the last runs of the same took: few, in their order, with what is usual among them."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling.admin.durations import MOST, durations_of
from scheduling.models import Run
from tests.scheduling.conftest import NOW

pytestmark = pytest.mark.django_db


def make(minutes, number=0, status="completed", title="Plan Daily", **fields):
    """Return a run that began a day after the one before and took some minutes; None: it still runs."""
    began = NOW + timedelta(days=number)
    ended = None if minutes is None else began + timedelta(minutes=minutes)
    return Run.objects.create(
        kind="plan", title=title, status=status if ended else "running", fire_key=f"k{Run.objects.count()}",
        created_at=began, started_at=began, finished_at=ended, **fields,
    )  # fmt: skip


def read(**asked):
    runs = Run.objects.like(Run(kind="plan", title="Plan Daily"))
    return durations_of(runs, NOW + timedelta(days=99), **asked)


def test_usual_is_the_median_of_those_that_completed_without_the_run_itself():
    first, *_ = [make(minutes, number) for number, minutes in enumerate((8, 9, 30))]
    make(1, 3, status="failed")
    last = make(12, 4)
    make(500, 5, title="Plan Weekly")
    found = read(of=last.pk)
    assert found.usual == 9 * 60_000 and found.own.took == 12 * 60_000 and len(found.runs) == 5
    assert read(of=first.pk).usual is None, "an old run is told beside those before it"
    assert read().usual == round(10.5 * 60_000) and read().own is None


def test_the_last_thirty_that_began_the_oldest_first_in_one_statement():
    made = [make(number + 1, number) for number in range(MOST + 5)]
    make(None, 98)
    Run.objects.create(kind="plan", title="Plan Daily", status="pending", fire_key="pending", created_at=NOW)
    with CaptureQueriesContext(connection) as caught:
        found = read()
    assert len(caught) == 1 and len(found.runs) == MOST
    assert [run.pk for run in found.runs[:-1]] == [run.pk for run in made[-MOST + 1:]]  # fmt: skip
    assert not found.runs[-1].is_final and found.runs[-1].took == 24 * 3_600_000


def test_the_longest_is_as_high_as_the_drawing_and_the_own_is_marked():
    make(10)
    last = make(20, 1, warnings=2)
    found = read(of=last.pk).drawing
    low, high = found.lanes[0].bars
    assert float(high.height) == 2 * float(low.height) and high.mark == "span-completed-with-warnings own"
    assert float(high.y) + float(high.height) == float(low.y) + float(low.height) < found.height
    assert found.lanes[0].limit_y == low.y and high.url.endswith(f"/run/{last.pk}/change/")
    assert [bar.x for bar in (low, high)] == ["0%", "50%"]


def test_nothing_and_what_took_no_time_are_drawn_as_well():
    assert read().drawing.lanes[0].bars == () and read().usual is None
    make(0)
    (bar,) = read().drawing.lanes[0].bars
    assert float(bar.height) > 0
