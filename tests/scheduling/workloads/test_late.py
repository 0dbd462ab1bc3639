"""A batch that brings codes sets the rows that waited for them to pending, and the log says so."""

import pytest

from scheduling.dispatch.cycle import run_cycle
from scheduling.dispatch.recover import recover
from scheduling.models import SchedulerLog
from scheduling.runs.by_hand import start_batch_now
from scheduling.runs.execute import execute_task
from scheduling.states import EventType
from scheduling.workloads import batch as late
from staging.batches import late as staging_late
from staging.models import Batch
from tests.staging.batches.bench import NOW, define, reference, run_batch, stage, staged
from tests.staging.batches.bench import execute as execute_sql

pytestmark = pytest.mark.django_db


@pytest.fixture
def entities():
    region = define("region")
    branch = define("branch", reference("region", "region"))
    stage(branch, {"code": "a", "region": "EU"})
    run_batch(branch)
    stage(region, {"code": "EU"})
    return region, branch


def test_the_worker_that_ends_the_batch_does_it_and_the_log_tells(entities):
    region, branch = entities
    started = start_batch_now(region.configuration, started_by="someone", now=NOW)
    execute_task(started.task.pk, worker="w", time=lambda: NOW)
    assert staged(branch)[0]["import_status"] == 0
    event = SchedulerLog.objects.get(event_type=EventType.RETRIED)
    assert event.entity_id == branch.pk
    assert (
        event.message
        == f"1 rejected row of Branch waits again: the codes came with batch {started.batch.pk} of Region."
    )


def test_what_a_dead_worker_left_is_made_good_by_the_next_cycle(entities):
    region, branch = entities
    run_batch(region)
    assert staged(branch)[0]["import_status"] == 2
    recover(NOW)
    assert staged(branch)[0]["import_status"] == 0


def test_a_fault_there_fails_no_batch(entities, monkeypatch):
    region, branch = entities
    monkeypatch.setattr(late.late, "bring_home", lambda tell: 1 / 0)
    started = start_batch_now(region.configuration, started_by="someone", now=NOW)
    execute_task(started.task.pk, worker="w", time=lambda: NOW)
    started.batch.refresh_from_db()
    assert started.batch.status == "completed"
    assert staged(branch)[0]["import_status"] == 2


def test_a_look_that_fails_stops_no_other_and_is_told_once(entities, monkeypatch):
    region, branch = entities
    define("other", reference("region", "region", on_error="skip_field"))
    third = define("third", reference("region", "region"))
    stage(third, {"code": "t", "region": "EU"})
    run_batch(third)
    real = staging_late._set_pending

    def broken(entity, batches):
        if entity == branch:
            execute_sql("SELECT 1 FROM nowhere_at_all")
        return real(entity, batches)

    monkeypatch.setattr(staging_late, "_set_pending", broken)
    run_batch(region)

    report = run_cycle(NOW)
    assert report.as_json()["errors"] == ["branch"]
    assert (staged(branch)[0]["import_status"], staged(third)[0]["import_status"]) == (2, 0)
    run_cycle(NOW)
    event = SchedulerLog.objects.get(event_type=EventType.ERROR, entity_id=branch.pk)
    assert event.batch_id
    assert "nowhere_at_all" in event.message

    monkeypatch.undo()
    assert run_cycle(NOW).errors == []
    assert staged(branch)[0]["import_status"] == 0


def test_an_entity_whose_references_may_all_be_skipped_blocks_no_look(entities):
    region, branch = entities
    run_batch(define("other", reference("region", "region", on_error="skip_field")))
    run_batch(region)
    report = run_cycle(NOW)
    assert report.errors == []
    assert staged(branch)[0]["import_status"] == 0
    assert not Batch.objects.filter(came_home__isnull=True).exists()
