"""Promises of the page «why did it not run?»: every slot, its state, its reason, its remedy, and the way further."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling import clock
from scheduling.models import Run, SchedulerConfiguration
from scheduling.schedules.pause import pause
from tests.scheduling.admin.conftest import make_configuration, make_event

pytestmark = pytest.mark.django_db
LOG = "/admin/scheduling/schedulerlog/"
NASTY = "<script>alert('x')</script>"


def every(minutes: int = 60, **settings) -> SchedulerConfiguration:
    now = clock.now()
    usual = {
        "processing_mode": "scheduled", "schedule_type": "interval", "interval_minutes": minutes, "timezone": "UTC",
        "armed_from": now - timedelta(days=90), "next_scheduled_run": now + timedelta(minutes=minutes),
    }  # fmt: skip
    return make_configuration("customer", **{**usual, **settings})


def look(client, configuration, **params) -> str:
    response = client.get(f"/admin/scheduling/schedulerconfiguration/{configuration.pk}/why-not/", params)
    assert response.status_code == 200
    return response.content.decode()


def rows(page: str) -> list[str]:
    table = re.search(r'<table class="sheet" id="slots">.*?</table>', page, re.DOTALL)
    return re.findall(r'<tr class="slot">.*?</tr>', table[0], re.DOTALL) if table else []


def hour(ago: int):
    return (clock.now() - timedelta(hours=ago)).replace(minute=0, second=0, microsecond=0)


def test_each_slot_has_its_state_reason_remedy_and_a_link(viewer):
    configuration = every()
    run = Run.objects.create(
        kind="batch", entity=configuration.entity, fire_key=f"configuration:{configuration.pk}:slot:x", status="failed",
        scheduled_for=hour(1), created_at=hour(1), finished_at=hour(1), error=f"Disk is full {NASTY}",
    )  # fmt: skip
    event = make_event(
        entity=configuration.entity, event_time=hour(2), event_type="skipped", message="Batch already running",
        details={"slot": hour(2).isoformat(), "gate": "overlap"},
    )  # fmt: skip
    page = look(viewer, configuration, period="24h")
    assert 24 <= len(rows(page)) <= 25
    fired = next(row for row in rows(page) if f"/run/{run.pk}/" in row)
    assert "Disk is full" in fired and "Open the run" in fired and NASTY not in page
    skipped = next(row for row in rows(page) if f"/schedulerlog/{event.pk}/" in row)
    assert "Batch already running" in skipped and "run less often" in skipped
    assert "Every 60 minutes" in page or "Every hour" in page


def test_what_people_start_alone_ran_nothing_by_itself_whatever_they_started(viewer):
    configuration = every(processing_mode="manual", next_scheduled_run=None, schedule_type="")
    Run.objects.create(kind="batch", entity=configuration.entity, status="completed", created_at=hour(1),
                       fire_key=f"configuration:{configuration.pk}:manual:x", finished_at=hour(1))  # fmt: skip
    page = look(viewer, configuration, period="24h")
    assert rows(page) == [] and "There was no slot in this period: nothing ran by itself." in page


def test_the_states_filter_what_is_shown(viewer):
    configuration = every()
    Run.objects.create(
        kind="batch", entity=configuration.entity, fire_key=f"configuration:{configuration.pk}:slot:x",
        status="completed", scheduled_for=hour(1), created_at=hour(1), finished_at=hour(1),
    )  # fmt: skip
    every_row = len(rows(look(viewer, configuration, period="24h")))
    assert len(rows(look(viewer, configuration, period="24h", state="fired"))) == 1
    assert len(rows(look(viewer, configuration, period="24h", state="none"))) == every_row - 1
    assert "No slot of this period is in that state" in look(viewer, configuration, period="24h", state="held")


def test_many_slots_come_in_pages_and_the_cost_does_not_grow_with_them(viewer):
    configuration = every(minutes=5)

    def queries(period: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            look(viewer, configuration, period=period)
        return len(captured)

    assert queries("24h") == queries("7d") <= 15
    first = look(viewer, configuration, period="24h")
    assert len(rows(first)) == 100 and "page 1 of 3" in first
    older = re.search(r'href="(\?[^"]+)" rel="next"', first)[1].replace("&amp;", "&")
    second = viewer.get(f"/admin/scheduling/schedulerconfiguration/{configuration.pk}/why-not/{older}").content.decode()
    assert len(rows(second)) == 100 and "page 2 of 3" in second and set(rows(first)).isdisjoint(rows(second))


def test_a_period_of_ones_own_is_read_in_the_zone_of_the_schedule(viewer):
    configuration = every(timezone="Asia/Tokyo")
    day = hour(48).date()
    page = look(viewer, configuration, since=f"{day}T09:00", until=f"{day}T11:00")
    assert [re.search(r">(?:<span>)?(\d{4}-\d\d-\d\d \d\d:\d\d)", row)[1][-5:] for row in rows(page)] == [
        "11:00", "10:00", "09:00",
    ]  # fmt: skip
    assert "From (Asia/Tokyo)" in page and f'value="{day}T09:00"' in page


@pytest.mark.parametrize(("params", "message"), [
    ({"since": "2026-02-01T00:00", "until": "2026-01-01T00:00"}, "The period ends before it starts"),
    ({"since": "yesterday"}, "Write a day and a time"), ({"period": "century"}, "Select a valid choice"),
    ({"state": "gone"}, "Select a valid choice"), ({"page": "x", "until": "\x00"}, "Write a day and a time"),
    ({"since": "1900-01-01T00:00", "until": "9900-01-01T00:00"}, "Only the last"),
])  # fmt: skip
def test_a_question_that_is_none_is_told_at_its_field(viewer, params, message):
    assert message in look(viewer, every(), **params)


def test_a_triggered_entity_shows_what_holds_at_this_moment(viewer):
    configuration = make_configuration("customer", processing_mode="triggered", trigger_row_threshold=5)
    page = look(viewer, configuration)
    assert "Trigger: row threshold" in page and "Would fire: No" in page and "it has no slots" in page
    assert "There was no slot in this period" in page


def test_a_pause_is_told_above_the_slots(viewer):
    configuration = every()
    pause(configuration, by="ann", reason=f"Audit {NASTY}", now=clock.now())
    page = look(viewer, configuration)
    assert "Customer is paused." in page and "by ann since" in page and NASTY not in page


def test_a_schedule_that_cannot_be_read_is_no_traceback(viewer):
    page = look(viewer, every(schedule_type="daily", run_times="nonsense"))
    assert "cannot be read" in page


@pytest.mark.parametrize("event_type", ["skipped", "held", "missed", "error"])
def test_a_log_row_that_raises_the_question_leads_to_the_slots_around_it(viewer, event_type):
    configuration = every()
    event = make_event(event_time=clock.now(), entity=configuration.entity, event_type=event_type)
    for path in (LOG, f"{LOG}{event.pk}/change/"):
        page = viewer.get(path).content.decode()
        way = re.search(rf"/admin/scheduling/schedulerconfiguration/{configuration.pk}/why-not/\?[^\"]+", page)
        assert way, path
        assert len(rows(viewer.get(way[0].replace("&amp;", "&")).content.decode())) >= 24


def test_a_log_row_that_raises_no_question_has_no_such_link(viewer):
    make_event(event_time=clock.now(), entity=every().entity, event_type="completed")
    make_event(event_time=clock.now(), event_type="error")
    assert "/why-not/" not in viewer.get(LOG).content.decode()


def test_the_way_leads_from_the_list_and_from_the_configuration(viewer):
    configuration = every()
    for path in ("", f"{configuration.pk}/change/"):
        page = viewer.get(f"/admin/scheduling/schedulerconfiguration/{path}").content.decode()
        assert f"/schedulerconfiguration/{configuration.pk}/why-not/" in page
