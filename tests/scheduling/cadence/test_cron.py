"""Cron: what fires when, on ordinary days and on the days the clock changes."""

from datetime import UTC, datetime

import pytest
from cronsim import CronSim

from scheduling.cadence.kinds.cron_fields import read_cron
from tests.scheduling.cadence.asking import before, cadence, faults, fires


def days(expression: str, after: str, count: int = 3) -> list[str]:
    return [fire[:10] for fire in fires(cadence("cron", expr=expression), f"{after}T00:00+00:00", count)]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("0 6 L * *", ["2026-01-31", "2026-02-28", "2026-03-31"]),
        ("0 6 L-2 * *", ["2026-01-29", "2026-02-26", "2026-03-29"]),
        ("0 6 LW * *", ["2026-01-30", "2026-02-27", "2026-03-31"]),
        ("0 6 15W * *", ["2026-01-15", "2026-02-16", "2026-03-16"]),
        ("0 6 1W 2,8,11 *", ["2026-02-02", "2026-08-03", "2026-11-02"]),
        ("0 6 31W * *", ["2026-01-30", "2026-03-31", "2026-05-29"]),
        ("0 6 1,L * *", ["2026-01-01", "2026-01-31", "2026-02-01"]),
        ("0 6 * * 5#2", ["2026-01-09", "2026-02-13", "2026-03-13"]),
        ("0 6 * * fri#2,mon#1", ["2026-01-05", "2026-01-09", "2026-02-02"]),
        ("0 6 * * L5", ["2026-01-30", "2026-02-27", "2026-03-27"]),
        ("0 6 * * 5L", ["2026-01-30", "2026-02-27", "2026-03-27"]),
        ("0 6 * * 1,5#2", ["2026-01-05", "2026-01-09", "2026-01-12"]),
        ("0 6 * JAN-FEB 7", ["2026-01-04", "2026-01-11", "2026-01-18"]),
        ("0 6 * * fri-mon", ["2026-01-02", "2026-01-03", "2026-01-04"]),
        ("0 6 ? * MON", ["2026-01-05", "2026-01-12", "2026-01-19"]),
        ("@weekly", ["2026-01-04", "2026-01-11", "2026-01-18"]),
        ("@yearly", ["2027-01-01", "2028-01-01", "2029-01-01"]),
    ],
)
def test_day_words_and_names(expression: str, expected: list[str]) -> None:
    assert days(expression, "2026-01-01") == expected


def test_two_restricted_day_fields_match_when_either_does() -> None:
    assert days("0 6 13 * 5", "2026-11-01", 4) == ["2026-11-06", "2026-11-13", "2026-11-20", "2026-11-27"]
    assert days("0 6 1 * 5", "2026-11-22", 2) == ["2026-11-27", "2026-12-01"]


def test_a_day_field_that_starts_with_a_star_must_match_together_with_the_other() -> None:
    assert days("0 6 */2 * 1", "2026-06-01") == ["2026-06-01", "2026-06-15", "2026-06-29"]
    assert days("0 6 1-7 * */7", "2026-06-01", 2) == ["2026-06-07", "2026-07-05"]
    assert days("0 6 13 * 0-7", "2026-06-01", 2) == ["2026-06-01", "2026-06-02"]


def test_fixed_times_follow_the_policies() -> None:
    def spring(gap: str) -> list[str]:
        return fires(cadence("cron", "Europe/Amsterdam", expr="30 2 * * *", dst_gap=gap), "2026-03-29T00:00+01:00", 1)

    assert spring("first_valid") == ["2026-03-29T03:00+02:00"]
    assert spring("shift") == ["2026-03-29T03:30+02:00"]
    assert spring("skip") == ["2026-03-30T02:30+02:00"]
    both = cadence("cron", "Europe/Amsterdam", expr="30 2 * * *", dst_overlap="both")
    assert fires(both, "2026-10-25T00:00+02:00", 2) == ["2026-10-25T02:30+02:00", "2026-10-25T02:30+01:00"]


def test_a_range_of_hours_is_a_list_of_fixed_times() -> None:
    rule = cadence("cron", "Europe/Amsterdam", expr="0 1-4 * * *")
    assert fires(rule, "2026-03-29T00:00+01:00", 3) == [
        "2026-03-29T01:00+01:00",
        "2026-03-29T03:00+02:00",
        "2026-03-29T04:00+02:00",
    ]
    assert fires(rule, "2026-10-25T01:00+02:00", 2) == ["2026-10-25T02:00+02:00", "2026-10-25T03:00+01:00"]


