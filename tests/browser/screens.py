"""The screens that pages are looked at on, and what is wrong with a page that is open: one home for every test."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import Person

SCREENS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True},
}
with_and_without_scripts = pytest.mark.parametrize(
    "person",
    [{"java_script_enabled": True}, {"java_script_enabled": False}],
    ids=["with scripts", "without"],
    indirect=True,
)
_AXE = Axe().axe_script
# The light screen is asked everything. What differs on the others: dark has other colours, a phone another layout.
_FIND = """async () => {
    const options = {resultTypes: ["violations"], elementRef: false, xpath: false};
    if (matchMedia("(prefers-color-scheme: dark)").matches) options.runOnly = ["color-contrast"];
    else if (window.innerWidth < 800) options.rules = {"color-contrast": {enabled: false}};
    const found = await axe.run(document, options);
    const serious = found.violations.filter(rule => ["serious", "critical"].includes(rule.impact));
    return serious.map(rule => `${rule.id}: ${rule.nodes.map(node => node.html.slice(0, 150)).join(" | ")}`);
}"""


def on_every_screen(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test on a light, a dark and a small screen; what it looks at is the same on every database."""
    on_each = pytest.mark.parametrize("person", SCREENS.values(), ids=SCREENS, indirect=True)
    return pytest.mark.look(on_each(test))


def serious_faults(person: Person) -> list[str]:
    """Return what axe finds serious on the page that is open, and whether the page is wider than its screen."""
    page = person.page
    page.evaluate(_AXE)
    found = list(page.evaluate(_FIND))
    person.complaints.clear()  # axe itself tries an inline style, which our policy rightly stops
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [*found, f"{width} px wider than the screen"] if width > 1 else found
