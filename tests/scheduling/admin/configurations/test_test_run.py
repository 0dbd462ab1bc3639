"""Promises of the Test run page: slots missed, held or late are told, and a pause or a blackout holds back."""

import html
import re
from datetime import timedelta

import pytest

from scheduling import clock
from scheduling.models import BlackoutCalendar, BlackoutPeriod, SchedulerConfiguration, SchedulerLog
from scheduling.schedules.pause import pause
from tests.scheduling.admin.conftest import make_configuration

pytestmark = pytest.mark.django_db


def hourly(hours_down: int, **settings) -> SchedulerConfiguration:
    """Return a schedule at which no scheduler has looked for so many hours."""
    first = clock.now().replace(minute=0, second=0, microsecond=0) - timedelta(hours=hours_down)
    return make_configuration(
        "customer", processing_mode="scheduled", schedule_type="interval", interval_minutes=60, timezone="UTC",
        next_scheduled_run=first, armed_from=first - timedelta(minutes=1), **settings,
    )  # fmt: skip


def look(client, configuration) -> str:
    response = client.get(f"/admin/scheduling/schedulerconfiguration/{configuration.pk}/test-run/")
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def dark_now() -> BlackoutCalendar:
    calendar = BlackoutCalendar.objects.create(name="Holidays")
    today = clock.now().date()
    day = timedelta(days=1)
    BlackoutPeriod.objects.create(calendar=calendar, kind="days", first_day=today - day, last_day=today + day)
    return calendar


def test_missed_slots_are_told_and_nothing_is_written(operator):
    configuration = hourly(5)
    page = look(operator, configuration)
    assert "slots missed while no scheduler ran" in page and "By the catch-up policy, dropped." in page
    configuration.refresh_from_db()
    assert configuration.next_scheduled_run < clock.now() and not SchedulerLog.objects.exists()


def test_a_slot_that_would_run_late_is_told(operator):
    page = look(operator, hourly(5, catch_up="all"))
    assert "would run late, by the catch-up policy" in page and "Would fire: Yes" in page


def test_held_slots_are_told_beside_the_condition(operator, dark_now):
    page = look(operator, hourly(5, calendar=dark_now))
    assert "slots held by a blackout" in page and "Would fire: No" in page
    assert "Blackout of Holidays until" in page and ">Holidays</dd>" in page


def test_a_triggered_entity_waits_for_the_end_of_the_blackout(operator, dark_now):
    configuration = make_configuration(
        "customer", processing_mode="triggered", trigger_row_threshold=1, calendar=dark_now
    )
    page = look(operator, configuration)
    assert "Blackout of Holidays until" in page and "held by a blackout" not in page


def test_a_pause_stands_among_the_conditions(operator):
    configuration = hourly(0)
    pause(configuration, by="ann", reason="Audit", now=clock.now())
    page = look(operator, configuration)
    assert "Paused by ann since" in page and ": Audit." in page


def test_unsaved_values_are_tried_with_their_calendar_and_catch_up(operator, dark_now):
    configuration = hourly(5)
    values = {
        "processing_mode": "triggered", "trigger_row_threshold": "1", "is_enabled": "on", "timezone": "UTC",
        "calendar": str(dark_now.pk),
    }  # fmt: skip
    url = f"/admin/scheduling/schedulerconfiguration/{configuration.pk}/test-run/"
    page = operator.post(url, values).content.decode()
    assert "They are not saved." in page and "Blackout of Holidays until" in page
    scheduled = {
        "processing_mode": "scheduled", "schedule_type": "interval", "interval_minutes": "60", "is_enabled": "on",
        "interval_anchor": "wall_clock", "dst_gap": "first_valid", "dst_overlap": "first", "timezone": "UTC",
        "catch_up": "all", "catch_up_limit": "3", "catch_up_window_minutes": "1440",
    }  # fmt: skip
    page = operator.post(url, scheduled).content.decode()
    assert "They are not saved." in page and "Next run not due yet" in page, "a change counts from now"
    assert SchedulerConfiguration.objects.get().calendar is None


