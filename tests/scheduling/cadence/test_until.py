"""Promise: a step waits until a time of day of the day of its run, whatever the clocks do on that day."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.cadence.until import until_time
from tests.depth import examples

AMSTERDAM = ZoneInfo("Europe/Amsterdam")
pytestmark = pytest.mark.pure


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(
    ("slot", "of_day", "days", "expected"),
    [
        ("2026-03-02T06:00+01:00", time(14), 0, "2026-03-02T13:00+00:00"),
        ("2026-03-02T15:00+01:00", time(14), 0, "2026-03-02T13:00+00:00"),  # it has passed: what waits goes on
        ("2026-03-02T23:00+01:00", time(2), 1, "2026-03-03T01:00+00:00"),
        ("2026-03-01T23:30+00:00", time(14), 0, "2026-03-02T13:00+00:00"),  # the day of the zone, not of UTC
        ("2026-03-29T00:30+01:00", time(2, 30), 0, "2026-03-29T01:00+00:00"),  # clocks skip it: the first moment after
        ("2026-03-28T23:00+01:00", time(2, 30), 1, "2026-03-29T01:00+00:00"),
        ("2026-10-25T00:30+02:00", time(2, 30), 0, "2026-10-25T00:30+00:00"),  # it comes twice: the first
        ("2026-10-24T20:00+02:00", time(12), 1, "2026-10-25T11:00+00:00"),
    ],
)
def test_the_time_is_that_of_the_local_day_of_the_run(slot, of_day, days, expected):
    assert until_time(at(slot), AMSTERDAM, of_day, days) == at(expected)


ZONES = st.sampled_from(["UTC", "Europe/Amsterdam", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"])
SLOTS = st.integers(0, 3650 * 1440).map(lambda minutes: datetime(2020, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes))
CHANGES = [date(2026, 3, 29), date(2026, 10, 25), date(2026, 3, 8), date(2026, 11, 1), date(2026, 4, 5)]
AROUND = st.builds(
    lambda day, hours: datetime.combine(day, time(), tzinfo=UTC) + timedelta(hours=hours),
    st.sampled_from(CHANGES),
    st.integers(-30, 30),
)


@settings(max_examples=examples(200))
@given(slot=SLOTS | AROUND, zone=ZONES.map(ZoneInfo), of_day=st.times(), days=st.integers(0, 31))
def test_the_clocks_show_the_time_then_or_it_is_the_end_of_a_gap(slot, zone, of_day, days):
    found = until_time(slot, zone, of_day, days)
    wanted = datetime.combine(slot.astimezone(zone).date() + timedelta(days=days), of_day)
    shown = found.astimezone(zone).replace(tzinfo=None)
    before = (found - timedelta(microseconds=1)).astimezone(zone).replace(tzinfo=None)
    assert found.utcoffset() == timedelta()
    if shown != wanted:
        assert before < wanted < shown, "not the first moment after a gap"
    else:
        assert (found - timedelta(hours=3)).astimezone(zone).replace(tzinfo=None) < wanted, "the second of two"


@settings(max_examples=examples(100))
@given(slot=SLOTS | AROUND, zone=ZONES.map(ZoneInfo), of_day=st.times(), more=st.times(), days=st.integers(0, 30))
def test_later_times_and_later_days_are_never_earlier(slot, zone, of_day, more, days):
    first, second = sorted((of_day, more))
    assert until_time(slot, zone, first, days) <= until_time(slot, zone, second, days)
    assert until_time(slot, zone, second, days) <= until_time(slot, zone, first, days + 1)
