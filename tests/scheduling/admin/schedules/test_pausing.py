"""Promises of pausing in the admin: who, why and until when, asked first, told everywhere, resumed by one button."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.utils.html import escape

from scheduling import clock
from scheduling.models import SchedulerConfiguration, SchedulerLog, SchedulerState
from scheduling.schedules.pause import pause, pause_everything
from tests.scheduling.admin.conftest import make_configuration

pytestmark = pytest.mark.django_db
LIST = "/admin/scheduling/schedulerconfiguration/"
NASTY = "<script>alert('x')</script>"


def daily(code: str = "customer", **settings) -> SchedulerConfiguration:
    usual = {
        "processing_mode": "scheduled", "schedule_type": "daily", "run_times": "06:00",
        "timezone": "Europe/Amsterdam", "next_scheduled_run": clock.now(), "armed_from": clock.now(),
    }  # fmt: skip
    return make_configuration(code, **{**usual, **settings})


def address(configuration, page: str) -> str:
    return f"{LIST}{configuration.pk}/{page}/"


def text_of(response) -> str:
    return response.content.decode()


def test_pausing_asks_for_a_reason_first_and_changes_nothing_by_looking(operator):
    configuration = daily()
    page = text_of(operator.get(address(configuration, "pause")))
    assert "Pause Customer?" in page and "Until (Europe/Amsterdam)" in page
    for empty in ("", "   "):
        page = text_of(operator.post(address(configuration, "pause"), {"pause_reason": empty}))
        assert "Say why, so that others know." in page
    configuration.refresh_from_db()
    assert configuration.paused_at is None and not LogEntry.objects.exists()


def test_a_pause_is_told_on_the_list_on_its_page_in_the_log_and_in_the_history(operator, viewer):
    configuration = daily()
    url = address(configuration, "pause")
    page = text_of(operator.post(url, {"pause_reason": "Audit", "paused_until": "2090-06-15T09:00"}, follow=True))
    assert "Customer is paused." in page
    configuration.refresh_from_db()
    assert (configuration.paused_by, configuration.pause_reason) == ("operator", "Audit")
    assert configuration.paused_until == datetime(2090, 6, 15, 7, tzinfo=UTC), "09:00 in the schedule's zone"
    for path in (LIST, address(configuration, "change")):
        page = text_of(viewer.get(path))
        assert "by operator since" in page and "Thu 2090-06-15 09:00:00 Europe/Amsterdam" in page and ": Audit" in page
    assert SchedulerLog.objects.get().event_type == "paused"
    assert LogEntry.objects.get().get_change_message() == "Changed Paused: Audit."


@pytest.mark.parametrize(("until", "message"), [
    ("2020-01-01T00:00", "The end of a pause lies in the future"), ("soon", "Write a day and a time"),
    ("2026-13-45T99:99", "Write a day and a time"), ("0001-01-01T00:00", "Write a day and a time"),
    ("9999-12-31T23:59", "Write a day and a time"),
])  # fmt: skip
def test_an_end_that_is_none_is_told_at_its_field(operator, until, message):
    configuration = daily()
    response = operator.post(address(configuration, "pause"), {"pause_reason": "Audit", "paused_until": until})
    configuration.refresh_from_db()
    assert message in text_of(response) and escape(until) in text_of(response)
    assert configuration.paused_at is None


def test_an_end_in_the_hour_the_clocks_skip_is_the_first_moment_after_it(operator):
    configuration = daily()
    operator.post(address(configuration, "pause"), {"pause_reason": "Audit", "paused_until": "2031-03-30T02:30"})
    configuration.refresh_from_db()
    assert configuration.paused_until == datetime(2031, 3, 30, 1, tzinfo=UTC)


def test_the_second_pause_does_not_overwrite_the_first(operator):
    configuration = daily()
    pause(configuration, by="ann", reason="Audit", now=clock.now())
    page = text_of(operator.post(address(configuration, "pause"), {"pause_reason": "Mine"}, follow=True))
    assert "was paused already" in page
    configuration.refresh_from_db()
    assert (configuration.paused_by, configuration.pause_reason) == ("ann", "Audit")


def test_resuming_goes_on_from_now_and_twice_is_no_fault(operator):
    configuration = daily()
    pause(configuration, by="ann", reason="Audit", now=clock.now())
    page = text_of(operator.post(address(configuration, "resume"), follow=True))
    assert "Customer goes on from now" in page
    configuration.refresh_from_db()
    assert configuration.paused_at is None and configuration.next_scheduled_run > clock.now()
    assert "Customer was not paused." in text_of(operator.post(address(configuration, "resume"), follow=True))


def test_a_schedule_that_cannot_be_read_stays_paused_and_says_so(operator):
    configuration = daily()
    pause(configuration, by="ann", reason="Audit", now=clock.now())
    SchedulerConfiguration.objects.update(run_times="nonsense")
    page = text_of(operator.post(address(configuration, "resume"), follow=True))
    assert "stays paused" in page
    configuration.refresh_from_db()
    assert configuration.paused_at is not None


def test_several_are_paused_with_one_reason_and_resumed_together(operator):
    both = [daily("alpha"), daily("bravo")]
    pause(both[0], by="ann", reason="Audit", now=clock.now())
    chosen = {"_selected_action": [str(one.pk) for one in both], "index": "0"}
    asked = text_of(operator.post(LIST, {"action": "pause_selected", **chosen}))
    assert "Pause 2 entities?" in asked and "Nothing happens: it is paused already" in asked
    assert SchedulerConfiguration.objects.filter(paused_at__isnull=False).count() == 1
    again = text_of(operator.post(LIST, {"action": "pause_selected", "confirmed": "yes", **chosen}))
    assert "Say why" in again and "/chosen/" in again
    fields = {"action": "pause_selected", "confirmed": "yes", "pause_reason": "Month end", **chosen}
    page = text_of(operator.post(LIST, fields, follow=True))
    assert "Paused: Bravo." in page and "Nothing had to be done for Alpha." in page
    assert list(SchedulerConfiguration.objects.values_list("pause_reason", flat=True)) == ["Audit", "Month end"]
    asked = text_of(operator.post(LIST, {"action": "resume_selected", **chosen}))
    assert "Resume 2 entities?" in asked and "Alpha, Bravo" in asked
    page = text_of(operator.post(LIST, {"action": "resume_selected", "confirmed": "yes", **chosen}, follow=True))
    assert "On from now: Alpha, Bravo." in page


def test_an_end_for_several_zones_is_read_in_the_zone_of_the_site(operator):
    both = [daily("alpha"), daily("bravo")]
    SchedulerConfiguration.objects.filter(pk=both[0].pk).update(timezone="Asia/Tokyo")
    chosen = {"_selected_action": [str(one.pk) for one in both], "index": "0"}
    assert "Until (UTC)" in text_of(operator.post(LIST, {"action": "pause_selected", **chosen}))


def test_everything_paused_is_told_on_every_page_and_in_a_test_run(operator, viewer):
    configuration = daily()
    page = text_of(operator.post(f"{LIST}pause-everything/", {"pause_reason": "Move of the house"}, follow=True))
    assert "Everything is paused." in page
    for path in ("/admin/", LIST, address(configuration, "change"), "/admin/scheduling/run/"):
        page = text_of(viewer.get(path))
        assert "Everything is paused: nothing starts by itself." in page and "Move of the house" in page
        assert "Resume everything" not in page, "a viewer has no such button"
    assert "Everything is paused by operator" in text_of(operator.get(address(configuration, "test-run")))
    page = text_of(operator.post(f"{LIST}resume-everything/", follow=True))
    assert "Everything goes on from now" in page and SchedulerState.objects.get().paused_at is None


def test_everything_resumes_although_one_schedule_cannot_be_read(operator):
    daily("alpha", run_times="nonsense"), daily("bravo")
    pause_everything(by="ann", reason="Audit", now=clock.now())
    assert "Everything goes on from now" in text_of(operator.post(f"{LIST}resume-everything/", follow=True))
    assert SchedulerConfiguration.objects.get(entity__code="bravo").next_scheduled_run > clock.now()


def test_pausing_everything_twice_names_who_was_first(operator):
    pause_everything(by="ann", reason="Audit", now=clock.now())
    page = text_of(operator.post(f"{LIST}pause-everything/", {"pause_reason": "Mine"}, follow=True))
    assert "paused already, by ann" in page and SchedulerState.objects.get().pause_reason == "Audit"
    page = text_of(operator.post(f"{LIST}pause-everything/", {"pause_reason": "x", "paused_until": "2001-01-01T01:01"}))
    assert "lies in the future" in page


def test_the_start_page_offers_the_pause_to_those_who_may(operator, viewer):
    daily()
    assert "pause-everything" in text_of(operator.get("/admin/"))
    assert "pause-everything" not in text_of(viewer.get("/admin/"))


def test_a_single_pause_stands_among_the_conditions_of_a_test_run(operator):
    configuration = daily()
    pause(configuration, by="ann", reason="Audit", until=clock.now() + timedelta(days=1), now=clock.now())
    page = text_of(operator.get(address(configuration, "test-run")))
    assert "Paused by ann since" in page and "Audit" in page


def test_a_reason_is_shown_as_text_wherever_it_stands(operator):
    configuration = daily()
    operator.post(address(configuration, "pause"), {"pause_reason": NASTY})
    operator.post(f"{LIST}pause-everything/", {"pause_reason": NASTY})
    paths = ["/admin/", LIST, *(address(configuration, page) for page in ("change", "test-run", "history"))]
    for path in paths:
        page = text_of(operator.get(path))
        assert NASTY not in page and "alert(" in page, path


@pytest.mark.parametrize("action", ["pause_selected", "resume_selected"])
def test_a_viewer_who_posts_the_action_changes_nothing(viewer, action):
    on, off = daily("alpha"), daily("bravo")
    pause(off, by="ann", reason="Audit", now=clock.now())
    before = list(SchedulerConfiguration.objects.order_by("pk").values())
    fields = {"action": action, "confirmed": "yes", "pause_reason": "Mine", "index": "0", "select_across": "1"}
    viewer.post(LIST, {**fields, "_selected_action": [str(on.pk), str(off.pk)]})
    assert list(SchedulerConfiguration.objects.order_by("pk").values()) == before


@pytest.mark.parametrize(("choice", "found"), [("yes", {"Alpha"}), ("no", {"Bravo"}), ("x", {"Alpha", "Bravo"})])
def test_the_list_filters_by_what_is_paused(viewer, choice, found):
    pause(daily("alpha"), by="ann", reason="Audit", now=clock.now())
    daily("bravo")
    table = text_of(viewer.get(f"{LIST}?paused={choice}")).split('id="result_list"')[1]
    assert {name for name in ("Alpha", "Bravo") if f">{name}<" in table} == found