@pytest.mark.parametrize("time", ["07:15, 18:00", "7 o'clock"])
def test_the_way_back_from_a_test_run_leads_to_the_form_with_the_values_typed(steward, time):
    """Also where they could not be tested; nothing of them is stored."""
    configuration = make_configuration("customer")
    url = f"/admin/scheduling/schedulerconfiguration/{configuration.pk}"
    values = {"processing_mode": "scheduled", "is_enabled": "on", "schedule_type": "daily", "run_times": time,
              "timezone": "Europe/Amsterdam", "catch_up": "none"}  # fmt: skip
    tested = steward.post(f"{url}/test-run/", {**values, "csrfmiddlewaretoken": "x"}).content.decode()
    back = html.unescape(tested.split("with these values")[0].split('href="')[-1].split('"')[0])
    assert back.startswith(f"{url}/change/?") and "csrf" not in back
    page = steward.get(back)
    assert "They are not saved yet" in page.content.decode() and "Started by people" not in page.content.decode()
    assert page.context["preview"]["sentence"] == (
        "" if "o'clock" in time else "Every day at 07:15 and 18:00, Europe/Amsterdam"
    )
    form = page.context["adminform"].form
    shown = {name: form[name].value() for name in values if name not in ("is_enabled",)}
    assert shown == {name: value for name, value in values.items() if name != "is_enabled"}
    configuration.refresh_from_db()
    assert (configuration.processing_mode, configuration.run_times) == ("manual", "")


def test_who_may_only_look_opens_no_form_with_values_of_an_address(viewer):
    configuration = make_configuration("customer")
    page = viewer.get(f"/admin/scheduling/schedulerconfiguration/{configuration.pk}/change/?typed=1&run_times=07:15")
    assert page.status_code == 200 and not {'"07:15"', ">07:15<"} & {*re.findall(r".07:15.", page.content.decode())}


DAILY = {"processing_mode": "scheduled", "is_enabled": "on", "schedule_type": "daily", "run_times": "07:15",
         "timezone": "Europe/Amsterdam", "catch_up": "none"}  # fmt: skip


def offered(page: str) -> dict[str, str]:
    """Return what the page of a test run would send to save the values; empty where it offers no such button."""
    if "Save these values" not in page:
        return {}
    return {name: html.unescape(value) for name, value in re.findall(r'type="hidden" name="(.+?)" value="(.*?)"', page)}


def test_tried_values_are_saved_from_the_page_of_the_test_run_by_the_form_itself(steward):
    configuration = make_configuration("customer")
    url = f"/admin/scheduling/schedulerconfiguration/{configuration.pk}"
    seen = steward.get(f"{url}/change/").context["adminform"].form["seen"].value()
    tested = steward.post(f"{url}/test-run/", {**DAILY, "seen": seen, "_test_run": "1", "change_reason": "a < b"})
    page = tested.content.decode()
    assert 'value="a &lt; b"' in page, "the reason that was given is asked for again, filled in"
    to_save = offered(page)
    assert {name: to_save[name] for name in DAILY} == DAILY and not {"_test_run", "change_reason"} & to_save.keys()
    saved = steward.post(f"{url}/change/", {**to_save, "_save": "1"})
    assert saved.status_code == 302
    configuration.refresh_from_db()
    assert (configuration.processing_mode, configuration.run_times) == ("scheduled", "07:15")
    again = steward.post(f"{url}/change/", {**to_save, "run_times": "08:15", "_save": "1"})
    assert "Somebody else changed" in again.content.decode(), "what was opened before the other save overwrites nothing"


def test_values_are_saved_from_a_test_run_by_those_who_may_change_them_and_when_they_hold(steward, operator):
    configuration = make_configuration("customer")
    url = f"/admin/scheduling/schedulerconfiguration/{configuration.pk}/test-run/"
    assert not offered(operator.post(url, DAILY).content.decode())
    assert not offered(steward.post(url, {**DAILY, "run_times": "noon"}).content.decode())
    assert not offered(steward.get(url).content.decode())
