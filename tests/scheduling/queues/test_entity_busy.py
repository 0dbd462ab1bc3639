"""Promises of a batch inside a plan: it takes its entity when it starts, waits while it is busy, and frees it."""

import pytest

from scheduling.dag.manifest import ManifestTask
from scheduling.models import SchedulerConfiguration, Task
from scheduling.queues import claim_next
from scheduling.runs.by_hand import start_batch_now
from scheduling.runs.execute import run_attempt
from scheduling.states import RunKind
from staging.models import Batch
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.runs.pieces import SECOND, item, start, states, status

pytestmark = pytest.mark.django_db(transaction=True)


def batch_of(configuration, after: str = "", **fields) -> ManifestTask:
    entity = configuration.entity
    return ManifestTask(entity.code, RunKind.BATCH, entity.pk, depends_on=frozenset(after.split()), **fields)


def test_a_plan_takes_an_entity_only_when_its_batch_starts(make_entity, deposit, staged):
    branch = make_entity()
    deposit(rows=2)
    run = start(item("first"), batch_of(branch, "first"))
    assert not SchedulerConfiguration.objects.get().is_running
    run_attempt(claim_next(worker="w1", now=NOW), time=lambda: NOW)
    batch = claim_next(worker="w1", now=NOW)
    branch.refresh_from_db()
    assert branch.is_running and branch.run_started_by == run.trigger_source == "Manual"
    run_attempt(batch, time=lambda: NOW)
    assert staged() == {1: 2} and status(run) == "completed"
    branch.refresh_from_db()
    assert not branch.is_running and branch.last_completed_at == NOW and branch.fire_count == 1


def test_an_entity_busy_elsewhere_makes_the_task_wait_and_not_fail(make_entity, deposit, staged):
    branch = make_entity()
    deposit(rows=1)
    start_batch_now(branch, started_by="ann", now=NOW)
    other = claim_next(worker="slow", now=NOW)
    run = start(batch_of(branch), item("beside"))
    assert work_off(NOW) == 1, "only what stands beside it"
    task = Task.objects.get(run=run, key="branch")
    assert task.waits_for_entity and task.attempts_made == 0 and "another batch" in task.message
    run_attempt(other, time=lambda: NOW)
    task.refresh_from_db()
    assert not task.waits_for_entity and task.next_attempt_at is None, "called back"
    assert work_off(NOW) == 1 and status(run) == "completed"


def test_waiting_for_an_entity_ends_by_itself_when_nobody_calls_back(make_entity):
    branch = make_entity()
    SchedulerConfiguration.objects.update(is_running=True, run_started_at=NOW)
    run = start(batch_of(branch))
    assert work_off(NOW) == 0
    SchedulerConfiguration.objects.update(is_running=False, run_started_at=None)
    assert work_off(NOW + 14 * SECOND) == 0
    assert work_off(NOW + 15 * SECOND) == 1 and status(run) == "completed"


def test_a_batch_that_is_tried_again_opens_another_batch(make_entity, deposit, staged, monkeypatch):
    from scheduling.workloads import batch as workload

    branch, real = make_entity(), workload.process
    deposit(rows=2)
    run = start(batch_of(branch, attempts=2, retry_interval_seconds=0))
    failures = iter([ConnectionError("away")])

    def process(*args, **fields):
        for failure in failures:
            raise failure
        return real(*args, **fields)

    monkeypatch.setattr(workload, "process", process)
    work_off(NOW)
    assert list(Batch.objects.order_by("id").values_list("status", flat=True)) == ["failed", "completed"]
    assert staged() == {1: 2} and status(run) == "completed"


def test_an_entity_cancelled_meanwhile_fails_its_task_and_is_not_tried_again(make_entity):
    branch = make_entity()
    run = start(batch_of(branch, attempts=5, retry_interval_seconds=0))
    branch.entity.is_cancelled = True
    branch.entity.save()
    assert work_off(NOW) == 1
    assert states(run) == {"branch": "failed"} and "is retired" in Task.objects.get(run=run).message
