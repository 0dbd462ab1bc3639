"""Promises of the forecast page: the same as a drawing and as a table, what does not run too, at a cost that holds."""

import re
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling import clock
from scheduling.models import BlackoutCalendar, BlackoutPeriod, Job, JobSchedule, Queue, Run, SchedulerConfiguration
from scheduling.schedules.pause import pause, pause_everything
from tests.scheduling.admin.conftest import make_configuration

pytestmark = pytest.mark.django_db
URL = "/admin/scheduling/schedulerconfiguration/forecast/"
NASTY = "<script>alert('x')</script>"
SVG = "{http://www.w3.org/2000/svg}"


def every(code: str = "customer", minutes: int = 60, **settings) -> SchedulerConfiguration:
    now = clock.now()
    first = now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    usual = {
        "processing_mode": "scheduled", "schedule_type": "interval", "interval_minutes": minutes, "timezone": "UTC",
        "armed_from": now, "next_scheduled_run": first,
    }  # fmt: skip
    return make_configuration(code, **{**usual, **settings})


def look(client, **params) -> str:
    response = client.get(URL, params)
    assert response.status_code == 200
    return response.content.decode()


def rows(page: str) -> list[str]:
    return re.findall(r'<tr class="slot">.*?</tr>', page, re.DOTALL)


def lines(page: str) -> list[str]:
    """Return the lines of the page: one for each owner of slots."""
    return re.findall(r"<li><details.*?</details></li>", page, re.DOTALL)


def part(page: str, name: str) -> str:
    """Return a folded part of the page."""
    return page.split(f'id="{name}"')[1].split("</details>")[0]


def drawing(page: str) -> ElementTree.Element:
    """Return the drawing, which is well-formed whatever people call their things."""
    return ElementTree.fromstring(re.search(r"<svg role=.*?</svg>", page, re.DOTALL)[0])


def dark_tomorrow(**fields) -> BlackoutCalendar:
    calendar = BlackoutCalendar.objects.create(name="Holidays", **fields)
    tomorrow = clock.now().date() + timedelta(days=1)
    BlackoutPeriod.objects.create(calendar=calendar, kind="days", first_day=tomorrow)
    return calendar


def test_a_job_with_several_schedules_tells_all_of_them(superuser):
    job, now = Job.objects.create(name="Report", path="x.report", source="code"), clock.now()
    for hours in (1, 2):
        settings = {"schedule_type": "interval", "interval_minutes": 60 * hours}
        JobSchedule.objects.create(job=job, name=f"S{hours}", armed_from=now, next_scheduled_run=now, **settings)
    (line,) = lines(look(superuser))
    told = line.split("</summary>")[1]
    assert "Every hour" in told and "Every 2 hours" in told


def test_what_the_drawing_shows_is_counted_as_what_it_is(superuser):
    every()
    assert re.search(r"\d+ runs of 1 entity; ", drawing(look(superuser)).get("aria-label"))
    job, now = Job.objects.create(name="Report", path="x.report", source="code"), clock.now()
    hourly = {"schedule_type": "interval", "interval_minutes": 60}
    JobSchedule.objects.create(job=job, name="S", armed_from=now, next_scheduled_run=now, **hourly)
    assert re.search(r"\d+ runs of 2 entities, plans and jobs; ", drawing(look(superuser)).get("aria-label"))


def test_a_day_ahead_is_drawn_and_listed_slot_by_slot(viewer):
    configuration = every()
    started = clock.now() - timedelta(days=1)
    Run.objects.create(kind="batch", entity=configuration.entity, fire_key="x", status="completed", created_at=started,
                       started_at=started, finished_at=started + timedelta(minutes=4))  # fmt: skip
    page = look(viewer)
    assert 23 <= len(rows(page)) <= 24
    assert all("fires</span>" in row for row in rows(page))
    (line,) = lines(page)
    assert "4 min" in line and ">Customer</a>" in line and "<strong>Customer</strong>" in line
    svg = drawing(page)
    assert svg.get("role") == "img" and svg.get("aria-label").startswith("Timeline: 2")
    marks = [box for box in svg.iter(f"{SVG}rect") if box.get("class") == "bar-fires"]
    assert len(marks) == len(rows(page)) and all(mark.get("x").endswith("%") for mark in marks)
    assert all("about 4 min" in mark.findtext(f"{SVG}title") for mark in marks)


def test_a_week_has_seven_times_as_many(viewer):
    every()
    assert 160 <= len(rows(look(viewer, span="7d"))) <= 168


def test_a_page_is_one_screen_of_lines_and_holds_few_slots_of_each(viewer):
    for number in range(15):
        every(f"entity_{number:02}", minutes=30)
    first = look(viewer, span="7d")
    assert len(lines(first)) == 12 and "page 1 of 2" in first and len(rows(first)) == 168
    assert "more slots; ask for this one alone" in lines(first)[0] and len(first) < 180_000
    assert len(lines(look(viewer, span="7d", page="2"))) == 3
    alone = look(viewer, entity="entity_03", span="7d")
    assert len(rows(alone)) == 168 and "<li><details open>" in alone


