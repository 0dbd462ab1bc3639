"""Every process reconciles when it starts, and starts also when that cannot be done."""

import pytest
from celery.signals import beat_init, worker_ready
from django.db import OperationalError

from scheduling.dispatch import local
from scheduling.housekeeping import start
from scheduling.jobs.reconcile import Reconciled
from scheduling.models import Job
from tests.scheduling.conftest import NOW

pytestmark = pytest.mark.django_db


def test_it_reconciles():
    assert start.at_start(NOW) and Job.objects.filter(name="Retention").exists()


@pytest.mark.parametrize("error", [OperationalError("no such table"), RuntimeError("broken")])
def test_a_fault_is_logged_and_the_process_goes_on(monkeypatch, caplog, error):
    def fail(now):
        raise error

    monkeypatch.setattr(start, "sync_jobs", fail)
    assert not start.at_start(NOW)
    assert "declared jobs were not reconciled" in caplog.text


def test_worker_beat_and_the_local_runner_do_it(monkeypatch):
    from scheduling import tasks

    calls = []
    monkeypatch.setattr(tasks, "at_start", calls.append)
    monkeypatch.setattr(local, "at_start", calls.append)
    monkeypatch.setattr(tasks, "conf", None)  # the other receiver only logs its failure
    for signal in (worker_ready, beat_init):
        signal.send(sender=None)
    runner = local.LocalRunner(threads=1)
    runner.stop()
    runner.run()
    assert len(calls) == 3


def test_one_that_waited_too_long_for_its_turn_asks_again(monkeypatch):
    answers = iter([OperationalError("lock timeout"), None])

    def sync(now):
        if error := next(answers):
            raise error
        return Reconciled()

    monkeypatch.setattr(start, "sync_jobs", sync)
    assert start.at_start(NOW)
