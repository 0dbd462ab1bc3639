"""Promise: no page has a serious fault of accessibility or a complaint in the console, in any theme, on any screen."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.db import connection

from scheduling import clock
from scheduling.models import (
    BlackoutCalendar,
    BlackoutPeriod,
    Heartbeat,
    Queue,
    Run,
    SchedulerConfiguration,
)
from scheduling.runs.by_hand import start_batch_now
from scheduling.schedules.pause import pause, pause_everything
from scheduling.states import EventType
from tests.browser.screens import faults, looks_at_pages, too_wide
from tests.scheduling.admin.conftest import make_configuration, make_event, make_user


@pytest.fixture
def others() -> Iterator[list[SchedulerConfiguration]]:
    """Two more entities; their tables go afterwards."""
    codes = ("branch", "region")
    yield [make_configuration(code) for code in codes]
    with connection.cursor() as cursor:
        for code in codes:
            cursor.execute(f"DROP TABLE stg_{code}")
            cursor.execute(f"DROP TABLE mdm_{code}")


def fill_the_pages(customer, others) -> dict[str, str]:
    """Make something to see on every page; return the pages by what they show."""
    now = clock.now()
    started = start_batch_now(customer, started_by="steward", now=now)
    gates = [{"gate": "enabled", "passed": True, "value": "yes", "limit": "yes", "text": "Enabled."},
             {"gate": "due", "passed": False, "value": "never", "limit": "a person", "text": "Not due."}]  # fmt: skip
    for event_type in EventType.values:
        event = make_event(
            event_time=now, entity=customer.entity, event_type=event_type, message="What happened.", rows_queued=1200,
            duration_ms=1200, run_id=started.run.pk, details={"gates": gates},
        )  # fmt: skip
    Run.objects.create(kind="batch", entity=customer.entity, fire_key="x", status="failed", error="Disk is full",
                       created_at=now, finished_at=now)  # fmt: skip
    SchedulerConfiguration.objects.filter(pk=customer.pk).update(
        processing_mode="scheduled", schedule_type="weekly", run_days="mon,fri", run_times="06:00,18:00",
        timezone="Europe/Amsterdam", next_scheduled_run=now + timedelta(hours=3), last_result="failed",
        consecutive_failures=2, backoff_until=now + timedelta(minutes=4),
    )  # fmt: skip
    calendar = BlackoutCalendar.objects.create(name="Holidays", timezone="Europe/Amsterdam")
    BlackoutPeriod.objects.create(calendar=calendar, kind="days", first_day=now.date() + timedelta(days=1))
    BlackoutPeriod.objects.create(calendar=calendar, kind="weekly", run_days="sat,sun", note="Weekend")
    busy, paused = others
    SchedulerConfiguration.objects.filter(pk=busy.pk).update(
        processing_mode="scheduled", schedule_type="interval", interval_minutes=60, calendar=calendar,
        next_scheduled_run=now, armed_from=now - timedelta(days=2),
    )  # fmt: skip
    pause(paused, by="ann", reason="Audit of the year", until=now + timedelta(days=1), now=now)
    pause_everything(by="ann", reason="Move of the house", until=now + timedelta(hours=4), now=now)
    Heartbeat.objects.create(name="w1", kind="worker", started_at=now, seen_at=now)
    configurations, calendars = "scheduling/schedulerconfiguration", "scheduling/blackoutcalendar"
    one = f"{configurations}/{customer.pk}"
    return {
        "start": "", "list": "scheduling/schedulerconfiguration/", "form": f"{one}/change/",
        "test run": f"{one}/test-run/", "process": f"{one}/process/", "history": f"{one}/history/",
        "pause": f"{one}/pause/", "paused": f"{configurations}/{paused.pk}/change/",
        "pause everything": f"{configurations}/pause-everything/", "forecast": f"{configurations}/forecast/",
        "forecast of a week": f"{configurations}/forecast/?span=7d", "why not": f"{configurations}/{busy.pk}/why-not/",
        "calendars": f"{calendars}/", "calendar": f"{calendars}/{calendar.pk}/change/",
        "new calendar": f"{calendars}/add/", "import": f"{calendars}/{calendar.pk}/import/",
        "log": "scheduling/schedulerlog/", "empty log": "scheduling/schedulerlog/?q=nothing",
        "event": f"scheduling/schedulerlog/{event.pk}/change/", "runs": "scheduling/run/",
        "run": f"scheduling/run/{started.run.pk}/change/", "workers": "scheduling/heartbeat/",
        "queues": "scheduling/queue/", "queue": f"scheduling/queue/{Queue.objects.get().pk}/change/",
        "retention": "scheduling/retentionpolicy/1/change/", "scheduling": "scheduling/",
        "help": f"{configurations}/help/", "help of plans": f"{configurations}/help/?page=plans",
        "help of operations": f"{configurations}/help/?page=operations",
    }  # fmt: skip


@looks_at_pages
def test_no_serious_fault_on_any_page(steward, customer, others):
    found = []
    for name, path in fill_the_pages(customer, others).items():
        steward.visit(path)
        found += faults(steward, name)
    assert found == []


@looks_at_pages
@pytest.mark.parametrize("person", [{"locale": "nl-NL"}], ids=["Dutch"], indirect=True)
def test_a_language_of_longer_words_fits_every_screen_too(steward, customer, others):
    found = []
    for name, path in fill_the_pages(customer, others).items():
        steward.visit(path)
        assert steward.page.locator("html").get_attribute("lang") == "nl"
        found += too_wide(steward, name)
    assert found == []


@looks_at_pages
def test_the_error_page_and_the_login_page_have_none_either(person, customer):
    make_user("Steward")
    person.visit("login/")
    assert faults(person, "sign in") == []
    person.log_in("steward")
    person.visit(f"scheduling/schedulerconfiguration/{customer.pk}/change/")
    person.page.check('input[name="processing_mode"][value="scheduled"]')
    person.page.click("input[name=_save]")
    person.page.wait_for_selector(".errors-at-a-glance")
    assert faults(person, "refused") == []


@looks_at_pages
def test_the_pages_of_accounts_and_groups_have_none(person, customer):
    superuser, group = make_user("superuser"), Group.objects.get(name="Steward")
    of_users, of_groups = "auth/user/", "auth/group/"
    calendar = BlackoutCalendar.objects.create(name="Holidays", timezone="Europe/Amsterdam")
    person.log_in("superuser")
    found = []
    for path in (
        "auth/", of_users, f"{of_users}add/", f"{of_users}{superuser.pk}/change/",
        f"{of_users}{superuser.pk}/password/", f"{of_users}{superuser.pk}/history/",
        f"{of_users}{superuser.pk}/delete/",
        of_groups, f"{of_groups}add/", f"{of_groups}{group.pk}/change/", f"{of_groups}{group.pk}/history/",
        f"{of_groups}{group.pk}/delete/", "password_change/", "scheduling/blackoutcalendar/add/",
        f"scheduling/blackoutcalendar/{calendar.pk}/change/",
        f"staging/businessrule/add/?entity={customer.entity_id}", "staging/",
    ):  # fmt: skip
        person.visit(path)
        found += faults(person, path)
    assert found == []


PLANTED = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Planted</title>
<style>{style}</style><main><h1>Planted</h1><p>A sentence.</p>{body}</main></html>"""


@looks_at_pages
@pytest.mark.parametrize(
    ("style", "body", "told"),
    [
        ("", "<img src='data:,'>", "light: image-alt"),
        ("p {color: #ddd}", "", "light: color-contrast"),
        ("@media (prefers-color-scheme: dark) {p {color: #ddd}}", "", "dark: color-contrast"),
        ("@media (max-width: 500px) {main {width: 600px}}", "", "phone: 218 px wider than the screen"),
        ("@media (max-width: 330px) {main {width: 600px}}", "", "320 px: "),
    ],
)
def test_what_is_planted_on_one_screen_is_found(person, style, body, told):
    person.page.set_content(PLANTED.format(style=style, body=body))
    assert f"planted, {told}" in " ".join(faults(person, "planted"))
