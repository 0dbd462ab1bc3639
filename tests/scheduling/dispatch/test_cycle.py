"""Promises of one cycle: what is due fires once, what is not stays quiet, what breaks stays alone."""

from contextlib import nullcontext
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from scheduling.dispatch import cycle
from scheduling.dispatch.cycle import run_cycle
from scheduling.models import Heartbeat, Run, SchedulerConfiguration, SchedulerLog, Task
from scheduling.runs import start
from scheduling.states import RunStatus
from staging.models import Batch
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)


@pytest.fixture
def daily(make_entity):
    """An entity whose slot is due now."""
    return make_entity(
        processing_mode="scheduled",
        schedule_type="daily",
        run_times="06:00",
        next_scheduled_run=NOW,
        armed_from=NOW - MINUTE,
    )


def events(*types: str) -> list[str]:
    """Return the event types logged so far, oldest first."""
    logged = SchedulerLog.objects.order_by("id").values_list("event_type", flat=True)
    return [event for event in logged if not types or event in types]


def test_a_due_slot_fires_runs_and_completes(daily, deposit, staged):
    deposit(rows=3)
    deposit(rows=1, staff="many", prefix="bad")

    report = run_cycle(NOW)

    assert report.fired == ["branch"]
    daily.refresh_from_db()
    assert daily.is_running and daily.run_started_by == "Schedule"
    assert work_off(NOW) == 1
    assert events() == ["fired", "completed"]
    assert staged() == {1: 3, 2: 1}
    daily.refresh_from_db()
    assert not daily.is_running and daily.last_completed_at == NOW and daily.last_result == "completed"
    assert SchedulerLog.objects.get(event_type="completed").message == "3 inserted, 1 rejected."


def test_the_next_run_is_the_next_slot_of_the_cadence(daily):
    run_cycle(NOW)
    daily.refresh_from_db()
    assert daily.next_scheduled_run == NOW + timedelta(days=1)


def test_a_second_cycle_at_the_same_instant_changes_nothing(daily, deposit):
    deposit()
    run_cycle(NOW)
    again = run_cycle(NOW)
    assert (again.fired, again.skipped, again.errors) == ([], [], [])
    work_off(NOW)
    assert run_cycle(NOW).fired == []
    assert Run.objects.count() == 1


def test_a_slot_set_back_by_hand_does_not_fire_twice(daily):
    run_cycle(NOW)
    work_off(NOW)
    SchedulerConfiguration.objects.filter(pk=daily.pk).update(next_scheduled_run=NOW)
    assert run_cycle(NOW + MINUTE).fired == []
    daily.refresh_from_db()
    assert daily.next_scheduled_run == NOW + timedelta(days=1)
    assert Run.objects.count() == 1


def test_a_slot_that_comes_while_the_batch_runs_is_skipped_once_and_explained(daily):
    run_cycle(NOW)
    SchedulerConfiguration.objects.filter(pk=daily.pk).update(next_scheduled_run=NOW + MINUTE)
    report = run_cycle(NOW + MINUTE)
    assert report.skipped == ["branch"]
    assert run_cycle(NOW + 2 * MINUTE).skipped == []
    skipped = SchedulerLog.objects.get(event_type="skipped")
    assert skipped.message.startswith("Batch already running (overlap guard)")
    assert {gate["gate"] for gate in skipped.details["gates"]} >= {"enabled", "overlap", "due"}


def test_a_triggered_entity_names_its_source_and_is_skipped_once_while_it_runs(make_entity, deposit):
    make_entity(processing_mode="triggered", trigger_row_threshold=2)
    deposit(rows=2)
    assert run_cycle(NOW).fired == ["branch"]
    fired = SchedulerLog.objects.get(event_type="fired")
    assert fired.trigger_source == "Trigger: 2 rows (threshold 2)" and fired.rows_queued == 2
    assert run_cycle(NOW + MINUTE).skipped == ["branch"]
    assert run_cycle(NOW + 2 * MINUTE).skipped == []
    work_off(NOW)
    assert run_cycle(NOW + 3 * MINUTE).fired == []


def test_a_cycle_stamps_the_trigger_check_and_its_own_sign_of_life(make_entity):
    configuration = make_entity(processing_mode="triggered", trigger_row_threshold=2)
    run_cycle(NOW)
    configuration.refresh_from_db()
    assert configuration.last_trigger_check == NOW
    assert Heartbeat.objects.get(name=Heartbeat.DISPATCHER).seen_at == NOW


