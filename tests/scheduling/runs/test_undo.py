"""An undo is started like any batch: one at a time, through the queue, recorded; or refused, and nothing starts."""

import pytest
from django.db import connection

from scheduling.errors import AlreadyRunning, EntityCancelled
from scheduling.models import Run, SchedulerLog
from scheduling.runs.by_hand import start_batch_now, start_undo
from staging.errors import UndoRefused
from staging.models import Batch, Entity
from staging.tables.alter import sync_tables
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def branch(make_entity):
    configuration = make_entity()
    Entity.objects.update(keep_history=True)
    configuration.entity.refresh_from_db()
    sync_tables(configuration.entity)
    return configuration


def merged(configuration, deposit, **rows) -> Batch:
    deposit(**rows)
    started = start_batch_now(configuration, started_by="ann", now=NOW)
    work_off(NOW)
    return Batch.objects.select_related("entity").get(pk=started.batch.pk)


def members() -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT code, staff FROM mdm_branch")
        return dict(cursor.fetchall())


def test_it_runs_as_a_batch_of_its_own_and_says_so(branch, deposit):
    batch = merged(branch, deposit, rows=2)
    answer = start_undo(batch, by="bea", now=NOW)
    assert answer.foreseen.removed == 2
    work_off(NOW)
    done = Batch.objects.get(pk=answer.started.batch.pk)
    assert (done.status, done.deleted, done.undoes_id, done.started_by) == ("completed", 2, batch.pk, "bea")
    assert members() == {}
    assert answer.started.run.trigger_source == f"Undo of batch {batch.pk}"
    said = SchedulerLog.objects.filter(event_type="fired").order_by("-id").first().message
    assert said == f"Undo of batch {batch.pk} started by bea."


def test_members_in_its_way_start_nothing_unless_they_are_to_be_skipped(branch, deposit):
    first = merged(branch, deposit, rows=2)
    merged(branch, deposit, rows=1, staff="7")
    runs = Run.objects.count()
    answer = start_undo(first, by="bea", now=NOW)
    assert answer.started is None
    assert [str(conflict) for conflict in answer.foreseen.conflicts] == ["b0"]
    assert Run.objects.count() == runs
    start_undo(first, skip_changed=True, by="bea", now=NOW)
    work_off(NOW)
    assert members() == {"b0": 7}


def test_it_obeys_the_guard(branch, deposit):
    batch = merged(branch, deposit)
    start_batch_now(branch, started_by="ann", now=NOW)
    with pytest.raises(AlreadyRunning):
        start_undo(batch, by="bea", now=NOW)


def test_a_cancelled_entity_is_left_alone(branch, deposit):
    batch = merged(branch, deposit)
    Entity.objects.update(is_cancelled=True)
    with pytest.raises(EntityCancelled):
        start_undo(batch, by="bea", now=NOW)


def test_without_history_it_is_refused(make_entity, deposit):
    batch = merged(make_entity(), deposit)
    with pytest.raises(UndoRefused, match="keeps no history"):
        start_undo(batch, by="bea", now=NOW)
