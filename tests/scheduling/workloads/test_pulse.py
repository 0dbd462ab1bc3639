"""Promises of the heartbeat: it beats while work runs, stops work that lost its task, and hears a cancel."""

import threading
import time
from datetime import timedelta

import pytest
from django.db import connections, transaction

from scheduling import clock
from scheduling.errors import AttemptCancelled, AttemptLost
from scheduling.lifecycle.tasks import lose_attempt, request_cancel
from scheduling.models import Attempt, Task
from scheduling.queues import claim_next
from scheduling.runs.by_hand import start_batch_now
from scheduling.workloads.pulse import Pulse

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def attempt(make_entity, settings) -> Attempt:
    """A claimed attempt that beats every 50 ms."""
    settings.HEARTBEAT_SECONDS = 0.05
    now = clock.now()
    start_batch_now(make_entity(), started_by="ann", now=now - timedelta(minutes=5))
    return claim_next(worker="test", now=now - timedelta(minutes=5))


def wait_until(condition) -> None:
    for _ in range(100):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("not within 5 s")


def test_it_beats_from_a_connection_of_its_own_and_tells_the_progress(attempt):
    before = attempt.heartbeat_at
    with Pulse(attempt, time=clock.now) as pulse:
        pulse.check(7, 70)
        first = Attempt.objects.get().heartbeat_at
        wait_until(lambda: Attempt.objects.get().heartbeat_at > first)
        wait_until(lambda: Task.objects.get().rows_done == 7)
    assert first > before and Task.objects.get().rows_total == 70


def test_a_released_attempt_may_not_write_any_more(attempt):
    with Pulse(attempt, time=clock.now) as pulse:
        pulse.check(0, None)
        assert lose_attempt(Attempt.objects.get(), now=clock.now(), message="gone")
        with pytest.raises(AttemptLost):
            pulse.check(1, None)


def test_a_cancel_is_heard_at_the_next_check(attempt):
    with Pulse(attempt, time=clock.now) as pulse:
        pulse.check(0, None)
        request_cancel(attempt.task_id, now=clock.now())
        with pytest.raises(AttemptCancelled):
            pulse.check(1, None)


def test_work_that_cannot_send_a_heartbeat_stops_itself(attempt, settings, monkeypatch):
    settings.ZOMBIE_TIMEOUT_MINUTES = 0.2 / 60
    from scheduling.workloads import pulse as module

    with Pulse(attempt, time=clock.now) as pulse:
        beat = module.beat

        def unreachable(*_):
            raise ConnectionError("database away")

        monkeypatch.setattr(module, "beat", unreachable)
        time.sleep(0.6)
        monkeypatch.setattr(module, "beat", beat)
        with pytest.raises(AttemptLost):
            pulse.check(1, None)


def test_the_thread_starts_with_the_first_beat_and_ends_with_the_work(attempt, settings):
    with Pulse(attempt, time=clock.now) as pulse:
        thread = pulse._thread
        wait_until(thread.is_alive)
    assert not thread.is_alive()
    settings.HEARTBEAT_SECONDS = 10
    with Pulse(attempt, time=clock.now) as pulse:
        pass
    assert pulse._thread.ident is None


@pytest.mark.postgresql
def test_who_holds_the_attempt_cannot_be_released_until_the_transaction_ends_and_several_may_hold(attempt):
    released, order = threading.Event(), []

    def release():
        lose_attempt(Attempt.objects.get(), now=clock.now(), message="gone")
        order.append("released")
        connections.close_all()
        released.set()

    def hold_beside():
        with transaction.atomic():
            pulse.hold()
        order.append("held beside")
        connections.close_all()

    with Pulse(attempt, time=clock.now) as pulse:
        wait_until(pulse._thread.is_alive)
        pulse._stop.set()
        pulse._thread.join()
        with transaction.atomic():
            pulse.hold()
            beside = threading.Thread(target=hold_beside)
            beside.start()
            beside.join(10)
            releaser = threading.Thread(target=release)
            releaser.start()
            assert not released.wait(0.3)
            order.append("done")
        releaser.join(10)
        with pytest.raises(AttemptLost), transaction.atomic():
            pulse.hold()
    assert order == ["held beside", "done", "released"]
