"""An error text is taken apart sentence by sentence, each beside the column it names."""

from staging.admin.sentences import by_column, column_of, offending, sentences


def test_each_line_of_the_error_text_is_a_sentence() -> None:
    assert sentences("code is missing.\nstaff: 'x' is not a whole number.\n") == [
        "code is missing.",
        "staff: 'x' is not a whole number.",
    ]
    assert sentences(None) == sentences("") == []


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
