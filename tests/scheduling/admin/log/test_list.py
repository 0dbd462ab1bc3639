"""Promises of the scheduler log page."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from scheduling import clock
from scheduling.admin.keyset import Position
from scheduling.models import Job, JobSchedule, PersonalChoices, Plan, SchedulerLog
from scheduling.states import EventType
from tests.scheduling.admin.conftest import client_of, make_configuration, make_event, make_user

pytestmark = pytest.mark.django_db
LIST = "admin:scheduling_schedulerlog_changelist"


def text_of(client, **params) -> str:
    response = client.get(reverse(LIST), params)
    assert response.status_code == 200
    return response.content.decode()


def viewer_in(zone: str) -> Client:
    """Return a viewer who chose this zone before signing in."""
    person = make_user("Viewer")
    PersonalChoices.objects.create(person=person, timezone=zone)
    return client_of(person)


def queries_of(client, **params) -> list[str]:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        text_of(client, **params)
    return [query["sql"] for query in captured]


def many_events(number: int) -> None:
    now = clock.now()
    SchedulerLog.objects.bulk_create(
        SchedulerLog(event_time=now - timedelta(seconds=index), event_type="skipped", message="Not due yet.")
        for index in range(number)
    )


def test_the_page_stays_under_eight_queries_whatever_the_size_of_the_log(superuser):
    many_events(60)
    few = queries_of(superuser)
    many_events(3000)
    many = queries_of(superuser)
    assert len(few) == len(many) < 8, many
    assert not any("COUNT(" in sql.upper() for sql in many)


@pytest.mark.parametrize("params", [{"q": "due"}, {"q": "due", "period": "24h"}, {"event_type": "skipped"},
                                    {"entity": "customer"}, {"at": "2026-01-31"}, {"period": "all"}])  # fmt: skip
def test_filters_and_search_cost_no_further_query(superuser, params):
    found = [sql for sql in queries_of(superuser, **params) if "SAVEPOINT" not in sql and "SET LOCAL" not in sql]
    assert len(found) < 8, found


@pytest.mark.postgresql
def test_a_search_that_takes_too_long_says_so_instead_of_hanging(superuser, monkeypatch):
    many_events(10)

    def slow(events, *args, **kwargs):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(5)")

    monkeypatch.setattr("scheduling.admin.log.lines.read_page", slow)
    assert "That search took too long" in text_of(superuser, q="due", period="all")


def test_a_viewer_pays_two_more_queries_for_permissions_only(viewer):
    many_events(60)
    found = queries_of(viewer)
    assert len(found) <= 9, found
    assert sum("scheduling_schedulerlog" in sql for sql in found) == 1


@pytest.mark.parametrize("params", [{}, {"event_type": "error"}, {"entity": "customer"}, {"period": "all"}])
def test_the_list_walks_an_index_and_sorts_nothing(superuser, params):
    configuration = make_configuration("customer")
    many_events(4000)
    SchedulerLog.objects.filter(pk__in=SchedulerLog.objects.values("pk")[:200]).update(entity=configuration.entity)
    sql = next(sql for sql in queries_of(superuser, **params) if "scheduling_schedulerlog" in sql)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ANALYZE scheduling_schedulerlog")
            cursor.execute(f"EXPLAIN {sql}")
        else:
            cursor.execute("ANALYZE")
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        plan = "\n".join(str(row) for row in cursor.fetchall())
    assert "log_by_" in plan, plan
    assert "Seq Scan on scheduling_schedulerlog" not in plan and "SCAN scheduling_schedulerlog\n" not in plan, plan
    assert "TEMP B-TREE" not in plan, plan


def test_an_event_shows_its_word_message_rows_duration_and_links(viewer):
    configuration = make_configuration("customer")
    make_event(
        event_time=clock.now(), entity=configuration.entity, event_type="completed", trigger_source="Schedule",
        message="12 rows merged.", rows_queued=1200, duration_ms=12_400, run_id=7, batch_id=9,
    )  # fmt: skip
    page = text_of(viewer)
    for expected in ("completed", "Customer", "Schedule", "12 rows merged.", "1,200", "12.4 s", "run 7", "batch 9"):
        assert expected in page


@pytest.mark.parametrize("event_type", EventType.values)
def test_every_event_type_has_a_word_a_sign_and_a_colour(event_type):
    from scheduling.formatters import BADGES, badge

    assert event_type in BADGES
    words = {"zombie": "worker lost"}.get(event_type, event_type)
    assert words in badge(event_type) and 'aria-hidden="true"' in badge(event_type)


def test_messages_are_escaped(viewer):
    make_event(event_time=clock.now(), message="<script>alert(1)</script>")
    assert "<script>alert(1)" not in text_of(viewer)


def test_the_default_period_is_seven_days(viewer):
    make_event(event_time=clock.now() - timedelta(days=6), message="Six days old.")
    make_event(event_time=clock.now() - timedelta(days=8), message="Eight days old.")
    page = text_of(viewer)
    assert "Six days old." in page and "Eight days old." not in page
    assert "Eight days old." in text_of(viewer, period="30d")


@pytest.mark.parametrize(("period", "age", "shown"), [
    ("1h", timedelta(minutes=50), True), ("1h", timedelta(minutes=70), False),
    ("24h", timedelta(hours=23), True), ("24h", timedelta(hours=25), False),
    ("30d", timedelta(days=29), True), ("30d", timedelta(days=31), False),
    ("all", timedelta(days=900), True),
])  # fmt: skip
def test_a_period_shows_what_lies_in_it(viewer, period, age, shown):
    make_event(event_time=clock.now() - age, message="Found me.")
    assert ("Found me." in text_of(viewer, period=period)) is shown


def test_filters_and_search_narrow_together(viewer):
    customer, branch = make_configuration("customer"), make_configuration("branch")
    for entity, event_type, message in [
        (customer.entity, "error", "Disk is full"), (customer.entity, "fired", "Disk is fine"),
        (branch.entity, "error", "disk of branch"),
    ]:  # fmt: skip
        make_event(event_time=clock.now(), entity=entity, event_type=event_type, message=message)
    page = text_of(viewer, entity="CUSTOMER", event_type="error", q="disk")
    assert "Disk is full" in page and "Disk is fine" not in page and "disk of branch" not in page


def test_jumping_to_a_day_shows_that_day_first(viewer):
    now = clock.now()
    make_event(event_time=now, message="Today.")
    make_event(event_time=now - timedelta(days=40), message="Forty days ago.")
    page = text_of(viewer, at=f"{now - timedelta(days=40):%Y-%m-%d}")
    assert "Forty days ago." in page and "Today." not in page
    assert f"at={now - timedelta(days=39):%Y-%m-%d}" in page


@pytest.mark.parametrize("params", [
    {"period": "nonsense"}, {"event_type": "nonsense"}, {"at": "31-31-31"}, {"at": "9999-12-31"}, {"older": "x"},
    {"entity": "does_not_exist"}, {"unknown_parameter": "1"}, {"q": "\x00"}, {"event_time__gte": "x"},
])  # fmt: skip
def test_a_mangled_address_still_gives_a_page(viewer, params):
    make_event(event_time=clock.now())
    text_of(viewer, **params)


def test_an_empty_log_says_what_to_do(viewer):
    assert "Look at 30 days" in text_of(viewer)


def test_pager_links_keep_the_filters(viewer):
    many_events(120)
    page = text_of(viewer, event_type="skipped", q="due")
    assert "event_type=skipped" in page and "older=" in page and "q=due" in page


def test_the_detail_shows_every_gate(viewer):
    gates = [{"gate": "trigger:row_threshold", "passed": False, "value": "312", "limit": "500", "text": "312 of 500."}]
    event = make_event(details={"gates": gates, "note": "x"})
    page = viewer.get(reverse("admin:scheduling_schedulerlog_change", args=[event.pk])).content.decode()
    for expected in ("Trigger: row threshold", "not passed", "312 of 500.", "500"):
        assert expected in page


@pytest.mark.parametrize(
    "gates", [[], None, 5, "text", {"gate": "mode"}, ["mode", None], [{}], [{"gate": 5, "said": 5}]]
)
@pytest.mark.parametrize("zone", ["", "Asia/Tokyo"])
def test_gates_of_any_shape_give_a_page(gates, zone):
    event = make_event(details={"gates": gates})
    assert viewer_in(zone).get(reverse("admin:scheduling_schedulerlog_change", args=[event.pk])).status_code == 200


@pytest.mark.parametrize("details", [{}, [], None, "text", {"said": None}, {"said": {"say": 5}}])
def test_details_of_any_shape_give_a_page(viewer, details):
    event = make_event(details=details if details is not None else {})
    assert viewer.get(reverse("admin:scheduling_schedulerlog_change", args=[event.pk])).status_code == 200


def test_an_event_that_retention_deleted_leads_back_to_the_list(viewer):
    response = viewer.get(reverse("admin:scheduling_schedulerlog_change", args=[999]), follow=True)
    assert "There is no log event 999" in response.content.decode()


@pytest.mark.parametrize("verb", ["change", "delete", "history"])
def test_nobody_writes_the_log_not_even_a_superuser(superuser, verb):
    event = make_event()
    url = reverse(f"admin:scheduling_schedulerlog_{verb}", args=[event.pk])
    superuser.post(url, {"post": "yes", "message": "changed", "event_type": "error"})
    assert SchedulerLog.objects.get(pk=event.pk).message == ""


def test_nobody_adds_to_the_log(superuser):
    assert superuser.post(reverse("admin:scheduling_schedulerlog_add"), {"message": "x"}).status_code == 403
    assert not SchedulerLog.objects.exists()


@pytest.mark.parametrize(("params", "found"), [
    ({"reason": "overlap"}, "Overlap."), ({"starter": "person"}, "By ann."), ({"plan": "PLAN"}, "Of the plan."),
    ({"job": "JOB"}, "Of the job."), ({"entity": "plan Nightly"}, "Of the plan."), ({"entity": "customer"}, "Overlap."),
])  # fmt: skip
def test_each_filter_finds_its_events_and_no_others(viewer, params, found):
    plan, job = Plan.objects.create(name="Nightly"), Job.objects.create(name="Report", path="x.y", source="x.py:1")
    entity, now = make_configuration("customer").entity, clock.now()
    make_event(event_time=now, event_type="skipped", reason="overlap", message="Overlap.", entity=entity)
    make_event(event_time=now, starter="person", message="By ann.")
    make_event(event_time=now, plan=plan, message="Of the plan.")
    make_event(event_time=now, job=job, message="Of the job.")
    keys = {"PLAN": str(plan.pk), "JOB": str(job.pk)}
    page = text_of(viewer, **{name: keys.get(value, value) for name, value in params.items()})
    messages = {"Overlap.", "By ann.", "Of the plan.", "Of the job."}
    assert {each for each in messages if each in page} == {found}


def test_equal_skips_are_one_line_with_their_count_and_first_moment(viewer):
    entity, now = make_configuration("customer").entity, clock.now()
    for age in range(7):
        make_event(event_time=now - timedelta(minutes=age), event_type="skipped", reason="overlap", entity=entity,
                   message=f"Batch runs for {age} min.")  # fmt: skip
    page = text_of(viewer)
    assert page.count("<tr>") == 2 and "7 times since" in page and (now - timedelta(minutes=6)).isoformat() in page
    assert text_of(viewer, each="yes").count("<tr>") == 8


def test_whoever_follows_the_log_gets_its_lines_and_nothing_else(viewer):
    make_event(event_time=clock.now(), message="Newest.", event_type="error")
    page = text_of(viewer)
    assert 'data-poll="?period=7d&amp;lines=only"' in page
    lines = text_of(viewer, lines="only", event_type="error")
    assert re.match(r'<div data-fresh="\d\d:\d\d:\d\d">', lines) and "Newest." in lines and "<html" not in lines
    assert "lines=only" not in lines


def test_the_time_of_the_last_look_is_in_the_zone_of_the_reader(monkeypatch):
    """A browser may not know that zone, and its own clock may be wrong: the server says the time."""
    viewer = viewer_in("Asia/Kolkata")
    at = clock.now().replace(hour=0, minute=0, second=7, microsecond=0)
    monkeypatch.setattr(clock, "now", lambda: at)
    assert text_of(viewer, lines="only").startswith('<div data-fresh="05:30:07">')


@pytest.mark.parametrize("params", [{"older": "5-5"}, {"newer": "0-0"}, {"at": "2026-01-31"}])
def test_only_the_newest_page_is_live(viewer, params):
    assert "data-poll" not in text_of(viewer, **params)


def test_the_oldest_page_is_one_click_away(viewer):
    many_events(120)
    page = text_of(viewer, each="yes")
    assert "newer=0-0" in page
    oldest = text_of(viewer, each="yes", newer="0-0")
    assert ">Newer<" in oldest and ">Older<" not in oldest and oldest.count("<tr>") == 51


@pytest.mark.parametrize("params", [{"reason": "overlap"}, {"starter": "person"}, {"plan": "1"}, {"job": "1"}])
def test_each_further_filter_walks_an_index_of_its_own(superuser, params):
    many_events(3000)
    plan = Plan.objects.create(pk=1, name="Nightly")
    job = Job.objects.create(pk=1, name="Report", path="x.y", source="x.py:1")
    few = SchedulerLog.objects.filter(pk__in=list(SchedulerLog.objects.values_list("pk", flat=True)[::100]))
    few.update(reason="overlap", starter="person", plan=plan, job=job)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE scheduling_schedulerlog" if connection.vendor == "postgresql" else "ANALYZE")
    sql = next(sql for sql in queries_of(superuser, **params) if 'FROM "scheduling_schedulerlog"' in sql)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {'' if connection.vendor == 'postgresql' else 'QUERY PLAN '}{sql}")
        plan_of = "\n".join(str(row) for row in cursor.fetchall())
    assert f"log_by_{next(iter(params))}" in plan_of, plan_of
    assert "TEMP B-TREE" not in plan_of, plan_of


def test_an_event_and_why_not_lead_to_each_other(viewer):
    configuration = make_configuration("customer", processing_mode="scheduled", schedule_type="interval",
                                       interval_minutes=60)  # fmt: skip
    event = make_event(event_time=clock.now(), event_type="skipped", reason="overlap", entity=configuration.entity)
    page = viewer.get(reverse("admin:scheduling_schedulerlog_change", args=[event.pk])).content.decode()
    why_not = reverse("admin:scheduling_schedulerconfiguration_why_not", args=[configuration.pk])
    assert why_not in page and f"older={Position(event.pk + 1, event.event_time)}" in page
    answer = viewer.get(why_not, {"period": "24h"}).content.decode()
    assert "entity=customer&amp;period=24h" in answer
    around = text_of(viewer, period="all", older=str(Position(event.pk + 1, event.event_time)))
    assert f"/schedulerlog/{event.pk}/change/" in around


def test_a_skip_of_a_job_leads_to_the_slots_of_its_only_schedule(viewer):
    job = Job.objects.create(name="Report", path="x.y", source="x.py:1")
    schedule = JobSchedule.objects.create(job=job, name="Daily", schedule_type="daily", run_times="07:00")
    make_event(event_time=clock.now(), event_type="skipped", reason="overlap", job=job)
    place = reverse("admin:scheduling_jobschedule_why_not", args=[schedule.pk])
    assert place in text_of(viewer)
    JobSchedule.objects.create(job=job, name="Weekly", schedule_type="daily", run_times="08:00")
    assert place not in text_of(viewer)
