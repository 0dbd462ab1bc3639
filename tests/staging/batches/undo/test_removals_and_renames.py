"""Members that were taken away come back with their ids and whoever referred to them; renames are taken back too."""

import pytest

from staging.batches.undo.undo import foresee
from staging.models import Entity
from tests.staging.batches.bench import NOW, counts, define, execute, fetch, members, reference, text
from tests.staging.batches.undo.test_undo import change, state, undo

pytestmark = pytest.mark.django_db

DEACTIVATE, DELETE, DEACTIVATE_CLEAR, DELETE_CLEAR = "3", "4", "5", "6"


@pytest.fixture
def area() -> Entity:
    entity = define("area", text("kind"), text("mail", unique=True), reference("inside", "area"), keep_history=True)
    change(entity, {"code": "n", "kind": "cold", "mail": "1"}, {"code": "s", "inside": "n"}, {"code": "w", "mail": "2"})
    return entity


@pytest.fixture
def site(area: Entity) -> Entity:
    entity = define("site", text("note"), reference("area", "area"), reference("old", "area"), keep_history=True)
    change(entity, {"code": "a", "area": "n", "old": "n"}, {"code": "b", "area": "s"})
    return entity


@pytest.fixture
def loose(area: Entity) -> Entity:
    entity = define("loose", reference("area", "area"))
    change(entity, {"code": "l", "area": "n"})
    return entity


def test_a_deleted_member_comes_back_with_its_id_and_its_referrers(area: Entity, site: Entity, chunks: int) -> None:
    before = state(area), state(site)
    batch = change(area, {"code": "n", "import_action": DELETE_CLEAR})
    after = state(area), state(site)
    assert before[1]["a"]["area"] == "n" and after[1]["a"]["area"] is None and "n" not in after[0]

    foreseen = foresee(batch, NOW)
    assert (foreseen.revived, foreseen.restored, foreseen.conflicts) == (1, 2, [])
    undone = undo(batch)
    assert (undone.status, undone.error, counts(undone)) == ("completed", "", {"inserted": 1, "updated": 2})
    assert (state(area), state(site)) == before

    redone = undo(undone)
    assert redone.error == ""
    assert (state(area), state(site)) == after
    assert undo(redone).status == "completed"
    assert (state(area), state(site)) == before


def test_entities_that_keep_no_history_lose_cleared_references_for_good(area: Entity, loose: Entity) -> None:
    batch = change(area, {"code": "n", "import_action": DELETE_CLEAR})
    assert undo(batch).status == "completed"
    assert "n" in members(area)
    assert members(loose)["l"]["area"] is None


def test_a_referrer_changed_since_is_in_the_way(area: Entity, site: Entity) -> None:
    batch = change(area, {"code": "n", "import_action": DELETE_CLEAR})
    change(site, {"code": "a", "note": "new"})
    assert [str(conflict) for conflict in foresee(batch, NOW).conflicts] == ["site/a"]
    assert undo(batch).status == "failed"
    assert undo(batch, skip=True).inserted == 1
    assert members(site)["a"]["area"] is None


def test_a_code_taken_since_is_in_the_way(area: Entity) -> None:
    batch = change(area, {"code": "w", "import_action": DELETE})
    change(area, {"code": "w", "kind": "other"})
    found = foresee(batch, NOW).conflicts
    assert [(str(conflict), conflict.reason) for conflict in found] == [("w", "another member has its code now")]


def test_deactivated_members_are_active_again(area: Entity) -> None:
    before = state(area)
    batch = change(area, {"code": "w", "import_action": DEACTIVATE})
    assert not members(area)["w"]["is_active"]
    undo(batch)
    assert state(area) == before
    assert fetch("SELECT action FROM hst_area ORDER BY id DESC LIMIT 2") == [("updated",), ("deactivated",)]


def test_members_that_refer_to_one_another_go_and_come_together(area: Entity, chunks: int) -> None:
    change(area, {"code": "w", "inside": "s"}, {"code": "n", "inside": "w"})
    before = state(area)
    batch = change(area, *({"code": code, "import_action": DELETE} for code in "nsw"))
    assert members(area) == {}
    undone = undo(batch)
    assert undone.error == ""
    assert state(area) == before
    undo(undone)
    assert members(area) == {}


def test_swapped_codes_are_swapped_back(area: Entity, site: Entity, chunks: int) -> None:
    before = state(area)
    batch = change(
        area,
        {"code": "n", "new_code": "s", "kind": "x"},
        {"code": "s", "new_code": "n"},
        {"code": "w", "new_code": "x"},
    )
    assert batch.updated == 3
    after = state(area)
    assert after["s"]["id"] == before["n"]["id"] and after["x"]["id"] == before["w"]["id"]
    undone = undo(batch)
    assert (undone.error, counts(undone)) == ("", {"updated": 3})
    assert state(area) == before
    undo(undone)
    assert state(area) == after


def test_the_unique_value_of_a_deleted_member_may_be_gone(area: Entity) -> None:
    batch = change(area, {"code": "w", "import_action": DELETE})
    change(area, {"code": "s", "mail": "2"})
    found = foresee(batch, NOW).conflicts
    assert [conflict.reason for conflict in found] == ["another member has its value of a unique attribute now"]


def test_a_value_of_a_cancelled_attribute_comes_back_with_its_member(area: Entity) -> None:
    area.attributes.filter(name="kind").update(is_cancelled=True)
    execute("UPDATE mdm_area SET inside = NULL")
    batch = change(area, {"code": "n", "import_action": DELETE})
    undo(batch)
    assert members(area)["n"]["kind"] == "cold"
