"""Cron in plain words."""

import pytest

from tests.scheduling.cadence.asking import cadence


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("0 6 * * 1-5", "at 06:00, Monday to Friday"),
        ("0 6,18 * * *", "at 06:00 and 18:00, every day"),
        ("* * * * *", "every minute, every day"),
        ("*/15 * * * *", "every 15 minutes, every day"),
        ("*/7 * * * *", "every hour at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56, every day"),
        ("0 * * * *", "every hour on the hour, every day"),
        ("5 * * * *", "every hour at minute 5, every day"),
        ("*/15 8-18 * * 1-5", "every 15 minutes from 08:00 to 18:45, Monday to Friday"),
        ("30 */2 * * *", "every 2 hours from 00:30 to 22:30, every day"),
        ("0 8-18 * * *", "every hour from 08:00 to 18:00, every day"),
        ("0,10 1,3,5,7 * * *", "at minutes 0 and 10 past the hours 01, 03, 05 and 07, every day"),
        ("*/10 1,5 * * *", "every 10 minutes in the hours 01 and 05, every day"),
        ("*/5 */2 * * *", "every 5 minutes in every 2nd hour from 00, every day"),
        ("15,45 */3 * * *", "at minutes 15 and 45 past every 3rd hour from 00, every day"),
        ("15,45 * * * *", "every hour at minutes 15 and 45, every day"),
        ("*/5 0 * * *", "every 5 minutes in the hour 00, every day"),
        ("0 0 1 1 *", "at 00:00, on the 1st of January"),
        ("0 0 1,15,L * *", "at 00:00, on the 1st, the 15th and the last day of the month"),
        ("0 0 15W * *", "at 00:00, on the weekday nearest the 15th of the month"),
        ("0 0 LW * *", "at 00:00, on the last weekday of the month"),
        ("0 0 L-1 * *", "at 00:00, on 1 day before the last of the month"),
        ("0 0 * 12 *", "at 00:00, every day, in December"),
        ("0 0 * * 1,3", "at 00:00, Monday and Wednesday"),
        ("0 0 * * 1#1", "at 00:00, on the 1st Monday of the month"),
        ("0 0 * 3 5L", "at 00:00, on the last Friday of March"),
        ("0 0 13 * 5", "at 00:00, on the 13th of the month or Friday (either)"),
        (
            "0 0 */2 * 1",
            "at 00:00, on every 2nd day from the 1st of the month, but only when it is Monday (both must match)",
        ),
        ("0 0 1-7 * */7", "at 00:00, on the 1st to the 7th of the month, but only when it is Sunday (both must match)"),
        ("0 0 13 * 0-7", "at 00:00, every day"),
    ],
)
def test_an_expression_in_words(expression: str, words: str) -> None:
    assert cadence("cron", expr=expression).describe() == f"Cron {expression}: {words}, UTC"


def test_an_alias_keeps_its_name() -> None:
    assert cadence("cron", expr="@daily").rhythm() == "Cron @daily: at 00:00, every day"
