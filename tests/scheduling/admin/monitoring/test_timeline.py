"""Promises of the timeline: everything that did or should have done something has a lane, and every bar leads on."""

import re
from datetime import timedelta

import pytest
from django.test import RequestFactory

from scheduling import clock
from scheduling.admin.monitoring.home import Home
from scheduling.models import Job, JobSchedule, Plan, Run
from staging.models import Batch, Entity
from tests.scheduling.admin.conftest import (
    client_for,
    client_of,
    make_configuration,
    make_event,
    make_limited,
    make_user,
)

pytestmark = pytest.mark.django_db


def home_of(person, now, span="24h"):
    request = RequestFactory().get("/admin/", {"span": span})
    request.user, request.session = person, {}
    return Home(request, now)


def timeline_of(person, now, span="24h"):
    return home_of(person, now, span).timeline


def test_entities_plans_and_jobs_have_a_lane_each_with_their_bars_ticks_and_next_runs():
    now, person = clock.now(), make_user("superuser")
    entity = make_configuration("customer", processing_mode="scheduled", schedule_type="daily", run_times="06:00",
                                next_scheduled_run=now + timedelta(hours=2)).entity  # fmt: skip
    at = now - timedelta(hours=5)
    good = Batch.objects.create(entity=entity, status="completed", created_at=at, started_at=at, finished_at=at)
    bad = Batch.objects.create(entity=entity, status="failed", created_at=at - timedelta(hours=3), rejected=7,
                               finished_at=at - timedelta(hours=2))  # fmt: skip
    plan = Plan.objects.create(name="Nightly")
    run = Run.objects.create(kind="plan", title="Plan Nightly", fire_key="a", created_at=at)
    job = Job.objects.create(name="Report", path="x.y", source="x.py:1")
    JobSchedule.objects.create(job=job, name="Daily", schedule_type="daily", run_times="07:00",
                               next_scheduled_run=now - timedelta(hours=1))  # fmt: skip
    missed = make_event(event_time=at, event_type="missed", plan=plan)
    skipped = make_event(event_time=at - timedelta(hours=6), event_type="skipped", job=job)
    found = timeline_of(person, now)
    assert [row.name for row in found.rows] == ["Customer", "Job Report", "Plan Nightly"]
    customer, report, nightly = found.rows
    assert {state: number for number, state in customer.counts} == {"completed": 1, "failed": 1}
    assert customer.rejected == 7 and customer.next_at == now + timedelta(hours=2) and not customer.is_overdue
    assert report.is_overdue and {state: number for number, state in report.counts} == {"skipped": 1}
    assert {state: number for number, state in nightly.counts} == {"pending": 1, "missed": 1}
    bars = [{(bar.mark, bar.url) for bar in lane.bars} for lane in found.drawing.lanes]
    assert ("bar-completed", f"/admin/staging/batch/{good.pk}/change/") in bars[0]
    assert ("bar-failed", f"/admin/staging/batch/{bad.pk}/change/") in bars[0]
    assert "bar-next" in {mark for mark, _ in bars[0]}
    assert bars[1] == {("bar-skipped", f"/admin/scheduling/schedulerlog/{skipped.pk}/change/")}
    assert bars[2] == {("bar-running", f"/admin/scheduling/run/{run.pk}/change/"),
                       ("bar-missed", f"/admin/scheduling/schedulerlog/{missed.pk}/change/")}  # fmt: skip


@pytest.mark.parametrize(
    ("span", "hours", "shown"),
    [("6h", 5, True), ("6h", 7, False), ("24h", 23, True), ("24h", 25, False), ("7d", 160, True), ("x", 25, False)],
)
def test_a_period_shows_what_lies_in_it(span, hours, shown):
    now = clock.now()
    entity = Entity.objects.create(code="customer", name="Customer")
    at = now - timedelta(hours=hours)
    Batch.objects.create(entity=entity, status="completed", created_at=at, finished_at=at)
    assert bool(timeline_of(make_user("superuser"), now, span).rows) is shown


def test_a_big_installation_stays_small_with_trouble_first_and_all_bars_leading_on(superuser):
    now = clock.now()
    entities = Entity.objects.bulk_create(
        Entity(code=f"e_{number}", name=f"Entity {number:03}") for number in range(90)
    )
    Batch.objects.bulk_create(
        Batch(entity=entity, status="failed" if entity.name == "Entity 089" and not hour else "completed",
              created_at=now - timedelta(hours=hour), finished_at=now - timedelta(hours=hour))
        for entity in entities for hour in range(24)
    )  # fmt: skip
    response = superuser.get("/admin/")
    found = response.context["scheduler"].home.timeline
    assert found.rows[0].name == "Entity 089" and len(found.rows) == 40 and found.left_out == 50
    bars = [bar for lane in found.drawing.lanes for bar in lane.bars]
    assert len(bars) <= 450 and all(bar.url for bar in bars)
    assert len(response.content) < 300_000
    assert superuser.get(bars[0].url).status_code == 200


