"""What follows a decision not to fire: slots are passed, kept or left, and what stood back is named."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from scheduling.decisions.decide import decide
from scheduling.decisions.decision import Aftermath, Statistics, aftermath
from scheduling.models import SchedulerConfiguration
from staging.models import Entity
from staging.tables.columns import PendingRows

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
ALIVE = Statistics(PendingRows(5, NOON, NOON), last_sign_of_life=NOON)


def after(statistics: Statistics = ALIVE, **fields) -> Aftermath:
    kind = {"processing_mode": "scheduled", "schedule_type": "interval", "interval_minutes": 60}
    busy = {"is_running": True, "run_started_at": NOON - HOUR, "next_scheduled_run": NOON}
    configuration = SchedulerConfiguration(entity=Entity(code="branch"), **kind | busy | fields)
    decision = decide(configuration, statistics, NOON)
    assert not decision.would_fire
    return aftermath(configuration, decision)


def test_a_slot_on_time_is_passed_when_a_batch_runs():
    assert after() == Aftermath(moves_on=True, held_back="skipped")


def test_a_late_slot_waits_for_the_batch():
    late = NOON - HOUR / 2
    assert after(next_scheduled_run=late, caught_up_through=late, interval_minutes=50, catch_up="last") == Aftermath(
        moves_on=True, keep=late
    )


def test_missed_slots_are_passed_without_anything_to_stand_back():
    assert after(next_scheduled_run=NOON - HOUR / 2, interval_minutes=1440, run_times="") == Aftermath(moves_on=True)


def test_a_schedule_that_is_not_due_stays():
    assert after(next_scheduled_run=NOON + HOUR) == Aftermath()


# The event of a slot on time that one condition alone holds back, empty when the slot stays due without a word.
HELD_BACK = {
    "enabled": "", "pause": "", "mode": "", "overlap": "skipped", "zombie": "", "back_off": "skipped",
    "staging_table": "", "blackout": "held", "due": "",
}  # fmt: skip


def test_of_each_gate_is_said_what_becomes_of_the_slot_it_holds_back():
    kind = {"processing_mode": "scheduled", "schedule_type": "interval", "interval_minutes": 60}
    configuration = SchedulerConfiguration(entity=Entity(code="branch"), next_scheduled_run=NOON, **kind)
    fires = decide(configuration, ALIVE, NOON)
    assert fires.would_fire and {gate.name for gate in fires.gates} == HELD_BACK.keys()
    for refused, event in HELD_BACK.items():
        gates = tuple(replace(gate, passed=gate.name != refused) for gate in fires.gates)
        held = aftermath(configuration, replace(fires, would_fire=False, gates=gates))
        assert (held.held_back, held.moves_on) == (event, bool(event)), refused


def test_a_slot_stays_when_the_staging_table_cannot_be_read():
    broken = ALIVE._replace(pending=PendingRows(error="gone"))
    assert after(broken, is_running=False, run_started_at=None) == Aftermath()


def test_a_trigger_that_is_met_stands_back_and_one_that_is_not_says_nothing():
    triggered = {"processing_mode": "triggered", "schedule_type": "", "next_scheduled_run": None}
    assert after(**triggered, trigger_row_threshold=5) == Aftermath(held_back="skipped")
    assert after(**triggered, trigger_row_threshold=6) == Aftermath()
