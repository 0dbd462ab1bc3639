"""Promises of recovery: silence is found, what was lost is due again, and a zombie that wakes changes nothing."""

from datetime import timedelta

import pytest

from scheduling.dispatch.cycle import run_cycle
from scheduling.errors import AttemptLost
from scheduling.models import Attempt, Run, SchedulerConfiguration, SchedulerLog
from scheduling.queues import claim_next
from scheduling.runs.advance import finish
from scheduling.runs.execute import run_attempt
from scheduling.states import AttemptOutcome, RunStatus, TaskStatus
from scheduling.workloads.batch import execute
from scheduling.workloads.outcome import Outcome
from scheduling.workloads.pulse import Pulse
from staging.models import Batch
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)


@pytest.fixture
def dead(make_entity, deposit):
    """A due entity whose worker claimed the batch at NOW and was never heard of again."""
    configuration = make_entity(
        processing_mode="scheduled",
        schedule_type="daily",
        run_times="06:00",
        next_scheduled_run=NOW,
        armed_from=NOW - MINUTE,
    )
    deposit(rows=2)
    run_cycle(NOW)
    claim_next(worker="doomed", now=NOW)
    return configuration


def test_a_silent_batch_is_released_logged_and_started_again_in_the_same_cycle(dead, staged):
    later = NOW + 31 * MINUTE
    report = run_cycle(later)
    assert report.zombies == 1 and report.fired == ["branch"]
    kinds = list(SchedulerLog.objects.order_by("id").values_list("event_type", flat=True))
    assert kinds == ["fired", "zombie", "fired"]
    work_off(later)
    assert staged() == {1: 2}
    assert list(Run.objects.order_by("id").values_list("status", flat=True)) == ["failed", "completed"]
    assert list(Batch.objects.order_by("id").values_list("status", flat=True)) == ["failed", "completed"]


def test_a_sign_of_life_keeps_a_long_batch_alive(dead):
    Attempt.objects.update(heartbeat_at=NOW + 29 * MINUTE)
    report = run_cycle(NOW + 31 * MINUTE)
    assert report.zombies == 0 and report.fired == []


def test_a_zombie_that_wakes_before_its_work_opens_no_batch(dead):
    """It slept between the claim and the work, and recovery ended its batch meanwhile."""
    zombie = Attempt.objects.get()
    later = NOW + 31 * MINUTE
    run_cycle(later)
    work_off(later)
    batches = list(Batch.objects.order_by("id").values_list("status", flat=True))
    with pytest.raises(AttemptLost):
        execute(zombie.task, Pulse(zombie, time=lambda: later), lambda: later)
    assert list(Batch.objects.order_by("id").values_list("status", flat=True)) == batches == ["failed", "completed"]


def test_a_zombie_that_wakes_up_changes_nothing(dead, staged):
    zombie = Attempt.objects.get()
    task = zombie.task
    later = NOW + 31 * MINUTE
    run_cycle(later)
    assert not finish(zombie, task, Outcome(TaskStatus.COMPLETED, "late"), now=later)
    run_attempt(zombie, time=lambda: later)
    assert staged() == {0: 2}
    zombie.refresh_from_db()
    assert zombie.outcome == AttemptOutcome.LOST
    assert Run.objects.get(pk=task.run_id).status == RunStatus.FAILED


def test_work_that_kills_its_worker_again_backs_off(dead):
    later = NOW + 31 * MINUTE
    run_cycle(later)
    claim_next(worker="doomed", now=later)
    again = later + 31 * MINUTE
    report = run_cycle(again)
    assert report.zombies == 1 and report.fired == []
    dead.refresh_from_db()
    assert dead.backoff_until == again + MINUTE and not dead.is_running


def test_a_guard_that_nobody_holds_is_released_after_the_time_out(make_entity, deposit):
    configuration = make_entity(processing_mode="triggered", trigger_row_threshold=1)
    deposit()
    SchedulerConfiguration.objects.filter(pk=configuration.pk).update(is_running=True, run_started_at=NOW - 30 * MINUTE)
    assert run_cycle(NOW).zombies == 0
    report = run_cycle(NOW + MINUTE)
    assert report.zombies == 1 and report.fired == ["branch"]


def test_a_queued_task_that_nobody_claimed_is_no_zombie(make_entity, deposit):
    make_entity(processing_mode="triggered", trigger_row_threshold=1)
    deposit()
    run_cycle(NOW)
    assert run_cycle(NOW + timedelta(hours=5)).zombies == 0


def test_a_row_locked_elsewhere_delays_no_other_release(dead, make_entity, monkeypatch):
    from scheduling.dispatch import recover as silent

    other = make_entity("other")
    SchedulerConfiguration.objects.filter(pk=other.pk).update(is_running=True, run_started_at=NOW - 60 * MINUTE)

    def locked(attempt, now):
        raise RuntimeError("lock time-out")

    monkeypatch.setattr(silent, "_release_attempt", locked)
    assert run_cycle(NOW + 31 * MINUTE).zombies == 1
    other.refresh_from_db()
    assert not other.is_running
