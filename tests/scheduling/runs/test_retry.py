"""Promises of retries: as often as allowed, later each time, on the errors that were named, never after a cancel."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduling.dispatch.cycle import run_cycle
from scheduling.dispatch.recover import wake_due
from scheduling.models import Attempt, SchedulerLog, Task
from scheduling.queues import claim_next
from scheduling.runs.cancel import cancel_run
from scheduling.states import TaskStatus
from scheduling.workloads.outcome import Outcome, failure
from scheduling.workloads.tries import next_attempt_at, wait
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import FAILING, SECOND, item, of, start, states, status, work

MINUTE = timedelta(minutes=1)


@pytest.mark.django_db(transaction=True)
def test_a_failed_attempt_is_followed_by_another_when_its_time_has_come():
    FAILING.add("a")
    run = start(item("a", attempts=3, retry_interval_seconds=60), item("b", "a"))
    assert work() == ["a"]
    assert states(run) == {"a": "queued", "b": "waiting"} and of(run, "a").next_attempt_at == NOW + MINUTE
    assert work(NOW + 59 * SECOND) == []
    assert work(NOW + MINUTE) == ["a"]
    FAILING.clear()
    assert work(NOW + 2 * MINUTE) == ["a", "b"]
    assert status(run) == "completed"
    told = [f"{a.number} {a.outcome} {a.message}" for a in Attempt.objects.filter(task__key="a")]
    assert told == ["1 failed ValueError: a is broken", "2 failed ValueError: a is broken", "3 completed a done"]
    retried = SchedulerLog.objects.filter(event_type="retried").order_by("id").first()
    assert retried.message == "a: Attempt 1 of 3 failed, next at 2026-03-02 06:01:00 UTC. ValueError: a is broken"


@pytest.mark.django_db(transaction=True)
def test_attempts_are_the_total_number_of_tries():
    FAILING.add("a")
    run = start(item("a", attempts=2, retry_interval_seconds=0))
    assert work() == ["a", "a"]
    assert status(run) == "failed" and of(run, "a").attempts_made == 2


@pytest.mark.django_db(transaction=True)
def test_work_that_says_it_is_pointless_is_not_tried_again():
    run = start(item("a", attempts=5, retry_interval_seconds=0, calls="test fatal"))
    assert work() == ["a"] and status(run) == "failed"


@pytest.mark.django_db(transaction=True)
def test_a_lost_worker_counts_as_an_attempt_and_the_work_is_tried_again():
    run = start(item("a", attempts=2, retry_interval_seconds=0))
    claim_next(worker="doomed", now=NOW)
    later = NOW + 31 * MINUTE
    run_cycle(later)
    assert work(later) == ["a"]
    assert status(run) == "completed"
    assert list(Attempt.objects.values_list("outcome", flat=True)) == ["lost", "completed"]


@pytest.mark.django_db(transaction=True)
def test_a_cancel_ends_the_waiting_for_the_next_attempt():
    FAILING.add("a")
    run = start(item("a", attempts=9))
    work()
    assert cancel_run(run, by="bob", now=NOW)
    assert work(NOW + timedelta(days=1)) == [] and status(run) == "cancelled"


@pytest.mark.django_db(transaction=True)
def test_what_is_due_is_put_in_line_once():
    FAILING.add("a")
    start(item("a", attempts=2))
    work()
    assert wake_due(NOW + 59 * SECOND) == 0
    assert wake_due(NOW + MINUTE) == 1 and wake_due(NOW + MINUTE) == 0


FAILED = failure(ConnectionError("away"))


@pytest.mark.parametrize(
    ("fields", "outcome", "is_tried_again"),
    [
        ({}, FAILED, True),
        ({"attempts_made": 3}, FAILED, False),
        ({"cancel_requested": True}, FAILED, False),
        ({"retry_on": ["ConnectionError"]}, FAILED, True),
        ({"retry_on": ["OSError"]}, FAILED, True),  # a base class names its kinds
        ({"retry_on": ["builtins.OSError"]}, FAILED, True),
        ({"retry_on": ["ValueError"]}, FAILED, False),
        ({"retry_on": ["ValueError"]}, Outcome(TaskStatus.FAILED, "silent", is_lost=True), True),
        ({}, failure(ValueError("x"), is_fatal=True), False),
        ({}, Outcome(TaskStatus.COMPLETED, ""), False),
        ({}, Outcome(TaskStatus.CANCELLED, ""), False),
    ],
)
def test_when_an_attempt_is_followed_by_another(fields, outcome, is_tried_again):
    task = Task(**{"run_id": 1, "key": "a", "attempts_made": 1, "attempts_allowed": 3, **fields})
    assert (next_attempt_at(task, outcome, NOW) is not None) == is_tried_again


@given(interval=st.integers(1, 3600), attempt=st.integers(1, 60), run=st.integers(1, 10**9))
def test_the_waits_double_with_a_stable_jitter_and_never_pass_a_day_by_much(interval, attempt, run):
    task = Task(run_id=run, key="a", attempts_made=attempt, retry_interval_seconds=interval, retry_backoff=True)
    plain = min(timedelta(seconds=interval) * 2 ** min(attempt - 1, 20), timedelta(days=1))
    assert plain <= wait(task) <= plain * 1.2
    assert wait(task) == wait(task)


def test_without_backoff_the_wait_is_the_same_each_time():
    assert {wait(Task(attempts_made=n, retry_interval_seconds=7)) for n in range(1, 5)} == {7 * SECOND}
