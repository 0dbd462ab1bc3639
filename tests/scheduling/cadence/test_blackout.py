"""Promises of blackouts: what is dark, until when, in the calendar's own zone."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduling.cadence.blackout import Blackout, Days, Stretch, WeeklyWindow, YearlyDays

AMSTERDAM = ZoneInfo("Europe/Amsterdam")


def at(*parts: int) -> datetime:
    """Return an Amsterdam wall-clock time as an instant."""
    return datetime(*parts, tzinfo=AMSTERDAM).astimezone(UTC)


def calendar(*periods) -> Blackout:
    return Blackout("Holidays", "Europe/Amsterdam", False, periods)


NEW_YEAR = Days(date(2026, 1, 1), date(2026, 1, 1))
CHRISTMAS = YearlyDays((12, 24), (1, 2))
WEEKEND = WeeklyWindow((5, 6))
NIGHT = WeeklyWindow((0, 1, 2, 3, 4), time(22), time(6))


@pytest.mark.parametrize(
    ("periods", "instant", "end"),
    [
        ([NEW_YEAR], at(2026, 1, 1, 0, 0), at(2026, 1, 2, 0, 0)),
        ([NEW_YEAR], at(2026, 1, 1, 23, 59), at(2026, 1, 2, 0, 0)),
        ([NEW_YEAR], at(2026, 1, 2, 0, 0), None),
        ([NEW_YEAR], at(2025, 12, 31, 23, 59), None),
        ([CHRISTMAS], at(2026, 12, 24, 0, 0), at(2027, 1, 3, 0, 0)),
        ([CHRISTMAS], at(2027, 1, 2, 12, 0), at(2027, 1, 3, 0, 0)),
        ([CHRISTMAS], at(2026, 7, 1, 12, 0), None),
        ([WEEKEND], at(2026, 3, 7, 10, 0), at(2026, 3, 9, 0, 0)),
        ([NIGHT], at(2026, 3, 3, 5, 59), at(2026, 3, 3, 6, 0)),
        ([NIGHT], at(2026, 3, 3, 6, 0), None),
        ([NIGHT], at(2026, 3, 7, 5, 0), at(2026, 3, 7, 6, 0)),
        ([NIGHT], at(2026, 3, 8, 23, 0), None),
        ([WEEKEND, NIGHT], at(2026, 3, 6, 23, 0), at(2026, 3, 9, 0, 0)),
        ([], at(2026, 3, 3, 12, 0), None),
    ],
)
def test_a_blackout_ends_where_its_periods_end(periods, instant, end):
    assert calendar(*periods).end_of(instant) == end
    assert calendar(*periods).covers(instant) == (end is not None)


def test_a_window_over_the_spring_change_ends_on_the_clock():
    assert calendar(WeeklyWindow((6,), time(1), time(4))).end_of(at(2026, 3, 29, 1, 30)) == at(2026, 3, 29, 4, 0)


def test_a_window_that_ends_in_the_gap_ends_after_it():
    assert calendar(WeeklyWindow((6,), time(1), time(2, 30))).end_of(at(2026, 3, 29, 1, 30)) == at(2026, 3, 29, 3, 0)


def test_a_window_that_ends_in_the_overlap_ends_with_its_second_copy():
    end = calendar(WeeklyWindow((6,), time(1), time(2, 30))).end_of(at(2026, 10, 25, 1, 30))
    assert end == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


def test_a_calendar_that_is_always_dark_ends_years_away():
    end = calendar(WeeklyWindow(tuple(range(7)))).end_of(at(2026, 3, 3, 12, 0))
    assert end is not None and end > at(2030, 1, 1, 0, 0)


def test_stretches_that_touch_are_one():
    found = list(
        calendar(WEEKEND, WeeklyWindow((0,), time(0), time(9))).between(at(2026, 3, 2, 12, 0), at(2026, 3, 20, 0, 0))
    )
    assert found == [
        Stretch(at(2026, 3, 7, 0, 0), at(2026, 3, 9, 9, 0)),
        Stretch(at(2026, 3, 14, 0, 0), at(2026, 3, 16, 9, 0)),
    ]


@given(
    st.integers(0, 5_000_000).map(lambda minutes: datetime(2020, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)),
    st.sets(st.sampled_from([NEW_YEAR, CHRISTMAS, WEEKEND, NIGHT, WeeklyWindow((2,), time(2), time(2, 30))])),
)
def test_end_and_stretches_agree(instant, periods):
    blackout = calendar(*periods)
    around = list(blackout.between(instant, instant + timedelta(seconds=1)))
    if blackout.covers(instant):
        assert around[0].start <= instant < around[0].end
        assert not blackout.covers(blackout.end_of(instant))
    else:
        assert all(stretch.start > instant for stretch in around)
