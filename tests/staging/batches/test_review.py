"""Promises of decisions about held rows: exactly those rows, judged afresh, by the right person, all of it recorded."""

from collections.abc import Iterator

import pytest
from django.db import transaction

from staging.batches.context import NoFence
from staging.batches.pipeline import process
from staging.batches.record import fail_batch, open_batch
from staging.batches.shown.held import check_approval, close_settled_reviews, discard, record_approval, send_back
from staging.errors import ReviewRefused
from staging.models import Batch, BatchReview, Entity, Handling
from staging.states import BatchStatus
from tests.staging.batches.bench import (
    LATER,
    NOW,
    counts,
    define,
    execute,
    members,
    reference,
    run_batch,
    stage,
    staged,
    text,
)
from tests.staging.batches.test_crash import StopAt, Stopped

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def part() -> Iterator[Entity]:
    """An entity under review with four rows held, one of which is bad."""
    entity = define("part", text("kind", max_length=3), review="hold")
    stage(entity, {"code": "a", "kind": "1"}, {"code": "b"}, {"code": "c"}, {"code": "bad", "kind": "long"})
    yield entity
    execute("DROP TABLE stg_part")
    execute("DROP TABLE mdm_part")


@pytest.fixture
def held(part: Entity) -> Batch:
    """The batch that holds them."""
    return process(open_batch(part, started_by="anna", now=NOW), fence=NoFence(), now=NOW)


def _approval(held: Batch, ids: list[int] | None = None) -> Batch:
    with transaction.atomic():
        batch = open_batch(held.entity, started_by="ben", approves_id=held.pk, selected_rows=ids, now=LATER)
        record_approval(held, batch, by="ben", comment="fine", now=LATER)
    return batch


def _ids(part: Entity, *codes: str) -> list[int]:
    return [row["id"] for row in staged(part) if row["code"] in codes]


def _statuses(part: Entity) -> dict[str, int]:
    return {row["code"]: row["import_status"] for row in staged(part)}


def test_an_approval_merges_what_was_held_and_nothing_else(part: Entity, held: Batch, chunks: int) -> None:
    stage(part, {"code": "later"})

    batch = process(_approval(held), fence=NoFence(), now=LATER)

    assert (batch.status, counts(batch)) == (BatchStatus.COMPLETED, {"inserted": 3, "rejected": 1})
    assert _statuses(part) == {"a": 1, "b": 1, "c": 1, "bad": 2, "later": 0}
    assert {row["batch_id"] for row in staged(part)} == {batch.pk, None}
    held.refresh_from_db()
    assert held.status == BatchStatus.REVIEWED
    assert held.finished_at is not None
    review = BatchReview.objects.get()
    assert (review.verb, review.decided_by, review.comment, review.rows) == ("approve", "ben", "fine", 4)


def test_selected_rows_are_merged_and_the_rest_stays_held(part: Entity, held: Batch, chunks: int) -> None:
    batch = process(_approval(held, _ids(part, "c", "a")), fence=NoFence(), now=LATER)
    assert (counts(batch), sorted(members(part))) == ({"inserted": 2}, ["a", "c"])
    assert _statuses(part) == {"a": 1, "b": 3, "c": 1, "bad": 3}
    held.refresh_from_db()
    assert held.status == BatchStatus.HELD

    process(_approval(held), fence=NoFence(), now=LATER)
    held.refresh_from_db()
    assert (held.status, _statuses(part)["b"]) == (BatchStatus.REVIEWED, 1)


def test_selecting_a_row_that_is_not_held_does_nothing_to_it(part: Entity, held: Batch) -> None:
    stage(part, {"code": "later"})
    batch = process(_approval(held, _ids(part, "later")), fence=NoFence(), now=LATER)
    assert (counts(batch), _statuses(part)["later"]) == ({}, 0)


def test_what_changed_since_is_judged_anew() -> None:
    region = define("region")
    branch = define("branch", reference("region", "region"), review="hold")
    try:
        stage(branch, {"code": "b1", "region": "eu"})
        held = run_batch(branch)
        assert held.foreseen == {"rejected": 1}
        stage(region, {"code": "eu"})
        run_batch(region)
        assert counts(process(_approval(held), fence=NoFence(), now=LATER)) == {"inserted": 1}
    finally:
        for table in ("stg_branch", "mdm_branch", "stg_region", "mdm_region"):
            execute(f"DROP TABLE {table}")


def test_an_approved_batch_is_merged_in_spite_of_the_brake(part: Entity, held: Batch) -> None:
    Entity.objects.update(max_error_rate=0)
    assert process(_approval(held), fence=NoFence(), now=LATER).status == BatchStatus.COMPLETED