def test_a_broken_entity_leaves_its_neighbours_alone_and_backs_off(make_entity, deposit):
    make_entity("apple", processing_mode="triggered", trigger_row_threshold=1)
    broken = make_entity("bread", processing_mode="triggered", trigger_row_threshold=1)
    make_entity("cheese", processing_mode="triggered", trigger_row_threshold=1)
    deposit("apple")
    deposit("cheese")
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE stg_bread")

    report = run_cycle(NOW)

    assert sorted(report.fired) == ["apple", "cheese"]
    assert report.errors == ["bread"]
    broken.refresh_from_db()
    assert broken.backoff_until == NOW + MINUTE - timedelta(seconds=2)
    error = SchedulerLog.objects.get(event_type="error")
    assert "stg_bread" in error.message and "Not tried again before" in error.message


def test_an_error_costs_no_cycle_more_where_the_next_comes_sooner_after_its_tick(make_entity, deposit, monkeypatch):
    make_entity("apple", processing_mode="triggered", trigger_row_threshold=1)
    deposit("apple")
    late, soon = NOW + timedelta(milliseconds=57), NOW + MINUTE + timedelta(milliseconds=53)
    with monkeypatch.context() as broken:
        broken.setattr(start, "hold_schedules", Mock(side_effect=OperationalError("disk I/O error")))
        assert run_cycle(late).errors == ["apple"]
    assert run_cycle(soon).fired == ["apple"]


def _retype(table: str, column: str = "staff") -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        cursor.execute(f"ALTER TABLE {table} ADD COLUMN {column} real")


@pytest.mark.parametrize("table", ["stg_bread", "mdm_bread"])
def test_a_table_that_others_altered_stops_its_entity_with_the_difference_told_once(make_entity, deposit, table):
    make_entity("apple", processing_mode="triggered", trigger_row_threshold=1)
    make_entity("bread", processing_mode="triggered", trigger_row_threshold=1)
    deposit("apple")
    deposit("bread")
    _retype(table)

    report = run_cycle(NOW)

    assert (report.fired, report.errors) == (["apple"], ["bread"])
    for minute in range(1, 30):
        run_cycle(NOW + minute * MINUTE)
    (error,) = SchedulerLog.objects.filter(event_type="error")
    assert f"its tables differ from their definition. column {table}.staff is" in error.message.lower()
    assert not Batch.objects.filter(entity__code="bread").exists()


def test_a_slot_waits_for_its_table_to_be_mended(daily, deposit):
    deposit(rows=1)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE stg_branch RENAME COLUMN staff TO people")
    assert run_cycle(NOW).errors == ["branch"]
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE stg_branch RENAME COLUMN people TO staff")
    assert run_cycle(NOW + 2 * MINUTE).fired == ["branch"]


def test_a_failing_triggered_entity_does_not_refire_each_minute(make_entity, deposit, monkeypatch):
    make_entity(processing_mode="triggered", trigger_row_threshold=1)
    deposit()
    monkeypatch.setattr("scheduling.workloads.batch.process", _explode)
    fired = []
    for minute in range(8):
        if run_cycle(NOW + minute * MINUTE).fired:
            fired.append(minute)
            work_off(NOW + minute * MINUTE)
    assert fired == [0, 1, 3, 7]


def test_a_failing_schedule_waits_for_its_next_slot(daily, deposit, staged, monkeypatch):
    deposit()
    monkeypatch.setattr("scheduling.workloads.batch.process", _explode)
    run_cycle(NOW)
    work_off(NOW)
    assert run_cycle(NOW + timedelta(hours=2)).fired == []
    daily.refresh_from_db()
    assert daily.next_scheduled_run == NOW + timedelta(days=1)
    assert not daily.is_running and daily.last_result == "failed"
    assert staged() == {0: 1}


def test_a_log_that_cannot_be_written_does_not_stop_the_work(daily, deposit, staged, monkeypatch, caplog):
    deposit()

    def refuse(*rows):
        raise RuntimeError(f"disk full: {rows}")

    monkeypatch.setattr("scheduling.lifecycle.events.statements.insert_apart", refuse)
    assert run_cycle(NOW).fired == ["branch"]
    work_off(NOW)
    assert staged() == {1: 1}
    assert "scheduler log not written: fired" in caplog.text and not SchedulerLog.objects.exists()


def test_an_error_whose_log_fails_too_does_not_stop_the_cycle(make_entity, deposit, monkeypatch):
    make_entity("apple", processing_mode="triggered", trigger_row_threshold=1)
    make_entity("cheese", processing_mode="triggered", trigger_row_threshold=1)
    deposit("apple")
    deposit("cheese")
    from scheduling.dispatch import firing
    from scheduling.runs import start

    create_runs = start.create_runs

    def fail_for_apple(fires):
        if any(fire.manifest[0].key == "apple" for fire in fires):
            raise ValueError("no")
        return create_runs(fires)

    monkeypatch.setattr(start, "create_runs", fail_for_apple)
    monkeypatch.setattr(firing, "back_off", _explode)
    report = run_cycle(NOW)
    assert report.fired == ["cheese"] and report.errors == ["apple"]


