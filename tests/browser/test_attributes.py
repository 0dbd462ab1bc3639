"""An administrator changes an attribute that holds values in a real browser, and sees first what would happen."""

from collections.abc import Iterator

import pytest
from django.db import connection
from playwright.sync_api import expect

from scheduling.models import SchedulerConfiguration
from staging.entities.save import save_entity
from staging.models import Attribute, Entity
from tests.browser.conftest import Person
from tests.browser.screens import faults, looks_at_pages, with_and_without_scripts
from tests.scheduling.admin.conftest import make_user


@pytest.fixture
def branch(transactional_db: None) -> Iterator[Entity]:
    """An entity whose numbers came as text, one of them not quite."""
    entity = Entity(code="branch", name="Branch", keep_history=True)
    save_entity(entity, [Attribute(name="staff", data_type="text"), Attribute(name="email", data_type="text")])
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO mdm_branch (code, staff, email) VALUES ('A', '12', 'a@b'), ('B', '7', 'many')")
    yield entity
    with connection.cursor() as cursor:
        for table in ("stg_branch", "mdm_branch", "hst_branch"):
            cursor.execute(f"DROP TABLE {table}")


@pytest.fixture
def administrator(person: Person) -> Person:
    """An administrator, logged in."""
    make_user("Administrator")
    person.log_in("administrator")
    return person


@with_and_without_scripts
def test_a_type_is_changed_with_its_values_after_a_look(administrator: Person, branch: Entity) -> None:
    page = administrator.page
    administrator.visit(f"staging/entity/{branch.pk}/change/")
    page.get_by_role("link", name="Change attributes safely").click()
    page.get_by_role("link", name="Change staff").click()
    page.get_by_label("Type").select_option("integer")
    page.get_by_label("Name").fill("people")
    page.get_by_role("button", name="Show what would happen").click()
    expect(page.locator("#content-main")).to_contain_text("all 2 values are converted")
    page.get_by_role("button", name="Change staff").click()
    expect(page.locator(".messagelist")).to_contain_text("people of Branch was changed")
    with connection.cursor() as cursor:
        cursor.execute("SELECT people FROM mdm_branch ORDER BY code")
        assert cursor.fetchall() == [(12,), (7,)]
    assert administrator.complaints == []


@looks_at_pages
def test_the_pages_of_attributes_are_accessible_on_every_screen(administrator: Person, branch: Entity) -> None:
    page = administrator.page
    administrator.visit(f"staging/entity/{branch.pk}/attributes/")
    found = faults(administrator, "attributes")
    page.get_by_role("link", name="Change email").click()
    found += faults(administrator, "attribute")
    page.get_by_label("Type").select_option("integer")
    page.get_by_role("button", name="Show what would happen").click()
    expect(page.locator("#content-main .notice-bad")).to_contain_text("2 cannot be read as whole number: 'a@b', 'many'")
    found += faults(administrator, "attribute-refused")
    page.get_by_role("link", name="Back, change nothing").click()
    page.get_by_label("Max length").fill("3")
    page.get_by_label("Required").check()
    page.get_by_role("button", name="Show what would happen").click()
    warning = "1 stored value does not fit “at most 3 characters”"
    expect(page.locator("#content-main .notice-warn")).to_contain_text(warning)
    assert [*found, *faults(administrator, "attribute-confirm")] == []


@looks_at_pages
def test_the_delivery_contract_is_accessible_on_every_screen(administrator: Person, branch: Entity) -> None:
    page = administrator.page
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO stg_branch (code, batch_tag, import_status, error_code, error_message)"
            " VALUES ('A', 'monday', 2, 4, 'email is missing.')"
        )
    administrator.visit(f"staging/entity/{branch.pk}/change/")
    page.get_by_role("link", name="The delivery contract").click()
    expect(page.get_by_role("table", name="What was wrong with the last deliveries")).to_contain_text("monday")
    assert faults(administrator, "contract") == []


