"""Decisions about batches by the API: approved, sent back, discarded, taken back, and by whom not."""

from typing import Any

import pytest
from django.db import connection

from scheduling import clock
from scheduling.models import Run, SchedulerConfiguration
from scheduling.runs.by_hand import start_batch_now
from scheduling.runs.execute import work_off_run
from staging.entities.save import sync
from staging.models import Batch, BatchReview, Entity, Handling
from staging.states import BatchStatus
from tests.staging.api.test_resource import problem

pytestmark = pytest.mark.django_db(transaction=True)


def _batch(by: str = "somebody") -> Batch:
    """Start a batch of the one entity and carry it out; return it."""
    started = start_batch_now(SchedulerConfiguration.objects.get(), started_by=by, now=clock.now())
    work_off_run(started.run, time=clock.now)
    return Batch.objects.get(pk=started.batch.pk)


@pytest.fixture
def held(make_entity: Any, deposit: Any) -> Batch:
    """A batch that holds three rows."""
    make_entity("branch")
    Entity.objects.update(review="hold", keep_history=True)
    sync(Entity.objects.get())
    deposit("branch", 3)
    batch = _batch()
    assert batch.status == BatchStatus.HELD
    return batch


def test_held_rows_are_approved_and_merged(api, held):
    caller = api("Steward")
    answer = caller.post(f"batches/{held.pk}/approve", {"comment": "Checked."}, Idempotency_Key="k")
    assert answer.status_code == 200, answer.content
    assert (
        caller.post(f"batches/{held.pk}/approve", {"comment": "Checked."}, Idempotency_Key="k").json() == answer.json()
    )
    review = BatchReview.objects.get()
    assert (review.decided_by, review.comment) == ("steward (token loader)", "Checked.")
    work_off_run(Run.objects.get(pk=answer.json()["run"]), time=clock.now)
    merged = caller.get(f"batches/{answer.json()['batch']}").json()
    assert (merged["status"], merged["inserted"], merged["approves"]) == ("completed", 3, held.pk)
    problem(caller.post(f"batches/{held.pk}/approve", {}), 409)


def test_some_rows_are_discarded_and_the_rest_sent_back(api, held, staged):
    caller = api("Steward")
    (first, *_) = _ids()
    assert caller.post(f"batches/{held.pk}/discard", {"rows": [first]}, Idempotency_Key="d").json() == {
        "batch": held.pk, "rows": 1, "status": "held"}  # fmt: skip
    assert caller.post(f"batches/{held.pk}/discard", {"rows": [first]}, Idempotency_Key="d").json()["rows"] == 1
    sent = caller.post(f"batches/{held.pk}/send-back", {"comment": "Mend the staff."})
    assert sent.json()["rows"] == 2 and sent.json()["status"] != "held" and staged() == {2: 3}
    problem(caller.post(f"batches/{held.pk}/send-back", {"comment": "x"}), 409)


def _ids() -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM stg_branch ORDER BY id")
        return [row[0] for row in cursor.fetchall()]


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("send-back", {}), ("send-back", {"comment": " "}), ("approve", {"comment": "x" * 501}),
        ("discard", {"rows": []}), ("discard", {"rows": ["1"]}), ("discard", {"rows": [0]}), ("approve", {"rows": 7}),
        ("approve", {"rows": [True]}), ("approve", {"rows": [2**63]}), ("undo", {"skip_changed": 1}),
    ],
)  # fmt: skip
def test_decisions_that_are_none(api, held, action, body):
    problem(api("Steward").post(f"batches/{held.pk}/{action}", body), 400)
    assert not BatchReview.objects.exists()


def test_an_operator_decides_nothing(api, held):
    for action in ("approve", "discard", "send-back", "undo"):
        body = {} if action == "undo" else {"comment": "x"}
        problem(api("Operator", name=action).post(f"batches/{held.pk}/{action}", body), 403)


def test_nobody_approves_work_of_his_own_by_a_token(api, make_entity, deposit):
    """A token is the person it belongs to, whichever of the two started, brought or approves."""
    make_entity("branch")
    Entity.objects.update(review="hold", two_person_rule=True)
    deposit("branch", 1)
    batch = _batch(by="steward")
    assert "two-person" in problem(api("Steward").post(f"batches/{batch.pk}/approve", {}), 409)["detail"]
    deposit("branch", 1, prefix="c")
    other = _batch(by="steward (token other)")
    problem(api("Steward").post(f"batches/{other.pk}/approve", {}), 409)
    deposit("branch", 1, prefix="d")
    third = _batch(by="somebody")
    Handling.objects.create(
        entity=third.entity, handled_by="steward (token x)", first_id=_ids()[-1], last_id=_ids()[-1]
    )
    problem(api("Steward").post(f"batches/{third.pk}/approve", {}), 409)
    Handling.objects.all().delete()
    assert api("Steward").post(f"batches/{third.pk}/approve", {}).status_code == 200


def test_a_batch_is_taken_back(api, make_entity, deposit):
    make_entity("branch")
    Entity.objects.update(keep_history=True)
    sync(Entity.objects.get())
    deposit("branch", 2)
    batch = _batch()
    caller = api("Steward")
    started = caller.post(f"batches/{batch.pk}/undo", {}, Idempotency_Key="k")
    assert started.status_code == 202, started.content
    assert caller.post(f"batches/{batch.pk}/undo", {}, Idempotency_Key="k").json() == started.json()
    work_off_run(Run.objects.get(pk=started.json()["run"]), time=clock.now)
    undone = caller.get(f"batches/{started.json()['batch']}").json()
    assert (undone["status"], undone["deleted"], undone["undoes"]) == ("completed", 2, batch.pk)


def test_what_changed_since_stands_in_the_way_of_an_undo(api, make_entity, deposit):
    make_entity("branch")
    Entity.objects.update(keep_history=True)
    sync(Entity.objects.get())
    deposit("branch", 1)
    batch = _batch()
    deposit("branch", 1, staff="9")
    _batch()
    refused = problem(api("Steward").post(f"batches/{batch.pk}/undo", {}), 409)
    assert refused["errors"][0]["path"] == "skip_changed" and "b0" in refused["errors"][0]["text"]
    assert api("Steward").post(f"batches/{batch.pk}/undo", {"skip_changed": True}).status_code == 202
