"""Every value has one stored form, whoever wrote it."""

from datetime import UTC, date, datetime, time
from typing import Any

import pytest

from scheduling.models import SchedulerConfiguration
from scheduling.schedules.settings import CLEARED, normalise


@pytest.mark.parametrize(
    ("column", "value", "stored"),
    [
        ("run_days", "Mon, Fri", "mon,fri"),
        ("run_days", ["fri", "Monday", "mon"], "mon,fri"),
        ("run_days", "weekdays", "mon,tue,wed,thu,fri"),
        ("run_times", "18:00, 6:00", "06:00,18:00"),
        ("run_times", [time(6), "06:00"], "06:00"),
        ("run_days_of_month", "Last, 15, 1, 15", "1,15,last"),
        ("run_days_of_month", [31, "last"], "31,last"),
        ("run_days_of_month", 5, "5"),
        ("interval_minutes", " 15 ", 15),
        ("trigger_debounce_seconds", "", 60),
        ("trigger_row_threshold", None, None),
        ("cron_expression", "  0  6 * *\t1-5 ", "0 6 * * 1-5"),
        ("window_start", "8:00", time(8)),
        ("starts_on", "2026-01-31", date(2026, 1, 31)),
        ("processing_mode", "Scheduled", "scheduled"),
        ("trigger_on_new_rows", "true", True),
        ("is_enabled", False, False),
        ("is_enabled", None, True),
        ("timezone", "", "UTC"),
        ("run_days", [], ""),
        ("run_weeks_of_month", " Last ", "last"),
        ("run_weeks_of_month", [1], "1"),
        ("run_months", ["Jul", 1, "april", "10"], "1,4,7,10"),
        ("run_once_at", "2026-06-15T09:00", "2026-06-15 09:00"),
        ("run_once_at", "2026-06-15 09:00:30", "2026-06-15 09:00:30"),
        ("run_once_at", datetime.fromisoformat("2026-06-15T09:00"), "2026-06-15 09:00"),
        ("interval_start", "2026-06-15T09:00:00+02:00", datetime(2026, 6, 15, 7, tzinfo=UTC)),
        ("anchor_date", "2026-01-05", date(2026, 1, 5)),
        ("every_n_months", "3", 3),
        ("catch_up", "ALL", "all"),
        ("catch_up_limit", None, 10),
        ("calendar", "", None),
    ],
)
def test_a_value_is_stored_in_one_form(column: str, value: Any, stored: Any) -> None:
    assert normalise(column, value) == stored


@pytest.mark.parametrize(
    ("column", "value", "mend"),
    [
        ("run_times", "6am", "write 06:00"),
        ("interval_minutes", 0, "from 1 to 1440, not 0"),
        ("interval_minutes", "1441", "from 1 to 1440, not 1441"),
        ("interval_minutes", 1.5, "whole number"),
        ("interval_minutes", True, "whole number"),
        ("interval_minutes", "9" * 50, "whole number"),
        ("trigger_row_threshold", 0, "at least 1, not 0"),
        ("trigger_row_threshold", 3_000_000_000, "whole number"),
        ("trigger_debounce_seconds", -1, "at least 0, not -1"),
        ("starts_on", "31-01-2026", "write it like 2026-01-31"),
        ("starts_on", 5, "write it like 2026-01-31"),
        ("is_enabled", "maybe", "neither true nor false"),
        ("dst_gap", "never", "first_valid, shift or skip"),
        ("timezone", "europe/amsterdam", "did you mean Europe/Amsterdam"),
        ("cron_expression", "0 25 * * *", "The hour '25'"),
        ("run_times", [f"{minute // 60:02}:{minute % 60:02}" for minute in range(50)], "too long"),
        ("run_weeks_of_month", 6, "one of 1, 2, 3, 4, 5 or last"),
        ("run_months", "janury", "did you mean jan"),
        ("run_months", 0, "1 to 12"),
        ("run_once_at", "09:00", "write it like 2026-06-15 09:00"),
        ("run_once_at", "2026-06-15", "no time of day"),
        ("run_once_at", "9999-12-31 23:59", "from 1970 to 9998"),
        ("interval_start", 5, "write it like 2026-06-15 09:00"),
        ("every_n_months", 121, "from 1 to 120"),
        ("run_tims", "06:00", "did you mean run_times"),
        ("is_running", True, "no field is_running"),
    ],
)
def test_an_unreadable_value_is_answered_with_the_mend(column: str, value: Any, mend: str) -> None:
    with pytest.raises(ValueError, match=mend):
        normalise(column, value)


def test_every_wrong_item_of_a_list_has_its_own_message() -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        normalise("run_times", "6am, 07:00, 25:00")
    assert len(caught.value.args) == 2


def test_the_cleared_form_of_each_column_is_the_model_s_default() -> None:
    empty = SchedulerConfiguration()
    assert {column: getattr(empty, column) for column in CLEARED} == CLEARED
