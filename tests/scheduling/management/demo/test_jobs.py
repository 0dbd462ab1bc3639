"""The demo's two jobs: there only with the demo, one of them fails sometimes and is tried again."""

import random
from datetime import timedelta

import pytest

from scheduling import clock
from scheduling.jobs.reconcile import sync_jobs
from scheduling.management.demo import jobs
from scheduling.models import Attempt, AttemptLog, Job, Run, Task
from scheduling.runs.by_hand import start_job_now
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)

OURS = {"Count members", "Exchange rates"}


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(clock, "sleep", lambda seconds: None)


def names():
    return set(Job.objects.filter(removed_at__isnull=True).values_list("name", flat=True))


def test_they_are_declared_with_the_demo_and_stay_known_to_every_process():
    sync_jobs(NOW)
    assert not names() & OURS
    sync_jobs(NOW, also=[jobs.MODULE])
    assert names() >= OURS
    assert sync_jobs(NOW).disabled == [] and names() >= OURS


def test_members_are_counted_with_progress_and_lines(make_entity):
    make_entity("branch")
    sync_jobs(NOW, also=[jobs.MODULE])
    start_job_now(Job.objects.get(name="Count members"), started_by="ann", now=NOW)
    work_off(NOW)
    assert Task.objects.get().message == "0 members of 1 entities."
    log = AttemptLog.objects.get()
    assert log.progress == "Counted Branch." and "Branch: 0 members" in log.lines


def test_the_bank_that_does_not_answer_is_asked_again(monkeypatch):
    answers = iter([0.1, 0.9])
    monkeypatch.setattr(random, "random", lambda: next(answers))
    sync_jobs(NOW, also=[jobs.MODULE])
    start_job_now(Job.objects.get(name="Exchange rates"), started_by="ann", now=NOW)
    work_off(NOW)
    work_off(NOW + timedelta(seconds=15))
    assert Run.objects.get().status == "completed"
    assert list(Attempt.objects.order_by("number").values_list("outcome", flat=True)) == ["failed", "completed"]
