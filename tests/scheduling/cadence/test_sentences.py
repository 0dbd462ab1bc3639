"""The small pieces of the sentences."""

import pytest

from scheduling.cadence.sentences import every_length, every_weekday, length_in_words, on_weekdays, ordinal


def test_ordinals_are_english() -> None:
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 31)] == (
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "23rd", "31st"]
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1, "1 second"),
        (60, "1 minute"),
        (3600, "1 hour"),
        (86400, "24 hours"),
        (172800, "2 days"),
        (5400, "90 minutes"),
        (61, "61 seconds"),
    ],
)
def test_durations_use_the_largest_whole_unit(seconds: int, words: str) -> None:
    assert length_in_words(seconds) == words
    assert every_length(seconds) == f"Every {words.removeprefix('1 ')}"


def test_groups_of_weekdays_have_names() -> None:
    assert every_weekday(tuple(range(7))) == "Every day"
    assert every_weekday(tuple(range(5))) == "Every weekday"
    assert on_weekdays((5, 6)) == "at weekends"
    assert on_weekdays(tuple(range(7))) == ""
