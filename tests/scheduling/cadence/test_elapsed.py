"""Intervals of elapsed time: from a start, on one grid, after the last completion."""

from tests.scheduling.cadence.asking import before, cadence, fires

AMSTERDAM = "Europe/Amsterdam"


def test_from_a_start_it_counts_real_hours_over_a_clock_change() -> None:
    rule = cadence("interval", AMSTERDAM, every_minutes=1440, anchor="start", start="2026-03-28T06:00:00+01:00")
    assert fires(rule, "2026-03-28T05:00+01:00", 3) == [
        "2026-03-28T06:00+01:00",
        "2026-03-29T07:00+02:00",
        "2026-03-30T07:00+02:00",
    ]


def test_before_its_start_there_is_nothing() -> None:
    rule = cadence("interval", every_minutes=60, anchor="start", start="2026-03-28T06:00:00+00:00")
    assert fires(rule, "2020-01-01T00:00+00:00", 1) == ["2026-03-28T06:00+00:00"]
    assert before(rule, "2026-03-28T06:00+00:00") is None
    assert before(rule, "2026-03-28T06:00:01+00:00") == "2026-03-28T06:00+00:00"


def test_from_the_epoch_the_grid_is_unbroken_in_both_directions() -> None:
    rule = cadence("interval", every_seconds=7 * 3600, anchor="epoch", phase_seconds=60)
    assert fires(rule, "1970-01-01T00:00+00:00", 2) == ["1970-01-01T00:01+00:00", "1970-01-01T07:01+00:00"]
    assert before(rule, "1970-01-01T00:01+00:00") == "1969-12-31T17:01+00:00"


def test_after_a_completion_there_is_one_fire() -> None:
    rule = cadence("interval", every_minutes=90, anchor="last_completion", last_completion="2026-03-29T01:10:00+00:00")
    assert fires(rule, "2026-03-29T01:10+00:00") == ["2026-03-29T02:40+00:00"]
    assert fires(rule, "2026-03-29T02:40+00:00") == []
    assert before(rule, "2026-03-29T03:00+00:00") == "2026-03-29T02:40+00:00"
    assert rule.can_fire()


def test_after_a_completion_the_fire_waits_for_the_window_and_the_first_day() -> None:
    fields = {"every_minutes": 60, "anchor": "last_completion", "last_completion": "2026-11-20T20:00:00+00:00"}
    window = {"between": ["08:00", "18:00"], "days": ["mon", "tue", "wed", "thu", "fri"]}
    assert fires(cadence("interval", **fields, **window), "2026-11-20T20:00+00:00") == ["2026-11-23T08:00+00:00"]
    assert fires(cadence("interval", **fields, starts_on="2027-01-01"), "2026-11-20T20:00+00:00") == [
        "2027-01-01T00:00+00:00"
    ]
    assert fires(cadence("interval", **fields, ends_on="2026-11-19"), "2026-11-20T20:00+00:00") == []


def test_instants_outside_the_window_do_not_fire() -> None:
    rule = cadence("interval", AMSTERDAM, every_seconds=7200, anchor="epoch", between=["08:00", "12:00"], days=["mon"])
    assert fires(rule, "2026-06-01T00:00+02:00", 3) == [
        "2026-06-01T08:00+02:00",
        "2026-06-01T10:00+02:00",
        "2026-06-01T12:00+02:00",
    ]
    assert fires(rule, "2026-06-01T12:00+02:00", 1) == ["2026-06-08T08:00+02:00"]
    assert before(rule, "2026-06-08T08:00+02:00") == "2026-06-01T12:00+02:00"


def test_an_overnight_window_holds_after_midnight() -> None:
    rule = cadence("interval", every_seconds=3600, anchor="epoch", between=["23:00", "01:00"], days=["fri"])
    assert fires(rule, "2026-11-20T00:00+00:00", 4) == [
        "2026-11-20T23:00+00:00",
        "2026-11-21T00:00+00:00",
        "2026-11-21T01:00+00:00",
        "2026-11-27T23:00+00:00",
    ]


def test_a_window_in_the_overlap_opens_twice() -> None:
    rule = cadence("interval", AMSTERDAM, every_seconds=600, anchor="epoch", between=["02:30", "02:40"])
    assert [fire[11:] for fire in fires(rule, "2026-10-25T02:35+02:00", 4)] == [
        "02:40+02:00",
        "02:30+01:00",
        "02:40+01:00",
        "02:30+01:00",
    ]


def test_a_window_that_the_clock_falls_into_again_goes_on() -> None:
    rule = cadence("interval", "America/New_York", every_seconds=1800, anchor="epoch", between=["00:30", "01:30"])
    assert [fire[11:] for fire in fires(rule, "2026-11-01T01:00-04:00", 4)] == [
        "01:30-04:00",
        "01:00-05:00",
        "01:30-05:00",
        "00:30-05:00",
    ]


def test_what_never_meets_its_window_ends_the_search() -> None:
    rule = cadence("interval", every_seconds=86400, anchor="epoch", between=["08:00", "09:00"])
    assert fires(rule, "2026-06-01T00:00+00:00") == []
    assert before(rule, "2026-06-01T00:00+00:00") is None
    assert not rule.can_fire()


def test_the_first_and_the_last_day_are_local_and_included() -> None:
    rule = cadence(
        "interval", "Asia/Tokyo", every_seconds=43200, anchor="epoch", starts_on="2026-05-01", ends_on="2026-05-01"
    )
    assert fires(rule, "2020-01-01T00:00+00:00", 9) == ["2026-05-01T09:00+09:00", "2026-05-01T21:00+09:00"]
    assert before(rule, "2030-01-01T00:00+00:00") == "2026-05-01T21:00+09:00"
    assert before(rule, "2026-05-01T09:00+09:00") is None


def test_its_sentences() -> None:
    start = cadence("interval", AMSTERDAM, every_minutes=120, anchor="start", start="2026-03-02T06:00:00+00:00")
    assert start.describe() == "Every 2 hours, counted from 2026-03-02 07:00, Europe/Amsterdam"
    assert (
        cadence("interval", every_seconds=90, anchor="epoch").describe()
        == "Every 90 seconds, counted on over midnight, UTC"
    )
    after = cadence("interval", every_minutes=60, anchor="last_completion", last_completion="2026-03-02T06:00:00+00:00")
    assert after.describe() == "1 hour after the last completion, UTC"
