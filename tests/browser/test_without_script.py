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
    page.click("text=Cancel this run")
    expect(page.locator("h1")).to_contain_text("Cancelled")
    assert Run.objects.get().status == "cancelled"
