"""Changing a schedule: other modes' columns go, the next run counts from now, nothing fires, no guard is touched."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling.errors import InvalidSchedule
from scheduling.models import BlackoutCalendar, SchedulerConfiguration
from scheduling.schedules.change import apply_schedule, set_enabled
from scheduling.schedules.sentence import describe
from scheduling.schedules.settings import CLEARED, SETTINGS, used_by
from staging.models import Entity

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 20, 6, 0, tzinfo=UTC)  # a Friday
WEEKLY = {
    "processing_mode": "scheduled",
    "schedule_type": "weekly",
    "run_days": "Mon, Fri",
    "run_times": "6:00",
    "every_n_weeks": 1,
    "timezone": "Europe/Amsterdam",
}
TRIGGERED = {"processing_mode": "triggered", "trigger_row_threshold": 500, "trigger_debounce_seconds": 120}


@pytest.fixture
def configuration() -> SchedulerConfiguration:
    """A stored manual configuration, without the entity's tables: no test here needs rows."""
    entity = Entity.objects.create(code="branch", name="Branch")
    SchedulerConfiguration.objects.filter(entity=entity).delete()
    return SchedulerConfiguration.objects.create(entity=entity)


def stored(configuration: SchedulerConfiguration) -> SchedulerConfiguration:
    return SchedulerConfiguration.objects.get(pk=configuration.pk)


def settings_of(configuration: SchedulerConfiguration) -> dict[str, Any]:
    return {column: getattr(stored(configuration), column) for column in SETTINGS}


def test_values_are_normalised_and_the_next_run_counts_from_now(configuration: SchedulerConfiguration) -> None:
    apply_schedule(configuration, WEEKLY, now=NOW)
    after = stored(configuration)
    assert (after.run_days, after.run_times) == ("mon,fri", "06:00")
    assert after.armed_from == NOW
    assert after.next_scheduled_run == datetime(2026, 11, 23, 5, 0, tzinfo=UTC)
    assert after.last_fired_at is None
    assert after.fire_count == 0
    assert configuration.next_scheduled_run == after.next_scheduled_run


def test_a_slot_of_this_very_moment_belongs_to_the_past(configuration: SchedulerConfiguration) -> None:
    apply_schedule(configuration, WEEKLY | {"timezone": "UTC"}, now=NOW)
    assert stored(configuration).next_scheduled_run == NOW + timedelta(days=3)


def test_switching_to_triggered_clears_the_cadence(configuration: SchedulerConfiguration) -> None:
    apply_schedule(configuration, WEEKLY | {"starts_on": "2026-01-01", "dst_gap": "skip"}, now=NOW)
    apply_schedule(configuration, TRIGGERED, now=NOW + timedelta(hours=1))
    expected = CLEARED | TRIGGERED | {"timezone": "Europe/Amsterdam"}
    assert settings_of(configuration) == expected
    assert stored(configuration).next_scheduled_run is None


def test_switching_to_scheduled_clears_the_triggers(configuration: SchedulerConfiguration) -> None:
    apply_schedule(configuration, TRIGGERED, now=NOW)
    apply_schedule(configuration, WEEKLY, now=NOW)
    assert settings_of(configuration) == CLEARED | WEEKLY | {"run_days": "mon,fri", "run_times": "06:00"}


def test_switching_to_manual_clears_everything_but_the_zone(configuration: SchedulerConfiguration) -> None:
    for values in (WEEKLY, TRIGGERED):
        apply_schedule(configuration, values, now=NOW)
        apply_schedule(configuration, {"processing_mode": "manual"}, now=NOW)
        assert settings_of(configuration) == CLEARED | {"timezone": "Europe/Amsterdam"}
        assert stored(configuration).next_scheduled_run is None


