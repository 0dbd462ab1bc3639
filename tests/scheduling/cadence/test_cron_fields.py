"""Reading cron: fields, words, refusals that name the field."""

import pytest

from scheduling.cadence.kinds.cron_fields import read_cron


def test_plain_fields_are_expanded() -> None:
    fields = read_cron("*/20 9-11,20 1 JAN,mar MON-FRI")
    assert fields.minutes == (0, 20, 40)
    assert fields.hours == (9, 10, 11, 20)
    assert fields.months == (1, 3)
    assert fields.rule.days == (1,)
    assert fields.rule.weekdays == (1, 2, 3, 4, 5)
    assert fields.rule.either


def test_day_words_are_taken_out_of_their_lists() -> None:
    rule = read_cron("0 0 L,15W,3,LW,L-4 * 5L,mon#2,2").rule
    assert (rule.days, rule.from_end, rule.nearest) == ((3,), (0, 4), (0, 15))
    assert (rule.weekdays, rule.nth) == ((2,), ((1, 2), (5, 0)))


@pytest.mark.parametrize(
    ("expression", "is_grid"),
    [
        ("* 2 * * *", True),
        ("*/15 2 * * *", True),
        ("0 * * * *", True),
        ("0 */2 * * *", True),
        ("0-59/15 2 * * *", False),
        ("0 1-5 * * *", False),
        ("@hourly", True),
        ("@daily", False),
    ],
)
def test_a_star_at_the_start_of_minute_or_hour_makes_a_grid(expression: str, is_grid: bool) -> None:
    assert read_cron(expression).is_grid is is_grid


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("61 * * * *", "minute"),
        ("*/0 * * * *", "minute"),
        ("-5 * * * *", "minute"),
        ("H * * * *", "minute"),
        ("R * * * *", "minute"),
        ("0 24 * * *", "hour"),
        ("0 L * * *", "hour"),
        ("0 0 0 * *", "day of the month"),
        ("0 0 32 * *", "day of the month"),
        ("0 0 32W * *", "day of the month"),
        ("0 0 L-31 * *", "day of the month"),
        ("0 0 1-5W * *", "day of the month"),
        ("0 0 W * *", "day of the month"),
        ("0 0 mon * *", "day of the month"),
        ("0 0 * 13 *", "month"),
        ("0 0 * foo *", "month"),
        ("0 0 * * 8", "day of the week"),
        ("0 0 * * 1#6", "day of the week"),
        ("0 0 * * L", "day of the week"),
        ("0 0 * * mon#", "day of the week"),
        ("٣ 0 * * *", "minute"),
        ("0 0 1,,2 * *", "day of the month"),
    ],
)
def test_a_refusal_names_the_field(expression: str, name: str) -> None:
    with pytest.raises(ValueError, match=f"^The {name} '"):
        read_cron(expression)


@pytest.mark.parametrize("expression", ["", "0 0 * *", "0 0 * * * *", "0 0 1 1 * 2026", "@reboot", "@", "hello"])
def test_anything_but_five_fields_or_a_known_word_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match=r"five fields|is not known"):
        read_cron(expression)
