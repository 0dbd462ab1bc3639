"""A batch that brings codes sets the rows that waited for them to pending, and the log says so."""

import pytest

from scheduling.models import SchedulerLog
from scheduling.recovery.recover import recover
from scheduling.runs.execute import execute
from scheduling.runs.start import start_batch_now
from scheduling.states import EventType
from scheduling.workloads import late
from tests.staging.batches.bench import NOW, define, reference, run_batch, stage, staged

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
    execute(started.task.pk, worker="w", time=lambda: NOW)
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
    execute(started.task.pk, worker="w", time=lambda: NOW)
    started.batch.refresh_from_db()
    assert started.batch.status == "completed"
    assert staged(branch)[0]["import_status"] == 2
