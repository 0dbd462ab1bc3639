"""An undo puts back what a batch changed, refuses what would break others, and is itself a batch that can be undone."""

from typing import Any

import pytest

from staging.batches.context import Fence, NoFence
from staging.batches.pipeline import process
from staging.batches.record import open_batch
from staging.batches.undo.undo import foresee
from staging.errors import UndoRefused
from staging.models import Batch, Entity
from tests.staging.batches.bench import LATER, NOW, counts, define, execute, members, reference, run_batch, stage, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def area() -> Entity:
    return define("area", text("kind"), keep_history=True)


@pytest.fixture
def part(area: Entity) -> Entity:
    attributes = [text("kind"), text("mail", unique=True), reference("parent", "part"), reference("area", "area")]
    return define("part", *attributes, keep_history=True)


def undo(batch: Batch, *, skip: bool = False, fence: Fence | None = None) -> Batch:
    """Undo a batch as the scheduler's worker does."""
    own = open_batch(
        batch.entity, undoes_id=batch.pk, skip_changed=skip, trigger_source=f"Undo of batch {batch.pk}", now=LATER
    )
    return process(own, fence=fence or NoFence(), now=LATER)


def state(entity: Entity) -> dict[str, dict[str, Any]]:
    """Return the members by code, without what an undo is allowed to change."""
    return {code: {k: v for k, v in row.items() if k != "updated_at"} for code, row in members(entity).items()}


def change(entity: Entity, *rows: dict[str, Any]) -> Batch:
    """Stage rows and process them."""
    stage(entity, *rows)
    batch = run_batch(entity, now=NOW)
    assert batch.rejected == 0
    return batch


def test_a_member_that_woke_up_while_what_it_refers_to_was_deactivated_comes_back_so(part: Entity) -> None:
    change(part, {"code": "a"}, {"code": "b", "parent": "a"})
    change(part, {"code": "b", "import_action": 3})
    before = state(part)
    batch = change(part, {"code": "b"}, {"code": "a", "import_action": 3})
    after = state(part)

    undone = undo(batch)
    assert (undone.status, state(part)) == ("completed", before)
    redone = undo(undone)
    assert (redone.status, state(part)) == ("completed", after)


def test_new_members_go_and_changed_ones_are_as_before(part: Entity, chunks: int) -> None:
    change(part, {"code": "a", "name": "A", "kind": "x", "mail": "a@x"}, {"code": "b"})
    before = state(part)
    batch = change(part, {"code": "a", "kind": "y", "mail": "b@x"}, {"code": "b", "parent": "c"}, {"code": "c"})
    after = state(part)

    foreseen = foresee(batch, NOW)
    assert (foreseen.revived, foreseen.restored, foreseen.removed, foreseen.conflicts) == (0, 2, 1, [])
    done = undo(batch)

    assert (done.status, counts(done)) == ("completed", {"updated": 2, "deleted": 1})
    assert state(part) == before
    assert members(part)["a"]["updated_at"] != members(part)["b"]["created_at"]

    again = undo(done)
    assert (again.status, counts(again)) == ("completed", {"inserted": 1, "updated": 2})
    assert state(part) == after
    assert undo(again).status == "completed"
    assert state(part) == before


def test_an_undone_batch_is_as_if_it_had_never_been(part: Entity) -> None:
    first = change(part, {"code": "a", "kind": "1"})
    second = change(part, {"code": "a", "kind": "2"})
    third = change(part, {"code": "a", "kind": "3"})
    assert undo(third).status == "completed"
    assert undo(second).status == "completed"
    assert members(part)["a"]["kind"] == "1"
    assert undo(first).status == "completed"
    assert members(part) == {}


def test_what_was_undone_may_be_undone_again_without_effect(part: Entity) -> None:
    batch = change(part, {"code": "a", "kind": "1"})
    undo(batch)
    again = undo(batch)
    assert (again.status, counts(again)) == ("completed", {})


