"""A steward reads what a held batch would do and decides, in a real browser, with and without JavaScript."""

from collections.abc import Iterator

import pytest
from django.db import connection
from playwright.sync_api import Page, expect

from scheduling import clock
from scheduling.models import SchedulerConfiguration
from scheduling.runs.by_hand import start_batch_now
from staging.batches.shown.preview import KEPT_FOR, drop_old_previews, keep_preview
from staging.entities.save import save_entity
from staging.models import Attribute, Batch, Entity
from tests.browser.conftest import Person
from tests.browser.screens import faults, looks_at_pages, with_and_without_scripts
from tests.scheduling.conftest import work_off


@pytest.fixture
def branch(transactional_db: None) -> Iterator[SchedulerConfiguration]:
    """An entity with two members and four rows that wait: a change, the same, a new one, a bad one."""
    region, entity = Entity(code="region", name="Region"), Entity(code="branch", name="Branch")
    save_entity(region, [])
    save_entity(
        entity,
        [
            Attribute(name="staff", data_type="integer"),
            Attribute(name="note", data_type="text"),
            Attribute(name="region", data_type="reference", reference=region),
        ],
    )
    _stage(
        "stg_region", [("eu", None, None, None), ("us", None, None, None)], ("code", "name", "new_code", "batch_tag")
    )
    _stage("stg_branch", [("ams", "12", None, "eu"), ("rtm", "3", "Harbour", "eu")])
    for each in (region, entity):
        start_batch_now(SchedulerConfiguration.objects.get(entity=each), started_by="anna", now=clock.now())
        work_off(clock.now())
    rows = [("ams", "14", "Moved to the canal", "us"), ("rtm", "3", None, "eu"), ("utr", "<b>5</b>", None, "eu")]
    _stage("stg_branch", [*rows, ("haa", "2", "New " * 50, "us")])
    yield SchedulerConfiguration.objects.get(entity=entity)
    drop_old_previews(clock.now() + KEPT_FOR)
    with connection.cursor() as cursor:
        for table in ("stg_branch", "mdm_branch", "stg_region", "mdm_region"):
            cursor.execute(f"DROP TABLE {table}")


@pytest.fixture
def held(branch: SchedulerConfiguration) -> Batch:
    """The batch that holds them."""
    Entity.objects.filter(code="branch").update(review="hold", max_error_rate=0.2)
    started = start_batch_now(SchedulerConfiguration.objects.get(pk=branch.pk), started_by="anna", now=clock.now())
    work_off(clock.now())
    return Batch.objects.get(pk=started.batch.pk)


def _stage(table: str, rows: list[tuple], columns: tuple = ("code", "staff", "note", "region")) -> None:
    marks = ", ".join(["%s"] * len(columns))
    with connection.cursor() as cursor:
        for row in rows:
            cursor.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", row)


def _statuses() -> dict[int, int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT import_status, count(*) FROM stg_branch WHERE id > 2 GROUP BY 1")
        return dict(cursor.fetchall())


@with_and_without_scripts
def test_a_preview_shows_each_field_before_and_after(steward: Person, branch: SchedulerConfiguration) -> None:
    page = _open_preview(steward)
    table = page.get_by_role("table", name="What would change")
    expect(table.get_by_role("row", name="ams")).to_contain_text("12")
    expect(table.get_by_role("row", name="ams").locator("ins").first).to_contain_text("14")
    expect(table).to_contain_text("staff: '<b>5</b>' is not a whole number.")
    expect(table).not_to_contain_text("rtm")
    page.get_by_role("link", name="Unchanged (1)").click()
    expect(table).to_contain_text("rtm")
    page.get_by_role("link", name="All changes").click()
    page.get_by_label("Column that changes").select_option("region")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(table.get_by_role("rowheader")).to_have_count(2)
    assert _statuses() == {0: 4}
    assert steward.complaints == []


@with_and_without_scripts
def test_a_steward_approves_ticked_rows_and_sends_the_rest_back(steward: Person, held: Batch) -> None:
    page = _open_review(steward)
    page.get_by_role("row", name="ams").get_by_role("checkbox").check()
    page.get_by_role("button", name="Approve …").click()
    page.get_by_label("Comment").fill("Checked with the branch.")
    page.get_by_role("button", name="Approve 1 row").click()
    expect(page.locator(".messagelist")).to_contain_text("merges the approved rows")
    work_off(clock.now())
    assert _statuses() == {1: 1, 3: 3}
    page.reload()
    page.get_by_role("button", name="Send back …").click()
    page.get_by_role("button", name="Send back 3 rows").click()
    expect(page.locator(".form-row.errors")).to_contain_text("Say what is to be mended.")
    page.get_by_label("Comment").fill("Which region?")
    page.get_by_role("button", name="Send back 3 rows").click()
    expect(page.get_by_role("table", name="What was decided")).to_contain_text("Which region?")
    assert _statuses() == {1: 1, 2: 3}
    assert steward.complaints == []


@looks_at_pages
def test_the_pages_have_no_serious_fault_on_any_screen(steward: Person, held: Batch) -> None:
    _stage("stg_branch", [("ams", "15", None, "eu")])
    configuration = held.entity.configuration
    kept = keep_preview(held.entity, made_by="anna", now=clock.now())
    keep_preview(held.entity, held_by=held, made_by="anna", now=clock.now())
    one, found = f"scheduling/schedulerconfiguration/{configuration.pk}", list[str]()
    pages = {
        "ask": f"{one}/rows-preview/",
        "preview": f"{one}/rows-preview/?kept={kept.pk}",
        "list": f"{one}/held/",
        "held": f"{one}/held/?batch={held.pk}",
        "start": "",
        "batch": f"staging/batch/{held.pk}/change/",
        "entity": f"staging/entity/{held.entity_id}/change/",
        "batches": "staging/batch/?status=held",
        "configuration": f"{one}/change/",
    }
    for name, path in pages.items():
        steward.visit(path)
        found += faults(steward, name)
        if name == "held":
            steward.page.get_by_role("button", name="Discard …").click()
            found += faults(steward, "decide")
    assert found == []


def _open_preview(somebody: Person) -> Page:
    """Go to the preview as a person does, from the entity."""
    somebody.visit("staging/entity/")
    somebody.page.get_by_role("link", name="branch", exact=True).click()
    somebody.page.get_by_role("link", name="Preview", exact=True).click()
    somebody.page.get_by_role("button", name="Show what would happen").click()
    return somebody.page


def _open_review(somebody: Person) -> Page:
    """Go to the held batch as a person does, from the start page."""
    somebody.visit("")
    somebody.page.get_by_role("link", name="Review them").click()
    somebody.page.locator("#result_list th a, #result_list td a").first.click()
    somebody.page.get_by_role("link", name="Review it").click()
    somebody.page.get_by_role("button", name="Show every change").click()
    return somebody.page
