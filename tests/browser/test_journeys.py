"""Promise: each role goes its way through the pages, also by keyboard alone, and meets nothing that is refused."""

import pytest
from playwright.sync_api import Page, expect

from scheduling.models import SchedulerConfiguration, Task
from scheduling.runs.execute import execute_task
from staging.models import Entity
from tests.browser.conftest import Person
from tests.scheduling.admin.conftest import make_user

CONFIGURATIONS = "scheduling/schedulerconfiguration/"
MOST_STEPS = 150
_NAME = """() => { const at = document.activeElement;
    const label = at.labels && at.labels.length ? at.labels[0].textContent : "";
    return (at.getAttribute("aria-label") || label || at.textContent || at.value || "").trim().replace(/:$/, "") }"""
_SHOWN = """() => { const at = document.activeElement, look = getComputedStyle(at), box = at.getBoundingClientRect();
    const marked = look.outlineStyle !== "none" || look.boxShadow !== "none" || look.textDecorationLine !== "none";
    return marked && box.width > 0 && box.bottom > 0 && box.top < innerHeight }"""


def tab_to(page: Page, name: str) -> None:
    """Go on with the Tab key until what has the focus is called so; wherever the focus is, it is seen."""
    met = []
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        met.append(page.evaluate(_NAME))
        if met[-1] == name:
            assert page.evaluate(_SHOWN), f"nobody sees that {name!r} has the focus"
            return
    raise AssertionError(f"The Tab key never meets {name!r}, only {met}")


def test_a_batch_is_started_and_its_log_read_by_keyboard_alone(person: Person, customer: SchedulerConfiguration):
    make_user("Operator")
    page = person.page
    person.visit("login/")
    tab_to(page, "Username")
    page.keyboard.type("operator")
    tab_to(page, "Password")
    page.keyboard.type("secret")
    page.keyboard.press("Enter")
    page.wait_for_selector("#user-tools")
    page.wait_for_load_state()
    tab_to(page, "Scheduler configurations")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{CONFIGURATIONS}")
    tab_to(page, "Process now: Customer")
    page.keyboard.press("Enter")
    page.wait_for_url("**/process/")
    tab_to(page, "Process now")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Customer, run")
    assert execute_task(Task.objects.get().pk, worker="test")
    expect(page.locator("h1")).to_contain_text("Completed: Customer", timeout=15_000)
    tab_to(page, "Log of Customer")
    page.keyboard.press("Enter")
    expect(page.locator("#log")).to_contain_text("completed")
    assert person.complaints == []


# Role -> what it finds on the form of a configuration; whoever may not do something is not offered it.
OFFERED = {
    "Viewer": set(),
    "Operator": {"Process now …", "Pause …", "Test run"},
    "Steward": {"Process now …", "Pause …", "Test run (nothing is saved)", "Save"},
    "Administrator": {"Process now …", "Pause …", "Test run (nothing is saved)", "Save"},
}
EVERY = set().union(*OFFERED.values())
_PRESSED = "all => all.filter(each => each.getClientRects().length).map(each => each.textContent.trim() || each.value)"


_GROUNDS = "all => all.map(each => getComputedStyle(each).backgroundColor)"


@pytest.mark.parametrize("role", list(OFFERED))
def test_each_role_is_offered_what_it_may_do_and_none_of_it_is_refused(person: Person, customer, role):
    make_user(role)
    person.log_in(role.lower())
    page = person.page
    person.visit(f"{CONFIGURATIONS}{customer.pk}/change/")
    buttons = page.locator(".submit-row").locator("a, button, input[type=submit]")
    assert set(buttons.evaluate_all(_PRESSED)) & EVERY == OFFERED[role]
    ways = page.locator(".submit-row a, .object-tools a").evaluate_all("all => all.map(each => each.href)")
    assert ways
    assert {way: status for way in ways if (status := page.request.get(way).status) != 200} == {}
    assert person.complaints == []


def test_an_administrator_who_is_no_superuser_defines_an_entity(person: Person):
    make_user("Administrator")
    person.log_in("administrator")
    page = person.page
    page.get_by_role("link", name="Define the first one").click()
    page.get_by_label("Code").fill("supplier")
    page.get_by_label("Name").first.fill("Supplier")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#content")).to_contain_text("These steps lead Supplier to its first batch.")
    assert Entity.objects.get().name == "Supplier"
    person.visit("scheduling/queue/add/")
    fields = page.locator("#content input[type=text], #content input[type=number]")
    assert len(set(fields.evaluate_all(_GROUNDS))) == 1, "a field to write in looks like a button"
    assert person.complaints == []
