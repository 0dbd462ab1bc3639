"""Times, days and zones as people write them; a refusal carries the mend."""

from datetime import time

import pytest

from scheduling.cadence.words import read_month, read_month_day, read_time, read_weekday, read_zone, write_time


def test_times_are_read_and_written_in_one_form() -> None:
    assert write_time(read_time("6:00")) == "06:00"
    assert write_time(read_time(" 23:59:30 ")) == "23:59:30"


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        ("6am", "write 06:00"),
        ("6 pm", "write 18:00"),
        ("12 a.m.", "write 00:00"),
        ("12:30pm", "write 12:30"),
        ("7", "write 07:00"),
        ("7.30", "write 07:30"),
        ("noon", "write it like 06:00"),
        ("25:00", "hours go from 00 to 23"),
        ("10:60", "minutes from 00 to 59"),
        (6, "write 06:00"),
        (None, "write it like 06:00"),
        ("٠٦:00", "write it like 06:00"),
    ],
)
def test_a_wrong_time_is_answered_with_the_mend(text: object, mend: str) -> None:
    with pytest.raises(ValueError, match=mend):
        read_time(text)


def test_days_of_the_week_are_read_in_any_case_short_or_long() -> None:
    assert [read_weekday(text) for text in ("mon", "Tuesday", " SUN ")] == [0, 1, 6]


@pytest.mark.parametrize(
    ("text", "mend"), [("fry", "did you mean fri"), ("5", "write mon, tue"), ("", "write mon, tue")]
)
def test_an_unknown_day_is_answered_with_the_likely_one(text: str, mend: str) -> None:
    with pytest.raises(ValueError, match=mend):
        read_weekday(text)


def test_days_of_the_month_are_numbers_or_last() -> None:
    assert [read_month_day(text) for text in (1, "31", "Last")] == [1, 31, "last"]
    for text in (0, 32, "-1", "first", "", None, 1.5):
        with pytest.raises(ValueError, match="write 1 to 31 or last"):
            read_month_day(text)


def test_months_are_numbers_or_names() -> None:
    assert [read_month(text) for text in (1, "12", "Jul", " february ")] == [1, 12, 7, 2]
    for text, mend in ((0, "1 to 12"), ("13", "1 to 12"), ("febuary", "did you mean feb"), (None, "jan to dec")):
        with pytest.raises(ValueError, match=mend):
            read_month(text)


@pytest.mark.parametrize(
    ("name", "mend"),
    [
        ("europe/amsterdam", "Europe/Amsterdam"),
        ("Amsterdam", "Europe/Amsterdam"),
        ("Europe/Amsterdm", "Europe/Amsterdam"),
        ("Europe", "write for example"),
        ("../../etc/passwd", "write for example"),
        ("", "write for example"),
        ("x" * 300, "write for example"),
        ("localtime", "not a time zone"),
        ("right/Europe/Amsterdam", "Europe/Amsterdam"),
        ("a\0b", "write for example"),
    ],
)
def test_an_unknown_zone_is_answered_with_the_likely_one(name: str, mend: str) -> None:
    with pytest.raises(ValueError, match=mend):
        read_zone(name)
    assert read_zone("Europe/Amsterdam").key == "Europe/Amsterdam"


def test_seconds_are_written_only_when_there_are_any() -> None:
    assert (write_time(time(6)), write_time(time(6, 0, 5))) == ("06:00", "06:00:05")
