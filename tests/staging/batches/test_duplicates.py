"""Several rows of one code in one batch."""

import pytest

from tests.staging.batches.bench import counts, define, members, run_batch, stage, staged, text

pytestmark = pytest.mark.django_db

ROWS = (
    {"code": "a", "x": "1"},
    {"code": "a", "x": "2"},
    {"code": "b", "x": "same"},
    {"code": "b", "x": " same ", "import_action": 0, "name": ""},
    {"code": "c", "x": "once"},
    {"code": None, "x": "1"},
    {"code": None, "x": "1"},
)


def test_copies_that_differ_are_all_rejected_and_identical_ones_are_applied_once() -> None:
    entity = define("thing", text("x"))
    stage(entity, *ROWS)

    batch = run_batch(entity)

    assert counts(batch) == {"inserted": 2, "rejected": 4, "superseded": 1}
    assert [row["error_code"] for row in staged(entity)] == [2, 2, 0, 0, 0, 1, 1]
    assert staged(entity)[0]["error_message"] == "code: 'a' is in more than one row of the batch."
    assert [row["import_status"] for row in staged(entity)][2:4] == [1, 1]


@pytest.mark.parametrize(("policy", "kept"), [("last_wins", "2"), ("first_wins", "1")])
def test_one_copy_wins_when_the_entity_says_so(policy: str, kept: str) -> None:
    entity = define("thing", text("x"), duplicates=policy)
    stage(entity, *ROWS)

    assert counts(run_batch(entity)) == {"inserted": 3, "superseded": 2, "rejected": 2}
    assert members(entity)["a"]["x"] == kept


def test_a_loser_is_superseded_whatever_is_wrong_with_it() -> None:
    entity = define("thing", {"name": "n", "data_type": "integer"}, duplicates="last_wins")
    stage(entity, {"code": "a", "n": "x"}, {"code": "a", "n": "1"})

    assert counts(run_batch(entity)) == {"inserted": 1, "superseded": 1}
    assert [row["error_code"] for row in staged(entity)] == [0, 0]


def test_the_last_row_is_the_last_word_even_when_it_is_bad() -> None:
    """Under `last_wins` a bad later row discards a good earlier one: nothing outdated is merged in its place."""
    entity = define("thing", {"name": "n", "data_type": "integer"}, duplicates="last_wins")
    stage(entity, {"code": "a", "n": "1"}, {"code": "a", "n": "x"}, {"code": "b", "n": "1"}, {"code": "b"})

    assert counts(run_batch(entity)) == {"rejected": 1, "superseded": 2, "inserted": 1}
    assert [(row["import_outcome"], row["error_code"]) for row in staged(entity)][:2] == [
        ("superseded", 0), ("rejected", 8),
    ]  # fmt: skip
    assert set(members(entity)) == {"b"}


@pytest.mark.parametrize("column", ["name", "new_code", "import_action", "x"])
def test_copies_that_differ_in_any_column_are_not_identical(column: str) -> None:
    entity = define("thing", text("x"))
    stage(entity, {"code": "a"}, {"code": "a", column: 1 if column == "import_action" else "other"})

    assert counts(run_batch(entity)) == {"rejected": 2}
    assert all(row["error_code"] & 2 for row in staged(entity))


def test_a_code_may_come_again_in_the_next_batch() -> None:
    entity = define("thing", text("x"))
    for value in ("1", "2"):
        stage(entity, {"code": "a", "x": value})
        run_batch(entity)

    assert members(entity)["a"]["x"] == "2"
