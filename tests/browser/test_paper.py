"""Promise: printed, a page is what it says and nothing to press, whole, and not wider than the paper."""

from collections.abc import Iterator

import pytest

from staging.models import Entity
from tests.browser.screens import looks_at_pages
from tests.browser.test_accessible import fill_the_pages, others
from tests.browser.test_members_and_undo import merged
from tests.scheduling.admin.conftest import make_user
from tests.staging.batches.bench import define, execute, text

__all__ = ["others"]
_PAPER = {"width": 794, "height": 1123}  # A4 at 96 dots an inch
_TO_PRESS = (
    "#header, #nav-sidebar, .breadcrumbs, .object-tools, .filter-bar, .pager, #changelist-search, .actions, "
    ".submit-row, .addlink, .changelink, .viewlink, #content input[type=submit]"
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


@pytest.fixture
def wide(transactional_db: None) -> Iterator[Entity]:
    """An entity of more columns than a sheet of paper takes side by side, with a long word in each."""
    names = [f"attribute_number_{number}" for number in range(12)]
    entity = define("wide", *map(text, names))
    merged(entity, {"code": "C00001", "name": "First", **dict.fromkeys(names, "somebody@customers.example")})
    yield entity
    for prefix in ("stg", "mdm"):
        execute(f"DROP TABLE {prefix}_wide")


@looks_at_pages
def test_members_of_many_columns_are_printed_whole(steward, wide):
    page = steward.page
    page.emulate_media(media="print")
    page.set_viewport_size(_PAPER)
    steward.visit(f"staging/entity/{wide.pk}/members/")
    assert page.evaluate(_WIDER) <= 1
    code = page.locator(".members tbody th a").first
    assert code.evaluate("each => each.getClientRects().length") == 1, "a code is one word"


@looks_at_pages
def test_a_printed_start_page_breaks_no_word(person, customer):
    make_user("superuser")
    person.log_in("superuser")
    page = person.page
    page.emulate_media(media="print")
    page.set_viewport_size(_PAPER)
    person.visit("")
    assert page.locator(".app-scheduling tr").count() and not page.locator(_TO_PRESS).locator("visible=true").count()
    tall = "all => all.filter(each => each.getBoundingClientRect().height > 60).map(each => each.textContent.trim())"
    assert page.locator(".module[class*=app-] tbody tr").evaluate_all(tall) == []