def test_what_a_blackout_holds_or_moves_is_told_with_its_reason(viewer):
    every("held_one", calendar=dark_tomorrow())
    every("rolled_one", calendar=BlackoutCalendar.objects.create(name="Roll", policy="roll"))
    BlackoutPeriod.objects.create(
        calendar=BlackoutCalendar.objects.get(name="Roll"),
        kind="days",
        first_day=clock.now().date() + timedelta(days=1),
    )
    found = {re.search(r"<strong>(.*?)</strong>", line)[1]: line for line in lines(look(viewer, span="7d"))}
    assert any("held</span>" in row and "blackout" in row.lower() for row in rows(found["Held one"]))
    assert "blackout" in found["Held one"].split("</summary>")[0].lower(), "what holds it stands on its line"
    assert any("rolled</span>" in row for row in rows(found["Rolled one"]))
    page = look(viewer, span="7d")
    marks = {box.get("class") for box in drawing(page).iter(f"{SVG}rect")}
    assert {"bar-held", "bar-rolled", "bar-fires"} <= marks
    assert "do not run" in page


def test_entities_that_wait_for_data_are_listed_apart(viewer):
    make_configuration("customer", processing_mode="triggered", trigger_row_threshold=500)
    paused = make_configuration("branch", processing_mode="triggered", trigger_on_new_rows=True)
    pause(paused, by="ann", reason=f"Audit {NASTY}", now=clock.now())
    page = look(viewer)
    assert "No slot comes in this time" in page and NASTY not in page
    waiting = part(page, "when-data-arrives")
    assert "When 500 rows wait" in waiting and "Paused by ann" in waiting and "When new rows arrive" in waiting


def test_more_at_once_than_the_queue_lets_run_is_told(viewer):
    Queue.objects.update(max_running=1)
    every("alpha"), every("bravo")
    page = look(viewer)
    load = part(page, "load")
    assert re.search(r'data-label="Most at once" class="number">2<', load) and "waiting</span>" in load
    assert "load-over" in page and 'class="limit"' in page


def test_quiet_times_are_listed_and_drawn(viewer):
    every(minutes=720)
    page = look(viewer)
    assert part(page, "quiet").count("<li>") >= 2
    assert any(box.get("class") == "quiet" for box in drawing(page).iter(f"{SVG}rect"))


def test_everything_paused_and_a_schedule_that_cannot_be_read_are_said(viewer):
    every("broken", schedule_type="daily", run_times="nonsense")
    assert "this schedule cannot be read" in look(viewer)
    pause_everything(by="ann", reason="Audit", now=clock.now())
    assert "Everything is paused by ann" in look(viewer)


def test_one_entity_is_looked_at_alone_by_code_or_name(viewer):
    every("alpha"), every("bravo")
    assert all("Alpha" in line for line in lines(look(viewer, entity="alp"))) and rows(look(viewer, entity="ALPHA"))
    assert rows(look(viewer, entity="nothing")) == [] and "“nothing”" in look(viewer, entity="nothing")
    assert NASTY not in look(viewer, entity=NASTY)


@pytest.mark.parametrize("params", [{"span": "century"}, {"page": "x"}, {"page": "999"}, {"entity": "x" * 500}])
def test_a_question_that_is_none_is_no_traceback(viewer, params):
    every()
    look(viewer, **params)


def test_names_in_the_drawing_are_text(viewer):
    configuration = every()
    configuration.entity.name = f"A & B {NASTY}"
    configuration.entity.save()
    page = look(viewer)
    assert NASTY not in page
    assert any(NASTY in (label.text or "") for label in drawing(page).iter(f"{SVG}text"))


def test_the_cost_does_not_grow_with_the_number_of_schedules(superuser):
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            look(superuser)
        return len(captured)

    calendar = dark_tomorrow()
    for number in range(2):
        every(f"entity_{number}", calendar=calendar)
    few = queries()
    for number in range(2, 20):
        every(f"entity_{number}", calendar=calendar)
        make_configuration(f"waiting_{number}", processing_mode="triggered", trigger_row_threshold=5)
    assert queries() == few <= 10


def test_many_schedules_are_drawn_up_to_a_number_that_can_be_read(viewer):
    for number in range(63):
        every(f"entity_{number}", minutes=720)
    page = look(viewer)
    assert "23 more are in the list only" in page
    assert len([label for label in drawing(page).iter(f"{SVG}text") if label.get("class") == "lane-label"]) == 41


def test_an_empty_installation_has_a_forecast_too(viewer):
    page = look(viewer)
    assert "No slot comes in this time" in page and "No entity waits for data." in page


def test_the_start_page_leads_to_it(viewer):
    every()
    assert URL in viewer.get("/admin/").content.decode()
