"""A steward changes a schedule in a real browser, reads who did what and why, compares, and goes back."""

import pytest
from playwright.sync_api import expect

from tests.browser.screens import faults, looks_at_pages


def change_the_schedule(steward, place: str) -> None:
    """Set the entity to daily, with a reason."""
    steward.visit(f"{place}/change/")
    page = steward.page
    page.check("input[name=processing_mode][value=scheduled]")
    page.select_option("#id_schedule_type", "daily")
    page.fill("#id_run_times", "06:30")
    page.get_by_label("Why (optional, stands in the history)").fill("Delivered at night")
    page.get_by_role("button", name="Save", exact=True).click()


@pytest.mark.parametrize("person", [{}, {"java_script_enabled": False}], indirect=True)
def test_a_change_is_told_compared_and_taken_back(steward, customer):
    place = f"scheduling/schedulerconfiguration/{customer.pk}"
    change_the_schedule(steward, place)
    page = steward.page
    steward.visit(f"{place}/history/")
    row = page.get_by_role("row").filter(has_text="Delivered at night")
    expect(row).to_contain_text("How often: blank → Daily")
    expect(row).to_contain_text("steward, on a page")
    page.get_by_role("button", name="Show what differs").click()
    expect(page.get_by_role("row").filter(has_text="How often")).to_contain_text("Daily")
    page.get_by_role("link", name="Open version 1").click()
    page.get_by_role("button", name="Go back to this version").click()
    expect(page.get_by_text("is again as it was in version 1.")).to_be_visible()
    customer.refresh_from_db()
    assert customer.processing_mode == "manual"


@looks_at_pages
def test_no_serious_fault_on_the_pages_of_the_history(steward, customer):
    place = f"scheduling/schedulerconfiguration/{customer.pk}"
    change_the_schedule(steward, place)
    found = []
    for path in (f"{place}/history/", f"{place}/history/?version=1", f"{place}/history/?from=1&to=2"):
        steward.visit(path)
        found += faults(steward, path)
    assert found == []
