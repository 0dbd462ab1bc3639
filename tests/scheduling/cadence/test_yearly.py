"""Yearly: one calendar day a year."""

from tests.scheduling.cadence.asking import before, cadence, faults, fires


def test_it_fires_once_a_year() -> None:
    rule = cadence("yearly", "Asia/Tokyo", month=12, day=31, times=["23:00"])
    assert fires(rule, "2026-12-31T23:00+09:00", 2) == ["2027-12-31T23:00+09:00", "2028-12-31T23:00+09:00"]
    assert rule.describe() == "Every year on 31 December at 23:00, Asia/Tokyo"


def test_29_february_waits_for_leap_years_also_over_2100() -> None:
    rule = cadence("yearly", month=2, day=29, times=["06:00"])
    assert fires(rule, "2092-03-01T00:00+00:00", 2) == ["2096-02-29T06:00+00:00", "2104-02-29T06:00+00:00"]
    assert before(rule, "2104-01-01T00:00+00:00") == "2096-02-29T06:00+00:00"


def test_29_february_may_become_the_28th() -> None:
    rule = cadence("yearly", month=2, day=29, times=["06:00"], short_month="last")
    assert fires(rule, "2026-01-01T00:00+00:00", 1) == ["2026-02-28T06:00+00:00"]
    assert rule.describe() == "Every year on 29 February at 06:00 (its last day when it is shorter), UTC"


def test_the_last_day_of_a_month_has_its_own_words() -> None:
    rule = cadence("yearly", month=2, day=31, times=["06:00"], short_month="last")
    assert fires(rule, "2027-01-01T00:00+00:00", 2) == ["2027-02-28T06:00+00:00", "2028-02-29T06:00+00:00"]
    assert rule.describe() == "Every year on the last day of February at 06:00, UTC"


def test_30_february_never_fires_and_says_so() -> None:
    rule = cadence("yearly", month=2, day=30, times=["06:00"])
    assert fires(rule, "2026-01-01T00:00+00:00") == []
    assert not rule.can_fire()


def test_it_refuses_what_it_cannot_read() -> None:
    assert faults({"kind": "yearly", "month": 13, "day": True}).keys() == {"month", "day", "times"}
