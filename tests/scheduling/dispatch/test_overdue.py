"""Promises about work that does not stop: after a grace period it is given up, and what it still writes is fenced."""

from datetime import timedelta

import pytest

from scheduling.dispatch.cycle import run_cycle
from scheduling.errors import AttemptLost, TimedOut
from scheduling.models import Attempt
from scheduling.queues import claim_next
from scheduling.runs.advance import finish
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt
from scheduling.states import TaskStatus
from scheduling.workloads.outcome import Outcome
from scheduling.workloads.pulse import Pulse
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import SECOND, item, of, start, states, status, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _alive(settings):
    """A worker that ignores what it is told still beats: silence is not what is tested here."""
    settings.ZOMBIE_TIMEOUT_MINUTES = 24 * 60


def test_work_hears_at_its_next_check_that_its_time_is_up():
    start(item("a", timeout_seconds=30))
    attempt = claim_next(worker="w", now=NOW)
    assert attempt.deadline_at == NOW + 30 * SECOND
    Pulse(attempt, time=lambda: NOW + 29 * SECOND).check(0, None)
    with pytest.raises(TimedOut, match="the 30 seconds"):
        Pulse(attempt, time=lambda: NOW + 30 * SECOND).check(0, None)


def test_time_that_is_up_is_a_failed_attempt_that_may_be_tried_again():
    run = start(item("a", timeout_seconds=30, attempts=2, retry_interval_seconds=0, retry_on=("TimedOut",)))
    attempt = claim_next(worker="w", now=NOW)
    run_attempt(attempt, time=lambda: NOW + 31 * SECOND)
    assert states(run) == {"a": "queued"} and "longer than" in of(run, "a").message
    assert work(NOW + 31 * SECOND) == ["a"] and status(run) == "completed"


def test_work_that_ignores_its_time_out_is_given_up_after_the_grace_and_fenced_off():
    run = start(item("a", timeout_seconds=30), item("b", "a"))
    attempt = claim_next(worker="stubborn", now=NOW)
    run_cycle(NOW + 89 * SECOND)
    assert states(run)["a"] == "running"
    run_cycle(NOW + 90 * SECOND)
    assert states(run) == {"a": "failed", "b": "blocked"} and "did not stop" in of(run, "a").message
    with pytest.raises(AttemptLost):
        Pulse(attempt, time=lambda: NOW).check(0, None)
    assert not finish(attempt, of(run, "a"), Outcome(TaskStatus.COMPLETED, "late"), now=NOW)
    assert states(run)["a"] == "failed"


def test_work_that_ignores_a_cancel_is_given_up_after_the_grace_and_stays_cancelled():
    run = start(item("a", attempts=5), item("b", "a"))
    attempt = claim_next(worker="stubborn", now=NOW)
    assert cancel_run(run, by="ann", now=NOW)
    assert states(run) == {"a": "running", "b": "cancelled"}
    run_cycle(NOW + 59 * SECOND)
    assert states(run)["a"] == "running"
    run_cycle(NOW + 60 * SECOND)
    assert (states(run)["a"], status(run)) == ("cancelled", "cancelled")
    assert not finish(attempt, of(run, "a"), Outcome(TaskStatus.COMPLETED, "late"), now=NOW)
    assert status(run) == "cancelled" and Attempt.objects.get().outcome == "cancelled"


def test_asking_again_does_not_lengthen_the_grace():
    run = start(item("a"))
    claim_next(worker="stubborn", now=NOW)
    cancel_run(run, by="ann", now=NOW)
    assert cancel_run(run, by="ann", now=NOW + 50 * SECOND)
    run_cycle(NOW + 60 * SECOND)
    assert status(run) == "cancelled"


def test_a_cancelled_task_whose_worker_dies_ends_cancelled(settings):
    settings.ZOMBIE_TIMEOUT_MINUTES, settings.CANCEL_GRACE_SECONDS = 30, 10**6
    run = start(item("a", attempts=3))
    claim_next(worker="doomed", now=NOW)
    cancel_run(run, by="ann", now=NOW)
    run_cycle(NOW + timedelta(minutes=31))
    assert (states(run)["a"], status(run)) == ("cancelled", "cancelled")
