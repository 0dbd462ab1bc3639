"""Promises of bulk actions at a real browser: they go on by themselves, or by a button, and look right on the way."""

import pytest
from playwright.sync_api import expect

from scheduling.models import BulkAction, Plan
from tests.browser.screens import faults


def begin(person) -> None:
    """Choose all plans and press the button of an action."""
    Plan.objects.bulk_create(Plan(name=f"Plan {number}") for number in range(4))
    person.visit("scheduling/plan/")
    for box in person.page.locator("input.action-select").all():
        box.check()
    person.page.select_option("select[name=action]", "pause_selected")
    person.page.click("button[name=index]")
    expect(person.page.locator("h1")).to_have_text("Pause 4 plans?")
    person.page.fill("#id_pause_reason", "Audit")


def test_pieces_follow_each_other_by_themselves(steward, monkeypatch):
    monkeypatch.setattr("scheduling.admin.schedules.bulk.SECONDS", 0)  # a piece is one thing
    begin(steward)
    assert faults(steward, "bulk question") == []
    steward.page.click("#content button:has-text('Pause')")
    expect(steward.page.locator(".messagelist")).to_contain_text("Paused: Plan", timeout=20_000)
    assert Plan.objects.filter(paused_at__isnull=False).count() == 4
    steward.visit(f"scheduling/plan/chosen/{BulkAction.objects.get().pk}/")
    assert faults(steward, "bulk result") == []
    steward.visit("scheduling/run/")
    assert faults(steward, "runs") == []


@pytest.mark.parametrize("person", [{"java_script_enabled": False}], indirect=True)
def test_without_scripts_a_button_goes_on_and_another_stops(steward, monkeypatch):
    monkeypatch.setattr("scheduling.admin.schedules.bulk.SECONDS", 0)
    begin(steward)
    page = steward.page
    page.click("#content button:has-text('Pause')")
    expect(page.locator("#bulk-far")).to_have_text("1 of 4 have had their turn")
    page.click("button:has-text('Go on')")
    expect(page.locator("#bulk-far")).to_have_text("2 of 4 have had their turn")
    page.click("button:has-text('Stop here')")
    expect(page.locator(".messagelist")).to_contain_text("Stopped: nothing was done to the other 2.")
    assert Plan.objects.filter(paused_at__isnull=False).count() == 2
