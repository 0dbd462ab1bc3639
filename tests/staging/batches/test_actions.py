"""What each import action does with a code that is unknown, active or inactive."""

import pytest

from tests.staging.batches.bench import (
    LATER,
    counts,
    define,
    errors,
    execute,
    members,
    run_batch,
    stage,
    staged,
    text,
)

pytestmark = pytest.mark.django_db

# Per action: error or outcome for a code that is unknown, active, inactive.
TABLE = {
    0: ("inserted", "updated", "updated"),
    1: ("inserted", 64, 64),
    2: (128, "updated", "updated"),
    3: (128, "deactivated", "unchanged"),
    4: (128, "deleted", "deleted"),
    5: (128, "deactivated", "unchanged"),
    6: (128, "deleted", "deleted"),
}
# What is there afterwards: active, inactive, or nothing (None).
AFTER = {
    0: (True, True, True),
    1: (True, True, False),
    2: (None, True, False),
    3: (None, False, False),
    4: (None, None, None),
    5: (None, False, False),
    6: (None, None, None),
}


@pytest.mark.parametrize("by_default", [False, True], ids=["by the row", "by default"])
@pytest.mark.parametrize("action", TABLE)
def test_what_an_action_does_to_each_kind_of_code(action: int, by_default: bool) -> None:
    entity = define("thing", text("x"))
    stage(entity, {"code": "active", "x": "1"}, {"code": "inactive", "x": "1"})
    run_batch(entity)
    execute("UPDATE mdm_thing SET is_active = %s WHERE code = 'inactive'", [False])
    execute("DELETE FROM stg_thing")
    entity.default_import_action = action if by_default else 4
    entity.save()
    rows = [{"code": code, "x": "2"} for code in ("new", "active", "inactive")]
    stage(entity, *({**row, "import_action": None if by_default else action} for row in rows))

    run_batch(entity, now=LATER)

    found = [row["error_code"] or row["import_outcome"] for row in staged(entity)]
    assert tuple(found) == TABLE[action]
    there = {code: bool(row["is_active"]) for code, row in members(entity).items()}
    assert tuple(there.get(code) for code in ("new", "active", "inactive")) == AFTER[action]
    assert {row["x"] for row in members(entity).values()} <= {"1", "2"}


def test_the_sentences_name_the_code() -> None:
    entity = define("thing")
    stage(entity, {"code": "a"})
    run_batch(entity)
    stage(entity, {"code": "a", "import_action": 1}, {"code": "b", "import_action": 2})

    run_batch(entity)

    sentences = [row["error_message"] for row in staged(entity)[1:]]
    assert sentences == ["code: 'a' exists already.", "code: 'b' does not exist."]


@pytest.mark.parametrize("action", [3, 4, 5, 6])
def test_a_removal_looks_at_nothing_but_the_code(action: int) -> None:
    entity = define("thing", text("x", required=True, max_length=3), {"name": "n", "data_type": "integer"})
    stage(entity, {"code": "a", "x": "1"})
    run_batch(entity)
    row = {"name": "other", "x": "long", "n": "twelve", "new_code": "b", "import_action": action}
    stage(entity, {"code": "a", **row})

    batch = run_batch(entity)

    assert batch.deactivated + batch.deleted == 1
    assert "b" not in members(entity)
    assert members(entity).get("a", {"x": "1"})["x"] == "1"


def test_an_update_of_an_inactive_member_with_what_it_has_changes_nothing() -> None:
    entity = define("thing", text("x"))
    stage(entity, {"code": "a", "x": "1"})
    run_batch(entity)
    execute("UPDATE mdm_thing SET is_active = %s", [False])
    stage(entity, {"code": "a", "x": "1", "import_action": 2})

    assert counts(run_batch(entity)) == {"unchanged": 1}


def test_a_bad_code_is_told_as_such_and_not_as_unknown() -> None:
    entity = define("thing")
    stage(entity, {"code": None, "import_action": 2}, {"code": "x" * 501, "import_action": 4})

    run_batch(entity)

    assert [row["error_code"] for row in staged(entity)] == [1, 16]


def test_a_deactivated_member_says_when_and_by_which_batch() -> None:
    entity = define("thing", text("x"))
    stage(entity, {"code": "a"}, {"code": "b"})
    run_batch(entity)
    stage(entity, {"code": "a", "import_action": 3})

    batch = run_batch(entity, now=LATER)

    assert members(entity)["a"]["updated_batch_id"] == batch.pk
    assert str(members(entity)["a"]["updated_at"])[:10] == str(LATER.date())
    assert members(entity)["b"]["updated_batch_id"] != batch.pk
    assert errors(entity) == {"a": 0, "b": 0}
