"""Promises of a start: all or nothing, one at a time, whoever asks."""

import threading
from datetime import timedelta

import pytest
from django.db import connections

from scheduling.dispatch.cycle import run_cycle
from scheduling.errors import AlreadyRunning, EntityCancelled
from scheduling.models import Run, SchedulerConfiguration, SchedulerLog, Task
from scheduling.runs.by_hand import start_batch_now
from staging.models import Batch
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_person_starts_a_manual_entity(make_entity, deposit, staged):
    configuration = make_entity()
    deposit(rows=2)
    started = start_batch_now(configuration, started_by="ann", now=NOW)
    work_off(NOW)
    assert staged() == {1: 2}
    started.batch.refresh_from_db()
    assert (started.batch.inserted, started.batch.started_by, started.batch.trigger_source) == (2, "ann", "Manual")
    assert SchedulerLog.objects.get(event_type="fired").message == "Batch started by ann."


def test_a_person_is_refused_while_a_batch_runs(make_entity):
    configuration = make_entity()
    start_batch_now(configuration, started_by="ann", now=NOW)
    with pytest.raises(AlreadyRunning, match="already running"):
        start_batch_now(configuration, started_by="bob", now=NOW)
    assert (Run.objects.count(), Task.objects.count(), Batch.objects.count()) == (1, 1, 1)


def test_a_cancelled_entity_is_not_started_by_anybody(make_entity, deposit):
    configuration = make_entity(processing_mode="triggered", trigger_row_threshold=1)
    deposit()
    configuration.entity.is_cancelled = True
    configuration.entity.save()
    with pytest.raises(EntityCancelled, match="retired"):
        start_batch_now(configuration, started_by="ann", now=NOW)
    assert run_cycle(NOW).fired == []


def test_a_manual_start_does_not_consume_the_slot(make_entity):
    configuration = make_entity(
        processing_mode="scheduled",
        schedule_type="daily",
        run_times="06:00",
        next_scheduled_run=NOW + timedelta(hours=1),
    )
    start_batch_now(configuration, started_by="ann", now=NOW)
    configuration.refresh_from_db()
    assert configuration.next_scheduled_run == NOW + timedelta(hours=1)


def test_a_batch_of_one_tag_leaves_the_other_rows_waiting(make_entity, deposit, staged):
    from django.db import connection

    configuration = make_entity()
    deposit(rows=2)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE stg_branch SET batch_tag = 'monday' WHERE code = 'b0'")
    start_batch_now(configuration, tag="monday", started_by="ann", now=NOW)
    work_off(NOW)
    assert staged() == {0: 1, 1: 1}


def test_many_starters_at_the_same_instant_start_one(make_entity):
    configuration = make_entity()
    results = _at_once(8, lambda: start_batch_now(configuration, started_by="crowd", now=NOW))
    assert sum(not isinstance(result, Exception) for result in results) == 1
    assert {type(result) for result in results if isinstance(result, Exception)} == {AlreadyRunning}
    assert Run.objects.count() == 1


def test_two_dispatchers_without_a_lock_fire_each_slot_once(make_entity, monkeypatch):
    from contextlib import contextmanager

    from scheduling.dispatch import cycle

    @contextmanager
    def no_lock():
        yield True

    monkeypatch.setattr(cycle, "cycle_lock", no_lock)
    for number in range(5):
        make_entity(
            f"e{number}", processing_mode="scheduled", schedule_type="daily", run_times="06:00", next_scheduled_run=NOW
        )
    reports = _at_once(4, lambda: run_cycle(NOW))
    assert sorted(code for report in reports for code in report.fired) == [f"e{n}" for n in range(5)]
    assert Run.objects.count() == 5
    assert SchedulerConfiguration.objects.filter(is_running=True, fire_count=1).count() == 5


def _at_once(threads: int, action) -> list:
    """Run an action in several threads that start together; return results and exceptions."""
    barrier = threading.Barrier(threads)
    results: list = []

    def run():
        barrier.wait()
        try:
            results.append(action())
        except Exception as error:
            results.append(error)
        finally:
            connections.close_all()

    crowd = [threading.Thread(target=run) for _ in range(threads)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    return results
