"""Promises about messages: a lost one is sent again, a doubled one does nothing, a silent broker stops nobody."""

import socket
from datetime import timedelta

import pytest

from scheduling import broker, clock
from scheduling.dispatch.cycle import run_cycle
from scheduling.dispatch.recover import resend
from scheduling.models import Run, Task
from scheduling.runs.execute import execute_task
from tests.scheduling.conftest import NOW

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def queued(make_entity, deposit) -> Task:
    """A task whose message nobody received."""
    make_entity(processing_mode="triggered", trigger_row_threshold=1)
    deposit()
    run_cycle(NOW)
    return Task.objects.get()


@pytest.fixture
def sent(monkeypatch) -> list[int]:
    """The wake-ups that were sent."""
    messages: list[int] = []

    def wake(task_ids, celery_queue=""):
        messages.extend(task_ids)
        return len(task_ids)

    monkeypatch.setattr(broker, "wake", wake)
    return messages


def test_a_lost_message_is_sent_again_once_it_is_old(queued, sent):
    resend(NOW + timedelta(seconds=89))
    assert sent == []
    resend(NOW + timedelta(seconds=90))
    resend(NOW + timedelta(seconds=91))
    assert sent == [queued.pk]


def test_a_claimed_task_is_not_sent_again(queued, sent):
    execute_task(queued.pk, worker="test", time=lambda: NOW)
    resend(NOW + timedelta(hours=1))
    assert queued.pk not in sent


def test_a_doubled_or_late_message_does_nothing(queued, staged):
    assert execute_task(queued.pk, worker="one", time=lambda: NOW)
    assert not execute_task(queued.pk, worker="two", time=lambda: NOW)
    assert staged() == {1: 1}
    assert Run.objects.count() == 1


def test_a_forged_message_does_nothing(db):
    assert not execute_task(987654321, worker="test")


def test_a_broker_that_accepts_but_does_not_answer_delays_a_fire_by_seconds_only(settings, monkeypatch):
    monkeypatch.setattr(broker, "_left_alone_until", {"monotonic": float("-inf")})
    with socket.create_server(("127.0.0.1", 0)) as mute:
        # The kernel accepts; nobody ever answers.
        settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{mute.getsockname()[1]}/0"
        monkeypatch.setenv("CELERY_BROKER_URL", settings.CELERY_BROKER_URL)  # Celery prefers it to the setting
        broker._sender.cache_clear()
        started = clock.monotonic()
        assert broker.wake([1, 2, 3]) == 0
        assert clock.monotonic() - started < 10
        started = clock.monotonic()
        assert broker.wake([4]) == 0
        assert clock.monotonic() - started < 0.1
    broker._sender.cache_clear()