def test_a_cycle_that_finds_another_one_running_says_so(daily):
    from scheduling.dispatch.cycle import cycle_lock

    with cycle_lock() as held:
        assert held
        assert run_cycle(NOW).as_json() == {"ran": False, "now": NOW.isoformat()}
    assert run_cycle(NOW).ran


def test_manual_and_switched_off_entities_are_not_looked_at(make_entity, deposit):
    make_entity("apple")
    make_entity("bread", processing_mode="triggered", trigger_row_threshold=1, is_enabled=False)
    deposit("apple")
    deposit("bread")
    assert run_cycle(NOW).fired == []
    assert events() == []


def test_the_number_of_statements_does_not_grow_with_what_is_not_due(make_entity):
    fields = {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": "07:00"}
    make_entity("e0", **fields, next_scheduled_run=NOW + MINUTE)
    make_entity("t0", processing_mode="triggered", trigger_row_threshold=5)
    run_cycle(NOW)
    with CaptureQueriesContext(
        connection,
    ) as few:
        run_cycle(NOW)
    for number in range(1, 6):
        make_entity(f"e{number}", **fields, next_scheduled_run=NOW + MINUTE)
        make_entity(f"t{number}", processing_mode="triggered", trigger_row_threshold=5)
    with CaptureQueriesContext(connection) as many:
        run_cycle(NOW)
    assert len(many) == len(few)


def test_editing_between_decision_and_claim_makes_the_fire_lose(daily, monkeypatch):
    from scheduling.dispatch import firing

    decide = firing.decide

    def edit_meanwhile(configuration, statistics, now):
        SchedulerConfiguration.objects.filter(pk=configuration.pk).update(is_enabled=False)
        return decide(configuration, statistics, now)

    monkeypatch.setattr(firing, "decide", edit_meanwhile)
    report = run_cycle(NOW)
    assert report.fired == []
    assert Run.objects.count() == 0 and Task.objects.count() == 0 and events() == []


def test_an_interval_after_completion_counts_from_the_end_of_the_run(make_entity):
    configuration = make_entity(
        processing_mode="scheduled",
        schedule_type="interval",
        interval_minutes=10,
        interval_anchor="last_completion",
        next_scheduled_run=NOW,
        armed_from=NOW - MINUTE,
    )
    run_cycle(NOW)
    work_off(NOW + 4 * MINUTE)
    configuration.refresh_from_db()
    assert configuration.next_scheduled_run == NOW + 14 * MINUTE


def _refused():
    """Stand for the lock that another process has."""
    return nullcontext(False)


def test_a_cycle_that_froze_with_the_lock_does_not_stop_the_others_for_ever(daily, monkeypatch):
    Heartbeat.note(Heartbeat.DISPATCHER, Heartbeat.DISPATCHER, NOW)
    monkeypatch.setattr(cycle, "cycle_lock", _refused)
    assert not run_cycle(NOW + 3 * MINUTE).ran
    beside = run_cycle(NOW + 3 * MINUTE + timedelta(seconds=1))
    assert beside.ran and beside.fired == ["branch"]
    assert not run_cycle(NOW + 4 * MINUTE).ran  # the one beside gave a sign of life


def test_a_long_cycle_gives_signs_of_life_and_is_left_alone(daily, make_entity, monkeypatch):
    fields = {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": "06:00"}
    make_entity("bread", next_scheduled_run=NOW, armed_from=NOW - MINUTE, **fields)
    monkeypatch.setattr(cycle, "AT_ONCE", 1)
    passed = iter([2 * MINUTE, 2 * MINUTE, 4 * MINUTE, 4 * MINUTE])
    monkeypatch.setattr(cycle.clock, "starting_at", lambda now: lambda: now + next(passed))
    run_cycle(NOW)
    monkeypatch.undo()
    monkeypatch.setattr(cycle, "cycle_lock", _refused)
    assert not run_cycle(NOW + 7 * MINUTE).ran


def test_a_finished_run_has_its_times(daily, deposit):
    deposit()
    run_cycle(NOW)
    work_off(NOW)
    run = Run.objects.get()
    assert run.status == RunStatus.COMPLETED and run.scheduled_for == NOW and run.finished_at == NOW


def _explode(*_, **__):
    raise RuntimeError("the disk is on fire")
