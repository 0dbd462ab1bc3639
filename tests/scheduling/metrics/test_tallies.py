"""Promises of the counters: each event counts once, whatever was summed up meanwhile, and none ever falls."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling.dispatch.cycle import run_cycle
from scheduling.housekeeping.cleanup import cleanup
from scheduling.lifecycle import events
from scheduling.metrics.tallies import Amount, bucket_of, counted_before, settle_tallies, tally_cycle, totals
from scheduling.models import Plan, SchedulerLog, Tally
from scheduling.runs.by_hand import start_batch_now
from staging.models import Batch
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture
def counting(db: None) -> None:
    """Begin to count a day before NOW, as an installation does with its first cycle."""
    settle_tallies(NOW - timedelta(days=1))


def count(name: str, labels: str = "") -> int:
    return totals().get((name, labels), Amount()).count


def test_what_happened_before_the_first_count_is_not_counted(db):
    events.record("fired", now=NOW - timedelta(days=40))
    settle_tallies(NOW)
    assert count("fires", "scheduler") == 0


def test_an_event_counts_at_once_and_only_once(counting):
    events.record("fired", now=NOW - 30 * MINUTE)
    assert count("fires", "scheduler") == 1
    settle_tallies(NOW)
    assert count("fires", "scheduler") == 1
    assert not SchedulerLog.objects.filter(event_time__gte=counted_before()).exists()
    settle_tallies(NOW + 30 * MINUTE)
    assert count("fires", "scheduler") == 1


def test_what_may_not_be_stored_yet_stays_before_the_mark(counting):
    settle_tallies(NOW)
    events.record("error", now=NOW - 9 * MINUTE)  # its transaction began nine minutes ago and commits only now
    assert count("errors", "scheduler") == 1


def test_a_little_is_not_summed_up(counting):
    settle_tallies(NOW)
    mark = counted_before()
    settle_tallies(NOW + 4 * MINUTE)
    assert counted_before() == mark
    settle_tallies(NOW + 6 * MINUTE)
    assert counted_before() == mark + 6 * MINUTE


def test_a_clock_that_went_back_takes_nothing_back(counting):
    settle_tallies(NOW)
    mark = counted_before()
    settle_tallies(NOW - timedelta(hours=3), at_least=timedelta(days=-1))
    assert counted_before() == mark


def test_events_are_told_apart_by_what_they_are_of_and_by_what_kept_them(counting, make_entity):
    of = {"entity_id": make_entity().entity_id}
    plan = Plan.objects.create(name="Nightly")
    events.record("fired", now=NOW, **of)
    events.record("fired", now=NOW, plan=plan)
    events.record("skipped", now=NOW, **of, details={"gate": "back_off"})
    events.record("skipped", now=NOW, **of)
    events.record("held", now=NOW, plan=plan)
    events.record("missed", now=NOW, plan=plan)
    events.record("completed", now=NOW, **of)
    found = {key: amount.count for key, amount in totals().items()}
    assert found == {
        ("fires", "batch"): 1,
        ("fires", "plan"): 1,
        ("skips", "batch back_off"): 1,
        ("skips", "batch overlap"): 1,
        ("skips", "plan blackout"): 1,
        ("skips", "plan missed"): 1,
    }


def test_the_rows_and_the_time_of_an_ended_batch_count(counting, make_entity, deposit):
    configuration = make_entity()
    deposit(rows=3)
    deposit(rows=1, staff="bad", prefix="bad")
    start_batch_now(configuration, started_by="ann", now=NOW)
    assert count("rows", f"{configuration.entity_id} inserted") == 0
    work_off(NOW)
    assert count("rows", f"{configuration.entity_id} inserted") == 3
    assert count("rows", f"{configuration.entity_id} rejected") == 1
    assert sum(amount.count for (name, _), amount in totals().items() if name == "batch_seconds") == 1


def test_the_time_of_a_batch_falls_into_the_same_bucket_live_and_summed_up(counting, make_entity):
    entity = make_entity().entity
    for milliseconds in (100, 101, 14_400_000, 14_400_001):
        ended = {"status": "completed", "created_at": NOW, "finished_at": NOW, "duration_ms": milliseconds}
        Batch.objects.create(entity=entity, **ended)
    live = totals()
    settle_tallies(NOW + timedelta(hours=1))
    assert {key[1]: amount.count for key, amount in live.items()} == {"0": 1, "1": 1, "9": 1, "10": 1}
    assert totals() == live
    assert [bucket_of("batch_seconds", seconds) for seconds in (0.1, 0.101, 14_400, 14_400.001)] == [0, 1, 9, 10]


def test_retention_takes_nothing_from_the_counters(counting, make_entity, deposit):
    configuration = make_entity()
    deposit(rows=2)
    start_batch_now(configuration, started_by="ann", now=NOW)
    work_off(NOW)
    before = totals()
    assert cleanup(NOW + timedelta(days=100))["log"] > 0
    assert not Batch.objects.exists()
    assert totals() == before


def test_the_counters_outlive_what_they_were_made_of_when_it_is_deleted(counting, make_entity, deposit):
    configuration = make_entity()
    deposit(rows=2)
    start_batch_now(configuration, started_by="ann", now=NOW)
    work_off(NOW)
    plan = Plan.objects.create(name="Nightly")
    events.record("fired", now=NOW, plan=plan)
    entity = configuration.entity
    before = totals()
    plan.delete()
    entity.delete()
    assert not SchedulerLog.objects.exists()
    # Only its own rows go: nobody asks what became of the rows of an entity that is no more.
    assert totals() == {key: amount for key, amount in before.items() if key[0] != "rows"}


def test_every_cycle_counts_with_its_time(db):
    run_cycle(NOW)
    run_cycle(NOW + MINUTE)
    found = [amount for (name, _), amount in totals().items() if name == "cycle_seconds"]
    assert sum(amount.count for amount in found) == 2
    assert sum(amount.total for amount in found) > 0


def test_a_cycle_that_cannot_be_counted_is_a_cycle_all_the_same(db, monkeypatch):
    def broken(seconds: float) -> None:
        raise RuntimeError("no room")

    monkeypatch.setattr("scheduling.dispatch.cycle.tally_cycle", broken)
    assert run_cycle(NOW).ran


def test_a_drill_in_the_future_counts_nothing_of_what_is_to_come(db):
    run_cycle(NOW)
    run_cycle(NOW + timedelta(days=20_000))
    assert counted_before() < NOW + timedelta(days=10_000)


def test_adding_and_reading_are_few_statements_whatever_there_is(counting):
    tally_cycle(0.2)
    for number in range(30):
        events.record("skipped", now=NOW, details={"gate": f"gate_{number}"})
    with CaptureQueriesContext(connection) as reading:
        totals()
    with CaptureQueriesContext(connection) as settling:
        settle_tallies(NOW + timedelta(hours=1))
    assert len(reading) == 4
    assert len([query for query in settling if "scheduling_tally " in query["sql"]]) == 1
    assert Tally.objects.count() == 31
