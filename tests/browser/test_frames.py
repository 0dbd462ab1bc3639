"""Promise: of a filled installation nothing is cut off, on no page, at 1360, 768 and 320 pixels."""

import re

from django.apps import apps
from playwright.sync_api import Page

from tests.browser.conftest import Person
from tests.browser.pictured_world import give_signs_of_life
from tests.browser.screens import beyond_the_frame, looks_at_pages
from tests.browser.test_pictures import ASKED, wanted, world
from tests.scheduling.admin.addresses import OURS, filled

__all__ = ["world"]
# A moment that takes more than four lines stands in a column that is far too narrow.
_BROKEN = """() => [...document.querySelectorAll("#content :is(td, th) time")].filter(each => each.checkVisibility()
    && each.getClientRects().length > 4).map(each => each.textContent)"""


def addresses(world: dict[str, int]) -> dict[str, str]:
    """Return the address of every page of ours that has something to show, by its name."""
    ours = [each for each in apps.get_models() if each._meta.app_label in ("staging", "scheduling")]
    first = {each._meta.model_name: each._default_manager.values_list("pk", flat=True).first() for each in ours}
    things = first | world
    named = {name: filled(pattern, things) + ASKED.get(name, "").format(**things) for pattern, name in OURS
             if name in wanted()}  # fmt: skip
    return {"home": "/admin/"} | named


def cut_off(page: Page, name: str) -> list[str]:
    """Return what is cut off, or broken into pieces, on the page that is open at each width."""
    found = []
    for width in (1360, 768, 320):
        page.set_viewport_size({"width": width, "height": 900})
        found += [f"{name}, {width} px: {each}" for each in (*beyond_the_frame(page), *page.evaluate(_BROKEN))]
    return found


@looks_at_pages
def test_nothing_is_cut_off_on_any_page_of_a_filled_installation(person: Person, world: dict[str, int]):
    person.log_in("admin")
    give_signs_of_life()
    found = []
    for name, path in addresses(world).items():
        person.visit(path.removeprefix("/admin/"))
        found += cut_off(person.page, name)
    assert found == []


@looks_at_pages
def test_what_is_cut_off_is_found(person: Person):
    wide = '<div id="content"><div style="overflow: auto"><input name="far" style="width: 1400px"></div></div>'
    person.page.set_content(wide)
    assert [re.sub(r"\d+$", "", each) for each in cut_off(person.page, "planted")] == [
        f"planted, {width} px: INPUT far +" for width in (1360, 768, 320)
    ]
