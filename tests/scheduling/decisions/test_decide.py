"""Promises of the decision: what would fire, what holds back, and that every gate is always there."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils.translation import override

from scheduling.decisions.decide import decide
from scheduling.decisions.decision import Statistics
from scheduling.models import SchedulerConfiguration
from staging.tables.columns import PendingRows

NOW = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)


def minutes(value: float) -> timedelta:
    return timedelta(minutes=value)


def pending(
    count: int = 0, oldest: timedelta | None = None, newest: timedelta | None = None, error: str = ""
) -> Statistics:
    oldest_at = NOW - oldest if oldest is not None else None
    newest_at = NOW - newest if newest is not None else oldest_at
    return Statistics(PendingRows(count=count, oldest_at=oldest_at, newest_at=newest_at, error=error))


def scheduled(**fields) -> SchedulerConfiguration:
    return SchedulerConfiguration(
        **{
            "processing_mode": "scheduled",
            "schedule_type": "daily",
            "run_times": "06:00",
            "next_scheduled_run": NOW,
            **fields,
        }
    )


def triggered(**fields) -> SchedulerConfiguration:
    return SchedulerConfiguration(processing_mode="triggered", **fields)


def test_a_slot_that_has_come_fires():
    decision = decide(scheduled(), pending(), NOW)
    assert decision.would_fire
    assert decision.trigger_source == "Schedule"


def test_a_slot_fires_with_no_rows_waiting():
    assert decide(scheduled(next_scheduled_run=NOW - minutes(1)), pending(0), NOW).would_fire


def test_a_slot_one_second_ahead_does_not_fire_and_says_when():
    decision = decide(scheduled(next_scheduled_run=NOW + timedelta(seconds=1)), pending(), NOW)
    assert not decision.would_fire
    assert decision.reason == "Next run not due yet: 2026-03-02 06:00:01 UTC."


def test_a_schedule_without_a_next_run_does_not_fire():
    assert decide(scheduled(next_scheduled_run=None), pending(), NOW).reason == "The schedule has no next run."


def test_manual_never_fires():
    decision = decide(SchedulerConfiguration(), pending(10, minutes(99)), NOW)
    assert not decision.would_fire
    assert "people start it" in decision.reason


def test_switched_off_never_fires():
    assert "Switched off" in decide(scheduled(is_enabled=False), pending(), NOW).reason


def test_a_running_batch_holds_back():
    decision = decide(
        scheduled(is_running=True, run_started_at=NOW - minutes(5), run_started_by="Schedule"), pending(), NOW
    )
    assert not decision.would_fire
    assert decision.reason.startswith("Batch already running (overlap guard)")


def test_what_started_the_running_batch_is_told_in_the_language_of_the_reader():
    for source, told in (("Manual", "door Handmatig."), ("Trigger: 97 rows (threshold 25)", "97 rijen (drempel 25).")):
        running = scheduled(is_running=True, run_started_at=NOW - minutes(5), run_started_by=source)
        with override("nl"):
            reason = str(decide(running, pending(), NOW).reason)
        assert reason.endswith(told) and source not in reason


def test_three_hours_with_a_heartbeat_is_alive():
    running = scheduled(is_running=True, run_started_at=NOW - timedelta(hours=3))
    alive = Statistics(pending().pending, last_sign_of_life=NOW - minutes(1))
    assert not decide(running, alive, NOW).would_fire


def test_silence_of_exactly_the_time_out_is_alive_and_longer_is_not():
    running = scheduled(is_running=True, run_started_at=NOW - timedelta(hours=3))
    assert not decide(running, Statistics(pending().pending, NOW - minutes(30)), NOW).would_fire
    assert decide(running, Statistics(pending().pending, NOW - minutes(30.1)), NOW).would_fire


def test_a_back_off_holds_back_in_every_mode():
    for configuration in (scheduled(), triggered(trigger_row_threshold=1)):
        configuration.backoff_until = NOW + minutes(1)
        configuration.consecutive_failures = 2
        decision = decide(configuration, pending(5, minutes(9)), NOW)
        assert not decision.would_fire
        assert decision.reason == "Failed 2 times in a row; not tried again before 2026-03-02 06:01:00 UTC."


def test_a_batch_that_waits_for_a_worker_is_not_dead_however_long_it_waits():
    waiting = triggered(is_running=True, run_started_at=NOW - minutes(600), trigger_row_threshold=1)
    decision = decide(waiting, Statistics(pending(5).pending, waits_for_worker=True), NOW)
    assert not decision.would_fire and "waits for a worker since" in decision.reason


def test_a_back_off_that_is_over_holds_nothing():
    assert decide(scheduled(backoff_until=NOW), pending(), NOW).would_fire


def test_an_unreadable_staging_table_is_named():
    decision = decide(triggered(trigger_row_threshold=1), pending(error="no such table: stg_x"), NOW)
    assert not decision.would_fire
    assert "stg_x" in decision.reason


@pytest.mark.parametrize(
    ("fields", "statistics", "source"),
    [
        ({"trigger_row_threshold": 500}, pending(500, minutes(1)), "Trigger: 500 rows (threshold 500)"),
        ({"trigger_row_threshold": 500}, pending(499, minutes(1)), ""),
        ({"trigger_idle_minutes": 15}, pending(1, minutes(15)), "Trigger: oldest row waits 15 min (idle 15 min)"),
        ({"trigger_idle_minutes": 15}, pending(1, minutes(14.99)), ""),
        ({"trigger_idle_minutes": 15}, pending(0), ""),
        ({"trigger_on_new_rows": True}, pending(3, minutes(0)), "Trigger: new rows: 3 rows (debounce 1 min)"),
        ({"trigger_on_new_rows": True}, pending(0), ""),
    ],
)
def test_each_trigger_fires_exactly_on_its_condition(fields, statistics, source):
    decision = decide(triggered(**fields), statistics, NOW)
    assert (decision.would_fire, decision.trigger_source) == (bool(source), source)


def test_the_threshold_names_the_source_when_several_triggers_are_met():
    configuration = triggered(trigger_row_threshold=2, trigger_idle_minutes=1, trigger_on_new_rows=True)
    assert decide(configuration, pending(2, minutes(9)), NOW).trigger_source.startswith("Trigger: 2 rows")


def test_the_debounce_counts_from_the_last_fire_or_completion():
    configuration = triggered(trigger_on_new_rows=True, trigger_debounce_seconds=300)
    for field in ("last_fired_at", "last_completed_at"):
        recent = triggered(trigger_on_new_rows=True, trigger_debounce_seconds=300, **{field: NOW - minutes(4)})
        assert "debounce 5 min" in decide(recent, pending(1, minutes(0)), NOW).reason
    configuration.last_fired_at = NOW - minutes(5)
    # Measured from the last look, a debounce longer than the cycle would never fire.
    configuration.last_trigger_check = NOW - minutes(1)
    assert decide(configuration, pending(1, minutes(0)), NOW).would_fire


def test_a_second_of_clock_noise_does_not_cost_a_cycle():
    configuration = triggered(trigger_on_new_rows=True, last_fired_at=NOW - timedelta(seconds=59.2))
    assert decide(configuration, pending(1, minutes(0)), NOW).would_fire


def test_settle_waits_until_the_newest_row_is_quiet():
    configuration = triggered(trigger_on_new_rows=True, trigger_settle_seconds=120)
    assert not decide(configuration, pending(9, minutes(5), minutes(1)), NOW).would_fire
    assert decide(configuration, pending(9, minutes(5), minutes(2)), NOW).would_fire


def test_all_gates_are_there_even_when_the_first_one_fails():
    configuration = triggered(
        is_enabled=False, trigger_row_threshold=1, trigger_idle_minutes=1, trigger_on_new_rows=True
    )
    names = [gate.name for gate in decide(configuration, pending(), NOW).gates]
    assert names == [
        "enabled", "pause", "mode", "overlap", "zombie", "back_off", "staging_table", "blackout", "due",
        "trigger:row_threshold", "trigger:idle", "trigger:new_rows",
    ]  # fmt: skip


def test_every_gate_carries_its_value_limit_and_sentence():
    configuration = triggered(trigger_row_threshold=1, trigger_idle_minutes=1, trigger_on_new_rows=True)
    for gate in decide(configuration, pending(1, minutes(2)), NOW).gates:
        assert gate.value and gate.limit and gate.text.endswith("."), gate
