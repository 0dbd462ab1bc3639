"""One table of rules by mode; every fault at its field, all at once, with the mend."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import translation

from scheduling.models import BlackoutCalendar, SchedulerConfiguration
from scheduling.schedules.rules import judged, schedule_errors
from scheduling.schedules.sentence import describe
from scheduling.states import ScheduleType
from staging.phrases import listed
from tests.catalogue import dutch_with


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
        scheduled("interval", interval_minutes=15, interval_anchor="start", interval_start="2026-06-15 09:00"),
        scheduled("weekly", run_times="06:00", run_days="mon", every_n_weeks=2, anchor_date="2026-01-05"),
        scheduled("monthly", run_times="06:00", run_days_of_month="1", every_n_months=3, anchor_date="2026-02-01"),
        scheduled("monthly_nth_weekday", run_weeks_of_month="last", run_days="fri", run_times="06:00"),
        scheduled("monthly_nth_weekday", run_weeks_of_month=5, run_days="mon", run_times="06:00", run_months="2"),
        scheduled("yearly", run_months="feb", run_days_of_month="29", run_times="06:00, 18:00"),
        scheduled("yearly", run_months=2, run_days_of_month="last", run_times="06:00"),
        scheduled("once", run_once_at="1990-01-01 09:00"),
        scheduled("daily", run_times="06:00", catch_up="all", catch_up_limit=3, catch_up_window_minutes=60),
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
        (
            {"processing_mode": "scheduled"},
            "schedule_type",
            f"choose {listed(ScheduleType.values, 'or')}.",
        ),
        (
            scheduled("hourly"),
            "schedule_type",
            f"write {listed(ScheduleType.values, 'or')}.",
        ),
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
        (scheduled("cron", cron_expression="0 0 30 2 *"), "cron_expression", "It can never fire"),
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
            "never meets its window",
        ),
        (scheduled("interval", interval_minutes=5, interval_anchor="start"), "interval_start", "2026-06-15 09:00"),
        (
            scheduled("interval", interval_minutes=5, interval_anchor="start", interval_start="2026-06-15"),
            "interval_start",
            "no time of day",
        ),
        (scheduled("monthly_nth_weekday", run_days="mon", run_times="6:00"), "run_weeks_of_month", "1, 2, 3, 4, 5"),
        (
            scheduled("monthly_nth_weekday", run_days="mon", run_times="6:00", run_weeks_of_month="1,3"),
            "run_weeks_of_month",
            "write one of 1, 2, 3, 4, 5 or last",
        ),
        (scheduled("monthly_nth_weekday", run_weeks_of_month="1", run_times="6:00"), "run_days", "exactly one day"),
        (
            scheduled("monthly_nth_weekday", run_weeks_of_month="1", run_times="6:00", run_days="mon,tue"),
            "run_days",
            "exactly one day",
        ),
        (scheduled("monthly_nth_weekday", run_weeks_of_month="1", run_days="mon"), "run_times", "example 06:00"),
        (
            scheduled("monthly_nth_weekday", run_weeks_of_month="1", run_days="mon", run_times="6:00", run_months="13"),
            "run_months",
            "write 1 to 12",
        ),
        (scheduled("yearly", run_days_of_month="1", run_times="6:00"), "run_months", "exactly one month"),
        (
            scheduled("yearly", run_days_of_month="1", run_times="6:00", run_months="1,7"),
            "run_months",
            "exactly one month",
        ),
        (scheduled("yearly", run_months="1", run_times="6:00"), "run_days_of_month", "1 to 31 or last"),
        (
            scheduled("yearly", run_months="1", run_days_of_month="1,last", run_times="6:00"),
            "run_days_of_month",
            "exactly one day",
        ),
        (scheduled("yearly", run_months="1", run_days_of_month="1"), "run_times", "example 06:00"),
        (
            scheduled("yearly", run_months="feb", run_days_of_month="30", run_times="6:00"),
            "run_days_of_month",
            "It can never fire",
        ),
        (scheduled("once"), "run_once_at", "2026-06-15 09:00"),
        (scheduled("once", run_once_at="tomorrow"), "run_once_at", "write it like 2026-06-15 09:00"),
        (scheduled("once", run_once_at="2026-06-15 09:00+02:00"), "run_once_at", "has an offset"),
        (scheduled("monthly", run_days_of_month="1", run_times="6:00", every_n_months=0), "every_n_months", "1 to 120"),
        (scheduled("daily", run_times="6:00", catch_up="some"), "catch_up", "none, last or all"),
        (scheduled("daily", run_times="6:00", catch_up_limit=0), "catch_up_limit", "from 1"),
        (scheduled("daily", run_times="6:00", catch_up_window_minutes="-1"), "catch_up_window_minutes", "at least 1"),
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


NOW = datetime(2026, 6, 15, 7, 0, tzinfo=UTC)  # 09:00 in Amsterdam
ONCE = scheduled("once", run_once_at="2026-06-15 09:00", timezone="Europe/Amsterdam", is_enabled=True)


def test_a_single_moment_in_the_past_is_refused_when_it_is_new_moved_or_switched_on() -> None:
    refused = {"run_once_at": ["2026-06-15 09:00 (Europe/Amsterdam) lies in the past, it would never run; "
                               "write a later moment."]}  # fmt: skip
    before = {**ONCE, "run_once_at": "2026-06-15 08:00"}
    assert schedule_errors(ONCE, now=NOW) == refused
    assert schedule_errors(ONCE, now=NOW, before=before) == refused
    assert schedule_errors(ONCE, now=NOW, before={**ONCE, "timezone": "America/New_York"}) == refused
    assert schedule_errors(ONCE, now=NOW, before={**ONCE, "processing_mode": "manual"}) == refused
    assert schedule_errors(ONCE, now=NOW, before={**ONCE, "is_enabled": False}) == refused


def test_a_single_moment_that_has_run_stays_valid_while_other_things_change() -> None:
    assert schedule_errors({**ONCE, "catch_up": "last"}, now=NOW, before=ONCE) == {}
    assert schedule_errors({**ONCE, "is_enabled": False}, now=NOW, before=ONCE) == {}
    assert schedule_errors(ONCE, now=NOW - timedelta(seconds=1)) == {}


def test_a_first_moment_without_an_offset_is_local_to_the_schedule() -> None:
    values = scheduled("interval", interval_minutes=60, interval_anchor="start", timezone="Europe/Amsterdam")
    for text in ("2026-06-15 09:00", "2026-06-15T07:00:00Z", "2026-06-15T03:00-04:00"):
        assert judged({**values, "interval_start": text}) == (judged({**values, "interval_start": NOW})[0], {})
        assert judged({**values, "interval_start": text})[0]["interval_start"] == NOW
    in_the_gap = judged({**values, "interval_start": "2026-03-29 02:30"})[0]["interval_start"]
    assert in_the_gap == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)


def test_a_first_moment_belongs_to_its_anchor_only() -> None:
    values = scheduled("interval", interval_minutes=60, interval_start="nonsense")
    assert judged(values) == (judged(scheduled("interval", interval_minutes=60))[0], {})


@pytest.mark.django_db
def test_a_blackout_calendar_is_named_and_must_exist() -> None:
    calendar = BlackoutCalendar.objects.create(name="Holidays NL")
    values = scheduled("daily", run_times="06:00")
    for given in ("Holidays NL", calendar):
        assert judged({**values, "calendar": given})[0]["calendar"] == calendar
        assert judged(triggered(trigger_on_new_rows=True, calendar=given))[0]["calendar"] == calendar
        assert judged({"processing_mode": "manual", "calendar": given})[0]["calendar"] is None
    errors = schedule_errors({**values, "calendar": "Holiday NL"})
    assert errors == {"calendar": ["There is no blackout calendar 'Holiday NL'; did you mean Holidays NL?"]}


def test_what_pure_code_tells_is_said_in_the_language_of_its_reader() -> None:
    words = {
        "'{text}' is not a time; write {likely}.": "'{text}' is geen tijd; schrijf {likely}.",
        "Write {wanted}, not {shown}.": "Schrijf {wanted}, niet {shown}.",
        "a local date and time such as 2026-06-15T09:00:00": "een plaatselijk moment",
        "{rhythm}, {zone}": "{rhythm}, {zone}",
        "Every day at {times}": "Elke dag om {times}",
        "{some} and {last}": "{some} en {last}",
        "This schedule cannot be read: {error}": "Onleesbaar: {error}",
        "{field}: {text}": "{field}: {text}",
    }
    daily = SchedulerConfiguration(processing_mode="scheduled", schedule_type="daily", run_times="06:00,18:00")
    broken = SchedulerConfiguration(processing_mode="scheduled", schedule_type="once", run_once_at="soon")
    with dutch_with(words) as language, translation.override(language):
        assert schedule_errors(scheduled("daily", run_times="9pm")) == {
            "run_times": ["'9pm' is geen tijd; schrijf 21:00."]
        }
        assert describe(daily) == "Elke dag om 06:00 en 18:00, UTC"
        assert describe(broken) == "Onleesbaar: at_local: Schrijf een plaatselijk moment, niet 'soon'."