def test_another_schedule_type_clears_the_columns_of_the_first(configuration: SchedulerConfiguration) -> None:
    window = {"interval_minutes": 15, "interval_anchor": "epoch", "window_start": "08:00", "window_end": "18:00"}
    apply_schedule(configuration, WEEKLY | {"schedule_type": "interval"} | window, now=NOW)
    interval = stored(configuration)
    assert (interval.run_times, interval.run_days, interval.window_start) == ("", "mon,fri", time(8))
    apply_schedule(configuration, {"schedule_type": "cron", "cron_expression": "0 6 * * *"}, now=NOW)
    cron = settings_of(configuration)
    assert cron == CLEARED | {
        "processing_mode": "scheduled",
        "schedule_type": "cron",
        "cron_expression": "0 6 * * *",
        "timezone": "Europe/Amsterdam",
    }
    apply_schedule(
        configuration, {"schedule_type": "monthly", "run_days_of_month": [1], "run_times": ["6:00"]}, now=NOW
    )
    assert stored(configuration).cron_expression == ""


def test_a_column_that_is_left_out_keeps_what_is_stored_not_what_the_object_holds(
    configuration: SchedulerConfiguration,
) -> None:
    apply_schedule(configuration, WEEKLY, now=NOW)
    configuration.run_times = "23:00"
    apply_schedule(configuration, {"run_days": "tue"}, now=NOW)
    assert (stored(configuration).run_times, stored(configuration).run_days) == ("06:00", "tue")
    assert configuration.run_times == "06:00"


def test_without_a_change_nothing_is_written(configuration: SchedulerConfiguration) -> None:
    apply_schedule(configuration, WEEKLY, now=NOW)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        apply_schedule(configuration, WEEKLY | {"run_days": ["FRI", "mon"]}, now=NOW + timedelta(days=9))
    assert not [query for query in queries if query["sql"].startswith("UPDATE")]
    assert stored(configuration).armed_from == NOW


def test_a_broken_rule_changes_nothing(configuration: SchedulerConfiguration) -> None:
    apply_schedule(configuration, WEEKLY, now=NOW)
    before = settings_of(configuration)
    with pytest.raises(InvalidSchedule) as caught:
        apply_schedule(configuration, {"run_times": "25:00", "run_days": "fry", "is_running": True}, now=NOW)
    assert caught.value.errors.keys() == {"run_times", "run_days", "is_running"}
    assert settings_of(configuration) == before
    assert configuration.run_times == "06:00"


def test_a_running_batch_keeps_its_guard_while_its_schedule_is_edited(configuration: SchedulerConfiguration) -> None:
    started = NOW - timedelta(minutes=5)
    SchedulerConfiguration.objects.filter(pk=configuration.pk).update(
        is_running=True, run_started_at=started, run_started_by="cycle", fire_count=7, last_fired_at=started
    )
    apply_schedule(configuration, WEEKLY, now=NOW)  # the object in memory still believes that nothing runs
    after = stored(configuration)
    assert (after.is_running, after.run_started_at, after.run_started_by) == (True, started, "cycle")
    assert (after.fire_count, after.last_fired_at) == (7, started)


def test_a_change_lifts_the_back_off(configuration: SchedulerConfiguration) -> None:
    SchedulerConfiguration.objects.filter(pk=configuration.pk).update(consecutive_failures=4, backoff_until=NOW)
    apply_schedule(configuration, TRIGGERED, now=NOW)
    assert (stored(configuration).consecutive_failures, stored(configuration).backoff_until) == (0, None)


def test_a_configuration_that_is_not_stored_yet_is_inserted() -> None:
    entity = Entity.objects.create(code="region", name="Region")
    SchedulerConfiguration.objects.filter(entity=entity).delete()
    configuration = SchedulerConfiguration(entity=entity)
    apply_schedule(configuration, {}, now=NOW)
    assert stored(configuration).armed_from == NOW


def test_switched_off_there_is_no_next_run_and_switched_on_it_counts_from_then(
    configuration: SchedulerConfiguration,
) -> None:
    apply_schedule(configuration, WEEKLY, now=NOW)
    set_enabled(configuration, False, now=NOW)
    assert (stored(configuration).is_enabled, stored(configuration).next_scheduled_run) == (False, None)
    later = NOW + timedelta(days=30)
    set_enabled(configuration, True, now=later)
    after = stored(configuration)
    assert (after.is_enabled, after.armed_from, after.run_days) == (True, later, "mon,fri")
    assert after.next_scheduled_run is not None
    assert after.next_scheduled_run > later


