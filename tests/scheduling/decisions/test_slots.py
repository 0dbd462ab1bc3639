"""Promises about slots: on time, missed, caught up and held, found from the cadence alone."""

from datetime import UTC, date, datetime, timedelta

import pytest

from scheduling.cadence.blackout import Blackout, Days
from scheduling.decisions.decision import DueSlots, Span, due_slots
from scheduling.models import SchedulerConfiguration

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def hourly(first: datetime, **fields) -> SchedulerConfiguration:
    return SchedulerConfiguration(
        processing_mode="scheduled", schedule_type="interval", interval_minutes=60, next_scheduled_run=first, **fields
    )


def test_nothing_is_due_before_the_next_run():
    assert due_slots(hourly(NOON), NOON - HOUR, None) == DueSlots(following=NOON)


def test_a_slot_on_time_fires_and_the_next_one_follows():
    assert due_slots(hourly(NOON), NOON, None) == DueSlots(NOON, NOON + HOUR, through=NOON)


def test_a_slot_five_minutes_late_is_still_on_time_and_a_second_later_it_was_missed():
    late = NOON + timedelta(minutes=5)
    assert due_slots(hourly(NOON), late, None).fire == NOON
    missed = due_slots(hourly(NOON), late + timedelta(seconds=1), None)
    assert missed.fire is None and missed.missed == Span(NOON, NOON, 1) and missed.following == NOON + HOUR


def test_without_catch_up_an_outage_drops_all_but_the_slot_on_time():
    found = due_slots(hourly(NOON - 5 * HOUR), NOON, None)
    assert found == DueSlots(NOON, NOON + HOUR, Span(NOON - 5 * HOUR, NOON - HOUR, 5), through=NOON)


def test_the_last_missed_one_runs_late_when_asked():
    now = NOON + HOUR / 2
    found = due_slots(hourly(NOON - 5 * HOUR, catch_up="last"), now, None)
    assert found == DueSlots(NOON, NOON + HOUR, Span(NOON - 5 * HOUR, NOON - HOUR, 5), through=NOON, late=True)


def test_a_slot_on_time_replaces_the_last_missed_one():
    assert due_slots(hourly(NOON - 5 * HOUR, catch_up="last"), NOON, None).fire == NOON


def test_all_missed_ones_run_oldest_first_up_to_the_limit():
    now = NOON + HOUR / 2
    found = due_slots(hourly(NOON - 5 * HOUR, catch_up="all", catch_up_limit=3), now, None)
    assert found.fire == NOON - 2 * HOUR and found.following == NOON - HOUR and found.late
    assert found.missed == Span(NOON - 5 * HOUR, NOON - 3 * HOUR, 3)


def test_catching_up_goes_on_where_it_was_and_tells_nothing_twice():
    now = NOON + HOUR / 2
    found = due_slots(hourly(NOON - HOUR, catch_up="all", catch_up_limit=1, caught_up_through=NOON), now, None)
    assert found.fire == NOON - HOUR and found.following == NOON and found.missed is None


def test_missed_slots_outside_the_window_are_dropped():
    now = NOON + HOUR / 2
    found = due_slots(hourly(NOON - 5 * HOUR, catch_up="all", catch_up_window_minutes=100), now, None)
    assert found.fire == NOON - HOUR and found.missed == Span(NOON - 5 * HOUR, NOON - 2 * HOUR, 4)


def test_a_slot_whose_worker_died_runs_again_whatever_the_policy():
    found = due_slots(hourly(NOON - HOUR, caught_up_through=NOON), NOON + HOUR / 2, None)
    assert found.fire == NOON - HOUR and found.late and found.missed is None


@pytest.mark.parametrize("rolls", [False, True])
def test_slots_in_a_blackout_are_held_not_missed(rolls):
    blackout = Blackout("Holidays", "UTC", rolls, (Days(date(2026, 3, 2), date(2026, 3, 2)),))
    midnight = datetime(2026, 3, 3, tzinfo=UTC)
    inside = due_slots(hourly(NOON - HOUR), NOON, blackout)
    assert inside.fire is None and inside.held == Span(NOON - HOUR, NOON, 2) and inside.missed is None
    assert inside.following == NOON + HOUR
    after = due_slots(hourly(midnight - HOUR), midnight + timedelta(minutes=1), blackout)
    assert after.fire == midnight and after.held == Span(midnight - HOUR, midnight - HOUR, 1)


def test_a_daily_slot_in_a_blackout_rolls_to_its_end_when_the_calendar_says_so():
    configuration = SchedulerConfiguration(
        processing_mode="scheduled", schedule_type="daily", run_times="12:00", next_scheduled_run=NOON
    )
    midnight = datetime(2026, 3, 3, tzinfo=UTC)
    periods = (Days(date(2026, 3, 2), date(2026, 3, 2)),)
    rolled = due_slots(configuration, NOON, Blackout("Holidays", "UTC", True, periods))
    assert rolled.following == midnight
    assert due_slots(configuration, NOON, Blackout("Holidays", "UTC", False, periods)).following == NOON + 24 * HOUR
    configuration.next_scheduled_run = midnight
    assert due_slots(configuration, midnight, Blackout("Holidays", "UTC", True, periods)).fire == midnight


def test_a_year_of_minutes_is_counted_in_a_moment():
    minutely = hourly(NOON - timedelta(days=365))
    minutely.interval_minutes = 1
    found = due_slots(minutely, NOON, None)
    assert found.missed is not None and found.missed.count >= 49_000 and found.fire == NOON
