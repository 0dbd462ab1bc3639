"""Promises about the drawing: everything lies inside, nothing is too thin to see, ticks are round local times."""

from datetime import UTC, datetime, timedelta

import pytest

from scheduling.forecast.load import load_of, quiet_of
from scheduling.forecast.timeline import MOST_TICKS, NARROWEST, timeline
from scheduling.forecast.values import FIRES, HELD, ExpectedFire, Forecast

START = datetime(2026, 3, 2, tzinfo=UTC)
HOUR = timedelta(hours=1)


def fire(hour: float, what: str = "branch", state: str = FIRES, minutes: float = 60) -> ExpectedFire:
    return ExpectedFire(START + hour * HOUR, what, f"Sentence of {what}", state, round(minutes * 60_000), reason="Due.")


def drawn(*fires: ExpectedFire, hours: float = 24, start: datetime = START, timezone: str = "UTC", limit: int = 1):
    until = start + hours * HOUR
    load, quiet = load_of(fires, {"default": limit}, start, until), quiet_of(fires, start, until)
    return timeline(Forecast(start, until, until, fires, (), load, quiet, ()), timezone)


def test_bars_lie_where_their_time_is_in_percent_of_the_width():
    [lane] = drawn(fire(6), fire(18, minutes=180)).lanes
    assert [(bar.x, bar.width, bar.count) for bar in lane.bars] == [(25, 4.167, 1), (75, 12.5, 1)]
    assert (lane.what, lane.sentence) == ("branch", "Sentence of branch")
    assert lane.bars[0].title == "Mon 02 Mar 06:00: fires, about 60 min. Due."


def test_there_is_a_lane_for_each_in_the_order_of_names():
    assert [lane.what for lane in drawn(fire(1, "region"), fire(2, "branch"), fire(3, "region")).lanes] == [
        "branch", "region",
    ]  # fmt: skip


def test_a_quick_run_is_wide_enough_to_see_even_at_the_end():
    [lane] = drawn(fire(1, minutes=0.01), fire(23.999, minutes=0.01)).lanes
    assert [bar.width for bar in lane.bars] == [NARROWEST, NARROWEST]
    assert lane.bars[-1].x + lane.bars[-1].width == 100


def test_a_run_that_goes_on_after_the_end_stops_at_the_edge():
    [lane] = drawn(fire(23, minutes=600)).lanes
    assert lane.bars[0].x + lane.bars[0].width == pytest.approx(100, abs=0.01)


def test_thousands_of_fires_become_few_bars_that_say_how_many():
    minutely = [fire(minute / 60, minutes=0.1) for minute in range(7 * 24 * 60)]
    [lane] = drawn(*minutely, hours=7 * 24).lanes
    assert len(lane.bars) == 1 and lane.bars[0].count == 10_080
    assert "10,080 × fires" in lane.bars[0].title


def test_what_is_held_is_never_drawn_as_if_it_ran():
    [lane] = drawn(fire(6, minutes=1), fire(6.01, state=HELD), fire(6.02, minutes=1)).lanes
    assert [bar.state for bar in lane.bars] == ["fires", "held", "fires"]
    assert lane.bars[1].width == NARROWEST and "about" not in lane.bars[1].title


def test_ticks_of_a_day_are_round_hours_of_the_reader():
    ticks = drawn(timezone="Europe/Amsterdam").ticks
    assert [tick.label for tick in ticks][:3] == ["02:00", "04:00", "06:00"] and len(ticks) == 12
    assert [tick.label for tick in ticks if tick.major] == ["Tue 03 Mar"]
    assert ticks[0].x == pytest.approx(100 / 24, abs=0.001)


def test_ticks_of_a_week_are_its_days():
    ticks = drawn(hours=7 * 24).ticks
    assert [tick.label for tick in ticks][:2] == ["Mon 02 Mar", "Tue 03 Mar"] and len(ticks) == 7
    assert all(tick.major for tick in ticks)


@pytest.mark.parametrize("hours", [0.5, 1, 5, 13, 24, 48, 168, 31 * 24, 366 * 24, 3650 * 24])
def test_ticks_never_crowd_and_always_lie_inside(hours):
    ticks = drawn(hours=hours, timezone="America/New_York").ticks
    assert len(ticks) <= MOST_TICKS + 1
    assert all(0 <= tick.x <= 100 for tick in ticks)
    assert [tick.x for tick in ticks] == sorted({tick.x for tick in ticks})


def test_ticks_follow_the_clock_when_it_changes():
    change = datetime(2026, 3, 29, tzinfo=UTC)  # 01:00 in Amsterdam; 02:00 does not exist
    day = drawn(start=change, timezone="Europe/Amsterdam").ticks
    assert [tick.label for tick in day][:2] == ["03:00", "04:00"]
    assert next(tick for tick in day if tick.label == "12:00").x == pytest.approx(10 / 24 * 100, abs=0.001)
    hours = drawn(start=change, timezone="Europe/Amsterdam", hours=4).ticks
    assert [(tick.x, tick.label) for tick in hours] == [(0, "01:00"), (25, "03:00"), (50, "04:00"), (75, "05:00")]


def test_quiet_bands_and_load_fill_the_same_width():
    found = drawn(fire(6), fire(6), limit=1)
    assert [(band.x, band.width) for band in found.quiet] == [(0, 25), (29.167, 70.833)]
    assert found.quiet[0].title == "Quiet Mon 02 Mar 00:00 to Mon 02 Mar 06:00"
    [load] = found.load
    assert (load.queue, load.limit, load.peak, load.limit_height) == ("default", 1, 2, 50)
    assert [(bar.x, bar.width, bar.height, bar.running, bar.over) for bar in load.bars] == [(25, 4.167, 100, 2, True)]
