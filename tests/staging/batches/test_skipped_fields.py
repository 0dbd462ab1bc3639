"""Fields that are left as they were when their value is wrong: the row is processed and says what was skipped."""

import pytest

from staging.models import Entity
from staging.tables.create import create_tables
from tests.staging.batches.bench import (
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

SKIP = {"on_error": "skip_field"}


def messages(entity: Entity) -> dict[str, str]:
    """Return the messages of the staged rows by code."""
    return {row["code"]: row["error_message"] for row in staged(entity)}


def test_a_wrong_value_leaves_the_field_and_warns() -> None:
    place = define("place")
    stage(place, {"code": "p"})
    run_batch(place)
    entity = define(
        "thing",
        {"name": "n", "data_type": "integer", "max_value": "9", **SKIP},
        text("x", merge_mode="reject_change", **SKIP),
        reference("place", "place", **SKIP),
        text("plain"),
    )
    stage(entity, {"code": "old", "n": "1", "x": "a", "place": "p"}, {"code": "same", "n": "1"})
    run_batch(entity)
    execute("DELETE FROM stg_thing")
    wrong = {"n": "ten", "x": "b", "place": "nowhere"}
    stage(entity, {"code": "old", **wrong, "plain": "new"}, {"code": "same", "n": "10"}, {"code": "new", **wrong})

    batch = run_batch(entity)

    assert counts(batch) == {"updated": 1, "unchanged": 1, "inserted": 1}
    assert set(errors(entity).values()) == {0}
    assert messages(entity) == {
        "old": "Warning: n: 'ten' is not a whole number. Warning: x: 'b' is not what is stored, which may not change."
        " Warning: place: 'nowhere' is not an active member of Place.",
        "same": "Warning: n: '10' is above 9.",
        "new": "Warning: n: 'ten' is not a whole number. Warning: place: 'nowhere' is not an active member of Place.",
    }
    found = {code: (row["n"], row["x"], row["place"], row["plain"]) for code, row in members(entity).items()}
    assert found == {"old": (1, "a", "p", "new"), "same": (1, None, None, None), "new": (None, "b", None, None)}


@pytest.mark.parametrize("mode", ["keep_when_blank", "overwrite"])
def test_a_required_field_that_is_skipped_must_have_a_value(mode: str) -> None:
    entity = define("thing", text("x", max_length=3, merge_mode=mode, **SKIP))
    stage(entity, {"code": "long_full", "x": "1"}, {"code": "clear_full", "x": "1"}, {"code": "blank_full", "x": "1"})
    stage(entity, {"code": "long_empty"}, {"code": "clear_empty"})
    run_batch(entity)
    entity.attributes.update(required=True)
    execute("DELETE FROM stg_thing")
    given = {"long": "long", "clear": "~NULL~", "blank": ""}
    stage(entity, *({"code": f"{how}_full", "x": x} for how, x in given.items()))
    stage(
        entity, *({"code": f"{how}_{when}", "x": given[how]} for how in ("long", "clear") for when in ("empty", "new"))
    )
    stage(entity, {"code": "blank_new"}, {"code": "good", "x": "1"})

    run_batch(entity)

    assert {code for code, error in errors(entity).items() if error == 0} == {
        "long_full", "clear_full", "blank_full", "good",
    }  # fmt: skip
    assert {error for error in errors(entity).values() if error} == {4}
    assert members(entity)["long_full"]["x"] == members(entity)["clear_full"]["x"] == "1"
    told = messages(entity)
    assert told["clear_full"] == "Warning: x is required and keeps its value."
    assert told["long_new"] == "x is required and would have no value. Warning: x: 'long' is longer than 3 characters."
    assert told["clear_new"] == told["blank_new"] == "x is required and would have no value."


def test_a_unique_value_that_is_taken_is_left_out() -> None:
    entity = define("thing", text("mail", unique=True, **SKIP), text("x"))
    stage(entity, {"code": "a", "mail": "m"}, {"code": "b", "mail": "n"})
    run_batch(entity)
    execute("DELETE FROM stg_thing")
    stage(entity, {"code": "b", "mail": "m"}, {"code": "c", "mail": "m", "x": "1"}, {"code": "d", "mail": "o"})

    assert counts(run_batch(entity)) == {"unchanged": 1, "inserted": 2}
    assert {code: row["mail"] for code, row in members(entity).items()} == {"a": "m", "b": "n", "c": None, "d": "o"}
    assert messages(entity)["b"] == "Warning: mail: 'm' is taken by another member or row."


@pytest.fixture
def part() -> Entity:
    """Return an entity whose members may refer to one another, or not."""
    entity = Entity.objects.create(code="part", name="Part")
    entity.attributes.create(name="parent", data_type="reference", reference=entity, on_error="skip_field")
    entity.attributes.create(name="spare", data_type="reference", reference=entity)
    entity.attributes.create(name="kind", data_type="text", max_length=3)
    create_tables(entity)
    return entity


def test_a_reference_to_a_rejected_row_is_left_out_and_nothing_falls_with_it(part: Entity, chunks: int) -> None:
    stage(part, {"code": "old"}, {"code": "has", "parent": "old"}, {"code": "same", "parent": "old"})
    run_batch(part)
    execute("DELETE FROM stg_part")
    stage(
        part,
        {"code": "bad", "kind": "long"},
        {"code": "child", "parent": "bad", "spare": "grandchild"},
        {"code": "grandchild", "parent": "child"},
        {"code": "has", "parent": "bad", "kind": "new"},
        {"code": "same", "parent": "bad"},
        {"code": "firm", "spare": "bad", "parent": "child"},
    )

    batch = run_batch(part)

    assert errors(part) == {"bad": 16, "child": 0, "grandchild": 0, "has": 0, "same": 0, "firm": 16384}
    assert counts(batch) == {"rejected": 2, "inserted": 2, "updated": 1, "unchanged": 1}
    assert messages(part)["child"] == "Warning: parent: 'bad' is a row of this batch that was rejected."
    found = {code: (row["parent"], row["spare"]) for code, row in members(part).items()}
    assert found == {
        "old": (None, None), "has": ("old", None), "same": ("old", None),
        "child": (None, "grandchild"), "grandchild": ("child", None),
    }  # fmt: skip


def test_a_required_reference_that_is_left_out_drags_along(part: Entity) -> None:
    part.attributes.filter(name="parent").update(required=True)
    stage(part, {"code": "old", "parent": "old"})
    run_batch(part)
    execute("DELETE FROM stg_part")
    stage(part, {"code": "bad", "kind": "long", "parent": "bad"}, {"code": "child", "parent": "bad"})
    stage(part, {"code": "grandchild", "parent": "child"}, {"code": "old", "parent": "bad"})

    run_batch(part)

    assert errors(part) == {"bad": 16, "child": 4, "grandchild": 4, "old": 0}
    assert members(part)["old"]["parent"] == "old"


@pytest.mark.parametrize("action", [3, 4, 5, 6])
def test_a_reference_to_a_member_that_goes_is_left_out(part: Entity, action: int) -> None:
    stage(part, {"code": "going"}, {"code": "other"}, {"code": "has", "parent": "other"})
    run_batch(part)
    execute("DELETE FROM stg_part")
    stage(part, {"code": "going", "import_action": action})
    stage(part, {"code": "has", "parent": "going"}, {"code": "new", "parent": "going"})

    run_batch(part)

    assert set(errors(part).values()) == {0}
    found = {code: row["parent"] for code, row in members(part).items()}
    assert (found["has"], found["new"]) == ("other", None)
    assert messages(part)["new"] == "Warning: parent: 'going' is not an active member of Part."
