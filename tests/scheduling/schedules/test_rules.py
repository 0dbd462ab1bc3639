"""One table of rules by mode; every fault at its field, all at once, with the mend."""

from typing import Any

import pytest

from scheduling.schedules.rules import schedule_errors


def scheduled(schedule_type: str, **fields: Any) -> dict[str, Any]:
    return {"processing_mode": "scheduled", "schedule_type": schedule_type, **fields}


def triggered(**fields: Any) -> dict[str, Any]:
    return {"processing_mode": "triggered", **fields}


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"processing_mode": "manual"},
        scheduled("interval", interval_minutes=1),
        scheduled("interval", interval_minutes=1440, window_start="22:00", window_end="02:00", run_days="weekdays"),
        scheduled("interval", interval_minutes=15, interval_anchor="last_completion"),
        scheduled("interval", interval_minutes=15, interval_anchor="epoch"),
        scheduled("daily", run_times="06:00"),
        scheduled("weekly", run_times="06:00", run_days="mon", every_n_weeks=2),
        scheduled("monthly", run_times=["06:00"], run_days_of_month=[31, "last"]),
        scheduled("cron", cron_expression="@daily"),
        triggered(trigger_on_new_rows=True),
        triggered(trigger_row_threshold=1),
        triggered(trigger_idle_minutes=1),
    ],
)
def test_a_valid_schedule_has_no_faults(values: dict[str, Any]) -> None:
    assert schedule_errors(values) == {}


@pytest.mark.parametrize(
    ("values", "column", "mend"),
    [
        ({"processing_mode": "auto"}, "processing_mode", "manual, scheduled or triggered"),
        ({"processing_mode": "scheduled"}, "schedule_type", "choose interval, daily, weekly, monthly or cron"),
        (scheduled("hourly"), "schedule_type", "interval, daily, weekly, monthly or cron"),
        (triggered(), "trigger_on_new_rows", "at least one trigger"),
        (triggered(trigger_row_threshold=0), "trigger_row_threshold", "at least 1"),
        (triggered(trigger_idle_minutes=0), "trigger_idle_minutes", "at least 1"),
        (scheduled("daily"), "run_times", "write for example 06:00"),
        (scheduled("daily", run_times="25:00"), "run_times", "'25:00' is not a time"),
        (scheduled("daily", run_times="6am"), "run_times", "'6am' is not a time; write 06:00"),
        (scheduled("weekly", run_times="06:00"), "run_days", "write for example mon, fri"),
        (scheduled("weekly", run_days="mon"), "run_times", "write for example 06:00"),
        (scheduled("weekly", run_days="fry", run_times="06:00"), "run_days", "did you mean fri"),
        (scheduled("weekly", run_days="mon", run_times="06:00", every_n_weeks=0), "every_n_weeks", "from 1 to 520"),
        (scheduled("monthly", run_times="06:00"), "run_days_of_month", "write for example 1, 15, last"),
        (scheduled("monthly", run_days_of_month="32", run_times="06:00"), "run_days_of_month", "1 to 31 or last"),
        (scheduled("monthly", run_days_of_month="1"), "run_times", "write for example 06:00"),
        (scheduled("interval"), "interval_minutes", "1 to 1440"),
        (scheduled("interval", interval_minutes=0), "interval_minutes", "1 to 1440"),
        (scheduled("interval", interval_minutes=1441), "interval_minutes", "1 to 1440"),
        (scheduled("interval", interval_minutes=5, window_start="08:00"), "window_end", "start only"),
        (scheduled("interval", interval_minutes=5, window_end="08:00"), "window_start", "end only"),
        (
            scheduled("interval", interval_minutes=5, window_start="08:00", window_end="8:00"),
            "window_end",
            "ends when it starts",
        ),
        (scheduled("cron"), "cron_expression", "write for example 0 6"),
        (scheduled("cron", cron_expression="0 6 * *"), "cron_expression", "five fields"),
        (scheduled("cron", cron_expression="0 0 30 2 *"), "cron_expression", "It never runs"),
        (scheduled("daily", run_times="06:00", timezone="Amsterdam"), "timezone", "did you mean Europe/Amsterdam"),
        (scheduled("daily", run_times="06:00", starts_on="2026-02-02", ends_on="2026-02-01"), "ends_on", "before"),
        (
            scheduled(
                "monthly", run_days_of_month="31", run_times="06:00", starts_on="2026-02-01", ends_on="2026-02-28"
            ),
            "ends_on",
            "never runs",
        ),
        (
            scheduled(
                "interval", interval_minutes=1440, interval_anchor="epoch", window_start="08:00", window_end="09:00"
            ),
            "interval_minutes",
            "never runs",
        ),
        ({"run_time": "06:00"}, "run_time", "did you mean run_times"),
    ],
)
def test_a_broken_rule_is_told_at_its_field_with_the_mend(values: dict[str, Any], column: str, mend: str) -> None:
    errors = schedule_errors(values)
    assert list(errors) == [column]
    assert mend in errors[column][0]


def test_all_faults_come_at_once() -> None:
    values = scheduled(
        "weekly", run_days="fry", run_times="6am,7am", timezone="Nowhere", every_n_weeks="x", colour="red"
    )
    errors = schedule_errors(values)
    assert errors.keys() == {"run_days", "run_times", "timezone", "every_n_weeks", "colour"}
    assert len(errors["run_times"]) == 2


def test_a_threshold_that_is_wrong_is_not_also_called_missing() -> None:
    assert schedule_errors(triggered(trigger_row_threshold=-5)).keys() == {"trigger_row_threshold"}


def test_columns_of_other_modes_and_types_are_not_judged() -> None:
    assert schedule_errors(scheduled("daily", run_times="06:00", cron_expression="nonsense", run_days="fry")) == {}
    assert schedule_errors(triggered(trigger_on_new_rows=True, schedule_type="hourly", run_times="25:00")) == {}
    assert schedule_errors({"processing_mode": "manual", "trigger_row_threshold": 0}) == {}
