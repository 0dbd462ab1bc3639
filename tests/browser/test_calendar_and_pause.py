"""Promise: a steward keeps a calendar, sees what it holds, pauses with a reason and learns why nothing ran."""

from datetime import timedelta

from playwright.sync_api import expect

from scheduling import clock
from scheduling.models import BlackoutCalendar, SchedulerConfiguration


def holidays(first, name: str) -> str:
    """Return an iCalendar file with two days off."""
    after = first + timedelta(days=2)
    lines = (
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", "BEGIN:VEVENT", "UID:1", "DTSTAMP:20260101T000000Z",
        f"DTSTART;VALUE=DATE:{first:%Y%m%d}", f"DTEND;VALUE=DATE:{after:%Y%m%d}", f"SUMMARY:{name}", "END:VEVENT",
        "END:VCALENDAR", "",
    )  # fmt: skip
    return "\r\n".join(lines)


def test_from_a_holiday_file_to_the_reason_for_which_nothing_ran(steward, customer, tmp_path):
    page, tomorrow = steward.page, clock.now().date() + timedelta(days=1)
    file = tmp_path / "holidays.ics"
    file.write_text(holidays(tomorrow, "Feast <b>of</b> lamps"), encoding="utf-8")

    page.click("text=Blackout calendars")
    page.click("a.addlink >> text=Add blackout calendar")
    page.fill("#id_name", "Public holidays")
    page.select_option("#id_timezone", "UTC")
    page.click("input[name=_continue]")
    expect(page.locator("#content")).to_contain_text("Nothing is dark in the next 400 days")
    page.click("text=Import holidays")
    page.set_input_files("#id_file", file)
    page.click("text=Show what it says")
    expect(page.locator("#drafts")).to_contain_text("Feast <b>of</b> lamps")
    assert not BlackoutCalendar.objects.get().periods.exists()
    page.click("button:has-text('Import 1 period')")
    expect(page.locator(".messagelist")).to_contain_text("1 period imported.")
    expect(page.locator("#content")).to_contain_text(f"{tomorrow:%a %Y-%m-%d} 00:00:00 UTC")

    steward.visit(f"scheduling/schedulerconfiguration/{customer.pk}/change/")
    page.check('input[name="processing_mode"][value="scheduled"]')
    page.select_option("#id_schedule_type", "daily")
    page.select_option("#id_timezone", "UTC")
    page.fill("#id_run_times", "12:00")
    if not page.locator("#id_calendar").is_visible():
        page.click("details:has(#id_calendar) summary")
    page.select_option("#id_calendar", label="Public holidays")
    page.click("input[name=_save]")
    expect(page.locator(".messagelist")).to_contain_text("was changed successfully")
    assert SchedulerConfiguration.objects.get().calendar == BlackoutCalendar.objects.get()

    steward.visit("")
    page.click("text=Forecast: everything that comes")
    page.select_option("#id_span", "7d")
    page.click("input[value=Show]")
    expect(page.locator(".coming .badge-warn >> nth=0")).to_have_text("‖ held")
    expect(page.locator(".coming")).to_contain_text("fires")
    assert page.locator("svg[role=img] rect.bar-held").count() >= 1

    steward.visit(f"scheduling/schedulerconfiguration/{customer.pk}/change/")
    page.click("text=Pause …")
    page.fill("#id_pause_reason", "Audit of the year")
    page.click("button:has-text('Pause')")
    expect(page.locator(".messagelist")).to_contain_text("Customer is paused.")
    page.click("text=Configurations")
    expect(page.locator("#result_list")).to_contain_text("by steward since")
    expect(page.locator("#result_list")).to_contain_text("Audit of the year")

    page.click('a[aria-label="Why not?: Customer"]')
    expect(page.locator(".answer")).to_contain_text("Would fire: No")
    expect(page.locator(".answer")).to_contain_text("Paused by steward")
    expect(page.locator("#slots")).to_contain_text("Nothing to do")
    steward.visit(f"scheduling/schedulerconfiguration/{customer.pk}/change/")
    page.click("button:has-text('Resume')")
    expect(page.locator(".messagelist")).to_contain_text("Customer goes on from now")
    assert SchedulerConfiguration.objects.get().paused_at is None
    assert steward.complaints == []
