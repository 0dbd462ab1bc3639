"""Members that are referred to: what keeps them, what goes with them, and which references become empty."""

from typing import Any

import pytest

from staging.models import Entity
from staging.tables.alter import sync_tables
from staging.tables.create import create_tables
from tests.staging.batches.bench import (
    LATER,
    counts,
    define,
    errors,
    execute,
    members,
    reference,
    run_batch,
    stage,
    staged,
    text,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def part() -> Entity:
    """Return an entity whose members refer to one another."""
    entity = Entity.objects.create(code="part", name="Part")
    entity.attributes.create(name="parent", data_type="reference", reference=entity)
    entity.attributes.create(name="spare", data_type="reference", reference=entity)
    entity.attributes.create(name="kind", data_type="text", max_length=3)
    create_tables(entity)
    return entity


def remove(entity: Entity, **actions: int) -> None:
    """Stage removals, by code."""
    stage(entity, *({"code": code, "import_action": action} for code, action in actions.items()))


def test_a_member_that_another_entity_refers_to_stays(chunks: int) -> None:
    place = define("place")
    thing = define("thing", reference("place", "place"), reference("spare", "place"))
    stage(place, *({"code": code} for code in ("used", "old", "free")))
    run_batch(place)
    stage(thing, {"code": "a", "place": "used"}, {"code": "b", "spare": "old"})
    run_batch(thing)
    execute("UPDATE mdm_thing SET is_active = %s WHERE code = 'b'", [False])
    execute("DELETE FROM stg_place")

    remove(place, used=3, old=3, free=3)
    run_batch(place)
    assert errors(place) == {"used": 256, "old": 0, "free": 0}
    assert staged(place)[0]["error_message"] == "code: 'used' is still referred to by place of Thing."

    execute("DELETE FROM stg_place")
    remove(place, used=4, old=4, free=4)
    run_batch(place)
    assert errors(place) == {"used": 256, "old": 256, "free": 0}
    assert set(members(place)) == {"used", "old"}


def test_references_are_cleared_in_every_entity_and_their_members_say_so(chunks: int) -> None:
    place = define("place")
    thing = define("thing", reference("place", "place"), text("x"))
    stage(place, *({"code": code} for code in ("p", "q", "gone", "lonely")))
    run_batch(place)
    stage(thing, *({"code": code, "place": code, "x": "1"} for code in ("p", "q", "gone")), {"code": "none"})
    run_batch(thing)
    execute("UPDATE mdm_place SET is_active = %s WHERE code IN ('gone', 'lonely')", [False])
    execute("DELETE FROM stg_place")

    remove(place, p=5, q=6, gone=5, lonely=5)
    batch = run_batch(place, now=LATER)

    assert counts(batch) == {"deactivated": 2, "deleted": 1, "unchanged": 1}
    assert {code: bool(row["is_active"]) for code, row in members(place).items()} == {
        "p": False, "gone": False, "lonely": False,
    }  # fmt: skip
    found = members(thing)
    assert all(row["place"] is None for row in found.values())
    assert {code for code, row in found.items() if row["updated_batch_id"] == batch.pk} == {"p", "q", "gone"}
    assert all(row["x"] == "1" for code, row in found.items() if code != "none")


def test_a_required_reference_cannot_be_cleared() -> None:
    place = define("place")
    thing = define("thing", reference("place", "place", required=True))
    stage(place, {"code": "p"}, {"code": "q"})
    run_batch(place)
    stage(thing, {"code": "a", "place": "p"}, {"code": "b", "place": "q"})
    run_batch(thing)
    execute("DELETE FROM stg_place")

    remove(place, p=5, q=6)
    run_batch(place)

    assert errors(place) == {"p": 256, "q": 256}
    expected = "code: 'p' is still referred to by place of Thing, which needs a value."
    assert staged(place)[0]["error_message"] == expected


def test_references_of_a_cancelled_attribute_hold_back_a_deletion_and_nothing_else() -> None:
    place = define("place")
    thing = define("thing", reference("place", "place", required=True))
    stage(place, *({"code": code} for code in "abc"))
    run_batch(place)
    stage(thing, *({"code": code, "place": code} for code in "abc"))
    run_batch(thing)
    thing.attributes.update(is_cancelled=True)
    execute("DELETE FROM stg_place")

    remove(place, a=3, b=4, c=6)
    run_batch(place)

    assert errors(place) == {"a": 0, "b": 256, "c": 0}


def test_members_that_go_together_do_not_hold_one_another(part: Entity, chunks: int) -> None:
    stage(
        part,
        {"code": "a", "parent": "b"},
        {"code": "b", "parent": "a"},
        {"code": "self", "parent": "self"},
        {"code": "child", "parent": "root"},
        {"code": "root"},
    )
    run_batch(part)
    execute("DELETE FROM stg_part")

    remove(part, a=4, b=4, self=4, child=3, root=3)
    assert counts(run_batch(part)) == {"deleted": 3, "deactivated": 2}
    assert {code: bool(row["is_active"]) for code, row in members(part).items()} == {"child": False, "root": False}


def test_a_member_that_is_only_deactivated_still_holds_back_a_deletion(part: Entity) -> None:
    stage(part, {"code": "child", "parent": "root"}, {"code": "root"})
    run_batch(part)
    execute("DELETE FROM stg_part")

    remove(part, child=3, root=4)
    run_batch(part)

    assert errors(part) == {"child": 0, "root": 256}


def test_a_removal_that_is_refused_keeps_what_it_refers_to(part: Entity) -> None:
    stage(part, *({"code": f"p{n}", "parent": f"p{n + 1}"} for n in range(300)), {"code": "p300"})
    run_batch(part)
    execute("DELETE FROM stg_part")

    remove(part, **{f"p{n}": 3 for n in range(1, 301)})
    batch = run_batch(part)

    assert counts(batch) == {"rejected": 300}
    assert {row["error_code"] for row in staged(part)} == {256}
    assert staged(part)[299]["error_message"] == "code: 'p300' is still referred to by parent of Part."


def test_a_row_that_moves_the_reference_elsewhere_comes_too_late(part: Entity) -> None:
    stage(part, {"code": "a", "parent": "b"}, {"code": "b"}, {"code": "c"})
    run_batch(part)
    execute("DELETE FROM stg_part")

    stage(part, {"code": "a", "parent": "c"}, {"code": "b", "import_action": 4})
    run_batch(part)

    assert errors(part) == {"a": 0, "b": 256}
    assert members(part)["a"]["parent"] == "c"


@pytest.mark.parametrize("action", [3, 4, 5, 6])
def test_a_reference_to_a_member_that_goes_is_not_there(part: Entity, action: int, chunks: int) -> None:
    stage(part, {"code": "going"}, {"code": "staying"})
    run_batch(part)
    execute("DELETE FROM stg_part")

    remove(part, going=action)
    stage(part, {"code": "new", "parent": "going"}, {"code": "staying", "spare": "going"}, {"code": "next"})
    stage(part, {"code": "below", "parent": "new"})
    run_batch(part)

    assert errors(part) == {"going": 0, "new": 32, "staying": 32, "next": 0, "below": 16384}
    assert staged(part)[1]["error_message"] == "parent: 'going' is not an active member of Part."


def test_a_deleted_member_frees_its_unique_values() -> None:
    entity = define("thing", text("mail", unique=True))
    stage(entity, {"code": "a", "mail": "m"}, {"code": "b", "mail": "n"})
    run_batch(entity)
    execute("DELETE FROM stg_thing")
    remove(entity, a=4, b=3)
    stage(entity, {"code": "c", "mail": "m"}, {"code": "d", "mail": "n"})

    run_batch(entity)

    assert errors(entity) == {"a": 0, "b": 0, "c": 0, "d": 4096}
    assert members(entity)["c"]["mail"] == "m"


@pytest.mark.parametrize("action", [3, 4, 5, 6])
@pytest.mark.parametrize(
    ("rules", "skipped"),
    [
        pytest.param({"merge_mode": "reject_change"}, False, id="protected"),
        pytest.param({"merge_mode": "keep_existing", "required": True}, False, id="required and kept"),
        pytest.param({"unique": True}, False, id="unique"),
        pytest.param({"unique": True, "merge_mode": "reject_change", "on_error": "skip_field"}, True, id="skipped"),
    ],
)
def test_a_reference_to_a_member_that_goes_is_not_there_and_nothing_else_is_wrong_with_it(
    rules: dict[str, Any], skipped: bool, action: int, chunks: int
) -> None:
    """Not even for a row that is rejected anyway: nobody has the value afterwards."""
    entity = define("part", text("kind", max_length=3))
    stage(entity, {"code": "goes"}, {"code": "other"}, {"code": "empty"})
    run_batch(entity)
    entity.attributes.create(name="parent", data_type="reference", reference=entity, **rules)
    sync_tables(entity)
    execute("UPDATE mdm_part SET parent = (SELECT id FROM mdm_part WHERE code = 'other') WHERE code = 'other'")
    # The member that goes holds the value itself, so it is taken for as long as it is there.
    execute("UPDATE mdm_part SET parent = id WHERE code = 'goes'")
    execute("DELETE FROM stg_part")

    remove(entity, goes=action)
    stage(
        entity,
        {"code": "other", "parent": "goes"},
        {"code": "empty", "parent": " goes", "kind": "long"},
        {"code": "new", "parent": "goes", "kind": "long"},
    )
    run_batch(entity)

    alone, beside = (0, 16) if skipped else (32, 32 | 16)
    assert errors(entity) == {"goes": 0, "other": alone, "empty": beside, "new": beside}
    messages = [row["error_message"] for row in staged(entity)[1:]]
    wrong = "parent: 'goes' is not an active member of Part."
    assert messages[0] == (f"Warning: {wrong}" if skipped else wrong)
    assert all(message.count("parent") == 1 for message in messages)


@pytest.mark.parametrize("mode", ["keep_when_blank", "overwrite", "fill_when_empty", "keep_existing"])
def test_values_meet_what_is_stored_after_references_were_cleared(part: Entity, mode: str, chunks: int) -> None:
    part.attributes.filter(name="parent").update(merge_mode=mode)
    stage(part, *({"code": code} for code in ("gone", "other")))
    stage(part, *({"code": code, "parent": "gone", "kind": "1"} for code in ("kept", "filled", "blank", "late")))
    run_batch(part)
    execute("DELETE FROM stg_part")

    remove(part, gone=6)
    stage(
        part,
        {"code": "kept", "kind": "2"},
        {"code": "filled", "parent": "other"},
        {"code": "blank", "parent": ""},
        {"code": "late", "parent": "new"},
        {"code": "new"},
    )
    run_batch(part)

    assert set(errors(part).values()) == {0}
    taken = mode != "keep_existing"
    assert {code: row["parent"] for code, row in members(part).items() if row["parent"]} == (
        {"filled": "other", "late": "new"} if taken else {}
    )
    outcomes = {row["code"]: row["import_outcome"] for row in staged(part)}
    assert outcomes == {
        "gone": "deleted",
        "kept": "updated",
        "filled": "updated" if taken else "unchanged",
        "blank": "unchanged",
        "late": "updated" if taken else "unchanged",
        "new": "inserted",
    }


def test_copies_of_a_removal_and_an_upsert_follow_the_duplicates_policy() -> None:
    for policy, expected in (("reject_all", [2, 2]), ("last_wins", [0, 0]), ("first_wins", [0, 0])):
        entity = define(f"thing_{policy}", duplicates=policy)
        stage(entity, {"code": "a"})
        run_batch(entity)
        execute(f"DELETE FROM stg_thing_{policy}")
        remove(entity, a=4)
        stage(entity, {"code": "a", "name": "N"})

        run_batch(entity)

        assert [row["error_code"] for row in staged(entity)] == expected
        assert ("a" in members(entity)) == (policy != "first_wins")


@pytest.mark.parametrize("is_active", [True, False])
def test_a_required_reference_to_itself_neither_keeps_a_member_from_being_deactivated_nor_is_cleared(is_active) -> None:
    own = define("own", reference("boss", "own", required=True))
    stage(own, {"code": "a", "boss": "a"})
    run_batch(own)
    if not is_active:
        stage(own, {"code": "a", "import_action": 3})
        run_batch(own)
    stage(own, {"code": "a", "import_action": 5})

    assert counts(run_batch(own)) == ({"deactivated": 1} if is_active else {"unchanged": 1})
    assert members(own)["a"]["boss"] == "a"
