"""Promises of cancel: what waits never starts, what runs stops at a safe point, cancelled stays cancelled."""

import pytest

from scheduling.models import Run, SchedulerConfiguration, SchedulerLog, Task
from scheduling.queues import claim_next
from scheduling.runs.advance import finish
from scheduling.runs.by_hand import start_batch_now
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt
from scheduling.states import TaskStatus
from scheduling.workloads.outcome import Outcome
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def started(make_entity, deposit):
    configuration = make_entity()
    deposit(rows=2)
    return start_batch_now(configuration, started_by="ann", now=NOW)


def statuses(started) -> tuple[str, str, str]:
    for thing in (started.run, started.task, started.batch):
        thing.refresh_from_db()
    return started.run.status, started.task.status, started.batch.status


def test_a_waiting_run_is_cancelled_at_once_and_frees_its_entity(started, staged):
    assert cancel_run(started.run, by="bob", now=NOW)
    assert statuses(started) == ("cancelled", "cancelled", "cancelled")
    assert not SchedulerConfiguration.objects.get().is_running
    assert work_off(NOW) == 0
    assert staged() == {0: 2}
    assert SchedulerLog.objects.get(event_type="cancelled").message == "Cancelled by bob before it started."


def test_a_running_run_stops_at_the_next_safe_point(started, staged):
    attempt = claim_next(worker="test", now=NOW)
    assert cancel_run(started.run, by="bob", now=NOW)
    assert statuses(started)[1] == "running"
    run_attempt(attempt, time=lambda: NOW)
    assert statuses(started) == ("cancelled", "cancelled", "cancelled")
    assert staged() == {0: 2}
    assert not SchedulerConfiguration.objects.get().is_running


def test_a_late_completion_does_not_overwrite_a_cancel(started):
    attempt = claim_next(worker="test", now=NOW)
    task = Task.objects.select_related("run").get()
    finish(attempt, task, Outcome(TaskStatus.CANCELLED, "Cancelled on request."), now=NOW)
    assert not finish(attempt, task, Outcome(TaskStatus.COMPLETED, "done"), now=NOW)
    assert Run.objects.get().status == "cancelled"


@pytest.mark.parametrize("outcome", [TaskStatus.COMPLETED, TaskStatus.FAILED])
def test_a_run_that_was_cancelled_ends_cancelled_whatever_its_last_task_comes_to(started, outcome):
    """Its work did not look at the cancel, say, or had just done the last of it."""
    attempt = claim_next(worker="test", now=NOW)
    assert cancel_run(started.run, by="bob", now=NOW)
    finish(attempt, Task.objects.select_related("run").get(), Outcome(outcome, "too late"), now=NOW)
    assert statuses(started)[:2] == ("cancelled", outcome)


def test_a_finished_run_has_nothing_to_cancel(started):
    work_off(NOW)
    assert not cancel_run(started.run, by="bob", now=NOW)
    assert statuses(started)[0] == "completed"
