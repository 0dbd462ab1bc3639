"""Promise: the log shows many events on one screen, follows what happens, says when it stops, and works without."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from scheduling import clock
from scheduling.models import SavedFilter
from tests.browser.pictured_world import give_signs_of_life
from tests.browser.screens import faults, looks_at_pages
from tests.scheduling.admin.conftest import make_event

SENTENCES = {
    "fired": "Batch started. Due since Fri 2026-11-20 12:00:00 UTC.",
    "completed": "35 inserted, 7 updated, 2 rejected.",
    "skipped": "Batch 812 is already running since Fri 2026-11-20 11:59:00 UTC.",
    "error": "The table stg_customer cannot be read.",
}
_ON_SCREEN = """[...document.querySelectorAll("#log tbody tr")].filter(
    row => row.getBoundingClientRect().bottom <= window.innerHeight).length"""


def fill(entity) -> None:
    """A log of many kinds, as it is in a working installation."""
    give_signs_of_life()
    kinds = list(SENTENCES)
    for number in range(120):
        kind = kinds[number % 4]
        make_event(
            event_time=clock.now() - timedelta(minutes=number), event_type=kind, message=SENTENCES[kind],
            entity=entity if number % 3 else None, trigger_source="" if kind == "skipped" else "Backfill by annemarie",
            reason="overlap" if kind == "skipped" else None, rows_queued=1200, duration_ms=12_400,
            run_id=800 + number, batch_id=900 + number,
        )  # fmt: skip


@looks_at_pages
def test_a_screen_holds_nineteen_events_and_no_page_has_a_fault(steward, customer):
    fill(customer.entity)
    for width in (1360, 1440):
        steward.page.set_viewport_size({"width": width, "height": 900})
        steward.visit("scheduling/schedulerlog/")
        assert steward.page.evaluate(_ON_SCREEN) >= 19
    found = faults(steward, "log filled")
    steward.visit("scheduling/schedulerlog/?reason=overlap&each=yes")
    found += faults(steward, "log of one reason")
    steward.page.click("text=Save this filter")
    steward.page.fill("#id_filter_name", "Overlaps")
    steward.page.click(".save-filter button")
    expect(steward.page.locator(".chips [aria-current]")).to_have_text("Overlaps")
    steward.page.click("text=Manage")
    assert found + faults(steward, "saved filters") == []


def test_the_newest_page_follows_pauses_and_says_when_it_stopped(steward, customer):
    page, words = steward.page, steward.page.locator("#live-words")
    steward.page.clock.install()
    steward.visit("scheduling/schedulerlog/")
    make_event(event_time=clock.now(), message="Just now.")
    page.clock.run_for(5_000)
    expect(page.locator("#log")).to_contain_text("Just now.")
    expect(words).to_contain_text("Live: looked at")
    page.click("#live-pause")
    make_event(event_time=clock.now(), message="While paused.")
    page.clock.run_for(20_000)
    expect(words).to_have_text("Live view paused")
    assert "While paused." not in page.locator("#log").inner_text()
    page.click("#live-pause")
    page.clock.run_for(5_000)
    expect(page.locator("#log")).to_contain_text("While paused.")
    Session.objects.all().delete()
    page.clock.run_for(5_000)
    expect(words).to_contain_text("you are signed out")
    expect(page.locator("#live-pause")).to_be_hidden()
    assert steward.complaints == []


@pytest.mark.parametrize("person", [{"java_script_enabled": False}], indirect=True)
def test_without_scripts_it_is_a_page_with_filters_that_are_saved_and_a_file(steward, customer):
    page = steward.page
    fill(customer.entity)
    steward.visit("scheduling/schedulerlog/")
    expect(page.locator("#live")).to_be_hidden()
    page.select_option("[name=event_type]", "error")
    page.click("text=Show")
    expect(page.locator("#log tbody tr")).to_have_count(30)
    page.click("text=Save this filter")
    page.fill("#id_filter_name", "Errors")
    page.check("[name=is_shared]")
    page.click(".save-filter button")
    expect(page.locator(".messagelist")).to_contain_text("was saved")
    assert SavedFilter.objects.get().is_shared
    with page.expect_download() as download:
        page.click("text=Download as CSV")
    assert len(download.value.path().read_text(encoding="utf-8-sig").splitlines()) == 31