@pytest.mark.parametrize("expression", ["0 * * * *", "0 */2 * * *", "*/30 2 * * *"])
def test_a_star_in_minute_or_hour_makes_a_grid_that_the_gap_does_not_move(expression: str) -> None:
    rule = cadence("cron", "Europe/Amsterdam", expr=expression)
    local = [fire[11:13] for fire in fires(rule, "2026-03-29T00:00+01:00", 4) if fire.startswith("2026-03-29")]
    assert "02" not in local
    assert not (expression == "0 */2 * * *" and "03" in local)


def test_a_grid_fires_in_both_copies_of_the_overlap() -> None:
    rule = cadence("cron", "Australia/Lord_Howe", expr="*/30 * * * *")
    assert fires(rule, "2026-04-05T01:00+11:00", 3) == [
        "2026-04-05T01:30+11:00",
        "2026-04-05T01:30+10:30",
        "2026-04-05T02:00+10:30",
    ]


def test_rare_days_are_found_over_the_century_and_quickly() -> None:
    rule = cadence("cron", expr="0 6 29 2 */7")
    assert fires(rule, "2032-03-01T00:00+00:00", 2) == ["2060-02-29T06:00+00:00", "2088-02-29T06:00+00:00"]
    assert fires(rule, "2088-03-01T00:00+00:00", 1) == ["2128-02-29T06:00+00:00"]
    assert before(rule, "2128-02-29T06:00+00:00") == "2088-02-29T06:00+00:00"


def test_what_can_never_fire_says_so_and_ends_the_search() -> None:
    for expression in ("0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 31W 2 *"):
        rule = cadence("cron", expr=expression)
        assert rule.next_after(datetime(2026, 1, 1, tzinfo=UTC)) is None
        assert not rule.can_fire()


@pytest.mark.parametrize(
    "expression",
    [
        "17 3,9-12 * * *",
        "*/7 */5 * * *",
        "5-59/9 22-23 1,15,31 * *",
        "0 0 13 * 5",
        "3 3 */3 2-11/3 *",
        "0 0 * * 1-5",
        "0 12 L * *",
        "0 12 * * 3#1",
        "0 0 29 2 *",
        "0 0 1-7 * */7",
    ],
)
def test_it_agrees_with_an_independent_implementation(expression: str) -> None:
    oracle = CronSim(expression, datetime(2025, 12, 31, 23, 59, tzinfo=UTC))
    moment: datetime | None = datetime(2025, 12, 31, 23, 59, tzinfo=UTC)
    rule = cadence("cron", expr=expression)
    for _ in range(200):
        moment = rule.next_after(moment) if moment else None
        assert moment == next(oracle)


def test_dates_are_included() -> None:
    rule = cadence("cron", expr="0 6 * * *", starts_on="2026-05-01", ends_on="2026-05-02")
    assert fires(rule, "2020-01-01T00:00+00:00", 9) == ["2026-05-01T06:00+00:00", "2026-05-02T06:00+00:00"]


def test_a_broken_expression_is_refused_at_its_field() -> None:
    assert faults({"kind": "cron", "expr": "0 6 * *"}) == {
        "expr": ["A cron expression has five fields (minute hour day month weekday), not 4."]
    }
    assert faults({"kind": "cron"}).keys() == {"expr"}
    assert faults({"kind": "cron", "expr": 5}).keys() == {"expr"}


@pytest.mark.parametrize(
    "written,short",
    [
        ("0 6 * * sunday", "0 6 * * sun"),
        ("0 6 * February *", "0 6 * feb *"),
        ("0 6 * SEPT-October,april Tues-thursday", "0 6 * sep-oct,apr tue-thu"),
        ("0 6 * * friday#2", "0 6 * * fri#2"),
        ("0 6 * * Fridayl", "0 6 * * fril"),
        ("0 6 * * lfriday", "0 6 * * lfri"),
        ("0 6 * may,june monday", "0 6 * may,jun mon"),
    ],
)
def test_full_names_of_days_and_months_mean_their_first_three_letters(written, short):
    assert read_cron(written) == read_cron(short)


@pytest.mark.parametrize(
    "wrong", ["0 6 * * sundays", "0 6 * * febr", "0 6 * sunday *", "sunday 6 * * *", "0 6 * janfeb *"]
)
def test_other_words_are_no_names(wrong):
    with pytest.raises(ValueError, match="cannot be read"):
        read_cron(wrong)
