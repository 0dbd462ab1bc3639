"""Promises of menus and fields by the keyboard alone: Escape closes, and what is in use is framed on every side."""

import pytest
from playwright.sync_api import expect

from tests.browser.screens import faults, looks_at_pages

_HIDDEN_RING = """() => { const field = document.activeElement, style = getComputedStyle(field);
    const beyond = parseFloat(style.outlineWidth) + parseFloat(style.outlineOffset);
    const box = field.getBoundingClientRect();
    let frame = field.parentElement;
    while (frame !== document.body && getComputedStyle(frame).overflowX === "visible") frame = frame.parentElement;
    const edge = frame === document.body ? {left: 0, right: innerWidth} : frame.getBoundingClientRect();
    const isCut = box.left - beyond < edge.left - 1 || box.right + beyond > edge.right + 1;
    return style.outlineStyle === "none" || isCut }"""


@pytest.mark.parametrize(
    ("path", "menu"), [("", ".person"), ("scheduling/schedulerconfiguration/", ".filter-menu >> nth=0")]
)
def test_escape_closes_a_menu_and_leads_back_to_what_opened_it(steward, customer, path, menu):
    steward.visit(path)
    page = steward.page
    opener, inside = page.locator(menu).locator("summary"), page.locator(menu).locator("a, button").first
    opener.focus()
    page.keyboard.press("Enter")
    expect(inside).to_be_visible()
    page.keyboard.press("Tab")
    expect(inside).to_be_focused()
    page.keyboard.press("Escape")
    expect(inside).to_be_hidden()
    expect(opener).to_be_focused()


@looks_at_pages
@pytest.mark.parametrize("path", ["password_change/", "scheduling/plan/add/"])
def test_on_a_phone_the_field_in_use_is_framed_on_every_side(steward, customer, path):
    page = steward.page
    page.set_viewport_size({"width": 320, "height": 800})
    steward.visit(path)
    fields = page.locator("#content .form-row :is(input[type=text], input[type=password], select):visible")
    for field in fields.all()[:6]:
        field.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        assert not page.evaluate(_HIDDEN_RING), field.get_attribute("name")


@looks_at_pages
def test_what_cannot_be_understood_looks_like_the_other_pages(steward):
    steward.visit("scheduling/schedulerconfiguration/?_to_field=nothing")
    steward.complaints.clear()
    assert faults(steward, "not understood") == []


@looks_at_pages
@pytest.mark.parametrize("width", [680, 320])
def test_where_rows_are_cards_the_heads_that_sort_are_seen_when_the_keyboard_is_at_one(steward, customer, width):
    page = steward.page
    page.set_viewport_size({"width": width, "height": 900})
    steward.visit("scheduling/schedulerconfiguration/")
    heads = page.locator("#result_list thead a")
    assert heads.count() > 2
    shown = """each => { each.focus(); const box = each.getBoundingClientRect(), thead = each.closest("thead");
        const isSeen = getComputedStyle(thead).clipPath === "none" && box.width > 5;
        return isSeen && box.left >= 0 && box.right <= innerWidth }"""
    assert [head.inner_text() for head in heads.all() if head.is_visible() and not head.evaluate(shown)] == []
    page.locator("body").evaluate("() => document.activeElement.blur()")
    assert page.locator("#result_list thead").bounding_box()["width"] <= 1
