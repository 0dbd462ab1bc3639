"""Promises of a cycle about time that passed without it: missed slots, blackouts and pauses, each told once."""

from datetime import date, time, timedelta

import pytest

from scheduling.dispatch.cycle import run_cycle
from scheduling.models import BlackoutCalendar, Run, SchedulerConfiguration, SchedulerLog
from scheduling.schedules.pause import pause, pause_everything, resume, resume_everything
from scheduling.states import BlackoutPolicy, PeriodKind
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)


@pytest.fixture
def hourly(make_entity):
    """Return a factory of an entity that runs every hour and was last looked at before NOW - 5 h."""

    def make(**fields):
        return make_entity(
            processing_mode="scheduled",
            schedule_type="interval",
            interval_minutes=60,
            next_scheduled_run=NOW - 5 * HOUR,
            armed_from=NOW - 6 * HOUR,
            **fields,
        )

    return make


def told(kind: str) -> list[str]:
    return list(SchedulerLog.objects.filter(event_type=kind).order_by("id").values_list("message", flat=True))


def slots_run() -> list:
    return list(Run.objects.order_by("id").values_list("scheduled_for", flat=True))


def each_minute(minutes: int) -> None:
    """Run a cycle and its work each minute after NOW + 30 minutes."""
    for minute in range(minutes):
        run_cycle(NOW + 30 * MINUTE + minute * MINUTE)
        work_off(NOW + 30 * MINUTE + minute * MINUTE)


def test_without_catch_up_missed_slots_are_dropped_and_told_once(hourly):
    configuration = hourly()
    each_minute(3)
    assert slots_run() == []
    assert told("missed") == [
        "6 slots missed while no scheduler ran, from 2026-03-02 01:00:00 UTC to 2026-03-02 06:00:00 UTC."
    ]
    details = SchedulerLog.objects.get(event_type="missed").details
    assert details.pop("said")["values"]["slots"]["count"] == 6
    assert details == {
        "first": "2026-03-02T01:00:00+00:00", "last": "2026-03-02T06:00:00+00:00", "count": 6,
    }  # fmt: skip
    configuration.refresh_from_db()
    assert configuration.next_scheduled_run == NOW + HOUR


def test_a_slot_on_time_runs_though_others_were_missed(hourly):
    hourly()
    assert run_cycle(NOW).fired == ["branch"]
    assert slots_run() == [NOW]
    assert len(told("missed")) == 1


def test_the_last_missed_slot_runs_late_when_asked(hourly):
    hourly(catch_up="last")
    each_minute(3)
    assert slots_run() == [NOW]
    assert told("missed")[0].startswith("5 slots missed")


def test_all_missed_slots_run_one_after_the_other_up_to_the_limit(hourly):
    configuration = hourly(catch_up="all", catch_up_limit=3)
    each_minute(6)
    assert slots_run() == [NOW - 2 * HOUR, NOW - HOUR, NOW]
    assert len(told("missed")) == 1 and told("missed")[0].startswith("3 slots missed")
    configuration.refresh_from_db()
    assert configuration.next_scheduled_run == NOW + HOUR


def test_a_late_slot_waits_while_a_batch_runs_and_is_not_lost(hourly):
    hourly(catch_up="all", catch_up_limit=2)
    run_cycle(NOW + 30 * MINUTE)
    for minute in range(31, 35):
        assert run_cycle(NOW + minute * MINUTE).fired == []
    work_off(NOW + 35 * MINUTE)
    assert run_cycle(NOW + 36 * MINUTE).fired == ["branch"]
    assert slots_run() == [NOW - HOUR, NOW]
    assert len(told("missed")) == 1 and told("skipped") == []


def test_editing_forgets_what_was_missed(hourly):
    from scheduling.schedules.change import apply_schedule

    configuration = hourly(catch_up="all")
    apply_schedule(configuration, {"interval_minutes": 120}, now=NOW + MINUTE)
    assert run_cycle(NOW + 2 * MINUTE).fired == []
    assert told("missed") == []


@pytest.fixture
def holiday(db):
    """Return a calendar that is dark all NOW's day."""
    calendar = BlackoutCalendar.objects.create(name="Holidays")
    calendar.periods.create(kind=PeriodKind.DAYS, first_day=date(2026, 3, 2))
    return calendar


def test_slots_held_behind_one_that_waits_for_the_end_of_the_blackout_are_told_once(hourly):
    dark = BlackoutCalendar.objects.create(name="Morning")
    dark.periods.create(kind=PeriodKind.WEEKLY, run_days="mon", window_start=time(6, 20), window_end=time(8, 30))
    hourly(catch_up="last", calendar=dark)
    for minute in (30, 31, 60, 61, 62, 120, 121):
        run_cycle(NOW + minute * MINUTE)
    assert slots_run() == [], "the late slot waits for the end of the blackout"
    assert told("held") == [f"1 slot held by a blackout: 2026-03-02 0{hour}:00:00 UTC." for hour in (7, 8)]