def test_members_changed_since_refuse_the_whole(part: Entity) -> None:
    change(part, {"code": "a", "kind": "1"}, {"code": "b", "kind": "1"})
    batch = change(part, {"code": "a", "kind": "2"}, {"code": "b", "kind": "2"})
    change(part, {"code": "b", "kind": "3"})
    done = undo(batch)
    assert done.status == "failed"
    assert done.error == (
        f"Nothing was changed. 1 member of batch {batch.pk} cannot be taken back: b: it was changed since."
    )
    assert {code: row["kind"] for code, row in members(part).items()} == {"a": "2", "b": "3"}


def test_members_changed_since_are_left_alone_when_asked(part: Entity) -> None:
    change(part, {"code": "a", "kind": "1"}, {"code": "b", "kind": "1"})
    batch = change(part, {"code": "a", "kind": "2"}, {"code": "b", "kind": "2"})
    change(part, {"code": "b", "kind": "3"})
    assert [str(conflict) for conflict in foresee(batch, NOW).conflicts] == ["b"]
    done = undo(batch, skip=True)
    assert (done.status, counts(done)) == ("completed", {"updated": 1})
    assert {code: row["kind"] for code, row in members(part).items()} == {"a": "1", "b": "3"}


def test_a_redo_after_something_else_is_refused(part: Entity) -> None:
    change(part, {"code": "a", "kind": "1"})
    batch = change(part, {"code": "a", "kind": "2"})
    undone = undo(batch)
    change(part, {"code": "a", "kind": "3"})
    assert undo(undone).status == "failed"
    assert members(part)["a"]["kind"] == "3"


def test_the_order_of_undos_must_be_the_order_of_changes_backwards(part: Entity) -> None:
    change(part, {"code": "a", "kind": "0", "name": "N"})
    first = change(part, {"code": "a", "kind": "1"})
    second = change(part, {"code": "a", "name": "M"})
    undone = undo(second)
    undo(first)
    redone = undo(undone)
    assert redone.status == "failed"  # it would bring back what the first batch had changed
    assert (members(part)["a"]["kind"], members(part)["a"]["name"]) == ("0", "N")


def test_a_new_member_that_others_refer_to_stays(part: Entity, area: Entity) -> None:
    batch = change(area, {"code": "n"}, {"code": "s"})
    change(part, {"code": "a", "area": "n"})
    found = foresee(batch, NOW).conflicts
    assert [(str(conflict), conflict.reason) for conflict in found] == [("n", "other members refer to it")]
    assert undo(batch).status == "failed"
    assert undo(batch, skip=True).deleted == 1
    assert set(members(area)) == {"n"}


def test_references_among_new_members_go_with_them(part: Entity, chunks: int) -> None:
    rows = [{"code": "a", "parent": "b"}, {"code": "b", "parent": "c"}, {"code": "c", "parent": "a"}]
    batch = change(part, *rows, {"code": "self", "parent": "self"})
    after = state(part)
    done = undo(batch)
    assert (done.status, counts(done)) == ("completed", {"deleted": 4})
    assert members(part) == {}
    undo(done)
    assert state(part) == after


def test_one_that_must_stay_keeps_what_it_refers_to(part: Entity) -> None:
    batch = change(part, {"code": "a", "parent": "b"}, {"code": "b", "parent": "c"}, {"code": "c"}, {"code": "d"})
    change(part, {"code": "a", "kind": "new"})
    reasons = {str(conflict): conflict.reason for conflict in foresee(batch, NOW).conflicts}
    assert set(reasons) == {"a", "b", "c"}
    assert undo(batch, skip=True).deleted == 1
    assert set(members(part)) == {"a", "b", "c"}


def test_a_reference_that_is_gone_is_not_brought_back(part: Entity, area: Entity) -> None:
    change(area, {"code": "n"}, {"code": "s"})
    change(part, {"code": "a", "area": "n"})
    batch = change(part, {"code": "a", "area": "s"})
    execute("DELETE FROM mdm_area WHERE code = 'n'")
    found = foresee(batch, NOW).conflicts
    assert [conflict.reason for conflict in found] == ["a member it referred to is gone or inactive"]


