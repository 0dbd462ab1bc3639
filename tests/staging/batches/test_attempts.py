"""A delivery is judged once: whatever ended a batch half way, the next one carries on with what was decided."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from staging.batches.context import NoFence
from staging.batches.pipeline import process
from staging.batches.record import cancel_batch, fail_batch, open_batch
from staging.batches.undo.undo import foresee
from staging.models import Batch, Entity
from staging.tables.alter import sync_tables
from tests.staging.batches.bench import LATER, NOW, counts, define, execute, fetch, members, run_batch, stage, staged
from tests.staging.batches.bench import text as text_attribute
from tests.staging.batches.test_crash import StopAt, Stopped

pytestmark = pytest.mark.django_db

COPIES = [{"code": f"c{n}", "kind": str(copy)} for copy in (1, 2) for n in range(6)]
Ending = Callable[[int, datetime], object]
ENDINGS: dict[str, Ending] = {
    "a person cancels it": cancel_batch,
    "its worker dies": lambda pk, now: fail_batch(pk, "The worker died.", now),
}


@pytest.fixture
def part(settings: Any) -> Entity:
    """Return an entity whose batches merge two rows a transaction."""
    settings.MERGE_CHUNK_ROWS = 2
    return define("part", text_attribute("kind", max_length=3))


def _stop(entity: Entity, passes: int, end: Ending = cancel_batch, tag: str = "") -> Batch:
    """Process a batch up to one of its checks, and end it there."""
    batch = open_batch(entity, tag=tag, now=NOW)
    with pytest.raises(Stopped):
        process(batch, fence=StopAt(passes), now=NOW)
    assert end(batch.pk, NOW)
    batch.refresh_from_db()
    return batch


def _kept_tables() -> list[str]:
    return [b.decisions for b in Batch.objects.exclude(decisions="")]


@pytest.mark.parametrize("end", ENDINGS.values(), ids=list(ENDINGS))
@pytest.mark.parametrize(
    ("policy", "kinds"),
    [("reject_all", set()), ("first_wins", {"1"}), ("last_wins", {"2"})],
)
def test_copies_in_a_batch_that_ended_between_two_chunks_are_judged_together(
    part: Entity, policy: str, kinds: set[str], end: Ending
) -> None:
    Entity.objects.filter(pk=part.pk).update(duplicates=policy)
    part.refresh_from_db()
    stage(part, *COPIES)
    first = _stop(part, 4, end)
    assert 0 < first.rows_done < len(COPIES)

    batch = run_batch(part, now=LATER)

    assert {row["kind"] for row in members(part).values()} == kinds
    assert len(members(part)) == (6 if kinds else 0)
    assert first.rows_done + batch.rows_done == len(COPIES)
    assert (batch.rows_total, _kept_tables()) == (batch.rows_done, [])


def test_rows_that_land_after_a_cancel_are_a_delivery_of_their_own(part: Entity) -> None:
    stage(part, *({"code": f"c{n}", "kind": "1"} for n in range(6)))
    _stop(part, 4)
    stage(part, {"code": "c0", "kind": "2"}, {"code": "c5", "kind": "2"}, {"code": "new"})

    batch = run_batch(part, now=LATER)

    assert {code: row["kind"] for code, row in members(part).items()} == {
        "c0": "2", "c1": "1", "c2": "1", "c3": "1", "c4": "1", "c5": "2", "new": None,
    }  # fmt: skip
    assert (counts(batch), batch.rows_total) == ({"inserted": 3, "updated": 2}, 5)


def test_a_row_that_a_person_mends_after_a_cancel_is_merged_as_it_is_then(part: Entity) -> None:
    stage(part, *COPIES)
    _stop(part, 4)
    execute("UPDATE stg_part SET kind = '3' WHERE code = 'c5' AND kind = '2'")
    execute("DELETE FROM stg_part WHERE code = 'c4' AND kind = '2'")

    run_batch(part, now=LATER)

    # Judged afresh beside what is settled: the copies that were rejected still speak against the others.
    assert members(part).keys() <= {"c4"}
    assert all(row["import_status"] != 0 for row in staged(part))


def test_a_rejected_row_that_is_sent_back_after_a_cancel_is_a_new_one(part: Entity) -> None:
    stage(part, *COPIES)
    _stop(part, 4)
    execute("UPDATE stg_part SET import_status = 0, batch_id = NULL, code = 'mended' WHERE id IN"
            " (SELECT min(id) FROM stg_part WHERE import_status = 2)")  # fmt: skip

    run_batch(part, now=LATER)

    assert set(members(part)) == {"mended"}


def test_definitions_that_change_after_a_cancel_hold_for_the_rest(part: Entity) -> None:
    stage(part, *({"code": f"c{n}", "kind": "123"} for n in range(6)))
    _stop(part, 4)
    part.attributes.update(max_length=2)

    batch = run_batch(part, now=LATER)

    assert (len(members(part)), counts(batch)) == (4, {"rejected": 2})


def test_a_batch_of_another_tag_leaves_alone_what_was_cancelled(part: Entity) -> None:
    stage(part, *({**row, "batch_tag": "a"} for row in COPIES), {"code": "b", "batch_tag": "b"})
    _stop(part, 4, tag="a")

    other = run_batch(part, tag="b", now=LATER)
    assert (counts(other), set(members(part))) == ({"inserted": 1}, {"b"})

    run_batch(part, now=LATER)
    assert set(members(part)) == {"b"}
    assert _kept_tables() == []


def test_a_batch_of_one_tag_finishes_the_delivery_that_was_judged_with_it(part: Entity) -> None:
    stage(part, *({**row, "batch_tag": "ab"[n % 2]} for n, row in enumerate(COPIES)))
    _stop(part, 4)

    run_batch(part, tag="a", now=LATER)

    assert members(part) == {}
    assert {row["import_status"] for row in staged(part)} == {2}


def test_brakes_look_at_a_delivery_of_its_own_and_not_at_what_was_left(part: Entity) -> None:
    Entity.objects.filter(pk=part.pk).update(max_error_rate=0.5)
    part.refresh_from_db()
    bad = ({"code": f"c{n}", "kind": "long" if n > 3 else "1"} for n in range(8))
    stage(part, *bad)
    _stop(part, 5)

    batch = run_batch(part, now=LATER)  # all that is left is bad
    assert (batch.status, counts(batch)) == ("completed", {"rejected": 2})

    stage(part, *({"code": f"d{n}", "kind": "1"} for n in range(4)))
    _stop(part, 4)
    stage(part, {"code": "x", "kind": "long"})
    assert run_batch(part, now=LATER).status == "held"


def test_a_held_batch_is_held_as_a_whole(part: Entity) -> None:
    Entity.objects.filter(pk=part.pk).update(review="hold")
    part.refresh_from_db()
    stage(part, *COPIES)
    for passes in (2, 3):
        batch = open_batch(part, now=NOW)
        with pytest.raises(Stopped):
            process(batch, fence=StopAt(passes), now=NOW)
        fail_batch(batch.pk, "The worker died.", NOW)
        assert {row["import_status"] for row in staged(part)} == {0 if passes == 2 else 3}


def test_approved_rows_are_judged_once_however_often_the_approval_is_stopped(part: Entity) -> None:
    Entity.objects.filter(pk=part.pk).update(review="hold")
    part.refresh_from_db()
    stage(part, *COPIES)
    held = run_batch(part)
    approval = open_batch(part, approves_id=held.pk, now=NOW)
    with pytest.raises(Stopped):
        process(approval, fence=StopAt(4), now=NOW)
    cancel_batch(approval.pk, NOW)

    batch = process(open_batch(part, approves_id=held.pk, now=LATER), fence=NoFence(), now=LATER)

    assert (batch.status, members(part), Batch.objects.get(pk=held.pk).status) == ("completed", {}, "reviewed")


def test_an_undo_has_what_was_left_judged_again(part: Entity) -> None:
    stage(part, {"code": "c5", "kind": "0", "name": "N"})
    Entity.objects.filter(pk=part.pk).update(keep_history=True)
    part.refresh_from_db()
    sync_tables(part)
    older = run_batch(part)
    stage(part, *({"code": f"c{n}", "kind": "1"} for n in range(6)))
    cancelled = _stop(part, 4)
    assert foresee(older, LATER).changes == 1

    undone = process(open_batch(part, undoes_id=older.pk, now=LATER), fence=NoFence(), now=LATER)
    assert (undone.status, Batch.objects.get(pk=cancelled.pk).decided_by) == ("completed", "")
    run_batch(part, now=LATER)

    assert {code: row["name"] for code, row in members(part).items()} == {f"c{n}": None for n in range(6)}


def test_tables_of_decisions_are_dropped_with_the_batch_that_nobody_remembers(part: Entity) -> None:
    stage(part, *COPIES)
    table = _stop(part, 4).decisions
    assert fetch(f"SELECT count(*) FROM {table}") == [(12,)]
    Batch.objects.all().delete()

    run_batch(part, now=LATER)

    with pytest.raises(Exception, match=table):
        fetch(f"SELECT count(*) FROM {table}")


@pytest.mark.parametrize("end", ENDINGS.values(), ids=list(ENDINGS))
def test_a_batch_that_ended_right_before_it_forgot_what_it_had_carried_out_leaves_nothing(
    part: Entity, end: Ending
) -> None:
    stage(part, *COPIES)
    whole = StopAt(1000)
    process(open_batch(part, now=NOW), fence=whole, now=NOW)
    stage(part, *({**row, "code": f"again {row['code']}"} for row in COPIES))
    table = _stop(part, len(whole.seen) - 1, end).decisions
    assert table and all(row["import_status"] for row in staged(part)), "only its own end is missing"

    run_batch(part, now=LATER)

    assert _kept_tables() == []
    with pytest.raises(Exception, match=table):
        fetch(f"SELECT count(*) FROM {table}")
