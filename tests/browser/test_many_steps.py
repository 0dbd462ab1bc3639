"""Promise: where there is much to choose from, steps are typed by keyboard, each field says what it means, and a fault
stands at its field; with scripts and without."""

import pytest
from playwright.sync_api import expect

from scheduling import clock
from scheduling.models import Plan, PlanStep
from scheduling.plans.draft import PlanDraft, StepDraft
from scheduling.plans.save import save_plan
from staging.models import Entity
from tests.browser.screens import faults, looks_at_pages, with_and_without_scripts

ENTITIES = 320
HELP = "Higher goes first when a queue is full."


@pytest.fixture
def plan(db) -> Plan:
    """A plan of few of many entities, whose tables nothing here needs."""
    made = Entity.objects.bulk_create(Entity(code=f"e{n:03}", name=f"Entity {n}") for n in range(ENTITIES))
    return save_plan(
        PlanDraft(Plan(name="Long"), {}, [StepDraft(PlanStep(entity=one)) for one in made[:12]]), now=clock.now()
    )


@with_and_without_scripts
def test_steps_are_typed_and_a_fault_stands_at_its_field(steward, plan):
    page = steward.page
    steward.visit(f"scheduling/plan/{plan.pk}/change/")
    page.click("details.many summary")
    page.fill("#id_many-what", "e100\nEntity 101\nnothing")
    page.fill("#id_after_entities", "e200\nEntity 201")
    page.click("input[name=_continue]")
    expect(page.locator("details.many .errorlist")).to_contain_text("There is nothing called 'nothing'")
    expect(page.locator("#id_many-what")).to_have_value("e100\nEntity 101\nnothing")
    assert plan.steps.count() == 12
    page.fill("#id_many-what", "e100\nEntity 101")
    page.click("input[name=_continue]")
    expect(page.locator(".messagelist")).to_contain_text("changed successfully")
    assert {*plan.steps.filter(entity__code__in=("e100", "e101")).values_list("entity__code", flat=True)} == {
        "e100",
        "e101",
    }
    expect(page.locator("#id_after_entities")).to_have_value("e200\ne201")
    assert steward.complaints == []


@with_and_without_scripts
def test_each_field_of_a_step_says_what_it_means(steward, plan, request):
    page = steward.page
    steward.visit(f"scheduling/plan/{plan.pk}/change/")
    page.locator("#steps-1 summary").focus()
    page.keyboard.press("Enter")
    field = page.locator("#id_steps-1-priority")
    row, more = (page.locator(f"#steps-1{part}").bounding_box() for part in ("", " .more-fields"))
    above = page.locator("#steps-1 > td:not(.field-more)")
    assert more["width"] > 0.95 * row["width"] and more["height"] < 1000, "in columns over the whole width"
    assert max(each["y"] + each["height"] for each in (cell.bounding_box() for cell in above.all())) <= more["y"]
    assert page.locator(f"#{field.get_attribute('aria-describedby')}").text_content() == HELP
    if "without" in request.node.callspec.id:
        page.click("details.about summary")
        expect(page.locator("details.about")).to_contain_text(HELP)
    else:
        expect(page.locator("#steps-1")).to_contain_text(HELP)
    page.fill("#id_steps-1-attempts", "0")
    page.click("input[name=_continue]")
    expect(page.locator("#steps-1 details")).to_have_attribute("open", "")
    told = page.locator("#id_steps-1-attempts").get_attribute("aria-describedby").split()
    expect(page.locator(f"#{told[-1]}")).to_be_visible()
    assert steward.complaints == []


@looks_at_pages
def test_the_page_is_readable_on_every_screen(steward, plan):
    steward.visit(f"scheduling/plan/{plan.pk}/change/")
    steward.page.click("details.about summary")
    steward.page.click("details.many summary")
    steward.page.click("#steps-1 summary")
    assert faults(steward, "many steps") == []
