"""Promises of the calendar rules: each fault at its column, and no calendar under which nothing could ever start."""

from datetime import date, time

import pytest

from scheduling.cadence.blackout import Days, WeeklyWindow, YearlyDays
from scheduling.models import BlackoutCalendar, BlackoutPeriod
from scheduling.schedules.calendars import calendar_errors, judged_period, period_errors, period_value

DAY = date(2026, 12, 25)
CALENDAR = {"name": "Holidays", "timezone": "Europe/Amsterdam", "policy": "skip"}


@pytest.mark.parametrize(
    "values",
    [
        {"first_day": DAY},
        {"first_day": "2026-12-25", "last_day": "2026-12-26", "note": "Christmas"},
        {"kind": "yearly", "first_day": date(2026, 12, 31), "last_day": date(2026, 1, 1)},
        {"kind": "weekly", "run_days": "sat, sun"},
        {"kind": "weekly", "run_days": ["mon"], "window_start": "22:00", "window_end": time(6)},
    ],
)
def test_good_periods_pass_and_the_table_takes_them(values, db):
    stored, errors = judged_period(values)
    assert errors == {} and period_value(stored)
    calendar = BlackoutCalendar.objects.create(name="Holidays")
    BlackoutPeriod.objects.create(calendar=calendar, **stored)


@pytest.mark.parametrize(
    ("values", "column", "text"),
    [
        ({}, "first_day", "Write the first day"),
        ({"first_day": "25/12/2026"}, "first_day", "is not a date"),
        ({"first_day": DAY, "last_day": date(2026, 12, 24)}, "last_day", "before the first day"),
        ({"kind": "weekly"}, "run_days", "at least one day"),
        ({"kind": "weekly", "run_days": "sat, someday"}, "run_days", "not a day of the week"),
        ({"kind": "weekly", "run_days": "sat", "window_start": "22:00"}, "window_end", "a start only"),
        ({"kind": "weekly", "run_days": "sat", "window_end": "22:00"}, "window_start", "an end only"),
        ({"kind": "weekly", "run_days": "sat", "window_start": "25:00", "window_end": "3:00"}, "window_start", "hours"),
        ({"kind": "monthly", "first_day": DAY}, "kind", "'monthly' is not known"),
        ({"first_day": DAY, "note": "x" * 101}, "note", "too long"),
    ],
)
def test_each_fault_is_named_at_its_column(values, column, text):
    errors = period_errors(values)
    assert list(errors) == [column] and text in errors[column][0]


def test_days_of_the_week_get_their_one_written_form():
    stored, _ = judged_period({"kind": "weekly", "run_days": "Sunday, SAT, sun"})
    assert stored["run_days"] == "sat,sun"


def test_columns_of_other_kinds_are_set_back():
    stored, errors = judged_period({"kind": "yearly", "first_day": DAY, "run_days": "mon", "window_start": "nonsense"})
    assert errors == {} and stored["run_days"] == "" and stored["window_start"] is None
    stored, _ = judged_period({"kind": "weekly", "run_days": "mon", "first_day": DAY})
    assert stored["first_day"] is None


def test_an_unknown_zone_is_named_with_the_likely_one():
    errors = calendar_errors(CALENDAR | {"timezone": "Europe/Amsterdm"}, ())
    assert "did you mean Europe/Amsterdam?" in errors["timezone"][0]


def test_name_and_policy_are_checked():
    assert set(calendar_errors(CALENDAR | {"name": " ", "policy": "wait"}, ())) == {"name", "policy"}


ALL_WEEK = WeeklyWindow(tuple(range(7)))


@pytest.mark.parametrize(
    ("periods", "is_dark"),
    [
        ([ALL_WEEK], True),
        ([WeeklyWindow((0, 1, 2, 3, 4)), WeeklyWindow((5, 6))], True),
        ([WeeklyWindow((0, 1, 2, 3, 4)), WeeklyWindow((5, 6), time(0), time(23, 59))], False),
        ([WeeklyWindow(tuple(range(7)), time(6), time(6))], True),
        ([YearlyDays((1, 1), (12, 31))], True),
        ([YearlyDays((3, 1), (2, 28))], False),
        ([YearlyDays((7, 1), (6, 30))], True),
        ([Days(date(2026, 1, 1), date(2099, 1, 1))], True),
        ([Days(date(2026, 1, 1), date(2026, 12, 31))], False),
        ([WeeklyWindow((5, 6)), YearlyDays((12, 24), (1, 2)), Days(date(2026, 1, 1), date(2026, 2, 1))], False),
        ([], False),
    ],
)
def test_a_calendar_that_is_always_dark_is_refused_with_the_reason(periods, is_dark):
    errors = calendar_errors(CALENDAR, periods)
    assert (list(errors) == ["periods"]) is is_dark
    if is_dark:
        assert "Nothing could" in errors["periods"][0]
