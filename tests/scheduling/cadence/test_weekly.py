"""Weekly: certain weekdays, in every n-th week."""

from tests.scheduling.cadence.asking import cadence, faults, fires


def test_it_fires_on_its_days() -> None:
    rule = cadence("weekly", days=["fri", "mon"], times=["06:00"])
    assert fires(rule, "2026-11-20T06:00+00:00") == [
        "2026-11-23T06:00+00:00",
        "2026-11-27T06:00+00:00",
        "2026-11-30T06:00+00:00",
    ]


def test_weeks_are_counted_from_the_anchor_through_years_of_53_weeks() -> None:
    rule = cadence("weekly", days=["thu"], times=["06:00"], every_weeks=2, anchor_date="2026-12-24")
    assert fires(rule, "2026-12-25T00:00+00:00", 2) == ["2027-01-07T06:00+00:00", "2027-01-21T06:00+00:00"]
    assert fires(rule, "2026-12-01T00:00+00:00", 2) == ["2026-12-10T06:00+00:00", "2026-12-24T06:00+00:00"]


def test_the_day_on_which_a_week_begins_decides_to_which_week_sunday_belongs() -> None:
    def sundays(start: str) -> list[str]:
        rule = cadence(
            "weekly", days=["sun", "wed"], times=["06:00"], every_weeks=2, anchor_date="2026-01-07", week_starts=start
        )
        return [fire[:10] for fire in fires(rule, "2026-01-03T00:00+00:00", 4)]

    assert sundays("mon") == ["2026-01-07", "2026-01-11", "2026-01-21", "2026-01-25"]
    assert sundays("sun") == ["2026-01-04", "2026-01-07", "2026-01-18", "2026-01-21"]


def test_without_an_anchor_weeks_count_from_the_first_day() -> None:
    rule = cadence("weekly", days=["tue"], times=["06:00"], every_weeks=3, starts_on="2026-03-02")
    assert [fire[:10] for fire in fires(rule, "2026-01-01T00:00+00:00", 2)] == ["2026-03-03", "2026-03-24"]


def test_a_gap_moves_its_time() -> None:
    rule = cadence("weekly", "Europe/Amsterdam", days=["sun"], times=["02:30"])
    assert fires(rule, "2026-03-28T00:00+01:00", 2) == ["2026-03-29T03:00+02:00", "2026-04-05T02:30+02:00"]


def test_its_sentences() -> None:
    weekdays = cadence("weekly", "Europe/Amsterdam", days=["mon", "tue", "wed", "thu", "fri"], times=["06:00", "18:00"])
    assert weekdays.describe() == "Every weekday at 06:00 and 18:00, Europe/Amsterdam"
    assert cadence("weekly", days=["mon", "fri"], times=["06:00"]).rhythm() == "Every Monday and Friday at 06:00"
    rare = cadence("weekly", days=["tue"], times=["07:30"], every_weeks=2, week_starts="sun")
    assert rare.rhythm() == "Every 2 weeks on Tuesday at 07:30 (weeks begin on Sunday)"


def test_it_refuses_what_it_cannot_read() -> None:
    found = faults(
        {"kind": "weekly", "days": ["funday"], "times": [], "every_weeks": 0, "week_starts": "x", "days_": 1}
    )
    assert found.keys() == {"days", "times", "every_weeks", "week_starts", "days_"}
