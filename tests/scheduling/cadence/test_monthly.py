"""Monthly: certain days of the month, in every n-th month."""

from tests.scheduling.cadence.asking import before, cadence, faults, fires


def days(rule, after: str, count: int) -> list[str]:  # type: ignore[no-untyped-def]
    return [fire[:10] for fire in fires(rule, after, count)]


def test_the_31st_is_not_lost_after_short_months() -> None:
    rule = cadence("monthly", days=[31], times=["08:00"])
    assert days(rule, "2026-01-31T08:00+00:00", 4) == ["2026-03-31", "2026-05-31", "2026-07-31", "2026-08-31"]
    assert before(rule, "2026-03-31T08:00+00:00") == "2026-01-31T08:00+00:00"


def test_the_29th_and_30th_pass_over_february() -> None:
    rule = cadence("monthly", days=[29, 30], times=["08:00"])
    assert days(rule, "2027-01-30T09:00+00:00", 2) == ["2027-03-29", "2027-03-30"]
    assert days(rule, "2028-01-30T09:00+00:00", 2) == ["2028-02-29", "2028-03-29"]


def test_short_months_may_take_their_last_day_instead() -> None:
    rule = cadence("monthly", days=[30, 31], times=["08:00"], short_month="last")
    assert days(rule, "2026-01-31T09:00+00:00", 4) == ["2026-02-28", "2026-03-30", "2026-03-31", "2026-04-30"]
    assert rule.rhythm() == "On the 30th and 31st of every month at 08:00 (the last day in shorter months)"


def test_last_is_the_month_s_real_end() -> None:
    rule = cadence("monthly", days=["last"], times=["08:00"])
    assert days(rule, "2096-01-31T09:00+00:00", 3) == ["2096-02-29", "2096-03-31", "2096-04-30"]
    assert days(rule, "2100-01-31T09:00+00:00", 1) == ["2100-02-28"]


def test_days_that_coincide_are_one_fire() -> None:
    rule = cadence("monthly", days=["last", 28], times=["05:00"])
    assert days(rule, "2026-02-01T00:00+00:00", 2) == ["2026-02-28", "2026-03-28"]


def test_months_are_counted_from_the_anchor_over_the_years_and_backwards() -> None:
    rule = cadence("monthly", days=[10], times=["09:00"], every_months=5, anchor_date="2026-01-10")
    assert days(rule, "2026-11-10T09:00+00:00", 2) == ["2027-04-10", "2027-09-10"]
    assert days(rule, "2025-07-01T00:00+00:00", 1) == ["2025-08-10"]


def test_a_cadence_without_any_day_ends_the_search() -> None:
    rule = cadence("monthly", days=[30], times=["09:00"], every_months=12, anchor_date="2026-02-01")
    assert fires(rule, "2026-01-01T00:00+00:00") == []
    assert before(rule, "2026-01-01T00:00+00:00") is None
    assert not rule.can_fire()


def test_29_february_is_found_over_the_century() -> None:
    rule = cadence("monthly", days=[29], times=["09:00"], every_months=12, anchor_date="2026-02-01")
    assert days(rule, "2096-03-01T00:00+00:00", 1) == ["2104-02-29"]
    assert rule.can_fire()


def test_dates_that_hold_no_slot_mean_it_never_fires() -> None:
    rule = cadence("monthly", days=[31], times=["09:00"], starts_on="2026-02-01", ends_on="2026-03-30")
    assert not rule.can_fire()


def test_its_sentence() -> None:
    rule = cadence("monthly", days=["last", 15, 1], times=["02:30"])
    assert rule.describe() == "On the 1st, 15th and last day of every month at 02:30, UTC"
    assert (
        cadence("monthly", days=[2], times=["02:30"], every_months=3).rhythm()
        == "On the 2nd of every 3rd month at 02:30"
    )


def test_it_refuses_what_is_no_day_of_a_month() -> None:
    found = faults({"kind": "monthly", "days": [0, 32, "first"], "times": "06:00", "short_month": "maybe"})
    assert len(found["days"]) == 3
    assert found.keys() == {"days", "times", "short_month"}
