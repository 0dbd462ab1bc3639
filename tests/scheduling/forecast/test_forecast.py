"""Promises of the forecast: what it says is what the cycles then do, and nothing is written."""

from datetime import UTC, date, datetime, time, timedelta

import pytest

from scheduling.dispatch.cycle import run_cycle
from scheduling.forecast.forecast import forecast
from scheduling.models import (
    BlackoutCalendar,
    BlackoutPeriod,
    Queue,
    Run,
    SchedulerConfiguration,
    SchedulerLog,
    SchedulerState,
)
from scheduling.schedules.pause import pause, pause_everything
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.simulation.real import nothing_dies

pytestmark = pytest.mark.django_db

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def scheduled(make_entity):
    """Return a factory of scheduled configurations, armed at NOW."""

    def make(code: str = "branch", **fields) -> SchedulerConfiguration:
        fields = {"schedule_type": "daily", "run_times": "07:00", "armed_from": NOW} | fields
        made = make_entity(code, processing_mode="scheduled", **fields)
        if "next_scheduled_run" not in fields:
            made.next_scheduled_run = made.cadence().next_after(NOW - timedelta(microseconds=1))
            made.save()
        return made

    return make


@pytest.fixture
def calendar():
    """Return a factory of calendars that are dark all of 3 March 2026."""

    def make(policy: str) -> BlackoutCalendar:
        made = BlackoutCalendar.objects.create(name="Feast", policy=policy)
        BlackoutPeriod.objects.create(calendar=made, kind="days", first_day=date(2026, 3, 3))
        return made

    return make


def completed(configuration: SchedulerConfiguration, seconds: float, number: int = 0) -> None:
    Run.objects.create(
        kind="batch", entity=configuration.entity, status="completed", fire_key=f"{configuration.pk}:{number}",
        created_at=NOW - DAY, started_at=NOW - DAY, finished_at=NOW - DAY + timedelta(seconds=seconds),
    )  # fmt: skip


def ahead(days: float = 1, start: datetime = NOW, now: datetime = NOW, **more):
    return forecast(start, start + days * DAY, now=now, **more)


def told(found) -> list[tuple[str, float, str]]:
    """Return (what, hours after NOW, state) of every slot."""
    return [(fire.what, (fire.at - NOW) / HOUR, fire.state) for fire in found.fires]


def test_everything_enabled_is_on_one_line_of_time(scheduled, make_entity):
    scheduled("branch")
    scheduled("region", schedule_type="interval", run_times="", interval_minutes=480)
    scheduled("off", is_enabled=False)
    make_entity("by_hand")
    found = ahead()
    assert told(found) == [("branch", 1, "fires"), ("region", 2, "fires"), ("region", 10, "fires"),
                           ("region", 18, "fires")]  # fmt: skip
    assert found.fires[0].sentence == "Every day at 07:00, UTC" and found.fires[0].reason


def test_the_end_is_left_out_and_the_start_is_not(scheduled):
    scheduled(run_times="06:00")
    assert told(ahead()) == [("branch", 0, "fires")]
    assert told(ahead(start=NOW + DAY)) == [("branch", 24, "fires")]


def test_a_slot_that_waits_for_the_next_cycle_fires_now(scheduled):
    scheduled(next_scheduled_run=NOW - MINUTE)
    assert told(ahead()) == [("branch", 0, "fires"), ("branch", 1, "fires")]


def test_a_blackout_holds_slots_or_rolls_them_to_its_end(scheduled, calendar):
    scheduled(calendar=calendar("skip"))
    assert told(ahead(3)) == [("branch", 1, "fires"), ("branch", 25, "held"), ("branch", 49, "fires")]
    BlackoutCalendar.objects.update(policy="roll")
    assert told(ahead(3)) == [("branch", 1, "fires"), ("branch", 42, "rolled"), ("branch", 49, "fires")]


def test_a_forecast_that_begins_in_a_blackout_knows_what_rolls_out_of_it(scheduled, calendar):
    scheduled(calendar=calendar("roll"))
    inside = datetime(2026, 3, 3, 12, tzinfo=UTC)
    assert told(ahead(start=inside)) == [("branch", 42, "rolled"), ("branch", 49, "fires")]


def test_a_pause_keeps_still_until_it_ends(scheduled):
    hourly = scheduled(schedule_type="interval", run_times="", interval_minutes=60)
    pause(hourly, by="ann", reason="move", until=NOW + 21 * HOUR, now=NOW)
    found = ahead()
    assert told(found) == [("branch", 22, "fires"), ("branch", 23, "fires")]
    assert any("Paused by ann" in note and "branch" in note for note in found.notes)


def test_a_pause_without_an_end_is_said_and_nothing_fires(scheduled):
    pause(scheduled(), by="ann", reason="move", now=NOW)
    found = ahead()
    assert found.fires == () and "move" in found.notes[0]


@pytest.mark.parametrize(("until", "fires"), [(None, []), (NOW + 2 * HOUR, [("branch", 25, "fires")])])
def test_a_pause_of_everything_keeps_all_still(scheduled, until, fires):
    scheduled()
    pause_everything(by="ann", reason="move", until=until, now=NOW)
    found = ahead(1.5)
    assert told(found) == fires and "Everything is paused by ann" in found.notes[0]