def test_an_inactive_reference_is_not_brought_back_to_an_active_member(part: Entity, area: Entity) -> None:
    change(area, {"code": "n"}, {"code": "s"})
    change(part, {"code": "a", "area": "n"})
    batch = change(part, {"code": "a", "area": "s"})
    execute("UPDATE mdm_area SET is_active = (1 = 0) WHERE code = 'n'")
    assert len(foresee(batch, NOW).conflicts) == 1


def test_a_member_reactivated_by_the_batch_that_others_use_now_stays_active(part: Entity, area: Entity) -> None:
    change(area, {"code": "n"})
    execute("UPDATE mdm_area SET is_active = (1 = 0)")
    batch = change(area, {"code": "n"})
    change(part, {"code": "a", "area": "n"})
    assert [conflict.reason for conflict in foresee(batch, NOW).conflicts] == ["other members refer to it"]
    execute("UPDATE mdm_part SET area = NULL")
    undo(batch)
    assert not members(area)["n"]["is_active"]


def test_a_unique_value_that_another_member_took_since_stays_there(part: Entity) -> None:
    change(part, {"code": "a", "mail": "x"})
    batch = change(part, {"code": "a", "mail": "y"})
    change(part, {"code": "b", "mail": "x"})
    found = foresee(batch, NOW).conflicts
    assert [conflict.reason for conflict in found] == ["another member has its value of a unique attribute now"]


def test_unique_values_and_codes_may_change_places(part: Entity, chunks: int) -> None:
    change(part, {"code": "a", "mail": "1"}, {"code": "b", "mail": "2"}, {"code": "c", "mail": "3"})
    before = state(part)
    batch = change(part, {"code": "a", "kind": "k"}, {"code": "b", "kind": "k"}, {"code": "c", "kind": "k"})
    for old, new in (("a", "t"), ("b", "a"), ("c", "b"), ("t", "c")):
        execute("UPDATE mdm_part SET code = %s WHERE code = %s", [new, old])
    for old, new in (("1", "t"), ("2", "1"), ("3", "2"), ("t", "3")):
        execute("UPDATE mdm_part SET mail = %s WHERE mail = %s", [new, old])
    after = state(part)
    done = undo(batch)
    assert (done.status, counts(done)) == ("completed", {"updated": 3})
    assert state(part) == before
    undo(done)
    assert state(part) == after


def test_only_a_completed_batch_of_an_entity_with_history_can_be_undone(part: Entity) -> None:
    running = open_batch(part, now=NOW)
    with pytest.raises(UndoRefused, match="is pending; only a completed batch"):
        foresee(running, NOW)
    batch = change(part, {"code": "a"}, {"code": "b"})
    execute("DELETE FROM hst_part WHERE member_id = (SELECT max(id) FROM mdm_part)")
    with pytest.raises(UndoRefused, match="retention deleted it"):
        foresee(batch, NOW)
    plain = define("plain", text("kind"))
    batch = change(plain, {"code": "a"})
    with pytest.raises(UndoRefused, match="Plain keeps no history"):
        foresee(batch, NOW)
    assert undo(batch).status == "failed"


def test_the_record_of_the_batch_may_be_gone_meanwhile(part: Entity) -> None:
    batch = change(part, {"code": "a"})
    own = open_batch(part, undoes_id=batch.pk, now=NOW)
    number = batch.pk
    batch.delete()
    done = process(own, fence=NoFence(), now=NOW)
    assert (done.status, done.error) == ("failed", f"Batch {number} is not there any more, so it cannot be undone.")


def test_history_that_is_no_longer_kept_still_serves_an_undo_which_writes_it(part: Entity) -> None:
    batch = change(part, {"code": "a"})
    Entity.objects.filter(pk=part.pk).update(keep_history=False)
    done = undo(Batch.objects.get(pk=batch.pk))
    assert members(part) == {}
    undo(Batch.objects.get(pk=done.pk))
    assert set(members(part)) == {"a"}


def test_foreseeing_changes_nothing(part: Entity) -> None:
    batch = change(part, {"code": "a"})
    before = state(part)
    foresee(batch, NOW)
    assert state(part) == before
    assert Batch.objects.count() == 1
