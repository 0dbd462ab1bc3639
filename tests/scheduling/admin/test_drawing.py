"""Promises about what every drawing of time shares: ticks are round local times that never crowd."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from scheduling.admin.drawing import Scale, bar, ticks

START = datetime(2026, 3, 2, tzinfo=UTC)
MOST = 12


def marks(hours: float = 24, timezone: str = "UTC", start: datetime = START):
    return ticks(Scale(start, start + timedelta(hours=hours), ZoneInfo(timezone)), MOST)


def x_of(tick) -> float:
    return float(tick.x.removesuffix("%"))


def test_ticks_of_a_day_are_round_hours_of_the_reader():
    found = marks(timezone="Europe/Amsterdam")
    assert [tick.label for tick in found][:3] == ["02:00", "04:00", "06:00"] and len(found) == 12
    assert [tick.label for tick in found if tick.mark == "tick-day"] == ["2026-03-03"]
    assert x_of(found[0]) == pytest.approx(100 / 24, abs=0.001)


def test_ticks_of_a_week_are_its_days():
    found = marks(hours=7 * 24)
    assert [tick.label for tick in found][:2] == ["2026-03-02", "2026-03-03"] and len(found) == 7
    assert all(tick.mark == "tick-day" for tick in found)


@pytest.mark.parametrize("hours", [0.001, 0.01, 0.5, 1, 5, 13, 24, 48, 168, 31 * 24, 366 * 24, 3650 * 24])
def test_ticks_never_crowd_and_always_lie_inside(hours):
    found = marks(hours=hours, timezone="America/New_York")
    assert len(found) <= MOST + 1
    assert all(0 <= x_of(tick) <= 100 for tick in found)
    assert [x_of(tick) for tick in found] == sorted({x_of(tick) for tick in found})


@pytest.mark.parametrize("hours", [7, 24, 28, 48, 7 * 24 * 7 / 6, 31 * 24])
def test_no_label_lies_over_another_where_a_drawing_is_narrowest(hours):
    """44rem, where a letter takes 6.6 pixels; the last labels end at their mark."""
    for shift in range(48):
        edge = 0.0
        for tick in marks(hours=hours, timezone="Asia/Tokyo", start=START + timedelta(minutes=30 * shift)):
            width = len(tick.label) * 6.6 / 7.04
            left = x_of(tick) - (width if tick.anchor == "end" else 0)
            assert not tick.label or left >= edge, (shift, tick)
            edge = max(edge, left + width if tick.label else 0)


def test_ticks_follow_the_clock_when_it_changes():
    change = datetime(2026, 3, 29, tzinfo=UTC)  # 01:00 in Amsterdam; 02:00 does not exist
    day = marks(start=change, timezone="Europe/Amsterdam")
    assert [tick.label for tick in day][:3] == ["03:00", "", "06:00"], "04:00 comes an hour later and has no room"
    assert x_of(next(tick for tick in day if tick.label == "12:00")) == pytest.approx(10 / 24 * 100, abs=0.001)
    hours = marks(start=change, timezone="Europe/Amsterdam", hours=12)
    assert [(tick.x, tick.label) for tick in hours][:3] == [("0%", "01:00"), ("8.333%", "03:00"), ("16.667%", "04:00")]


def test_ticks_of_minutes_are_round_and_told_to_the_second():
    start = START + timedelta(minutes=7, seconds=3)
    assert [tick.label for tick in marks(0.25, start=start)][:2] == ["00:08:00", "00:10:00"]
    half_past = marks(0.25, "Asia/Kolkata", start=start)
    assert [tick.label for tick in half_past][:2] == ["05:38:00", "05:40:00"]


def test_a_bar_never_leaves_the_drawing():
    at_the_end = bar(99.9, 0.8, 26, "span-lost", "lost", is_thin=True)
    assert (at_the_end.x, at_the_end.width) == ("99.2%", "0.8%")
    assert (at_the_end.y, at_the_end.height) == ("51", "4")
