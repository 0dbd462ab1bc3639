"""Promise: printed, a page is what it says and nothing to press, whole, and not wider than the paper."""

from tests.browser.screens import looks_at_pages
from tests.browser.test_accessible import fill_the_pages, others

__all__ = ["others"]
_PAPER = {"width": 794, "height": 1123}  # A4 at 96 dots an inch
_TO_PRESS = (
    "#header, #nav-sidebar, .breadcrumbs, .object-tools, .filter-bar, .pager, #changelist-search, .actions, .submit-row"
)
_SHOWN = "all => all.filter(each => each.getClientRects().length).map(each => each.id || each.className)"
_WIDER = "document.documentElement.scrollWidth - innerWidth"


@looks_at_pages
def test_no_page_prints_what_is_pressed_and_none_is_cut_off(steward, customer, others):
    page, found = steward.page, {}
    pages = fill_the_pages(customer, others)
    page.emulate_media(media="print")
    page.set_viewport_size(_PAPER)
    for name in (
        "start",
        "list",
        "form",
        "test run",
        "forecast",
        "why not",
        "calendar",
        "log",
        "runs",
        "run",
        "queues",
    ):
        steward.visit(pages[name])
        if shown := page.locator(_TO_PRESS).evaluate_all(_SHOWN):
            found[name] = shown
        if page.evaluate(_WIDER) > 1:
            found[f"width of {name}"] = page.evaluate(_WIDER)
        assert page.locator("#content").inner_text().strip()
    assert found == {}