def test_a_broken_schedule_can_be_switched_off_but_not_on(configuration: SchedulerConfiguration) -> None:
    apply_schedule(configuration, WEEKLY, now=NOW)
    SchedulerConfiguration.objects.filter(pk=configuration.pk).update(timezone="Mars/Base")
    set_enabled(configuration, False, now=NOW)
    assert not stored(configuration).is_enabled
    with pytest.raises(InvalidSchedule):
        set_enabled(configuration, True, now=NOW)
    assert not stored(configuration).is_enabled


def test_advance_is_strictly_later_and_saves_nothing(configuration: SchedulerConfiguration) -> None:
    apply_schedule(configuration, WEEKLY, now=NOW)
    slot = datetime(2026, 11, 23, 5, 0, tzinfo=UTC)
    assert configuration.planned_after(slot) == datetime(2026, 11, 27, 5, 0, tzinfo=UTC)
    assert stored(configuration).next_scheduled_run == slot


def test_an_interval_after_completion_counts_from_the_completion_and_never_ends(
    configuration: SchedulerConfiguration,
) -> None:
    values = {
        "processing_mode": "scheduled",
        "schedule_type": "interval",
        "interval_minutes": 30,
        "interval_anchor": "last_completion",
    }
    apply_schedule(configuration, values, now=NOW)
    assert configuration.next_scheduled_run == NOW + timedelta(minutes=30)
    configuration.last_completed_at = NOW + timedelta(minutes=40)
    assert configuration.planned_after(NOW + timedelta(minutes=41)) == NOW + timedelta(minutes=70)
    assert configuration.planned_after(NOW + timedelta(minutes=90)) == NOW + timedelta(minutes=120)


def test_disabled_manual_and_triggered_have_no_next_run(configuration: SchedulerConfiguration) -> None:
    assert configuration.planned_after(NOW) is None
    apply_schedule(configuration, TRIGGERED, now=NOW)
    assert configuration.planned_after(NOW) is None
    apply_schedule(configuration, WEEKLY | {"is_enabled": False}, now=NOW)
    assert configuration.planned_after(NOW) is None


def test_weeks_count_from_the_first_day(configuration: SchedulerConfiguration) -> None:
    values = WEEKLY | {"every_n_weeks": 2, "starts_on": "2026-11-23", "timezone": "UTC"}
    apply_schedule(configuration, values, now=NOW)
    slots = [configuration.next_scheduled_run]
    while len(slots) < 3 and slots[-1] is not None:
        slots.append(configuration.planned_after(slots[-1]))
    assert [slot.day for slot in slots if slot] == [23, 27, 7]


ONCE = {
    "processing_mode": "scheduled",
    "schedule_type": "once",
    "run_once_at": "2026-11-20 09:00",
    "timezone": "Europe/Amsterdam",
}
AFTERWARDS = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)


def test_once_is_planned_once_and_never_again(configuration: SchedulerConfiguration) -> None:
    apply_schedule(configuration, ONCE, now=NOW)
    assert stored(configuration).next_scheduled_run == AFTERWARDS
    assert describe(stored(configuration)) == "Once on 2026-11-20 at 09:00, Europe/Amsterdam"
    assert configuration.planned_after(AFTERWARDS) is None
    SchedulerConfiguration.objects.update(next_scheduled_run=None, last_fired_at=AFTERWARDS)
    over = "Once on 2026-11-20 at 09:00, Europe/Amsterdam. This has passed: it does not run again"
    assert describe(stored(configuration)) == over
    SchedulerConfiguration.objects.update(is_enabled=False)
    assert describe(stored(configuration)) == over


