"""Promises of ending a task and claiming the next in one transaction: the best goes first, the limit holds."""

import threading

import pytest
from django.db import OperationalError, connections, transaction

from scheduling import clock
from scheduling.dag.manifest import ManifestTask
from scheduling.lifecycle.tasks import lock_queue
from scheduling.models import Attempt, Queue, SchedulerConfiguration
from scheduling.queues import claim, claim_of
from scheduling.runs import advance, execute
from scheduling.runs.execute import run_attempt, work_off_line
from scheduling.states import RunKind
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.auditor import audit
from tests.scheduling.runs.pieces import RAN, item, of, start, states

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def queue() -> Queue:
    return Queue.objects.update_or_create(name="default", defaults={"max_running": 4})[0]


def go_on(run, key="a") -> Attempt | None:
    """Claim and run one task as a worker that goes on; return what it goes on with."""
    attempt = claim(of(run, key).pk, worker="w", now=NOW)
    return run_attempt(attempt, time=lambda: NOW, goes_on=True)


def test_the_next_task_is_claimed_together_with_the_outcome(queue):
    run = start(item("a"), item("b", "a"), item("c", "a"))
    following = go_on(run)
    assert following.task.key == "b" and following.worker == "w"
    assert states(run) == {"a": "completed", "b": "running", "c": "queued"} and audit() == []


def test_what_is_more_urgent_goes_first_whoever_queued_it(queue):
    run = start(item("a"), item("b", "a"))
    other = start(item("urgent", priority=5), key="other")
    assert go_on(run).task.key == "urgent"
    assert states(run)["b"] == "queued" and states(other) == {"urgent": "running"}


def test_a_batch_is_left_to_the_usual_claim_which_can_refuse_it(queue, make_entity):
    entity = make_entity().entity
    run = start(item("a"), ManifestTask("batch", RunKind.BATCH, entity.pk, depends_on=frozenset("a")))
    assert go_on(run) is None
    assert states(run) == {"a": "completed", "batch": "queued"} and not SchedulerConfiguration.objects.get().is_running
    assert claim_of(queue.pk, worker="w", now=NOW).task.key == "batch" and audit() == []


def test_who_does_not_go_on_claims_nothing(queue):
    run = start(item("a"), item("b", "a"))
    assert run_attempt(claim(of(run, "a").pk, worker="w", now=NOW), time=lambda: NOW) is None
    assert states(run)["b"] == "queued"


def test_a_queue_that_was_paused_or_made_narrower_starts_nothing(queue):
    for number, change in enumerate(({"paused_at": NOW}, {"max_running": 1})):
        run = start(item("a"), item("busy"), item("b", "a"), key=f"{number}")
        attempt = claim(of(run, "a").pk, worker="w", now=NOW)
        assert claim(of(run, "busy").pk, worker="x", now=NOW)
        Queue.objects.update(**change)
        assert run_attempt(attempt, time=lambda: NOW, goes_on=True) is None
        assert states(run) == {"a": "completed", "busy": "running", "b": "queued"}
        Queue.objects.update(paused_at=None, max_running=4)


def test_a_claim_that_fails_does_not_keep_the_outcome_from_being_written(queue, monkeypatch):
    def fail(*_, **__):
        raise OperationalError("lock time-out")

    monkeypatch.setattr(advance, "claim_along", fail)
    monkeypatch.setattr(execute.clock, "sleep", lambda seconds: None)
    run = start(item("a"), item("b", "a"))
    RAN.clear()
    assert go_on(run) is None
    assert states(run) == {"a": "completed", "b": "queued"} and RAN == ["a"]


class Clock:
    """The clock, but for what `monotonic` tells this one module."""

    def __init__(self, monotonic):
        self.monotonic = monotonic

    def __getattr__(self, name):
        return getattr(clock, name)


def test_after_its_time_a_worker_still_runs_what_it_has_claimed(queue, monkeypatch):
    monkeypatch.setattr(execute, "_GOES_ON_SECONDS", 0.0)
    run = start(item("a"), item("b", "a"), item("c", "b"))
    readings = iter([0.0, -1.0])  # the first task ends in time, all later ones after it
    monkeypatch.setattr(execute, "clock", Clock(lambda: next(readings, 9.0)))
    assert work_off_line(of(run, "a").pk, worker="w", time=lambda: NOW) == 2
    assert states(run) == {"a": "completed", "b": "completed", "c": "queued"} and audit() == []


@pytest.mark.postgresql
def test_it_does_not_wait_for_a_queue_that_others_hold(queue):
    run = start(item("a"), item("b", "a"))
    attempt = claim(of(run, "a").pk, worker="w", now=NOW)
    locked, done = threading.Event(), threading.Event()

    def hold():
        with transaction.atomic():
            lock_queue(queue.pk)
            locked.set()
            done.wait(10)
        connections.close_all()

    holder = threading.Thread(target=hold)
    holder.start()
    assert locked.wait(10)
    assert run_attempt(attempt, time=lambda: NOW, goes_on=True) is None
    done.set()
    holder.join()
    assert states(run) == {"a": "completed", "b": "queued"}
