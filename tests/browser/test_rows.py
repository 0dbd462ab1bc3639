"""A steward mends a rejected row in a real browser, with and without JavaScript, on a screen and on a phone."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from playwright.sync_api import Page, expect

from staging.entities.save import save_entity
from staging.models import Attribute, Entity
from staging.states import ErrorBit

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


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


def _open_rejected(page: Page) -> None:
    page.goto("/admin/staging/entity/")
    page.get_by_role("link", name="Rows of Branch").click()


@pytest.mark.parametrize("javascript", [True, False])
def test_a_steward_edits_a_rejected_value_and_sees_the_row_waiting(
    open_page: Callable[..., Page], branch: Entity, javascript: bool
) -> None:
    page = open_page("Steward", java_script_enabled=javascript)
    _open_rejected(page)
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


def test_a_whole_kind_is_retried_after_the_confirmation(open_page: Callable[..., Page], branch: Entity) -> None:
    page = open_page("Steward")
    _open_rejected(page)
    page.get_by_role("link", name="Retry all of this kind").click()
    assert _staged("B1")[1] == _staged("B2")[1] == 2
    page.get_by_role("button", name="Retry 2 rows").click()
    expect(page.locator(".messagelist")).to_contain_text("2 rows are pending again")
    expect(page.locator(".empty")).to_contain_text("Nothing is rejected")
    assert _staged("B1")[1] == _staged("B2")[1] == 0


def test_ticked_rows_are_retried_and_the_others_stay(open_page: Callable[..., Page], branch: Entity) -> None:
    page = open_page("Steward")
    _open_rejected(page)
    page.get_by_role("row", name="B2").get_by_role("checkbox").check()
    page.get_by_role("button", name="Retry selected").click()
    expect(page.locator(".messagelist")).to_contain_text("1 row is pending again")
    assert (_staged("B1")[1], _staged("B2")[1]) == (2, 0)


def test_a_viewer_sees_the_errors_and_no_way_to_change_anything(open_page: Callable[..., Page], branch: Entity) -> None:
    page = open_page("Viewer")
    _open_rejected(page)
    expect(page.get_by_role("table", name="Rejected rows, newest first")).to_contain_text("<b>7</b>")
    expect(page.get_by_role("button", name="Retry selected")).to_have_count(0)
    expect(page.get_by_role("link", name="Retry all of this kind")).to_have_count(0)


@pytest.mark.parametrize("view", ["light", "dark", "phone"])
def test_pages_of_rows_fit_the_screen_and_axe_finds_nothing_serious(
    open_page: Callable[..., Page],
    serious: Callable[[Page], list[str]],
    branch: Entity,
    view: str,
    tmp_path: Path,
) -> None:
    page = open_page("Administrator", view)
    rows = f"/admin/staging/entity/{branch.pk}/rows/"
    page.goto(rows)
    edit = page.get_by_role("link", name="Edit row").first.get_attribute("href")
    for url in (rows, str(edit), f"{rows}retry/?bit=8", "/admin/staging/entity/", "/admin/staging/batch/",
                f"/admin/staging/entity/{branch.pk}/change/"):  # fmt: skip
        page.goto(url)
        page.screenshot(path=tmp_path / "page.png", full_page=True)
        assert serious(page) == [], url
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= page.viewport_size["width"], f"{url} is {width} wide"