def test_once_that_has_passed_can_be_edited_around_but_not_chosen_or_switched_on(
    configuration: SchedulerConfiguration,
) -> None:
    with pytest.raises(InvalidSchedule) as caught:
        apply_schedule(configuration, ONCE, now=AFTERWARDS)
    assert "lies in the past" in caught.value.errors["run_once_at"][0]
    assert stored(configuration).processing_mode == "manual"
    apply_schedule(configuration, ONCE, now=NOW)
    apply_schedule(configuration, {"catch_up": "last"}, now=AFTERWARDS)
    assert (stored(configuration).catch_up, stored(configuration).next_scheduled_run) == ("last", None)
    set_enabled(configuration, False, now=AFTERWARDS)
    with pytest.raises(InvalidSchedule):
        set_enabled(configuration, True, now=AFTERWARDS)
    with pytest.raises(InvalidSchedule):
        apply_schedule(configuration, {"run_once_at": "2026-11-20 08:59"}, now=AFTERWARDS)


def test_an_interval_counts_on_from_its_first_moment(configuration: SchedulerConfiguration) -> None:
    values = {
        "processing_mode": "scheduled",
        "schedule_type": "interval",
        "interval_minutes": 100,
        "interval_anchor": "start",
        "interval_start": "2026-11-20 06:30",
        "timezone": "Europe/Amsterdam",
    }
    apply_schedule(configuration, values, now=NOW)
    assert stored(configuration).interval_start == datetime(2026, 11, 20, 5, 30, tzinfo=UTC)
    assert stored(configuration).next_scheduled_run == datetime(2026, 11, 20, 7, 10, tzinfo=UTC)
    apply_schedule(configuration, {"interval_anchor": "wall_clock"}, now=NOW)
    assert stored(configuration).interval_start is None


def test_the_other_kinds_are_planned_from_their_columns(configuration: SchedulerConfiguration) -> None:
    for values, planned in [
        ({"schedule_type": "monthly_nth_weekday", "run_weeks_of_month": "last", "run_days": "mon"}, "2026-11-30T06:00"),
        (
            {"schedule_type": "monthly_nth_weekday", "run_weeks_of_month": 1, "run_days": "mon", "run_months": [1, 2]},
            "2027-01-04T06:00",
        ),
        ({"schedule_type": "yearly", "run_months": 2, "run_days_of_month": 29}, "2028-02-29T06:00"),
        ({"schedule_type": "yearly", "run_months": 2, "run_days_of_month": "last"}, "2027-02-28T06:00"),
        (
            {
                "schedule_type": "monthly",
                "run_days_of_month": 1,
                "every_n_months": 3,
                "anchor_date": "2026-02-15",
            },
            "2027-02-01T06:00",
        ),
        (
            {"schedule_type": "weekly", "run_days": "fri", "every_n_weeks": 2, "anchor_date": "2026-12-01"},
            "2026-12-04T06:00",
        ),
    ]:
        apply_schedule(configuration, {"processing_mode": "scheduled", "run_times": "06:00", **values}, now=NOW)
        after = stored(configuration)
        assert after.next_scheduled_run is not None
        assert after.next_scheduled_run.isoformat()[:16] == planned
        used = used_by("scheduled", after.schedule_type)
        assert all(getattr(after, column) == empty for column, empty in CLEARED.items() if column not in used)


def test_calendar_and_catch_up_are_settings_that_arm_anew_and_go_with_the_mode(
    configuration: SchedulerConfiguration,
) -> None:
    calendar = BlackoutCalendar.objects.create(name="Holidays")
    apply_schedule(configuration, WEEKLY, now=NOW)
    later = NOW + timedelta(hours=1)
    apply_schedule(configuration, {"calendar": "Holidays", "catch_up": "all"}, now=later)
    after = stored(configuration)
    assert (after.calendar, after.catch_up, after.armed_from) == (calendar, "all", later)
    apply_schedule(configuration, {"calendar": calendar}, now=later + timedelta(hours=1))
    assert stored(configuration).armed_from == later
    apply_schedule(configuration, TRIGGERED, now=later)
    assert (stored(configuration).calendar, stored(configuration).catch_up) == (calendar, "none")
    apply_schedule(configuration, {"processing_mode": "manual"}, now=later)
    assert stored(configuration).calendar is None
