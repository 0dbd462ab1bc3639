"""How a delivered value meets a stored one: every mode with every kind of value, on insert and on update."""

from typing import Any

import pytest

from staging.states import MergeMode
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

CLEAR = {"text": "~NULL~", "integer": "-98765432101234567890", "reference": "~NULL~"}
OLD = {"text": "old", "integer": "1", "reference": "p"}
NEW = {"text": "new", "integer": "2", "reference": "q"}
# For each mode: what a value, a blank and a sentinel make of a stored value and of an empty one; 2048 is an error.
RULES: dict[str, dict[str, tuple[Any, Any]]] = {
    "overwrite": {"value": ("new", "new"), "blank": (None, None), "clear": (None, None)},
    "keep_when_blank": {"value": ("new", "new"), "blank": ("old", None), "clear": (None, None)},
    "fill_when_empty": {"value": ("old", "new"), "blank": ("old", None), "clear": ("old", None)},
    "keep_existing": {"value": ("old", None), "blank": ("old", None), "clear": ("old", None)},
    "reject_change": {"value": (2048, 2048), "blank": ("old", None), "clear": (2048, None)},
}


@pytest.mark.parametrize("by_entity", [False, True], ids=["of the attribute", "of the entity"])
@pytest.mark.parametrize("kind", ["text", "integer", "reference"])
@pytest.mark.parametrize("mode", list(MergeMode.values))
def test_what_a_value_does_in_each_mode(mode: str, kind: str, by_entity: bool) -> None:
    place = define("place")
    stage(place, {"code": "p"}, {"code": "q"})
    run_batch(place)
    rules = {"name": "x", "data_type": kind, "merge_mode": "" if by_entity else mode}
    if kind == "reference":
        rules["reference"] = "place"
    other = "overwrite" if mode != "overwrite" else "reject_change"
    entity = define("thing", rules, default_merge_mode=mode if by_entity else other)
    given = {"value": NEW[kind], "same": OLD[kind], "blank": " ", "clear": CLEAR[kind]}
    codes = [f"{how}_{stored}" for how in given for stored in ("full", "empty")]
    stage(entity, *({"code": code, "x": OLD[kind] if code.endswith("full") else None} for code in codes))
    run_batch(entity)
    stage(entity, *({"code": code, "x": given[code.split("_")[0]]} for code in codes))
    stage(entity, *({"code": f"{how}_insert", "x": value} for how, value in given.items()))

    run_batch(entity, now=LATER)

    words = {None: None, 1: "old", 2: "new", "p": "old", "q": "new"}
    found = {code: words.get(row["x"], row["x"]) for code, row in members(entity).items()}
    marks = {row["code"]: (row["error_code"], row["import_outcome"]) for row in staged(entity)}
    for how, outcome in RULES[mode].items():
        for number, (stored, before) in enumerate((("full", "old"), ("empty", None))):
            code, expected = f"{how}_{stored}", outcome[number]
            if expected == 2048:
                assert (found[code], marks[code]) == (before, (2048, "rejected")), code
            else:
                changed = "updated" if expected != before else "unchanged"
                assert (found[code], marks[code]) == (expected, (0, changed)), code
    assert marks["same_full"] == (0, "unchanged")
    inserted = {how: found[f"{how}_insert"] for how in given}
    assert inserted == {"value": "new", "same": "old", "blank": None, "clear": None}


@pytest.mark.parametrize("mode", list(MergeMode.values))
def test_required_is_judged_on_what_will_be_there(mode: str) -> None:
    entity = define("thing", text("x", merge_mode=mode))
    stage(entity, *({"code": f"{how}_full", "x": "old"} for how in ("value", "blank", "clear", "long")))
    stage(entity, *({"code": f"{how}_empty"} for how in ("value", "blank", "clear", "long")))
    run_batch(entity)
    entity.attributes.update(required=True, max_length=3)
    given = {"value": "new", "blank": None, "clear": "~NULL~", "long": "long"}
    execute("DELETE FROM stg_thing")
    stage(
        entity,
        *({"code": f"{how}_{when}", "x": x} for how, x in given.items() for when in ("full", "empty", "insert")),
    )

    run_batch(entity)

    found = errors(entity)
    for how, outcomes in RULES[mode].items():
        for stored, expected in zip(("full", "empty"), outcomes, strict=True):
            error = 2048 if expected == 2048 else 4 if expected is None else 0
            assert found[f"{how}_{stored}"] == error, (how, stored)
    assert [found[f"{how}_insert"] for how in given] == [0, 4, 4, 16]
    changes = 2048 if mode == "reject_change" else 0
    assert (found["long_full"], found["long_empty"]) == (16 + changes, 16 + changes)


def test_a_protected_value_says_which_one_may_not_change() -> None:
    entity = define("thing", text("x", merge_mode="reject_change"))
    stage(entity, {"code": "a", "x": "1"})
    run_batch(entity)
    stage(entity, {"code": "a", "x": "2"})
    run_batch(entity)

    assert staged(entity)[1]["error_message"] == "x: '2' is not what is stored, which may not change."


def test_the_name_has_the_mode_of_the_entity() -> None:
    entity = define("thing", default_merge_mode="keep_existing")
    stage(entity, {"code": "a", "name": "one"})
    run_batch(entity)
    stage(entity, {"code": "a", "name": "two"})

    assert counts(run_batch(entity)) == {"unchanged": 1}
    assert members(entity)["a"]["name"] == "one"


@pytest.mark.parametrize("mode", list(MergeMode.values))
def test_references_to_members_of_the_same_batch_meet_the_mode_too(mode: str, chunks: int) -> None:
    entity = define("part")
    for name in ("parent", "spare"):
        entity.attributes.create(name=name, data_type="reference", reference=entity, merge_mode=mode)
    from staging.tables.create import create_tables

    create_tables(entity)
    stage(entity, {"code": "old"}, {"code": "full", "parent": "old"}, {"code": "empty"})
    run_batch(entity)
    execute("DELETE FROM stg_part")
    rows = ({"code": code, "parent": "new", "spare": "other"} for code in ("full", "empty", "born"))
    stage(entity, *rows, {"code": "new"}, {"code": "other", "spare": "other"})

    run_batch(entity)

    found = {code: (row["parent"], row["spare"]) for code, row in members(entity).items()}
    assert found["born"] == ("new", "other") and found["other"] == (None, "other")
    taken = {"overwrite": "new", "keep_when_blank": "new", "fill_when_empty": "new"}.get(mode)
    kept = "old" if mode in ("fill_when_empty", "keep_existing", "reject_change") else "new"
    assert found["full"] == (kept, "other" if taken else None)
    assert found["empty"] == (taken, "other" if taken else None)
    protected = 2048 if mode == "reject_change" else 0
    assert errors(entity) == {"full": protected, "empty": protected, "born": 0, "new": 0, "other": 0}


def test_what_is_delivered_is_checked_where_the_mode_does_not_use_it() -> None:
    place = define("place")
    stage(place, {"code": "p"})
    run_batch(place)
    kept = {"merge_mode": "keep_existing"}
    entity = define("thing", text("x", max_length=3, **kept), reference("place", "place", **kept))
    stage(entity, {"code": "a", "x": "1", "place": "p"})
    run_batch(entity)
    stage(entity, {"code": "a", "x": "long", "place": "nowhere"})
    run_batch(entity)

    assert staged(entity)[1]["error_code"] == 16 + 32