def test_the_usual_duration_is_the_median_of_the_last_twenty(scheduled):
    branch = scheduled()
    for number in range(30):
        completed(branch, 5000 if number < 10 else (number % 3 + 1) * 60, number)
    scheduled("region")
    by_what = {fire.what: fire.expected_ms for fire in ahead().fires}
    assert by_what == {"branch": 120_000, "region": None}


def test_a_slot_during_the_batch_before_is_skipped(scheduled):
    completed(scheduled(schedule_type="interval", run_times="", interval_minutes=60), 90 * 60)
    found = ahead(0.25)
    assert told(found) == [("branch", hour, "fires" if hour % 2 == 0 else "skipped") for hour in range(6)]
    assert "already running" in found.fires[1].reason


def test_an_interval_after_completion_counts_the_usual_duration_in(scheduled):
    chain = scheduled(
        schedule_type="interval", run_times="", interval_minutes=60, interval_anchor="last_completion",
        last_completed_at=NOW - HOUR / 2,
    )  # fmt: skip
    completed(chain, 30 * 60)
    assert told(ahead(0.25)) == [("branch", hour, "fires") for hour in (0.5, 2, 3.5, 5)]
    assert told(ahead(0.25, start=NOW + 3 * HOUR)) == [("branch", hour, "fires") for hour in (3.5, 5, 6.5, 8)]


def test_what_runs_now_is_load_until_it_usually_ends(scheduled):
    branch = scheduled(is_running=True, run_started_at=NOW - 10 * MINUTE, run_started_by="Schedule")
    completed(branch, 40 * 60)
    found = ahead()
    assert [run.what for run in found.running] == ["branch"]
    assert [(step.end - NOW, step.running) for step in found.load[0].steps][:2] == [(30 * MINUTE, 1), (HOUR, 0)]
    assert found.quiet[0].start == NOW + 30 * MINUTE


def test_load_is_held_against_the_limit_of_the_queue(scheduled):
    Queue.objects.update_or_create(name="default", defaults={"max_running": 2})
    for code in ("one", "two", "three"):
        completed(scheduled(code), 60)
    [load] = ahead().load
    assert (load.queue, load.limit, load.peak) == ("default", 2, 3) and len(load.overloaded) == 1


def test_triggered_entities_are_listed_with_their_condition(make_entity):
    paused = make_entity("branch", processing_mode="triggered", trigger_row_threshold=500, trigger_idle_minutes=15)
    make_entity("region", processing_mode="triggered", trigger_on_new_rows=True)
    pause(paused, by="ann", reason="move", now=NOW)
    found = ahead()
    assert [(entry.what, entry.sentence) for entry in found.when_data_arrives] == [
        ("branch", "When 500 rows wait or a row has waited 15 minutes"),
        ("region", "When new rows arrive"),
    ]
    assert "move" in found.when_data_arrives[0].note and found.fires == ()


def test_thousands_of_fires_are_cut_with_a_note(scheduled):
    scheduled(schedule_type="interval", run_times="", interval_minutes=1)
    whole = ahead(7)
    assert len(whole.fires) == 7 * 24 * 60 and whole.shown_until == whole.until and not whole.notes
    cut = ahead(7, most=1000)
    assert len(cut.fires) == 1000 and cut.shown_until == NOW + 1000 * MINUTE
    assert cut.notes == ("Only the first 1,000 slots are shown, those before 2026-03-02 22:40:00 UTC.",)
    assert cut.load[0].steps[-1].end == cut.shown_until


def test_a_schedule_that_cannot_be_read_is_said_and_stops_nobody(scheduled):
    scheduled("broken", next_scheduled_run=NOW, timezone="Nowhere/Town")
    scheduled()
    found = ahead()
    assert told(found) == [("branch", 1, "fires")] and found.notes[0].startswith("broken: this schedule cannot be read")


def test_a_past_period_is_what_the_cadence_says_of_it(scheduled):
    scheduled()
    assert told(ahead(2, start=NOW - 10 * DAY)) == [("branch", -239, "fires"), ("branch", -215, "fires")]


def test_it_asks_few_statements_and_writes_nothing(scheduled, calendar, django_assert_max_num_queries):
    dark = calendar("skip")
    for number in range(12):
        scheduled(f"entity_{number}", calendar=dark)
    before = list(SchedulerConfiguration.objects.values())
    with django_assert_max_num_queries(12):
        assert len(ahead().fires) == 12
    assert list(SchedulerConfiguration.objects.values()) == before
    assert SchedulerLog.objects.count() == Run.objects.count() == SchedulerState.objects.count() == 0


def test_the_cycles_then_do_what_it_said(scheduled, calendar):
    dark = BlackoutCalendar.objects.create(name="Lunch", policy="roll")
    window = {"run_days": "mon", "window_start": time(6, 30), "window_end": time(7, 15)}
    BlackoutPeriod.objects.create(calendar=dark, kind="weekly", **window)
    scheduled("branch", schedule_type="interval", run_times="", interval_minutes=20, calendar=dark)
    scheduled("region", run_times="06:10, 07:05, 07:50", calendar=dark)
    scheduled("product", run_times="06:31, 07:30")
    span = 2 * HOUR
    expected = [(fire.at, fire.what) for fire in forecast(NOW, NOW + span, now=NOW).fires if fire.state != "held"]
    for minute in range(120):
        with nothing_dies():
            run_cycle(NOW + minute * MINUTE)
        work_off(NOW + minute * MINUTE)
    real = sorted(Run.objects.values_list("created_at", "entity__code"))
    assert sorted(expected) == real and len(real) > 6
