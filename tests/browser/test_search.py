"""Promises of search and keys at a real browser: by the keyboard alone, never while one types, and without scripts."""

import pytest
from playwright.sync_api import expect

from tests.browser.screens import faults


def test_search_and_keys_by_the_keyboard_alone(steward, customer):
    page, configuration = steward.page, f"scheduling/schedulerconfiguration/{customer.pk}/change/"
    steward.visit(configuration)
    page.keyboard.press("/")
    box = page.locator("#find")
    expect(box).to_be_focused()
    page.keyboard.type("custo")
    expect(page.locator("#find-list [role=option]").first).to_be_visible()
    expect(page.locator("#find-told")).to_have_text("2 found")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(box).to_have_attribute("aria-activedescendant", "find-option-2")
    assert faults(steward, "search box") == []
    page.keyboard.press("Escape")
    expect(page.locator("#find-list")).to_be_hidden()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#find-list [role=option]").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/staging/entity/{customer.entity_id}/change/")

    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    assert faults(steward, "keys") == []
    page.keyboard.press("Escape")
    steward.visit("scheduling/schedulerconfiguration/")
    page.locator("#searchbar").focus()
    page.keyboard.type("g/?r")
    expect(page.locator("#searchbar")).to_have_value("g/?r")
    expect(page.locator("#keys")).to_be_hidden()
    page.locator("tr input.action-select").first.check()  # who ticks a row does not type
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.wait_for_url("**/scheduling/run/")

    page.keyboard.press("Control+k")
    expect(box).to_be_focused()
    expect(page.locator("#find-list [role=option]").first).to_contain_text("Customer")  # opened lately
    page.keyboard.type("customer")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/?q=customer")
    assert faults(steward, "search") == []

    steward.visit("scheduling/schedulerconfiguration/keys/")
    assert faults(steward, "keys page") == []
    page.uncheck("#id_has_shortcuts")
    page.click("text=Save")
    expect(page.locator(".messagelist")).to_contain_text("The keys are off.")
    page.keyboard.press("/")
    expect(box).not_to_be_focused()


@pytest.mark.parametrize("person", [{"java_script_enabled": False}], indirect=True)
def test_the_box_leads_to_the_results_without_scripts(steward, customer):
    steward.visit("")
    steward.page.fill("#find", "customer")
    steward.page.press("#find", "Enter")
    expect(steward.page.locator("#found-configuration")).to_be_visible()
    steward.page.click("#found-configuration + ul a:has-text('Customer')")
    steward.page.wait_for_url(f"**/{customer.pk}/change/")
