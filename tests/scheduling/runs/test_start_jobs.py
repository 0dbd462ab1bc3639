"""Starting a job by hand: the same guard as the clock's, and a clear word when it cannot start."""

import threading

import pytest
from django.db import connections

from scheduling.errors import AlreadyRunning, InvalidManifest
from scheduling.jobs.declare import daily
from scheduling.models import Job, JobSchedule, Run
from scheduling.runs.by_hand import start_job_now
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_second_start_is_refused_until_the_first_has_ended(make_job):
    job = make_job("Report", daily("07:00"))
    run = start_job_now(job, started_by="ann", now=NOW)
    assert JobSchedule.objects.get().running_run == run
    with pytest.raises(AlreadyRunning, match=rf"already running \(run {run.pk}\)"):
        start_job_now(job, started_by="bob", now=NOW)
    work_off(NOW)
    assert start_job_now(job, started_by="bob", now=NOW).pk != run.pk


def test_a_job_without_schedules_obeys_the_guard_too(make_job):
    job = make_job("By hand")
    start_job_now(job, started_by="ann", now=NOW)
    with pytest.raises(AlreadyRunning):
        start_job_now(job, started_by="bob", now=NOW)


def test_settings_of_users_and_code_reach_the_task(make_job):
    job = make_job("Report", timeout_seconds=30, priority=5)
    Job.objects.update(attempts=4, retry_interval_seconds=9)
    job.refresh_from_db()
    task = start_job_now(job, started_by="ann", now=NOW).tasks.get()
    assert (task.attempts_allowed, task.retry_interval_seconds) == (4, 9)
    assert (task.timeout_seconds, task.priority, task.queue.name) == (30, 5, "default")


def test_what_cannot_start_says_why(make_job):
    with pytest.raises(InvalidManifest, match="no queue named 'nowhere'"):
        start_job_now(make_job("Report", queue="nowhere"), started_by="ann", now=NOW)
    job = make_job("Gone")
    make_job.drafts.clear()
    make_job.reconcile()
    job.refresh_from_db()
    with pytest.raises(InvalidManifest, match="does not declare Gone any more"):
        start_job_now(job, started_by="ann", now=NOW)
    assert not Run.objects.exists()


def test_of_many_starts_at_once_one_wins(make_job):
    job, barrier, told = make_job("Report", daily("07:00")), threading.Barrier(6), []

    def start():
        barrier.wait()
        try:
            start_job_now(job, started_by="ann", now=NOW)
            told.append("started")
        except AlreadyRunning:
            told.append("refused")
        finally:
            connections.close_all()

    threads = [threading.Thread(target=start) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == ["refused"] * 5 + ["started"]
