"""People upload a file, correct rejected rows in bulk, with and without JavaScript, on a screen and on a phone."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from playwright.sync_api import expect

from staging.entities.save import save_entity
from staging.models import Attribute, Entity
from tests.browser.conftest import Person
from tests.browser.screens import faults, looks_at_pages, with_and_without_scripts
from tests.scheduling.admin.conftest import make_user

FILE = "Code;Name;Staff;Region;Remark\n" + "".join(f"B{n};Büro {n};{n * 3};EU;-\n" for n in range(1, 13))


@pytest.fixture
def branch(transactional_db: None, settings, tmp_path: Path) -> Iterator[Entity]:
    """An entity with rejected rows of several kinds, some of which wait for a region."""
    settings.UPLOAD_FOLDER = str(tmp_path / "kept")
    region = Entity(code="region", name="Region")
    save_entity(region, [])
    entity = Entity(code="branch", name="Branch")
    save_entity(
        entity,
        [
            Attribute(name="staff", data_type="integer"),
            Attribute(name="region", data_type="reference", reference=region),
        ],
    )
    rows = [
        *((f"A{n}", "many", None, 8, "staff: 'many' is not a whole number.") for n in range(3)),
        ("A4", "<b>few</b>", None, 8, "staff: '<b>few</b>' is not a whole number."),
        *((f"W{n}", "1", "EU", 32, "region: 'EU' is not an active member of Region.") for n in range(2)),
    ]
    with connection.cursor() as cursor:
        for row in rows:
            cursor.execute(
                "INSERT INTO stg_branch (code, name, staff, region, import_status, error_code, error_message)"
                " VALUES (%s, 'Branch', %s, %s, 2, %s, %s)",
                row,
            )
    yield entity
    with connection.cursor() as cursor:
        for table in ("stg_branch", "mdm_branch", "stg_region", "mdm_region"):
            cursor.execute(f"DROP TABLE {table}")


def _values(column: str, status: int) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {column} FROM stg_branch WHERE import_status = %s ORDER BY id", [status])
        return [value for (value,) in cursor.fetchall()]


@with_and_without_scripts
def test_an_operator_uploads_a_file_and_sees_its_rows_waiting(person: Person, branch: Entity) -> None:
    make_user("Operator")
    person.log_in("operator")
    page = person.page
    person.visit(f"staging/entity/{branch.pk}/rows/")
    page.get_by_role("link", name="Upload a file").click()
    file = {"name": "branches.csv", "mimeType": "text/csv", "buffer": FILE.encode("cp1252")}
    page.get_by_label("File").set_input_files([file])
    page.get_by_role("button", name="Show what is in it").click()
    expect(page.locator(".notice-warn")).to_contain_text("Remark")
    expect(page.get_by_label("Delimiter")).to_have_value("SEMICOLON")
    expect(page.get_by_label("Encoding")).to_have_value("WINDOWS_1252")
    expect(page.get_by_role("table", name="The first 10 rows")).to_contain_text("Büro 10")
    expect(page.get_by_label("Staff")).to_have_value("staff")
    assert _values("code", 0) == []
    page.get_by_role("button", name="Put the rows into staging").click()
    expect(page.locator(".messagelist")).to_contain_text("12 rows of branches.csv wait for the next batch.")
    expect(page.get_by_role("table", name="Waiting rows")).to_contain_text("Büro 12")
    assert _values("batch_tag", 0) == ["branches"] * 12
    assert person.complaints == []


def test_a_steward_replaces_a_value_in_all_rows_of_a_kind(steward: Person, branch: Entity) -> None:
    page = steward.page
    steward.visit(f"staging/entity/{branch.pk}/rows/")
    expect(page.get_by_role("table", name="Codes that rejected rows wait for")).to_contain_text("EU")
    page.get_by_role("link", name="Replace a value in rows with: Not of the attribute's type").click()
    page.get_by_role("radio", name="Replace many").check()
    page.get_by_label("Replace by").fill("12")
    page.get_by_role("button", name="Show how many rows change").click()
    expect(page.get_by_role("button", name="Replace in 3 rows")).to_be_visible()
    assert _values("staff", 0) == []
    page.get_by_role("button", name="Replace in 3 rows").click()
    expect(page.locator(".messagelist")).to_contain_text("3 rows have a new value in staff")
    assert _values("staff", 0) == ["12"] * 3


def test_a_steward_takes_rejected_rows_away_corrects_them_and_brings_them_back(
    steward: Person, branch: Entity, tmp_path: Path
) -> None:
    page = steward.page
    steward.visit(f"staging/entity/{branch.pk}/rows/?status=rejected&bit=8")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as CSV").click()
    path = tmp_path / download.value.suggested_filename
    path.write_text(download.value.path().read_text("utf-8-sig").replace("many", "12").replace("<b>few</b>", "3"))
    page.get_by_role("link", name="Upload a file").click()
    page.get_by_label("File").set_input_files(path)
    page.get_by_role("button", name="Show what is in it").click()
    page.get_by_role("button", name="Store the corrections").click()
    expect(page.locator(".messagelist")).to_contain_text("4 rows are pending again, 4 of them with new values.")
    assert _values("staff", 0) == ["12", "12", "12", "3"]
    assert "staff from “<b>few</b>” to “3”" in LogEntry.objects.get().get_change_message()


@looks_at_pages
def test_every_page_fits_its_screen_and_has_no_serious_fault(person: Person, branch: Entity) -> None:
    make_user("Administrator")
    person.log_in("administrator")
    rows, found = f"staging/entity/{branch.pk}/rows/", list[str]()
    person.visit(f"{rows}upload/")
    person.page.get_by_label("File").set_input_files(
        [{"name": "branches.csv", "mimeType": "text/csv", "buffer": FILE.encode()}]
    )
    person.page.get_by_role("button", name="Show what is in it").click()
    check = person.page.url.split("/admin/")[1]
    for name, path in {
        "rows": rows, "upload": f"{rows}upload/", "check": check, "fault": f"{check}&encoding=UTF_16",
        "replace": f"{rows}replace/?bit=8",
    }.items():  # fmt: skip
        person.visit(path)
        found += faults(person, name)
    assert found == []
