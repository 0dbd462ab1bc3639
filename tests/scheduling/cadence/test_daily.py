"""Daily: every local day, each of its times."""

from tests.scheduling.cadence.asking import before, cadence, faults, fires


def test_it_fires_every_day_at_each_time_strictly_later_than_asked() -> None:
    rule = cadence("daily", times=["18:00", "06:00"])
    assert fires(rule, "2026-02-28T06:00+00:00") == [
        "2026-02-28T18:00+00:00",
        "2026-03-01T06:00+00:00",
        "2026-03-01T18:00+00:00",
    ]


def test_leap_days_count_like_other_days() -> None:
    assert fires(cadence("daily", times=["12:00"]), "2096-02-28T13:00+00:00", 1) == ["2096-02-29T12:00+00:00"]
    assert fires(cadence("daily", times=["12:00"]), "2100-02-28T13:00+00:00", 1) == ["2100-03-01T12:00+00:00"]


def test_a_time_in_the_gap_follows_the_policy() -> None:
    def spring(gap: str) -> list[str]:
        return fires(cadence("daily", "America/New_York", times=["02:30"], dst_gap=gap), "2026-03-07T12:00-05:00", 2)

    assert spring("first_valid") == ["2026-03-08T03:00-04:00", "2026-03-09T02:30-04:00"]
    assert spring("shift") == ["2026-03-08T03:30-04:00", "2026-03-09T02:30-04:00"]
    assert spring("skip") == ["2026-03-09T02:30-04:00", "2026-03-10T02:30-04:00"]


def test_times_that_the_gap_moves_to_one_instant_are_one_fire() -> None:
    rule = cadence("daily", "Europe/Amsterdam", times=["02:15", "02:45", "03:00", "03:10"])
    assert fires(rule, "2026-03-29T00:00+01:00", 3) == [
        "2026-03-29T03:00+02:00",
        "2026-03-29T03:10+02:00",
        "2026-03-30T02:15+02:00",
    ]


def test_a_shifted_time_may_come_after_a_later_one() -> None:
    rule = cadence("daily", "Europe/Amsterdam", times=["02:45", "03:10"], dst_gap="shift")
    assert fires(rule, "2026-03-29T00:00+01:00", 2) == ["2026-03-29T03:10+02:00", "2026-03-29T03:45+02:00"]
    assert fires(rule, "2026-03-29T03:20+02:00", 1) == ["2026-03-29T03:45+02:00"]


def test_a_time_in_the_overlap_follows_the_policy() -> None:
    def autumn(overlap: str) -> list[str]:
        rule = cadence("daily", "Europe/Amsterdam", times=["02:30", "02:50"], dst_overlap=overlap)
        return fires(rule, "2026-10-25T00:00+02:00", 4)

    assert autumn("first")[:3] == ["2026-10-25T02:30+02:00", "2026-10-25T02:50+02:00", "2026-10-26T02:30+01:00"]
    assert autumn("second")[:3] == ["2026-10-25T02:30+01:00", "2026-10-25T02:50+01:00", "2026-10-26T02:30+01:00"]
    assert autumn("both") == [
        "2026-10-25T02:30+02:00",
        "2026-10-25T02:50+02:00",
        "2026-10-25T02:30+01:00",
        "2026-10-25T02:50+01:00",
    ]


def test_an_overlap_over_midnight_keeps_the_order_of_instants() -> None:
    rule = cadence("daily", "America/Havana", times=["00:10", "23:50"], dst_overlap="both")
    assert fires(rule, "2025-11-01T23:55-04:00", 3) == [
        "2025-11-02T00:10-04:00",
        "2025-11-02T00:10-05:00",
        "2025-11-02T23:50-05:00",
    ]


def test_a_day_that_a_zone_left_out_fires_at_its_end() -> None:
    assert fires(cadence("daily", "Pacific/Apia", times=["06:00"]), "2011-12-29T12:00-10:00", 2) == [
        "2011-12-31T00:00+14:00",
        "2011-12-31T06:00+14:00",
    ]


def test_the_first_and_the_last_day_are_included_and_nothing_else() -> None:
    rule = cadence("daily", "Asia/Tokyo", times=["00:00", "23:59"], starts_on="2026-05-01", ends_on="2026-05-02")
    everything = [
        "2026-05-01T00:00+09:00",
        "2026-05-01T23:59+09:00",
        "2026-05-02T00:00+09:00",
        "2026-05-02T23:59+09:00",
    ]
    assert fires(rule, "2020-01-01T00:00+00:00", 9) == everything
    assert before(rule, "2030-01-01T00:00+00:00") == everything[-1]
    assert before(rule, "2026-05-01T00:00+09:00") is None


def test_the_calendar_s_ends_give_none_and_no_fault() -> None:
    assert fires(cadence("daily", times=["06:00"]), "9999-12-31T23:00+00:00") == []
    assert before(cadence("daily", times=["06:00"]), "0001-01-01T01:00+00:00") is None


def test_dates_at_the_calendar_s_ends_mean_for_ever() -> None:
    rule = cadence("daily", "Asia/Tokyo", times=["06:00"], starts_on="0001-01-01", ends_on="9999-12-31")
    assert fires(rule, "2026-05-01T12:00+09:00", 2) == ["2026-05-02T06:00+09:00", "2026-05-03T06:00+09:00"]
    assert rule.can_fire()
    assert cadence("daily", times=["06:00"], ends_on="9999-12-31").can_fire()


def test_its_sentence() -> None:
    rule = cadence("daily", "Europe/Amsterdam", times=["18:00", "06:00"], starts_on="2026-01-01", ends_on="2026-12-31")
    assert rule.describe() == "Every day at 06:00 and 18:00, Europe/Amsterdam, from 2026-01-01, until 2026-12-31"


def test_all_faults_come_at_once() -> None:
    found = faults(
        {"kind": "daily", "times": ["6am", "25:00"], "dst_gap": "never", "starts_on": "tomorrow"}, "Mars/Base"
    )
    assert found.keys() == {"times", "dst_gap", "starts_on", "timezone"}
    assert len(found["times"]) == 2
    assert "write 06:00" in found["times"][0]
