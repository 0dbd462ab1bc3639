"""The pages of jobs in a real browser: no serious fault in any theme or on a phone, and all of it without a script."""

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from scheduling import clock
from scheduling.models import Attempt, AttemptLog, Job, JobSchedule, Run, SchedulerLog
from scheduling.queues import claim_next
from scheduling.runs.by_hand import start_job_now
from scheduling.schedules.pause import pause
from tests.browser.screens import faults, looks_at_pages


@pytest.fixture
def job():
    """A job with two schedules, one of them paused, and a run that fails."""
    now = clock.now()
    job = Job.objects.create(
        name="Nightly maintenance", path="shop.jobs.nightly_maintenance", source="shop/jobs.py:12", category="Ops",
        description="Vacuums stale rows.", attempts=3, timeout_seconds=600, problem="@daily: '25:00' is not a time.",
    )  # fmt: skip
    timing = {"schedule_type": "daily", "timezone": "Europe/Amsterdam", "armed_from": now}
    JobSchedule.objects.create(
        job=job, name="Daily_03_15", run_times="03:15", next_scheduled_run=now + timedelta(hours=3),
        jitter_seconds=300, last_result="failed", consecutive_failures=2, **timing,
    )  # fmt: skip
    JobSchedule.objects.create(
        job=job, name="Daily_23_00", run_times="23:00", paused_at=now, paused_by="ann", pause_reason="Audit", **timing
    )
    return job


@pytest.fixture
def run(job):
    """A run of the job that works, with progress and a long log."""
    run = start_job_now(job, started_by="ann", now=clock.now())
    attempt = claim_next(worker="w1", now=clock.now())
    lines = "\n".join(f"2026-11-21 18:00:00,000 INFO line {number} {'long ' * 40}" for number in range(200))
    AttemptLog.objects.create(attempt=attempt, progress="Third shelf", lines=lines, dropped=1200)
    run.tasks.update(rows_done=3, rows_total=10)
    return run


@looks_at_pages
def test_no_serious_fault_on_any_page_of_jobs(steward, job, run):
    found = []
    pause(job, by="ann", reason="Audit of the year, until the books are closed", now=clock.now())
    for path in (
        f"job/{job.pk}/pause/",
        "job/", f"job/{job.pk}/change/", f"job/{job.pk}/run/", "job/runs/", "job/runs/?outcome=failed", "jobschedule/",
        f"jobschedule/{JobSchedule.objects.first().pk}/change/", f"jobschedule/{JobSchedule.objects.last().pk}/change/",
        f"run/{run.pk}/change/",
    ):  # fmt: skip
        steward.visit(f"scheduling/{path}")
        found += faults(steward, path)
    assert found == []


@pytest.mark.parametrize("person", [{"java_script_enabled": False}], indirect=True)
def test_a_job_is_run_watched_cancelled_and_set_without_a_script(steward, job):
    page = steward.page
    steward.visit("scheduling/job/")
    page.click("text=Run now")
    page.click("button:has-text('Run now')")
    expect(page.locator("h1")).to_contain_text("Pending: Nightly maintenance")
    attempt = claim_next(worker="w1", now=clock.now())
    AttemptLog.objects.create(attempt=attempt, progress="Third shelf", lines="INFO asking the shelf")
    page.click("text=Reload")
    expect(page.locator(".attempt-log pre")).to_contain_text("asking the shelf")
    page.click("#run-cancel")
    page.click("button:has-text('Cancel this run')")
    expect(page.locator("body")).to_contain_text("Cancel asked for")
    assert Run.objects.get().tasks.get().cancel_requested and Attempt.objects.count() == 1

    steward.visit(f"scheduling/job/{job.pk}/change/")
    page.fill("#id_attempts", "0")
    page.click("input[name=_save]")
    expect(page.locator(".errorlist")).to_contain_text("greater than or equal to 1")
    page.fill("#id_attempts", "5")
    page.click("input[name=_save]")
    job.refresh_from_db()
    assert job.attempts == 5

    steward.visit(f"scheduling/jobschedule/{JobSchedule.objects.first().pk}/change/")
    page.uncheck("#id_is_enabled")
    page.click("input[name=_save]")
    assert not JobSchedule.objects.first().is_enabled
    assert not SchedulerLog.objects.filter(event_type="error").exists()


@pytest.mark.parametrize("person", [{"java_script_enabled": False}], indirect=True)
def test_a_job_is_paused_with_a_reason_seen_everywhere_and_resumed_without_a_script(steward, job):
    page = steward.page
    steward.visit(f"scheduling/job/{job.pk}/change/")
    page.click("text=Pause …")
    expect(page.locator("h1")).to_have_text("Pause Nightly maintenance?")
    page.fill("#id_pause_reason", "Audit of the year")
    page.click("button:has-text('Pause')")
    expect(page.locator(".messagelist")).to_contain_text("Nightly maintenance is paused.")
    expect(page.locator(".notice-warn >> nth=0")).to_contain_text("Paused by steward since")
    page.click("text=Daily_03_15")
    expect(page.locator(".notice-warn")).to_contain_text("is paused, and with it all its schedules. Paused by steward")
    page.click("text=Why did it not run?")
    expect(page.locator("#content")).to_contain_text("The job is paused by steward")
    steward.visit("scheduling/job/")
    expect(page.locator("#result_list")).to_contain_text("Audit of the year")
    page.check("#result_list input[name=_selected_action]")
    page.select_option("select[name=action]", label="Resume")
    page.click("button:has-text('Go'), input[value=Go]")
    expect(page.locator("h1")).to_have_text("Resume Nightly maintenance?")
    page.click("#content button:has-text('Resume')")
    expect(page.locator(".messagelist")).to_contain_text("On from now: Nightly maintenance.")
    job.refresh_from_db()
    assert job.paused_at is None


def test_a_log_that_its_reader_closed_or_opened_stays_so_while_the_run_is_watched(steward, run):
    page = steward.page
    page.clock.install()
    steward.visit(f"scheduling/run/{run.pk}/change/")
    expect(page.locator(".attempt-log")).to_have_attribute("open", "")
    page.click(".attempt-log summary")
    page.click("h1")
    run.tasks.update(rows_done=7)
    page.clock.run_for(4_000)
    expect(page.locator("#run-state")).to_contain_text("7")
    expect(page.locator(".attempt-log")).not_to_have_attribute("open", "")
    assert steward.complaints == []
