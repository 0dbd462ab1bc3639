"""Promise: a steward configures an entity, tries it, processes it and reads what happened, all in the browser."""

import re

from playwright.sync_api import expect

from scheduling.models import SchedulerConfiguration, SchedulerLog, Task
from scheduling.runs.execute import execute_task

CONFIGURATIONS = "scheduling/schedulerconfiguration/"


def choose_mode(page, mode: str) -> None:
    page.check(f'input[name="processing_mode"][value="{mode}"]')


def test_configure_try_process_and_read_the_log(steward, customer):
    page = steward.page
    page.click("text=Scheduler configurations")
    page.click("#result_list >> text=Customer")
    choose_mode(page, "triggered")
    page.fill("#id_trigger_row_threshold", "3")
    page.click("text=Test run (nothing is saved)")
    expect(page.locator(".answer")).to_contain_text("Would fire: Yes")
    expect(page.locator("table.sheet")).to_contain_text("Trigger: row threshold")
    assert SchedulerConfiguration.objects.get().processing_mode == "manual"

    page.go_back()
    choose_mode(page, "triggered")
    page.fill("#id_trigger_row_threshold", "3")
    page.click("input[name=_save]")
    expect(page.locator(".messagelist")).to_contain_text("was changed successfully")
    expect(page.locator("#result_list")).to_contain_text("When 3 rows wait")

    page.click('a[aria-label="Process now: Customer"]')
    expect(page.locator("#content")).to_contain_text("3 rows of Customer wait")
    page.click("button:has-text('Process now')")
    expect(page.locator("h1")).to_have_text(re.compile(r"Pending: Customer, run \d+"))

    assert execute_task(Task.objects.get().pk, worker="test")
    expect(page.locator("h1")).to_have_text(re.compile("Completed: Customer"), timeout=10_000)
    expect(page.locator("#run-announcement")).to_have_text("The run has ended: completed.")
    expect(page.locator("#run-cancel")).to_be_hidden()

    page.click("text=Log of customer")
    for word in ("fired", "completed", "rejected"):
        expect(page.locator("#log")).to_contain_text(word)
    page.click("#log >> text=Details >> nth=0")
    expect(page.locator("h1")).to_contain_text("Customer")
    assert steward.complaints == []
    assert SchedulerLog.objects.filter(event_type="completed").count() == 1


def test_the_mode_shows_only_what_fits(steward, customer):
    page = steward.page
    steward.visit(f"{CONFIGURATIONS}{customer.pk}/change/")
    cron, triggers = (
        page.locator("fieldset.for-type-cron:not(.for-type-daily)"),
        page.locator(".for-mode-triggered:not(.for-mode-scheduled)"),
    )
    expect(triggers).to_be_hidden()
    choose_mode(page, "scheduled")
    expect(page.locator("#id_schedule_type")).to_be_visible()
    expect(cron).to_be_hidden()
    page.select_option("#id_schedule_type", "cron")
    expect(cron).to_be_visible()
    expect(page.locator("#id_run_times")).to_be_hidden()
    page.select_option("#id_schedule_type", "weekly")
    expect(cron).to_be_hidden()
    expect(page.locator('input[name="run_days"][value="mon"]')).to_be_visible()
    choose_mode(page, "triggered")
    expect(page.locator("#id_schedule_type")).to_be_hidden()
    expect(triggers).to_be_visible()
    assert steward.complaints == []


def test_a_weekday_of_the_month_with_late_runs_is_set_up_by_clicking(steward, customer):
    page = steward.page
    steward.visit(f"{CONFIGURATIONS}{customer.pk}/change/")
    choose_mode(page, "scheduled")
    page.select_option("#id_schedule_type", "once")
    expect(page.locator("#id_run_once_at")).to_be_visible()
    expect(page.locator("#id_starts_on")).to_be_hidden()
    page.select_option("#id_schedule_type", "monthly_nth_weekday")
    expect(page.locator("#id_run_once_at")).to_be_hidden()
    page.select_option("#id_run_weeks_of_month", "last")
    page.check('input[name="run_days"][value="fri"]')
    page.check('input[name="run_months"][value="6"]')
    page.fill("#id_run_times", "06:00")
    expect(page.locator("#preview-sentence")).to_contain_text("On the last Friday of June at 06:00")
    expect(page.locator("#preview-fires li")).to_have_count(5)
    page.click("summary:has-text('Missed runs')")
    expect(page.locator("#id_catch_up_limit")).to_be_hidden()
    page.select_option("#id_catch_up", "all")
    page.fill("#id_catch_up_limit", "3")
    page.click("input[name=_save]")
    expect(page.locator("#result_list")).to_contain_text("On the last Friday of June at 06:00")
    saved = SchedulerConfiguration.objects.get()
    assert (saved.run_weeks_of_month, saved.run_months, saved.catch_up, saved.catch_up_limit) == ("last", "6", "all", 3)
    assert steward.complaints == []


def test_the_preview_follows_what_is_typed_before_anything_is_saved(steward, customer):
    page = steward.page
    steward.visit(f"{CONFIGURATIONS}{customer.pk}/change/")
    choose_mode(page, "scheduled")
    page.select_option("#id_schedule_type", "daily")
    page.select_option("#id_timezone", "Europe/Amsterdam")
    expect(page.locator("#preview-problem")).to_contain_text("needs at least one time")
    page.fill("#id_run_times", "06:00, 18:30")
    expect(page.locator("#preview-sentence")).to_contain_text("06:00 and 18:30")
    expect(page.locator("#preview-fires li")).to_have_count(5)
    expect(page.locator("#preview-fires li >> nth=0")).to_contain_text("Europe/Amsterdam")
    page.fill("#id_run_times", "<img src=x onerror=document.title='broken'>")
    expect(page.locator("#preview-problem")).to_contain_text("<img src=x")
    assert page.locator("#preview img").count() == 0
    assert SchedulerConfiguration.objects.get().processing_mode == "manual"
    assert steward.complaints == []


def test_an_error_stands_at_its_field_and_the_correction_saves(steward, customer):
    page = steward.page
    steward.visit(f"{CONFIGURATIONS}{customer.pk}/change/")
    choose_mode(page, "scheduled")
    page.select_option("#id_schedule_type", "daily")
    page.fill("#id_run_times", "25:00")
    page.click("input[name=_save]")
    expect(page.locator(".field-run_times .errorlist")).to_contain_text("25:00")
    page.click(".errors-at-a-glance a")
    page.fill("#id_run_times", "06:00")
    page.click("input[name=_save]")
    expect(page.locator(".messagelist")).to_contain_text("was changed successfully")
    assert SchedulerConfiguration.objects.get().run_times == "06:00"


def test_a_paused_live_view_stays_still_and_cancelling_ends_the_run(steward, customer):
    page = steward.page
    steward.visit(f"{CONFIGURATIONS}{customer.pk}/process/")
    page.click("button:has-text('Process now')")
    page.click("#run-pause")
    expect(page.locator("#run-pause")).to_have_attribute("aria-pressed", "true")
    page.click("#run-cancel")
    page.click("button:has-text('Cancel this run')")
    expect(page.locator("h1")).to_contain_text("Cancelled: Customer")
    assert SchedulerConfiguration.objects.get().is_running is False
