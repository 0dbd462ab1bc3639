"""A steward mends a rejected row in a real browser, with and without JavaScript, on a screen and on a phone."""

from collections.abc import Iterator

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from playwright.sync_api import Page, expect

from staging.entities.save import save_entity
from staging.models import Attribute, Entity
from staging.states import ErrorBit
from tests.browser.conftest import Person
from tests.browser.screens import faults, looks_at_pages, with_and_without_scripts
from tests.scheduling.admin.conftest import make_user


@pytest.fixture
def branch(transactional_db: None) -> Iterator[Entity]:
    """An entity with two rejected rows, as a batch leaves them."""
    entity = Entity(code="branch", name="Branch")
    save_entity(entity, [Attribute(name="staff", data_type="integer"), Attribute(name="email", data_type="text")])
    rows = [
        ("B1", "many", "staff: 'many' is not a whole number.", ErrorBit.WRONG_TYPE),
        ("B2", "<b>7</b>", "staff: '<b>7</b>' is not a whole number.", ErrorBit.WRONG_TYPE),
    ]
    with connection.cursor() as cursor:
        for code, staff, message, bit in rows:
            cursor.execute(
                "INSERT INTO stg_branch (code, name, staff, import_status, error_code, error_message)"
                " VALUES (%s, 'Branch', %s, 2, %s, %s)",
                [code, staff, int(bit), message],
            )
    yield entity
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE stg_branch")
        cursor.execute("DROP TABLE mdm_branch")


def _staged(code: str) -> tuple[str, int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT staff, import_status FROM stg_branch WHERE code = %s", [code])
        return cursor.fetchone()


def _rejected(somebody: Person) -> Page:
    """Go to the rejected rows as a person does, from the list of entities."""
    somebody.visit("staging/entity/")
    somebody.page.get_by_role("link", name="Rows of Branch").click()
    return somebody.page


@with_and_without_scripts
def test_a_steward_edits_a_rejected_value_and_sees_the_row_waiting(steward: Person, branch: Entity) -> None:
    page = _rejected(steward)
    expect(page.get_by_role("table", name="Rejected rows by error")).to_contain_text("Not of the attribute's type")
    page.get_by_role("row", name="B1").get_by_role("link", name="Edit").click()
    expect(page.locator(".form-row.errors")).to_contain_text("staff: 'many' is not a whole number.")
    page.get_by_label("staff").fill("12")
    page.get_by_role("button", name="Save and retry").click()
    expect(page.locator(".messagelist")).to_contain_text("is pending again")
    expect(page.get_by_role("table", name="Rejected rows, newest first")).not_to_contain_text("B1")
    page.get_by_role("link", name="Waiting (1)").click()
    expect(page.get_by_role("table", name="Waiting rows")).to_contain_text("B1")
    assert _staged("B1") == ("12", 0)
    assert "staff from “many” to “12”" in LogEntry.objects.get().get_change_message()
    assert steward.complaints == []


def test_a_whole_kind_is_retried_after_the_confirmation(steward: Person, branch: Entity) -> None:
    page = _rejected(steward)
    page.get_by_role("link", name="Retry all of this kind").click()
    expect(page.get_by_role("button", name="Retry 2 rows")).to_be_visible()
    assert _staged("B1")[1] == _staged("B2")[1] == 2
    page.get_by_role("button", name="Retry 2 rows").click()
    expect(page.locator(".messagelist")).to_contain_text("2 rows are pending again")
    expect(page.locator(".empty")).to_contain_text("Nothing is rejected")
    assert _staged("B1")[1] == _staged("B2")[1] == 0


def test_ticked_rows_are_retried_and_the_others_stay(steward: Person, branch: Entity) -> None:
    page = _rejected(steward)
    page.get_by_role("row", name="B2").get_by_role("checkbox").check()
    page.get_by_role("button", name="Retry selected").click()
    expect(page.locator(".messagelist")).to_contain_text("1 row is pending again")
    assert (_staged("B1")[1], _staged("B2")[1]) == (2, 0)


def test_a_viewer_sees_the_errors_and_no_way_to_change_anything(person: Person, branch: Entity) -> None:
    make_user("Viewer")
    person.log_in("viewer")
    page = _rejected(person)
    expect(page.get_by_role("table", name="Rejected rows, newest first")).to_contain_text("<b>7</b>")
    expect(page.get_by_role("button", name="Retry selected")).to_have_count(0)
    expect(page.get_by_role("link", name="Retry all of this kind")).to_have_count(0)
    expect(page.get_by_role("link", name="Edit row")).to_have_count(0)


@looks_at_pages
def test_every_page_fits_its_screen_and_has_no_serious_fault(person: Person, branch: Entity) -> None:
    make_user("Administrator")
    person.log_in("administrator")
    page = _rejected(person)
    edit = str(page.get_by_role("link", name="Edit row").first.get_attribute("href")).removeprefix("/admin/")
    rows = f"staging/entity/{branch.pk}/rows/"
    pages = [rows, edit, f"{rows}?status=waiting", f"{rows}retry/?bit=8", "staging/entity/", "staging/batch/"]
    pages += [f"staging/entity/{branch.pk}/change/", f"staging/entity/{branch.pk}/delete/", "staging/entity/add/"]
    for path in pages:
        person.visit(path)
        assert faults(person, path) == []
