"""Promises of review and brakes: a batch that must wait merges nothing, and loses nothing, wherever it is stopped."""

from collections.abc import Iterator

import pytest

from staging.batches.context import NoFence
from staging.batches.pipeline import process
from staging.batches.record import fail_batch, open_batch
from staging.models import Batch, Entity
from staging.states import BatchStatus
from tests.staging.batches.bench import LATER, NOW, counts, define, execute, members, run_batch, stage, staged, text
from tests.staging.batches.test_crash import StopAt, Stopped

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def part() -> Iterator[Entity]:
    """An entity with a text that may be three characters long."""
    entity = define("part", text("kind", max_length=3))
    yield entity
    execute("DROP TABLE stg_part")
    execute("DROP TABLE mdm_part")


def _settings(entity: Entity, **values: object) -> Entity:
    for name, value in values.items():
        setattr(entity, name, value)
    entity.save()
    return entity


def _statuses(entity: Entity) -> list[int]:
    return [row["import_status"] for row in staged(entity)]


def test_a_batch_under_review_holds_all_its_rows_and_merges_none(part: Entity, chunks: int) -> None:
    _settings(part, review="hold")
    stage(part, {"code": "a"}, {"code": "b"}, {"code": "bad", "kind": "long"})

    batch = run_batch(part)

    assert (batch.status, batch.hold_reason) == (BatchStatus.HELD, "Every batch of Part waits for approval.")
    assert (batch.foreseen, counts(batch)) == ({"inserted": 2, "rejected": 1}, {})
    assert batch.finished_at is None
    assert members(part) == {}
    assert {(row["import_status"], row["batch_id"], row["error_code"]) for row in staged(part)} == {(3, batch.pk, 0)}


def test_held_rows_are_not_pending_and_new_ones_are_held_by_their_own_batch(part: Entity) -> None:
    _settings(part, review="hold")
    stage(part, {"code": "a"})
    first = run_batch(part)
    stage(part, {"code": "a"})
    second = run_batch(part)
    assert [row["batch_id"] for row in staged(part)] == [first.pk, second.pk]
    assert second.foreseen == {"inserted": 1}


def test_nothing_to_review_completes(part: Entity) -> None:
    _settings(part, review="hold")
    assert run_batch(part).status == BatchStatus.COMPLETED


@pytest.mark.parametrize(
    ("limit", "bad", "reason"),
    [
        (0.2, 1, ""),
        (0.2, 2, "40 % of 5 rows would be rejected; at most 20 % may be."),
        (0.4, 2, ""),
        (0.0, 1, "20 % of 5 rows would be rejected; at most 0 % may be."),
        (1.0, 5, ""),
        (None, 5, ""),
    ],
)
def test_too_many_rejected_rows_stop_the_batch(part: Entity, limit: float | None, bad: int, reason: str) -> None:
    _settings(part, max_error_rate=limit)
    stage(part, *({"code": f"c{n}", "kind": "long" if n < bad else "1"} for n in range(5)))

    batch = run_batch(part)

    assert batch.hold_reason == reason
    assert batch.status == (BatchStatus.HELD if reason else BatchStatus.COMPLETED)
    assert set(_statuses(part)) == ({3} if reason else {1, 2} - ({1} if bad == 5 else set()))


def test_a_share_is_compared_exactly(part: Entity) -> None:
    _settings(part, max_error_rate=0.29)
    stage(part, *({"code": f"c{n}", "kind": "long" if n < 29 else "1"} for n in range(100)))
    assert run_batch(part).status == BatchStatus.COMPLETED


def test_too_many_changed_members_stop_the_batch(part: Entity) -> None:
    stage(part, *({"code": f"c{n}", "kind": "1"} for n in range(10)))
    run_batch(part)
    _settings(part, max_change_rate=0.3)
    stage(part, *({"code": f"c{n}", "kind": "2"} for n in range(3)), {"code": "new"}, {"code": "c9", "kind": "1"})
    assert run_batch(part).status == BatchStatus.COMPLETED

    stage(part, *({"code": f"c{n}", "kind": "3"} for n in range(4)))
    batch = run_batch(part)

    assert (batch.status, batch.foreseen) == (BatchStatus.HELD, {"updated": 4})
    assert batch.hold_reason == "36.4 % of 11 active members would be changed; at most 30 % may be."
    assert members(part)["c0"]["kind"] == "2"


