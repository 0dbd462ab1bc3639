"""Promises about the drawing of a forecast: everything lies inside, nothing is too thin to see or drawn as another."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from scheduling.admin.monitoring.forecast_drawing import draw
from scheduling.forecast.load import load_of, quiet_of, works_of
from scheduling.forecast.values import FIRES, HELD, ExpectedFire, Forecast

START = datetime(2026, 3, 2, tzinfo=UTC)
HOUR = timedelta(hours=1)


def fire(hour: float, what: str = "branch", state: str = FIRES, minutes: float = 60) -> ExpectedFire:
    return ExpectedFire(START + hour * HOUR, what, f"Sentence of {what}", state, round(minutes * 60_000), reason="Due.")


def drawn(*fires: ExpectedFire, hours: float = 24, limit: int = 1):
    until = START + hours * HOUR
    load, quiet = load_of(works_of(fires), {"default": limit}, START, until), quiet_of(works_of(fires), START, until)
    return draw(Forecast(START, until, until, fires, (), load, quiet, ()), ZoneInfo("UTC"), {"branch": "Branch"})[0]


def lanes(*fires: ExpectedFire, hours: float = 24):
    """Return the lanes without those of load."""
    return [lane for lane in drawn(*fires, hours=hours).lanes if not lane.limit_y]


def percent(value: str) -> float:
    return float(value.removesuffix("%"))


def test_bars_lie_where_their_time_is_in_percent_of_the_width():
    [lane] = lanes(fire(6), fire(18, minutes=180))
    assert [(bar.x, bar.width, bar.mark) for bar in lane.bars] == [
        ("25%", "4.167%", "bar-fires"), ("75%", "12.5%", "bar-fires"),
    ]  # fmt: skip
    assert lane.label == "Branch: Sentence of branch"
    assert lane.bars[0].title == "Mon 2026-03-02 06:00:00: fires, about 60 min."


def test_there_is_a_lane_for_each_in_the_order_of_names():
    assert [lane.label for lane in lanes(fire(1, "region"), fire(2, "branch"), fire(3, "region"))] == [
        "Branch: Sentence of branch", "region: Sentence of region",
    ]  # fmt: skip


def test_a_quick_run_is_wide_enough_to_see_even_at_the_end():
    [lane] = lanes(fire(1, minutes=0.01), fire(23.999, minutes=0.01))
    assert [bar.width for bar in lane.bars] == ["0.25%", "0.25%"]
    assert lane.bars[-1].x == "99.75%"


def test_a_run_that_goes_on_after_the_end_stops_at_the_edge():
    [lane] = lanes(fire(23, minutes=600))
    assert percent(lane.bars[0].x) + percent(lane.bars[0].width) == pytest.approx(100, abs=0.01)


def test_thousands_of_fires_become_few_bars_that_say_how_many():
    minutely = [fire(minute / 60, minutes=0.1) for minute in range(7 * 24 * 60)]
    [lane] = lanes(*minutely, hours=7 * 24)
    assert len(lane.bars) == 1
    assert "10,080 × fires" in lane.bars[0].title


def test_what_is_held_is_never_drawn_as_if_it_ran():
    [lane] = lanes(fire(6, minutes=1), fire(6.01, state=HELD), fire(6.02, minutes=1))
    assert [bar.mark for bar in lane.bars] == ["bar-fires", "bar-held", "bar-fires"]
    assert lane.bars[1].width == "0.8%" and "about" not in lane.bars[1].title


def test_quiet_bands_and_load_fill_the_same_width():
    found = drawn(fire(6), fire(6), limit=1)
    assert [(band.x, band.width) for band in found.bands] == [("0%", "25%"), ("29.167%", "70.833%")]
    assert found.bands[0].title == "Quiet Mon 2026-03-02 00:00:00 to Mon 2026-03-02 06:00:00"
    load = found.lanes[-1]
    assert load.label == "Queue default: at most 2 at once, 1 may run"
    [high] = load.bars
    assert (high.x, high.width, high.mark) == ("25%", "4.167%", "load-over")
    assert high.title == "2 at once, more than the queue lets run"
    base = float(high.y) + float(high.height)
    assert base - float(load.limit_y) == pytest.approx(float(high.height) / 2, abs=0.1)


def test_the_load_of_thousands_of_fires_is_drawn_in_few_bars_and_its_peak_is_seen():
    often = [fire(number / 30, minutes=1) for number in range(5000)]
    found = drawn(*often, fire(80), fire(80, "region"), hours=168, limit=3)
    bars = found.lanes[-1].bars
    assert len(bars) <= 800 and found.lanes[-1].label.startswith("Queue default: at most 3 at once")
    assert max(float(bar.height) for bar in bars) == pytest.approx(64 - 14 - 12)
    places = [(percent(bar.x), percent(bar.x) + percent(bar.width)) for bar in bars]
    assert all(left < right for left, right in places)
    assert all(before[1] <= after[0] + 0.001 for before, after in pairwise(places))
    assert places[0][0] == 0 and places[-1][1] == pytest.approx(percent("99.2%"), abs=0.3)
