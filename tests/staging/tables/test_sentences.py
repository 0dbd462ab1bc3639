"""An error text is taken apart sentence by sentence, each beside the column it names."""

import pytest

from staging.tables.sentences import by_column, column_of, offending, sentences

COLUMNS = ["code", "staff", "note"]


@pytest.mark.parametrize("joint", ["\n", " "])
def test_sentences_that_follow_each_other_are_told_apart(joint: str) -> None:
    parts = ["code is missing.", "staff: 'x. y' is not a whole number.", "note: 'z' does not match [a-z]."]
    assert sentences(joint.join(parts), COLUMNS) == parts


def test_no_error_text_has_no_sentences() -> None:
    assert sentences(None, COLUMNS) == sentences("", COLUMNS) == []


def test_a_sentence_without_columns_around_stays_whole() -> None:
    assert sentences("One thing. Another thing.", []) == ["One thing. Another thing."]


def test_a_sentence_speaks_of_the_column_it_starts_with() -> None:
    columns = ["code", "staff", "staff_count"]
    assert column_of("staff_count: '1 staff' is above 0.", columns) == "staff_count"
    assert column_of("code is missing.", columns) == "code"


def test_a_column_named_by_a_value_only_is_not_blamed() -> None:
    assert column_of("Something about 'staff' is wrong.", ["staff"]) == ""


def test_sentences_without_a_column_are_kept_apart() -> None:
    assert by_column("A rule failed.\nstaff: 'x' is odd.", ["staff"]) == {
        "": ["A rule failed."],
        "staff": ["staff: 'x' is odd."],
    }


def test_offending_values_are_shown_as_they_were_staged() -> None:
    row = {"error_message": "staff: 'x' is odd.\ncode is missing.", "staff": " x ", "code": None, "note": "fine"}
    assert offending(row, ["code", "staff", "note"]) == [("staff", " x "), ("code", None)]
