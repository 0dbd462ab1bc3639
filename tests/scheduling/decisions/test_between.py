"""Promise: the slots of a range are found in a moment, also where a blackout of weeks holds tens of thousands."""

from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace

import pytest

from scheduling.cadence.blackout import Blackout, Days
from scheduling.cadence.parse import parse_cadence
from scheduling.decisions.between import slots_between

NOW = datetime(2026, 3, 2, tzinfo=UTC)
BEGIN, END = datetime(2026, 1, 31, 23, tzinfo=UTC), datetime(2026, 2, 20, 23, tzinfo=UTC)  # of the blackout
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


@pytest.fixture
def looks(monkeypatch):
    """Count how often a blackout is asked whether an instant is in it."""
    asked, look = [], Blackout._end_of_one
    monkeypatch.setattr(Blackout, "_end_of_one", lambda self, at: asked.append(at) or look(self, at))
    return asked


def each_minute(*, rolls):
    dark = Blackout("Dark", "Europe/Amsterdam", rolls, (Days(date(2026, 2, 1), date(2026, 2, 20)),))
    cadence = parse_cadence({"kind": "interval", "every_minutes": 1}, "Europe/Amsterdam")
    return SimpleNamespace(cadence=lambda: cadence, blackout=lambda: dark)


@pytest.mark.parametrize("rolls", [False, True])
def test_a_blackout_of_weeks_is_looked_at_once(looks, rolls):
    found = slots_between(each_minute(rolls=rolls), BEGIN - MINUTE, END + 2 * MINUTE, NOW, 500)
    assert [slot for slot, _ in found.fired] == [BEGIN - MINUTE, END, END + MINUTE]
    assert [before for _, before in found.fired] == [BEGIN - 2 * MINUTE, BEGIN - MINUTE, END]
    assert len(found.held) == 20 * 24 * 60 and found.more_from is None
    assert len(looks) < 200


@pytest.mark.parametrize("rolls", [False, True])
def test_what_comes_before_the_first_slot_is_found_across_it(looks, rolls):
    ((slot, before),) = slots_between(each_minute(rolls=rolls), END, END + MINUTE, NOW, 500).fired
    assert (slot, before) == (END, BEGIN - MINUTE) and len(looks) < 200
    ((slot, before),) = slots_between(each_minute(rolls=rolls), END + MINUTE, END + 2 * MINUTE, NOW, 500).fired
    assert (slot, before) == (END + MINUTE, END)


def test_the_first_slot_that_is_too_many_is_told_without_looking_at_the_others():
    schedule = each_minute(rolls=False)
    schedule.calendar = None
    found = slots_between(schedule, NOW - 300 * DAY, NOW, NOW, 3)
    assert len(found.fired) == 3 and found.more_from == NOW - 300 * DAY + 3 * MINUTE
