"""Monthly by weekday: the n-th or last such day of a month."""

from tests.scheduling.cadence.asking import cadence, faults, fires


def test_it_fires_on_the_nth_weekday() -> None:
    rule = cadence("monthly_nth_weekday", nth=1, weekday="mon", times=["06:00"])
    assert [fire[:10] for fire in fires(rule, "2026-06-01T06:00+00:00", 2)] == ["2026-07-06", "2026-08-03"]


def test_months_without_a_fifth_are_passed_over() -> None:
    rule = cadence("monthly_nth_weekday", nth=5, weekday="fri", times=["09:00"])
    assert [fire[:10] for fire in fires(rule, "2026-01-31T00:00+00:00", 2)] == ["2026-05-29", "2026-07-31"]


def test_the_last_one_is_the_fourth_or_the_fifth() -> None:
    rule = cadence("monthly_nth_weekday", nth="last", weekday="wed", times=["09:00"])
    assert [fire[:10] for fire in fires(rule, "2096-02-01T00:00+00:00", 2)] == ["2096-02-29", "2096-03-28"]


def test_only_the_named_months_count() -> None:
    rule = cadence("monthly_nth_weekday", nth=2, weekday="tue", times=["09:00"], months=[7, 1])
    assert [fire[:10] for fire in fires(rule, "2026-02-01T00:00+00:00", 2)] == ["2026-07-14", "2027-01-12"]
    assert rule.describe() == "On the 2nd Tuesday of January and July at 09:00, UTC"


def test_a_fifth_weekday_of_february_is_found_within_decades() -> None:
    rule = cadence("monthly_nth_weekday", nth=5, weekday="sun", times=["09:00"], months=[2])
    assert [fire[:10] for fire in fires(rule, "2026-01-01T00:00+00:00", 3)] == [
        "2032-02-29",
        "2060-02-29",
        "2088-02-29",
    ]


def test_the_sunday_of_the_clock_change_follows_the_policy() -> None:
    rule = cadence("monthly_nth_weekday", "America/New_York", nth=2, weekday="sun", times=["02:30"], dst_gap="shift")
    assert fires(rule, "2026-03-01T00:00-05:00", 1) == ["2026-03-08T03:30-04:00"]


def test_it_refuses_what_it_cannot_read() -> None:
    found = faults({"kind": "monthly_nth_weekday", "nth": 6, "weekday": "day", "times": ["6"], "months": [13]})
    assert found.keys() == {"nth", "weekday", "times", "months"}
