"""The screens that pages are looked at on, and what is wrong with a page that is open: one home for every test."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import Person

SCREENS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}
with_and_without_scripts = pytest.mark.parametrize(
    "person",
    [{"java_script_enabled": True}, {"java_script_enabled": False}],
    ids=["with scripts", "without"],
    indirect=True,
)
_AXE = Axe().axe_script
# The light screen is asked everything. What differs on the others: dark has other colours, a phone another layout.
_FIND = """async screen => {
    const options = {resultTypes: ["violations"], elementRef: false, xpath: false};
    if (screen === "dark") options.runOnly = ["color-contrast"];
    if (screen === "phone") options.rules = {"color-contrast": {enabled: false}};
    const found = await axe.run(document, options);
    return found.violations.map(rule => `${rule.id}: ${rule.nodes.map(node => node.html.slice(0, 150)).join(" | ")}`);
}"""
_TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Wide, folded, 1360 pixels at 200 % zoom, and the smallest that everything must fit.
WIDTHS = (1360, 768, 680, 320)
looks_at_pages = pytest.mark.look  # they are the same on every database


def faults(person: Person, name: str) -> list[str]:
    """Return what is wrong with the page that is open, on any screen: complaints, what axe finds, its width.

    SCREENSHOTS names a folder for a picture of each screen.
    """
    page, found = person.page, [f"{name}: {complaint}" for complaint in person.complaints]
    page.wait_for_load_state()  # a key of the keyboard waits for no page
    page.evaluate(_AXE)
    for screen, seen in SCREENS.items():
        page.set_viewport_size(seen["viewport"])
        # Without motion no colour is met on its way to another.
        page.emulate_media(color_scheme=seen["color_scheme"], reduced_motion="reduce")
        if folder := os.environ.get("SCREENSHOTS"):
            page.screenshot(path=Path(folder) / f"{re.sub(r'[^a-z0-9]+', '-', name)}-{screen}.png", full_page=True)
        found += [f"{name}, {screen}: {fault}" for fault in page.evaluate(_FIND, screen)]
        if (wider := page.evaluate(_TOO_WIDE)) > 1:
            found.append(f"{name}, {screen}: {wider} px wider than the screen")
    page.emulate_media(color_scheme="light", reduced_motion="null")
    person.complaints.clear()  # axe itself tries an inline style, which our policy rightly stops
    return [*found, *too_wide(person, name)]


def too_wide(person: Person, name: str) -> list[str]:
    """Return on which widths the page that is open is wider than the screen."""
    page, found = person.page, []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        if (wider := page.evaluate(_TOO_WIDE)) > 1:
            found.append(f"{name}, {width} px: {wider} px wider than the screen")
    page.set_viewport_size(SCREENS["light"]["viewport"])
    return found


# What lies beyond the edge of its page or of a frame that scrolls. A drawing scrolls, for the table below it says the
# same; so does what is to be copied as it stands, and a table whose columns people define, its codes staying in sight.
_BEYOND = """() => { const found = [], scrolls = ["auto", "scroll", "hidden", "clip"];
    for (const each of document.querySelectorAll("#content *")) {
        const box = each.getBoundingClientRect();
        if (!box.width || !each.checkVisibility() || each.closest("pre, svg, .timeline-frame, .members")) continue;
        let frame = each.parentElement;
        while (frame !== document.body && !scrolls.includes(getComputedStyle(frame).overflowX))
            frame = frame.parentElement;
        const edge = frame === document.body ? {right: innerWidth, width: innerWidth} : frame.getBoundingClientRect();
        if (edge.width > 2 && box.right > edge.right + 2)
            found.push(`${each.tagName} ${each.name || each.textContent.trim().slice(0, 30)} `
                       + `+${Math.round(box.right - edge.right)}`);
    }
    return found.slice(0, 3) }"""


def beyond_the_frame(page: Page) -> list[str]:
    """Return the first things of the page that is open which are cut off at its edge, or at that of a frame in it."""
    found: list[str] = page.evaluate(_BEYOND)
    return found
