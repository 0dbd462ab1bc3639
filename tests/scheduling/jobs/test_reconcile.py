"""Declared × stored × what users set: code owns the timing, users own the rest, and nothing ever fires by itself."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, connections

from scheduling.jobs.declare import cron, daily, every, job, monthly, once, retry
from scheduling.jobs.declared import Undeclarable
from scheduling.jobs.reconcile import reconcile
from scheduling.models import BlackoutCalendar, Job, JobSchedule, Queue, Run
from tests.scheduling.jobs.declaring import declare, found

pytestmark = pytest.mark.django_db

AT_SIX, AT_SEVEN = daily("06:00", name="Daily"), daily("07:00", name="Daily")
HOUR = timedelta(hours=1)


def report(*decorators, name="report"):
    return declare(job("Report", category="Ops"), *decorators, name=name)


def the_schedule():
    return JobSchedule.objects.select_related("job").get()


def test_a_new_job_is_created_and_counts_from_now(now):
    result = reconcile(found(report(AT_SEVEN, retry(attempts=3, interval_seconds=5))), now)
    assert result.as_json() == {"created": ["Report", "Report: Daily"], "updated": [], "disabled": []}
    schedule = the_schedule()
    assert schedule.next_scheduled_run == now + HOUR and schedule.armed_from == now
    assert (schedule.job.attempts, schedule.job.retry_interval_seconds, schedule.job.category) == (3, 5, "Ops")
    assert schedule.job.source.startswith("shop/jobs.py:")
    assert not Run.objects.exists()


def test_a_second_time_changes_nothing(now, django_assert_max_num_queries):
    declared = found(report(AT_SEVEN), declare(job("Other"), every(5), name="other"))
    reconcile(declared, now)
    before = list(JobSchedule.objects.values()), list(Job.objects.values())
    with django_assert_max_num_queries(8):
        result = reconcile(declared, now + HOUR)
    assert result.as_json() == {"created": [], "updated": [], "disabled": []}
    assert (list(JobSchedule.objects.values()), list(Job.objects.values())) == before


def test_a_slot_that_is_due_stays_due_when_processes_start(now):
    reconcile(found(report(AT_SEVEN)), now)
    reconcile(found(report(AT_SEVEN)), now + 2 * HOUR)
    assert the_schedule().next_scheduled_run == now + HOUR


USER = {
    "is_enabled": False,
    "jitter_seconds": 30,
    "paused_by": "ann",
    "calendar": "Holidays",
}
JOB_USER = {"attempts": 7, "retry_interval_seconds": 11}


@pytest.mark.parametrize("after", [AT_SIX, AT_SEVEN, daily("07:00", name="Daily", jitter_seconds=99, enabled=True)])
@pytest.mark.parametrize("edited", [*USER, None])
def test_what_users_set_stays_whatever_the_code_says_then(now, after, edited):
    reconcile(found(report(AT_SEVEN, retry(attempts=2))), now)
    calendar = BlackoutCalendar.objects.create(name="Holidays")
    values = {"calendar": calendar} if edited == "calendar" else {edited: USER.get(edited)} if edited else {}
    JobSchedule.objects.update(**values) if values else None
    Job.objects.update(**JOB_USER)
    reconcile(found(report(after, retry(attempts=5, interval_seconds=1))), now + timedelta(minutes=1))
    schedule = the_schedule()
    for column, value in values.items():
        assert getattr(schedule, column) == value
    assert {column: getattr(schedule.job, column) for column in JOB_USER} == JOB_USER
    assert schedule.is_enabled == (edited != "is_enabled")
    assert schedule.jitter_seconds == (30 if edited == "jitter_seconds" else 0)


RETIMED = [
    ([daily("09:00")], [daily("10:00")]),
    ([daily("09:00")], [daily("10:00", days="weekdays")]),
    ([daily("09:00")], [daily("09:00", name="Morning")]),
    ([daily("09:00", name="Morning")], [daily("09:00", name="morning")]),
    ([daily("09:00", name="Morning")], [every("2h", name="MORNING")]),
    ([every("5m")], [every("10m")]),
    ([cron("0 6 * * *")], [cron("5 6 * * *")]),
    ([monthly("1", "06:00")], [monthly("last", "06:00")]),
    ([daily("09:00"), every("5m")], [daily("10:00"), every("6m")]),
    ([daily("09:00"), daily("23:00")], [daily("10:00"), daily("23:00")]),
]


@pytest.mark.parametrize("before,after", RETIMED)
def test_a_schedule_that_code_re_times_keeps_what_users_set(now, before, after):
    reconcile(found(report(*before)), now)
    calendar = BlackoutCalendar.objects.create(name="Holidays")
    first = JobSchedule.objects.order_by("pk").first()
    JobSchedule.objects.filter(pk=first.pk).update(
        is_enabled=False, jitter_seconds=30, calendar=calendar, paused_at=now, paused_by="ann", pause_reason="x"
    )
    result = reconcile(found(report(*after)), now + HOUR)
    assert not result.created and not result.disabled and len(result.updated) in (1, len(after))
    schedule = JobSchedule.objects.get(pk=first.pk)
    assert (schedule.is_enabled, schedule.jitter_seconds, schedule.paused_by) == (False, 30, "ann")
    assert schedule.calendar == calendar and schedule.armed_from in (now, now + HOUR)
    assert not reconcile(found(report(*after)), now + 2 * HOUR).updated


def test_where_it_is_not_clear_which_schedule_became_which_all_of_them_are_new(now):
    reconcile(found(report(daily("09:00"), daily("12:00"))), now)
    JobSchedule.objects.update(is_enabled=False)
    result = reconcile(found(report(daily("10:00"), daily("13:00"), every("5m"))), now + HOUR)
    assert len(result.created) == 3 and len(result.disabled) == 2


def test_a_job_whose_name_changes_in_case_only_stays_the_same_job(now):
    reconcile(found(report(AT_SEVEN)), now)
    Job.objects.update(**JOB_USER)
    reconcile(found(declare(job("REPORT"), AT_SEVEN, name="moved")), now)
    assert (Job.objects.get().name, Job.objects.get().attempts) == ("REPORT", 7)


def test_timing_that_users_or_others_changed_is_taken_back_and_counts_from_now(now):
    reconcile(found(report(AT_SEVEN)), now)
    JobSchedule.objects.update(run_times="05:00", next_scheduled_run=now - HOUR, consecutive_failures=3)
    result = reconcile(found(report(AT_SEVEN)), now + 2 * HOUR)
    schedule = the_schedule()
    assert result.updated == ["Report: Daily"]
    assert (schedule.run_times, schedule.armed_from, schedule.consecutive_failures) == ("07:00", now + 2 * HOUR, 0)
    assert schedule.next_scheduled_run == now + 25 * HOUR


def test_new_timing_neither_fires_nor_misses_what_lies_before(now):
    reconcile(found(report(AT_SEVEN)), now)
    reconcile(found(report(daily("07:30", name="Daily"))), now + 2 * HOUR)
    assert the_schedule().next_scheduled_run == now + timedelta(hours=25, minutes=30)


def test_a_running_schedule_keeps_its_guard_and_its_tracking(now):
    reconcile(found(report(AT_SEVEN)), now)
    JobSchedule.objects.update(is_running=True, run_started_at=now, run_started_by="Schedule", fire_count=4)
    reconcile(found(report(AT_SIX)), now + HOUR)
    schedule = the_schedule()
    assert (schedule.is_running, schedule.run_started_at, schedule.fire_count) == (True, now, 4)


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("what", ["the schedule", "the job"])
def test_what_code_no_longer_declares_rests_and_comes_back_as_the_user_left_it(now, enabled, what):
    both = [AT_SEVEN, daily("09:00", name="Other")]
    reconcile(found(report(*both)), now)
    JobSchedule.objects.filter(name="Daily").update(is_enabled=enabled)
    history = Run.objects.create(kind="job", fire_key="x", created_at=now)
    gone = found(report(both[1])) if what == "the schedule" else found()
    result = reconcile(gone, now + HOUR)
    schedule = JobSchedule.objects.get(name="Daily")
    assert "Report: Daily" in result.disabled and ("Report" in result.disabled) == (what == "the job")
    assert (schedule.is_enabled, schedule.next_scheduled_run) == (enabled, None)
    assert schedule.removed_at == now + HOUR
    assert not JobSchedule.objects.automatic().filter(name="Daily").exists()
    assert reconcile(gone, now + 2 * HOUR).disabled == []
    assert Run.objects.filter(pk=history.pk).exists()

    result = reconcile(found(report(*both)), now + 3 * HOUR)
    schedule = JobSchedule.objects.get(name="Daily")
    assert "Report: Daily" in result.updated
    assert (schedule.removed_at, schedule.is_enabled) == (None, enabled)
    assert schedule.next_scheduled_run == (now + 25 * HOUR if enabled else None)


def test_an_undeclarable_job_is_reported_hinders_no_other_and_keeps_its_own_row(now):
    reconcile(found(report(AT_SEVEN)), now)
    before = JobSchedule.objects.values().get()
    broken = declare(job("Report"), daily("25:00"), name="report")
    result = reconcile(found(broken, declare(daily("06:00"), name="other")), now + 2 * HOUR)
    assert result.created == ["Other", "Other: Daily_06_00"] and not result.disabled
    assert len(result.problems) == 1 and "'25:00' is not a time of day" in result.problems[0]
    assert JobSchedule.objects.values().get(job__name="Report") == before
    assert "25:00" in Job.objects.get(name="Report").problem
    reconcile(found(report(AT_SEVEN), declare(daily("06:00"), name="other")), now + 3 * HOUR)
    assert Job.objects.get(name="Report").problem == ""


def test_a_queue_that_is_not_there_is_told_until_it_is_and_the_job_stays_declared(make_job):
    make_job("Report", daily("07:00"), queue="nowhere")
    result = make_job.reconcile()
    assert len(result.problems) == 1 and result.updated == []
    assert "Report: @job: There is no queue named 'nowhere'; make it in the admin" in result.problems[0]
    assert "'nowhere'" in Job.objects.get().problem and JobSchedule.objects.get().next_scheduled_run is not None
    Queue.objects.create(name="nowhere")
    assert make_job.reconcile().problems == [] and Job.objects.get().problem == ""


def test_a_module_that_cannot_be_imported_switches_none_of_its_jobs_off(now):
    reconcile(found(report(AT_SEVEN)), now)
    broken = Undeclarable("", "shop.jobs", "shop.jobs", ("The module cannot be imported: ImportError: x",))
    result = reconcile(found(broken=[broken]), now + HOUR)
    assert result.disabled == [] and the_schedule().removed_at is None
    assert "cannot be imported" in the_schedule().job.problem


def test_a_function_that_moved_and_a_job_that_was_renamed_keep_their_history(now):
    reconcile(found(report(AT_SEVEN)), now)
    key = Job.objects.get().pk
    reconcile(found(report(AT_SEVEN, name="moved")), now)
    assert Job.objects.get().pk == key and Job.objects.get().path == "shop.jobs.moved"
    reconcile(found(declare(job("Renamed"), AT_SEVEN, name="moved")), now)
    assert (Job.objects.get().pk, Job.objects.get().name) == (key, "Renamed")


def test_a_single_moment_that_has_passed_is_never_made_up_for_by_a_new_declaration(now):
    reconcile(found(report(once("2026-03-02 05:00"))), now)
    assert the_schedule().next_scheduled_run is None


def test_jobs_without_a_schedule_are_there_for_people_to_start(now):
    assert reconcile(found(declare(job("By hand"))), now).created == ["By hand"]


@pytest.mark.django_db(transaction=True)
def test_two_processes_that_start_at_once_create_each_job_once(now):
    declared = found(*(declare(job(f"Job {n}"), every(5), name=f"job_{n}") for n in range(20)))
    barrier, results = threading.Barrier(2), []

    def start():
        barrier.wait()
        try:
            results.append(reconcile(declared, now))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=start) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(len(result.created) for result in results) == [0, 40]
    assert Job.objects.count() == JobSchedule.objects.count() == 20


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time anyway")
@pytest.mark.django_db(transaction=True)
def test_an_edit_during_the_reconciliation_is_not_lost(now, monkeypatch):
    reconcile(found(report(AT_SEVEN)), now)
    waited = []

    def edit():
        JobSchedule.objects.update(is_enabled=False)
        waited.append(True)
        connections.close_all()

    thread = threading.Thread(target=edit)
    original = JobSchedule.save

    def slow(schedule, *args, **kwargs):
        thread.start()
        thread.join(timeout=0.3)
        assert not waited
        return original(schedule, *args, **kwargs)

    monkeypatch.setattr(JobSchedule, "save", slow)
    reconcile(found(report(AT_SIX)), now)
    thread.join()
    assert the_schedule().is_enabled is False and the_schedule().run_times == "06:00"
