"""Promise: the start page answers on one screen, stays fresh, and shows times as its reader wants them."""

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from scheduling import clock
from scheduling.models import PersonalChoices, Run, SchedulerConfiguration
from staging.models import Batch
from tests.browser.screens import faults, looks_at_pages
from tests.scheduling.admin.conftest import make_event


def fill(customer) -> None:
    """An entity that worked, failed, was held back, is overdue and rejected rows."""
    now, entity = clock.now(), customer.entity
    for hours, status in ((20, "completed"), (9, "failed"), (2, "completed")):
        at = now - timedelta(hours=hours)
        Batch.objects.create(entity=entity, status=status, created_at=at, rejected=hours,
                             finished_at=at + timedelta(minutes=20))  # fmt: skip
    Batch.objects.create(entity=entity, status="held", created_at=now)
    Run.objects.create(kind="batch", entity=entity, fire_key="f", status="failed", created_at=now, finished_at=now)
    make_event(event_time=now - timedelta(hours=4), event_type="skipped", reason="overlap", entity=entity)
    SchedulerConfiguration.objects.filter(pk=customer.pk).update(
        processing_mode="scheduled", schedule_type="daily", run_times="06:00",
        next_scheduled_run=now - timedelta(minutes=20),
    )  # fmt: skip


@looks_at_pages
def test_the_start_page_and_its_lists_have_no_fault(steward, customer):
    steward.visit("")
    found = faults(steward, "first steps")
    fill(customer)
    steward.visit("")
    steward.page.click("text=The same as a table")
    found += faults(steward, "start page filled")
    for name in ("overdue", "paused", "rejected", "times"):
        steward.visit(f"scheduling/schedulerconfiguration/{name}/")
        found += faults(steward, name)
    assert found == []


def test_the_start_page_follows_what_happens_and_every_number_and_bar_leads_on(steward, customer):
    page = steward.page
    page.clock.install()
    steward.visit("")
    expect(page.locator("#card-held .figure")).to_have_text("0")
    fill(customer)
    page.clock.run_for(30_000)
    expect(page.locator("#card-held .figure")).to_have_text("1")
    expect(page.locator("#live-words")).to_contain_text("Live: looked at")
    page.click("#card-overdue a")
    expect(page.locator("#attention")).to_contain_text("Customer")
    page.go_back()
    page.locator(".lately a .bar-failed").first.click()
    expect(page.locator("h1")).to_contain_text("atch")
    assert "/staging/batch/" in page.url and steward.complaints == []


@pytest.mark.parametrize("person", [{"timezone_id": "Asia/Tokyo"}], indirect=True)
def test_times_are_those_of_the_browser_until_one_click_and_zones_are_searched(steward, customer):
    page = steward.page
    assert PersonalChoices.objects.get().timezone == "Asia/Tokyo"
    event = make_event(entity=customer.entity)
    path = f"scheduling/schedulerlog/{event.pk}/change/"
    steward.visit(path)
    expect(page.locator(".facts")).to_contain_text("2026-11-20 21:00:00")
    page.click(".times button:has-text('UTC')")
    expect(page.locator(".facts")).to_contain_text("2026-11-20 12:00:00")
    assert page.url.endswith(path)
    page.click(".person summary")
    page.click("text=Time zone")
    page.fill(".zone-search", "amster")
    assert page.input_value("#id_timezone") == "Europe/Amsterdam"
    page.check("text=my time")
    page.click("button:has-text('Save')")
    expect(page.locator(".facts")).to_contain_text("2026-11-20 13:00:00")
    assert steward.complaints == []


def test_what_was_opened_stays_open_while_the_page_is_kept_fresh(steward, customer):
    page = steward.page
    page.clock.install()
    fill(customer)
    steward.visit("")
    for held, is_open in ((2, True), (3, False)):
        page.click("text=The same as a table")
        page.click("h1")  # the focus leaves the table, and the page is kept fresh again
        Batch.objects.create(entity=customer.entity, status="held", created_at=clock.now())
        page.clock.run_for(30_000)
        expect(page.locator("#card-held .figure")).to_have_text(str(held))
        assert page.locator("#as-table").evaluate("drawer => drawer.open") is is_open
    assert steward.complaints == []