def test_a_slot_in_a_blackout_is_held_and_told(hourly, holiday):
    hourly(calendar=holiday)
    SchedulerConfiguration.objects.update(next_scheduled_run=NOW)
    assert run_cycle(NOW).fired == []
    assert told("held") == ["1 slot held by a blackout: 2026-03-02 06:00:00 UTC."]
    assert told("missed") == []
    assert SchedulerConfiguration.objects.get().next_scheduled_run == NOW + HOUR


def test_a_slot_rolls_to_the_end_of_the_blackout_when_the_calendar_says_so(make_entity, holiday):
    BlackoutCalendar.objects.update(policy=BlackoutPolicy.ROLL)
    make_entity(
        processing_mode="scheduled", schedule_type="daily", run_times="06:00", next_scheduled_run=NOW, calendar=holiday
    )
    midnight = NOW.replace(hour=0) + timedelta(days=1)
    run_cycle(NOW)
    assert SchedulerConfiguration.objects.get().next_scheduled_run == midnight
    assert run_cycle(midnight).fired == ["branch"]
    assert slots_run() == [midnight]
    assert SchedulerConfiguration.objects.get().next_scheduled_run == midnight + 6 * HOUR


def test_a_trigger_waits_for_the_end_of_the_blackout(make_entity, holiday, deposit):
    make_entity(processing_mode="triggered", trigger_row_threshold=1, calendar=holiday)
    deposit()
    assert run_cycle(NOW).fired == []
    assert run_cycle(NOW + MINUTE).fired == []
    assert told("held") == ["Blackout of Holidays until 2026-03-03 00:00:00 UTC."]
    assert run_cycle(NOW.replace(hour=0) + timedelta(days=1)).fired == ["branch"]


def test_what_falls_into_a_pause_is_neither_missed_nor_run(hourly):
    configuration = hourly(catch_up="all")
    assert pause(configuration, by="ann", reason="Year end closing", now=NOW - 5 * HOUR - MINUTE)
    assert run_cycle(NOW).fired == []
    assert resume(configuration, by="bob", now=NOW + MINUTE)
    each_minute(2)
    assert slots_run() == [] and told("missed") == []
    assert run_cycle(NOW + HOUR).fired == ["branch"]
    assert told("paused") == ["Paused by ann: Year end closing"] and told("resumed") == ["Resumed by bob."]


def test_a_pause_ends_by_itself(hourly):
    configuration = hourly()
    pause(configuration, by="ann", reason="Lunch", until=NOW + 90 * MINUTE, now=NOW)
    assert run_cycle(NOW + 80 * MINUTE).fired == []
    run_cycle(NOW + 91 * MINUTE)
    configuration.refresh_from_db()
    assert configuration.paused_at is None and configuration.next_scheduled_run == NOW + 2 * HOUR


def test_a_paused_trigger_waits(make_entity, deposit):
    configuration = make_entity(processing_mode="triggered", trigger_row_threshold=1)
    deposit()
    pause(configuration, by="ann", reason="Lunch", now=NOW)
    assert run_cycle(NOW).fired == []
    resume(configuration, by="ann", now=NOW + MINUTE)
    assert run_cycle(NOW + MINUTE).fired == ["branch"]


def test_everything_can_be_paused_and_goes_on_from_then(hourly, make_entity, deposit):
    hourly(catch_up="all")
    make_entity("other", processing_mode="triggered", trigger_row_threshold=1)
    deposit("other")
    assert pause_everything(by="ann", reason="Migration", now=NOW - 5 * HOUR - MINUTE)
    assert not pause_everything(by="bob", reason="Again", now=NOW)
    assert run_cycle(NOW).fired == []
    assert resume_everything(by="ann", now=NOW + MINUTE)
    assert run_cycle(NOW + MINUTE).fired == ["other"]
    assert told("missed") == [] and slots_run() == [None]


def test_a_person_may_start_a_paused_entity(make_entity):
    from scheduling.runs.by_hand import start_batch_now

    configuration = make_entity()
    pause(configuration, by="ann", reason="Lunch", now=NOW)
    assert start_batch_now(configuration, started_by="ann", now=NOW)


@pytest.mark.parametrize(("reason", "until"), [("", None), ("  ", None), ("Lunch", NOW)])
def test_a_pause_without_a_reason_or_with_an_end_behind_it_is_refused(make_entity, reason, until):
    from scheduling.errors import InvalidSchedule

    with pytest.raises(InvalidSchedule):
        pause(make_entity(), by="ann", reason=reason, until=until, now=NOW)