@with_and_without_scripts
def test_attributes_are_proposed_from_a_pasted_head(administrator: Person, branch: Entity) -> None:
    page = administrator.page
    administrator.visit(f"staging/entity/{branch.pk}/change/")
    page.get_by_role("link", name="Propose attributes").click()
    page.get_by_label("Or paste here").fill("code;Opened on;Size m2\nA;2026-01-31;12,5\n")
    page.get_by_role("button", name="Show the attributes").click()
    expect(page.get_by_label("Type of Opened on")).to_have_value("date")
    page.get_by_label("Name of Size m2").fill("opened_on")
    page.get_by_role("button", name="Add these attributes").click()
    expect(page.locator("#content-main")).to_contain_text("There is a column of this name already")
    page.get_by_label("Name of Size m2").fill("surface")
    page.get_by_role("button", name="Add these attributes").click()
    expect(page.locator(".messagelist")).to_contain_text("2 attributes of Branch added")
    expect(page.locator("#content-main .button")).to_have_text(["Bring rows"])
    assert administrator.complaints == []


@looks_at_pages
def test_the_pages_of_proposals_are_accessible_on_every_screen(administrator: Person, branch: Entity) -> None:
    page = administrator.page
    administrator.visit(f"staging/entity/{branch.pk}/attributes/propose/")
    found = faults(administrator, "propose")
    page.get_by_label("Or paste here").fill("code;Opened on;Size m2\nA;2026-01-31;12,5\n")
    page.get_by_role("button", name="Show the attributes").click()
    expect(page.get_by_role("table", name="Attributes to add to Branch")).to_be_visible()
    found += faults(administrator, "proposed")
    page.get_by_role("button", name="Add these attributes").click()
    found += faults(administrator, "what-comes-next")
    administrator.visit(f"staging/entity/{branch.pk}/change/")
    assert [*found, *faults(administrator, "entity")] == []


# The buttons of the content that are not as quiet as a plain one.
_STANDING_OUT = """() => {
    const plain = document.createElement("a"), of = button => getComputedStyle(button).backgroundColor;
    plain.className = "button plain";
    document.querySelector("#content").append(plain);
    const quiet = of(plain);
    plain.remove();
    const all = [...document.querySelectorAll("#content :is(input[type=submit], button, .button)")];
    return all.filter(one => one.offsetParent && of(one) !== quiet).map(one => one.value || one.textContent);
}"""


@looks_at_pages
def test_one_button_of_a_form_stands_out(administrator: Person, branch: Entity) -> None:
    configuration = SchedulerConfiguration.objects.get(entity=branch)
    forms = [f"staging/entity/{branch.pk}/change/", f"scheduling/schedulerconfiguration/{configuration.pk}/change/"]
    forms += ["staging/entity/add/", "scheduling/plan/add/", "scheduling/queue/add/", "scheduling/sqlscript/add/"]
    found = {}
    for form in forms:
        administrator.visit(form)
        found[form] = administrator.page.evaluate(_STANDING_OUT)
    assert found == {form: ["Save"] for form in forms}


@pytest.fixture
def wide(transactional_db: None) -> Iterator[Entity]:
    """An entity of sixty attributes, with limits on some."""
    entity = Entity(code="branch", name="Branch")
    limits = {0: {"max_length": 20, "pattern": "[A-Z]+"}, 1: {"choices": ["north", "south"]}, 2: {"min_length": 2}}
    save_entity(entity, [Attribute(name=f"field_{n}", data_type="text", **limits.get(n, {})) for n in range(60)])
    yield entity
    with connection.cursor() as cursor:
        for table in ("stg_branch", "mdm_branch"):
            cursor.execute(f"DROP TABLE {table}")


@looks_at_pages
def test_sixty_attributes_are_a_table_that_can_be_read(administrator: Person, wide: Entity) -> None:
    page = administrator.page
    administrator.visit(f"staging/entity/{wide.pk}/change/")
    rows = page.locator("#attributes-group tbody tr.has_original")
    expect(rows).to_have_count(60)
    expect(rows.first).to_contain_text("at most 20 characters; matches [A-Z]+")
    heights = [box["height"] for n in range(2, 60) if (box := rows.nth(n).bounding_box())]
    assert max(heights) < 60, "a row takes one line"
    assert faults(administrator, "sixty-attributes") == []


@with_and_without_scripts
def test_a_limit_is_set_below_the_row_of_its_attribute(administrator: Person, wide: Entity) -> None:
    page = administrator.page
    administrator.visit(f"staging/entity/{wide.pk}/change/")
    row = page.locator("#attributes-59")
    row.locator("summary").click()
    row.get_by_label("Max length").fill("7")
    row.get_by_label("Min length").fill("9")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#attributes-59 details")).to_have_attribute("open", "")
    page.locator("#attributes-59").get_by_label("Min length").fill("1")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".messagelist")).to_contain_text("was changed successfully")
    assert wide.attributes.get(name="field_59").max_length == 7
