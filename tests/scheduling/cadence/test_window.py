"""The window of an interval: part of the day, days of the week."""

from datetime import datetime

import pytest

from scheduling.cadence.kinds.window import Window


@pytest.mark.parametrize(
    ("moment", "inside"),
    [
        ("2026-11-20T21:59", False),
        ("2026-11-20T22:00", True),
        ("2026-11-21T01:59", True),
        ("2026-11-21T02:00", True),
        ("2026-11-21T02:01", False),
        ("2026-11-21T22:00", False),
        ("2026-11-20T01:00", False),
    ],
)
def test_an_overnight_window_belongs_to_the_day_it_begins_on(moment: str, inside: bool) -> None:
    friday_night = Window(start=22 * 3600, length=4 * 3600, end_inclusive=True, days=(4,))
    assert friday_night.holds(datetime.fromisoformat(moment)) is inside


def test_the_end_itself_is_outside_unless_included() -> None:
    noon = Window(start=8 * 3600, length=4 * 3600)
    assert not noon.holds(datetime.fromisoformat("2026-11-20T12:00"))


def test_a_window_of_all_days_and_hours_excludes_nothing() -> None:
    assert Window().is_always
    assert not Window(days=(0,)).is_always
    assert Window().holds(datetime.fromisoformat("2026-11-20T00:00"))