def test_a_person_of_some_entities_sees_their_lanes_alone():
    now = clock.now()
    for code in ("customer", "branch"):
        Batch.objects.create(entity=make_configuration(code).entity, status="completed", created_at=now,
                             finished_at=now)  # fmt: skip
    Run.objects.create(kind="job", title="Secret", fire_key="a", created_at=now)
    page = client_of(make_limited("Viewer", "customer")).get("/admin/")
    assert [row.name for row in page.context["scheduler"].home.timeline.rows] == ["Customer"]
    assert "Secret" not in page.content.decode() and "Branch" not in page.content.decode()


def test_the_live_part_is_the_same_alone(viewer):
    part = viewer.get("/admin/scheduling/schedulerconfiguration/home/", {"span": "7d"}).content.decode()
    assert re.match(r'<div data-fresh="\d\d:\d\d:\d\d">', part.strip()), "when it was looked at, in the reader's zone"
    assert "<html" not in part and 'id="card-failed"' in part
    assert 'href="/admin/?span=7d" aria-current="page"' in part
    assert (
        'data-poll="/admin/scheduling/schedulerconfiguration/home/?span=7d"'
        in viewer.get("/admin/", {"span": "7d"}).content.decode()
    )
    assert client_for("nobody").get("/admin/scheduling/schedulerconfiguration/home/").status_code == 403


def test_the_next_attempt_of_a_failed_run_is_among_the_next_runs_once():
    """Beside the next slot of its plan, on one lane; not while its plan rests, when nothing would begin it."""
    now, person = clock.now(), make_user("superuser")
    run = Run.objects.create(
        kind="plan", title="Plan Nightly", fire_key="a", status="failed", created_at=now - timedelta(hours=1),
        finished_at=now, next_attempt_at=now + timedelta(minutes=20),
    )  # fmt: skip
    slot = now + timedelta(hours=2)
    plan = Plan.objects.create(
        name="Nightly", schedule_type="daily", run_times="06:00", timezone="UTC", next_scheduled_run=slot,
        is_running=True, run_started_at=now, running_run=run,
    )  # fmt: skip
    found = home_of(person, now)
    assert [(one.planned.name, one.planned.at, one.url, one.sentence) for one in found.next_runs] == [
        ("Plan Nightly", run.next_attempt_at, f"/admin/scheduling/run/{run.pk}/change/",
         f"The next attempt of run {run.pk}"),
        ("Plan Nightly", slot, f"/admin/scheduling/plan/{plan.pk}/change/", "Every day at 06:00, UTC"),
    ]  # fmt: skip
    (lane,) = found.timeline.rows
    assert lane.next_at == run.next_attempt_at and lane.next_url == f"/admin/scheduling/run/{run.pk}/change/"
    assert [card.number for card in found.cards if card.name == "live"] == [1]
    viewer = client_for("Viewer").get("/admin/").content.decode()
    assert f"The next attempt of run {run.pk}" in viewer
    Run.objects.update(started_by="scheduler")
    Plan.objects.update(is_enabled=False)
    assert home_of(person, now).next_runs == []


def test_a_bar_of_several_batches_opens_the_log_with_all_that_they_told():
    """The log tells of an end a moment after it; of equal bars the first may end last."""
    now, client = clock.now(), client_for("Viewer")
    entity = make_configuration("customer").entity
    for minutes, lasts in ((40, 30), (39, 1)):
        began = now - timedelta(minutes=minutes)
        ended = began + timedelta(minutes=lasts)
        Batch.objects.create(entity=entity, status="completed", created_at=began, started_at=began, finished_at=ended)
        make_event(entity=entity, event_type="completed", event_time=ended + timedelta(seconds=1))
    (lane,) = home_of(make_user("superuser"), now, "7d").timeline.drawing.lanes
    (together,) = lane.bars
    assert client.get(together.url).content.decode().count('<td data-label="Event">') == 2


def test_ordered_work_and_several_plans_lead_to_their_events():
    now, client = clock.now(), client_for("Viewer")
    for kind, title in (("ordered", "Month end"), ("plan", "Plans Daily, Nightly")):
        run = Run.objects.create(kind=kind, title=title, fire_key=title, status="completed", created_at=now,
                                 finished_at=now)  # fmt: skip
        make_event(event_time=now, run_id=run.pk, message=f"{title} completed: 2 tasks.")
    make_event(event_time=now, message="Something else")
    rows = home_of(make_user("superuser"), now).timeline.rows
    assert [row.name for row in rows] == ["Month end", "Plans Daily, Nightly"]
    for row in rows:
        page = client.get(row.log_url).content.decode()
        assert f"{row.name} completed: 2 tasks." in page and "Something else" not in page
