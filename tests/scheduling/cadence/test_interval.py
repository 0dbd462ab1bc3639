"""Intervals on the clock's grid: begun anew at midnight or at the window's start, nothing in a gap, both copies."""

from datetime import UTC, datetime

import pytest

from tests.scheduling.cadence.asking import before, cadence, faults, fires


def test_the_grid_begins_anew_at_midnight() -> None:
    rule = cadence("interval", every_minutes=420)
    assert fires(rule, "2026-06-10T10:00+00:00", 3) == [
        "2026-06-10T14:00+00:00",
        "2026-06-10T21:00+00:00",
        "2026-06-11T00:00+00:00",
    ]


def test_the_grid_begins_at_the_window_and_includes_its_end() -> None:
    rule = cadence("interval", every_minutes=25, between=["08:00", "09:15"])
    assert [fire[11:16] for fire in fires(rule, "2026-06-10T07:00+00:00", 5)] == [
        "08:00",
        "08:25",
        "08:50",
        "09:15",
        "08:00",
    ]


def test_the_end_may_be_left_out() -> None:
    rule = cadence("interval", every_minutes=30, between=["08:00", "09:00"], between_end_inclusive=False)
    assert [fire[11:16] for fire in fires(rule, "2026-06-10T07:00+00:00", 3)] == ["08:00", "08:30", "08:00"]


def test_a_window_may_pass_midnight_and_belongs_to_the_day_it_begins_on() -> None:
    rule = cadence("interval", every_minutes=90, between=["22:00", "02:00"], days=["fri"])
    assert fires(rule, "2026-11-20T00:00+00:00", 4) == [
        "2026-11-20T22:00+00:00",
        "2026-11-20T23:30+00:00",
        "2026-11-21T01:00+00:00",
        "2026-11-27T22:00+00:00",
    ]
    assert fires(rule, "2026-11-21T00:30+00:00", 1) == ["2026-11-21T01:00+00:00"]
    assert before(rule, "2026-11-21T00:30+00:00") == "2026-11-20T23:30+00:00"


def test_a_whole_day_window_that_begins_at_its_end_has_no_doubles() -> None:
    rule = cadence("interval", every_minutes=720, between=["06:00", "06:00"])
    assert [fire[11:16] for fire in fires(rule, "2026-11-20T00:00+00:00", 4)] == ["06:00", "18:00", "06:00", "18:00"]


def test_a_window_may_end_at_24_00() -> None:
    rule = cadence("interval", every_minutes=60, between=["22:00", "24:00"])
    assert [fire[8:16] for fire in fires(rule, "2026-11-20T21:00+00:00", 4)] == [
        "20T22:00",
        "20T23:00",
        "21T00:00",
        "21T22:00",
    ]


def test_a_grid_has_nothing_in_the_gap_whatever_the_policy() -> None:
    rule = cadence("interval", "Europe/Amsterdam", every_minutes=30, dst_gap="first_valid")
    assert fires(rule, "2026-03-29T01:00+01:00", 3) == [
        "2026-03-29T01:30+01:00",
        "2026-03-29T03:00+02:00",
        "2026-03-29T03:30+02:00",
    ]


def test_a_grid_has_both_copies_in_the_overlap_whatever_the_policy() -> None:
    rule = cadence("interval", "Europe/Amsterdam", every_minutes=30, dst_overlap="first")
    assert fires(rule, "2026-10-25T02:00+02:00", 4) == [
        "2026-10-25T02:30+02:00",
        "2026-10-25T02:00+01:00",
        "2026-10-25T02:30+01:00",
        "2026-10-25T03:00+01:00",
    ]


def test_dates_cut_an_overnight_window() -> None:
    rule = cadence(
        "interval", every_minutes=60, between=["23:00", "01:00"], starts_on="2026-05-02", ends_on="2026-05-02"
    )
    assert [fire[11:16] for fire in fires(rule, "2026-01-01T00:00+00:00", 9)] == ["00:00", "01:00", "23:00"]
    assert before(rule, "2026-06-01T00:00+00:00") == "2026-05-02T23:00+00:00"
    assert before(rule, "2026-05-02T00:00+00:00") is None


def test_between_yields_the_fires_after_the_start_up_to_the_end() -> None:
    rule = cadence("interval", every_minutes=15)
    start, end = datetime(2026, 1, 1, 6, tzinfo=UTC), datetime(2026, 1, 1, 7, tzinfo=UTC)
    assert [fire.minute for fire in rule.between(start, end)] == [15, 30, 45, 0]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"every_minutes": 15}, "Every 15 minutes, UTC"),
        ({"every_minutes": 1}, "Every minute, UTC"),
        ({"every_minutes": 60}, "Every hour, UTC"),
        ({"every_minutes": 1440}, "Every 24 hours, UTC"),
        (
            {"every_minutes": 15, "between": ["08:00", "18:00"], "days": ["mon", "tue", "wed", "thu", "fri"]},
            "Every 15 minutes from 08:00 to 18:00 on weekdays, UTC",
        ),
        (
            {
                "every_minutes": 90,
                "between": ["22:00", "24:00"],
                "between_end_inclusive": False,
                "days": ["sat", "sun"],
            },
            "Every 90 minutes from 22:00 to 24:00 (not included) at weekends, UTC",
        ),
        ({"every_minutes": 90, "days": ["mon", "fri"]}, "Every 90 minutes on Mondays and Fridays, UTC"),
    ],
)
def test_its_sentences(fields: dict[str, object], sentence: str) -> None:
    assert cadence("interval", **fields).describe() == sentence


def test_it_refuses_what_it_cannot_read() -> None:
    assert faults({"kind": "interval"}).keys() == {"every_minutes"}
    assert faults({"kind": "interval", "every_minutes": 1441}).keys() == {"every_minutes"}
    assert faults({"kind": "interval", "every_minutes": 5, "every_seconds": 5}).keys() == {"every_minutes"}
    assert faults({"kind": "interval", "every_minutes": 5, "between": ["08:00"], "anchor": "moon"}).keys() == {
        "between",
        "anchor",
    }
    assert faults({"kind": "interval", "every_minutes": 5, "between": ["08:00", "6pm"]})["between"] == [
        "'6pm' is not a time; write 18:00."
    ]
    assert faults({"kind": "interval", "every_minutes": 5, "anchor": "start"}).keys() == {"start"}
    assert faults({"kind": "interval", "every_minutes": 5, "anchor": "start", "start": "2026-01-01T00:00"}).keys() == {
        "start"
    }