def test_too_many_removed_members_stop_the_batch(part: Entity) -> None:
    stage(part, *({"code": f"c{n}"} for n in range(10)))
    run_batch(part)
    _settings(part, max_removal_rate=0.2)
    stage(part, {"code": "c0", "import_action": 4}, {"code": "c1", "import_action": 3})
    assert run_batch(part).status == BatchStatus.COMPLETED

    # Deleting a member that is inactive takes nothing away that people use.
    stage(part, {"code": "c1", "import_action": 4}, {"code": "c2", "import_action": 3})
    assert run_batch(part).status == BatchStatus.COMPLETED
    stage(part, {"code": "c3", "import_action": 3}, {"code": "c4", "import_action": 6})
    batch = run_batch(part)

    assert (batch.status, batch.foreseen) == (BatchStatus.HELD, {"deactivated": 1, "deleted": 1})
    assert batch.hold_reason == "28.6 % of 7 active members would be deactivated or deleted; at most 20 % may be."
    assert members(part)["c3"]["is_active"]


def test_all_reasons_are_told(part: Entity) -> None:
    _settings(part, review="hold", max_error_rate=0.1)
    stage(part, {"code": "bad", "kind": "long"})
    assert run_batch(part).hold_reason == (
        "Every batch of Part waits for approval. 100 % of 1 row would be rejected; at most 10 % may be."
    )


@pytest.mark.parametrize("rows", [1, 2, 100])
def test_stopped_at_any_check_each_row_is_pending_or_held_and_the_next_attempt_holds_the_rest(
    part: Entity, rows: int, settings
) -> None:
    settings.MERGE_CHUNK_ROWS = rows
    _settings(part, max_error_rate=0.5)
    for passes in range(30):
        execute("DELETE FROM stg_part")
        stage(part, *({"code": f"c{n}", "kind": "long" if n < 3 else "1"} for n in range(5)))
        batch = open_batch(part, now=NOW)
        try:
            process(batch, fence=StopAt(passes), now=NOW)
        except Stopped:
            assert set(_statuses(part)) <= {0, 3}
        else:
            break
        # Fewer rows are left, of which too few are bad for the brake; what was decided stays decided.
        assert process(batch, fence=NoFence(), now=LATER).status == BatchStatus.HELD
        assert (set(_statuses(part)), members(part)) == ({3}, {})
    assert passes > 2


@pytest.mark.parametrize("held", [0, 4])
def test_a_batch_given_up_while_it_holds_is_found_by_a_person(part: Entity, held: int, settings) -> None:
    settings.MERGE_CHUNK_ROWS = 2
    _settings(part, review="hold")
    stage(part, *({"code": f"c{n}"} for n in range(4)))
    batch = open_batch(part, now=NOW)
    with pytest.raises(Stopped):
        process(batch, fence=StopAt(3 if held else 2), now=NOW)

    assert fail_batch(batch.pk, "The worker died.", NOW)

    batch = Batch.objects.get(pk=batch.pk)
    assert _statuses(part) == [3] * held + [0] * (4 - held)
    assert (batch.status, batch.error) == (BatchStatus.HELD if held else BatchStatus.FAILED, "The worker died.")
    assert not fail_batch(batch.pk, "again", LATER)


def test_rows_that_others_take_meanwhile_are_not_held(part: Entity) -> None:
    _settings(part, review="hold")
    stage(part, {"code": "a"}, {"code": "b"})

    class Take(NoFence):
        checks = 0

        def check(self, rows_done: int, rows_total: int | None) -> None:
            self.checks += 1
            if self.checks == 2:
                execute("UPDATE stg_part SET import_status = 2 WHERE code = 'b'")

    batch = process(open_batch(part, now=NOW), fence=Take(), now=NOW)

    assert (batch.status, _statuses(part)) == (BatchStatus.HELD, [3, 2])
