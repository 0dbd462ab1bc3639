"""Promise: everything also works where scripts are switched off."""

import pytest
from playwright.sync_api import expect

from scheduling.models import Run, SchedulerConfiguration

pytestmark = pytest.mark.parametrize("person", [{"java_script_enabled": False}], indirect=True)


def test_a_schedule_is_saved_tested_and_processed(steward, customer):
    page = steward.page
    steward.visit(f"scheduling/schedulerconfiguration/{customer.pk}/change/")
    expect(page.locator(".for-mode-triggered:not(.for-mode-scheduled)")).to_be_visible()
    page.check('input[name="processing_mode"][value="scheduled"]')
    page.select_option("#id_schedule_type", "weekly")
    page.check('input[name="run_days"][value="mon"]')
    page.fill("#id_run_times", "06:00")
    page.click("text=Test run (nothing is saved)")
    expect(page.locator(".answer")).to_contain_text("Would fire: No")
    page.go_back()
    page.check('input[name="processing_mode"][value="scheduled"]')
    page.select_option("#id_schedule_type", "weekly")
    page.check('input[name="run_days"][value="mon"]')
    page.fill("#id_run_times", "06:00")
    page.click("input[name=_continue]")
    expect(page.locator("#preview-sentence")).to_contain_text("Every Monday at 06:00")
    assert SchedulerConfiguration.objects.get().run_days == "mon"

    page.click("text=Process now …")
    page.click("button:has-text('Process now')")
    expect(page.locator("h1")).to_contain_text("Pending: Customer")
    page.click("text=Reload")
    page.click("text=Cancel this run …")
    page.click("button:has-text('Cancel this run')")
    expect(page.locator("h1")).to_contain_text("Cancelled")
    assert Run.objects.get().status == "cancelled"


def test_a_calendar_with_its_periods_a_pause_and_the_forecast(steward, customer):
    page = steward.page
    steward.visit("scheduling/blackoutcalendar/add/")
    page.fill("#id_name", "Weekends")
    page.select_option("#id_periods-0-kind", "weekly")
    page.check('input[name="periods-0-run_days"][value="sat"]')
    page.check('input[name="periods-0-run_days"][value="sun"]')
    page.click("input[name=_continue]")
    expect(page.locator("#dark-next ~ .sheet-frame")).to_contain_text("Sat ")
    steward.visit(f"scheduling/schedulerconfiguration/{customer.pk}/pause/")
    page.fill("#id_pause_reason", "Audit")
    page.click("button:has-text('Pause')")
    expect(page.locator("#content")).to_contain_text("Customer is paused: it does not start by itself.")
    page.click("button:has-text('Resume')")
    expect(page.locator(".messagelist")).to_contain_text("Customer goes on from now")
    steward.visit("scheduling/schedulerconfiguration/forecast/")
    expect(page.locator("h1")).to_have_text("Forecast")