@pytest.mark.parametrize("rows", [1, 2, 100])
def test_an_approval_stopped_anywhere_leaves_its_rows_held_or_merged(part: Entity, rows: int, settings) -> None:
    settings.MERGE_CHUNK_ROWS = rows
    for passes in range(30):
        execute("DELETE FROM stg_part")
        execute("DELETE FROM mdm_part")
        stage(part, {"code": "a"}, {"code": "b"}, {"code": "c"}, {"code": "bad", "kind": "long"})
        held = run_batch(part)
        batch = _approval(held)
        try:
            process(batch, fence=StopAt(passes), now=LATER)
        except Stopped:
            assert set(_statuses(part).values()) <= {1, 2, 3}
        else:
            break
        assert counts(process(batch, fence=NoFence(), now=LATER)) == {"inserted": 3, "rejected": 1}
        held.refresh_from_db()
        assert held.status == BatchStatus.REVIEWED
    assert passes > 2


def test_the_rows_of_an_approval_that_failed_can_be_approved_again(part: Entity, held: Batch) -> None:
    fail_batch(_approval(held).pk, "The worker died.", LATER)
    check_approval(held, by="ben")
    assert counts(process(_approval(held), fence=NoFence(), now=LATER)) == {"inserted": 3, "rejected": 1}


def test_rows_sent_back_are_rejected_with_the_comment(part: Entity, held: Batch, chunks: int) -> None:
    assert send_back(held, ids=_ids(part, "a", "bad"), comment="Whose is this?", by="ben", now=LATER) == 2

    sent = [row for row in staged(part) if row["code"] in ("a", "bad")]
    assert {(row["import_status"], row["error_message"]) for row in sent} == {(2, "Sent back by ben: Whose is this?")}
    assert _statuses(part)["b"] == 3
    held.refresh_from_db()
    assert (held.status, held.rejected) == (BatchStatus.HELD, 2)


def test_a_discarded_batch_is_reviewed(part: Entity, held: Batch, chunks: int) -> None:
    assert discard(held, comment="Wrong file.", by="ben", now=LATER) == 4
    assert {row["error_message"] for row in staged(part)} == {"Discarded by ben: Wrong file."}
    held.refresh_from_db()
    assert (held.status, held.finished_at, held.rejected) == (BatchStatus.REVIEWED, LATER, 4)
    review = BatchReview.objects.get()
    assert (review.verb, review.rows, review.decided_at) == ("discard", 4, LATER)


def test_a_review_that_a_crash_left_open_is_ended_later(part: Entity, held: Batch) -> None:
    assert close_settled_reviews(LATER) == 0
    execute("UPDATE stg_part SET import_status = 1")
    assert close_settled_reviews(LATER) == 1
    held.refresh_from_db()
    assert held.status == BatchStatus.REVIEWED


def test_what_is_decided_is_decided(part: Entity, held: Batch) -> None:
    discard(held, comment="", by="ben", now=LATER)
    with pytest.raises(ReviewRefused, match="is not held any more; it is reviewed"):
        check_approval(held, by="ben")
    with pytest.raises(ReviewRefused):
        send_back(held, comment="", by="ben", now=LATER)


def test_nobody_decides_while_approved_rows_are_being_merged(part: Entity, held: Batch) -> None:
    merging = _approval(held, _ids(part, "a"))
    with pytest.raises(ReviewRefused, match=f"being merged by batch {merging.pk}"):
        discard(held, comment="", by="ben", now=LATER)


def test_two_people_are_needed_where_the_rule_says_so(part: Entity, held: Batch) -> None:
    check_approval(held, by="anna")
    Entity.objects.update(two_person_rule=True)
    held.refresh_from_db()
    held.entity.refresh_from_db()
    with pytest.raises(ReviewRefused, match="two-person rule"):
        check_approval(held, by="anna")
    check_approval(held, by="ben")
    assert discard(held, comment="my mistake", by="anna", now=LATER) == 4


def test_nobody_approves_rows_that_are_his_own_work(part: Entity, held: Batch) -> None:
    Entity.objects.update(two_person_rule=True)
    held.entity.refresh_from_db()
    (first, second) = _ids(part, "a", "b")
    Handling.objects.create(entity=part, handled_by="ben", first_id=first, last_id=first)
    with pytest.raises(ReviewRefused, match="ben uploaded or mended some of the rows"):
        check_approval(held, by="ben")
    with pytest.raises(ReviewRefused):
        check_approval(held, by="ben", ids=[first, second])
    check_approval(held, by="ben", ids=[second])
    check_approval(held, by="cleo")
    discard(held, ids=[first], comment="", by="cleo", now=LATER)
    check_approval(held, by="ben")


def test_rows_discarded_while_they_are_merged_are_not_merged(part: Entity, held: Batch) -> None:
    batch = _approval(held)

    class Discard(NoFence):
        checks = 0

        def check(self, rows_done: int, rows_total: int | None) -> None:
            self.checks += 1
            if self.checks == 2:
                execute("UPDATE stg_part SET import_status = 2 WHERE code = 'a'")

    assert counts(process(batch, fence=Discard(), now=LATER)) == {"inserted": 2, "rejected": 1}
    assert "a" not in members(part)
