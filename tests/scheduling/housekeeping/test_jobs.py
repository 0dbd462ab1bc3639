"""Our own housekeeping are declared jobs: found without an app of their own, timed by settings, not to be deleted."""

import importlib
from datetime import timedelta

import pytest

from scheduling import conf
from scheduling.dispatch.cycle import run_cycle
from scheduling.housekeeping import jobs as housekeeping
from scheduling.jobs.declared import draft_of
from scheduling.jobs.reconcile import sync_jobs
from scheduling.models import Job, JobSchedule, Run, SchedulerLog, Task
from scheduling.runs.by_hand import start_job_now
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)

OURS = ["Recovery report", "Retention", "Statistics roll-up", "Time zone check"]


@pytest.fixture
def ours():
    """Our jobs, reconciled."""
    sync_jobs(NOW)
    return {job.name: job for job in Job.objects.all()}


def test_they_are_found_and_counted_from_now(ours):
    assert sorted(ours) == OURS
    assert {job.category for job in ours.values()} == {"Housekeeping"}
    assert JobSchedule.objects.get(job__name="Retention").next_scheduled_run == NOW + timedelta(minutes=17)
    assert ours["Retention"].source.startswith("scheduling/housekeeping/jobs.py:")


@pytest.mark.parametrize("name", OURS)
def test_each_runs_to_its_end_and_says_what_it_did(ours, name):
    start_job_now(ours[name], started_by="ann", now=NOW)
    work_off(NOW)
    assert Run.objects.get().status == "completed" and Task.objects.get().message not in ("", "Done.")


def test_retention_deletes_what_is_old_when_its_slot_comes(ours):
    old = SchedulerLog.objects.create(event_type="fired", event_time=NOW - timedelta(days=40))
    run_cycle(NOW + timedelta(minutes=17))
    work_off(NOW + timedelta(minutes=17))
    assert not SchedulerLog.objects.filter(pk=old.pk).exists()
    assert Task.objects.get(run__title__contains="Retention").message.startswith(
        "Deleted: 1 log event, 0 processed rows, "
    )


def test_the_report_counts_what_went_wrong_in_a_day(ours):
    for kind, hours in (("zombie", 1), ("error", 2), ("error", 23), ("error", 25), ("fired", 1)):
        SchedulerLog.objects.create(event_type=kind, event_time=NOW - timedelta(hours=hours))
    start_job_now(ours["Recovery report"], started_by="ann", now=NOW)
    work_off(NOW)
    assert Task.objects.get().message == "1 zombie, 2 error, 0 missed, 0 retried in 24 hours."


def test_a_setting_times_them_anew_under_the_same_name(ours, settings):
    settings.RETENTION_CRON = "5 3 * * *"
    assert conf.retention_cron() == "5 3 * * *"
    importlib.reload(housekeeping)
    try:
        assert sync_jobs(NOW).updated == ["Retention: By setting"]
        assert f"{JobSchedule.objects.get(job__name='Retention').next_scheduled_run:%d %H:%M}" == "03 03:05"
    finally:
        settings.RETENTION_CRON = "17 * * * *"
        importlib.reload(housekeeping)


def test_a_bad_setting_is_told_and_costs_the_others_nothing(settings):
    settings.RETENTION_CRON = "every night"
    from scheduling.jobs.declared import collecting

    with collecting():
        importlib.reload(housekeeping)
    try:
        result = sync_jobs(NOW)
        assert "Time zone check" in result.created and "Retention" not in result.created
        assert any("Retention" in problem and "@cron" in problem for problem in result.problems)
    finally:
        settings.RETENTION_CRON = "17 * * * *"
        importlib.reload(housekeeping)
    assert not draft_of(housekeeping.retention).faults
