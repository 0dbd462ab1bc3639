"""Faults of time: the common clock is set, a host sleeps, ticks pile up; nobody at work is taken for dead by them."""

from datetime import timedelta

import pytest
from django.conf import settings as django_settings

from scheduler_project.celery import app
from scheduling import clock, conf
from scheduling.dispatch import recover
from scheduling.dispatch.cycle import run_cycle
from scheduling.models import Attempt, SchedulerState
from scheduling.queues import claim_next
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import item, start

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = timedelta(hours=1)


@pytest.fixture
def at_work(db, monkeypatch):
    """A task that a worker claimed at NOW, a moment after the first cycle of this process."""
    monkeypatch.setattr(recover, "_last_cycle", {})
    start(item("a"), now=NOW)
    run_cycle(NOW)
    return claim_next(worker="w", now=NOW)


@pytest.fixture
def set_clock(monkeypatch):
    """Return a function that sets the clock that all hosts share."""
    real = clock.now

    def change(by):
        monkeypatch.setattr(clock, "now", lambda: real() + by)

    return change


@pytest.mark.parametrize("fault", ["the clock of the database is set", "a host wakes that slept with its workers"])
def test_a_clock_that_goes_ahead_at_once_releases_nobody_who_works(at_work, set_clock, caplog, fault):
    """To us both are one: more time has passed than this process has lived."""
    set_clock(HOUR)
    assert run_cycle(NOW + HOUR).zombies == 0
    assert SchedulerState.current().database_back_at == NOW + HOUR and "went ahead at once" in caplog.text
    Attempt.objects.update(heartbeat_at=NOW + HOUR)
    assert run_cycle(NOW + HOUR + conf.zombie_timeout()).zombies == 0
    assert run_cycle(NOW + HOUR + conf.zombie_timeout() + timedelta(minutes=1)).zombies == 1, "silence counts again"


def test_a_clock_that_goes_back_does_not_hold_the_dead_alive(at_work, caplog):
    """Its last sign of life is of an hour that is still to come, and nobody gives another one."""
    now = clock.now()
    Attempt.objects.update(heartbeat_at=now + HOUR)
    assert run_cycle(now).zombies == 0 and "ahead of the clock" in caplog.text
    assert Attempt.objects.get().heartbeat_at <= now + timedelta(seconds=5)
    assert run_cycle(now + conf.zombie_timeout() + timedelta(minutes=1)).zombies == 1


def test_the_noise_of_clocks_is_no_clock_that_went_back(at_work):
    now = clock.now()
    Attempt.objects.update(heartbeat_at=now + conf.clock_tolerance() / 2)
    run_cycle(now)
    assert Attempt.objects.get().heartbeat_at > now + conf.clock_tolerance() / 3


def test_a_tick_that_no_worker_took_is_dropped_before_the_next_one_comes():
    entry = app.conf.beat_schedule["dispatch"]
    interval = entry["schedule"].run_every.total_seconds()
    assert 0 < entry["options"]["expires"] < interval == django_settings.DISPATCH_INTERVAL_SECONDS
