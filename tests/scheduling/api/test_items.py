"""The items of the steps of a run that run for each item, by the API: page by page, of one step, in one state."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling.models import Run, Task
from scheduling.queues import claim_next
from scheduling.runs.execute import run_attempt
from scheduling.runs.intervene import hold_step
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import item, start
from tests.scheduling.runs.test_items import listed
from tests.staging.api.test_resource import problem

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run() -> Run:
    """A run with a step of three items, of which the second has run and the third is held."""
    made = start(item("before"), listed("a", {"c": 1}, None, after="before", side_by_side=1))
    while (attempt := claim_next(worker="w", now=NOW)) is not None and attempt.task.key != "load [3]":
        run_attempt(attempt, time=lambda: NOW)
        for third in Task.objects.filter(run=made, key="load [3]", held_at=None):
            hold_step(third, by="anna", person=None, now=NOW)
    return made


def test_items_are_listed_in_their_order_with_what_became_of_each(api: Any, run: Run) -> None:
    caller = api("Viewer")
    found = caller.get(f"runs/{run.pk}/items").json()["results"]
    assert [(one["number"], one["task"], one["item"]) for one in found] == [
        (1, "load [1]", "a"), (2, "load [2]", {"c": 1}), (3, "load [3]", None)]  # fmt: skip
    assert [one["status"] for one in found] == ["completed", "completed", "waiting"]
    assert found[1]["result"] == {"value": {"c": 1}, "item": {"c": 1}, "number": 2} and found[1]["step"] == "load"
    assert (found[2]["held_by"], found[0]["held_by"], found[2]["result"]) == ("anna", None, None)
    (third,) = caller.get(f"runs/{run.pk}/items?status=waiting&task=load").json()["results"]
    assert third == found[2]
    assert caller.get(f"runs/{run.pk}/items?task=before").json()["results"] == []


def test_pages_lead_to_each_other_and_cost_the_same(api: Any, run: Run) -> None:
    caller = api("Viewer")
    first = caller.get(f"runs/{run.pk}/items?limit=2").json()
    second = caller.get(first["next"].partition("/api/v1/")[2]).json()
    assert [one["number"] for one in (*first["results"], *second["results"])] == [1, 2, 3] and second["next"] is None
    assert caller.get(second["previous"].partition("/api/v1/")[2]).json()["results"] == first["results"]
    costs = []
    for size in (1, 3):
        with CaptureQueriesContext(connection) as asked:
            caller.get(f"runs/{run.pk}/items?limit={size}")
        costs.append(len(asked))
    assert costs[0] == costs[1]


def test_what_is_not_there_is_told(api: Any, run: Run) -> None:
    caller = api("Viewer")
    assert "has no step 'lode'" in problem(caller.get(f"runs/{run.pk}/items?task=lode"), 400)["detail"]
    problem(caller.get("runs/999/items"), 404)
    problem(caller.get(f"runs/{run.pk}/items?status=gone"), 400)
