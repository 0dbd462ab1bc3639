"""Promises of the scheduler log page."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from scheduling import clock
from scheduling.models import SchedulerLog
from scheduling.states import EventType
from tests.scheduling.admin.conftest import make_configuration, make_event

pytestmark = pytest.mark.django_db
LIST = "admin:scheduling_schedulerlog_changelist"


def text_of(client, **params) -> str:
    response = client.get(reverse(LIST), params)
    assert response.status_code == 200
    return response.content.decode()


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


def test_the_page_stays_under_five_queries_whatever_the_size_of_the_log(superuser):
    many_events(60)
    few = queries_of(superuser)
    many_events(3000)
    many = queries_of(superuser)
    assert len(few) == len(many) < 5, many
    assert not any("COUNT(" in sql.upper() for sql in many)


@pytest.mark.parametrize("params", [{"q": "due"}, {"q": "due", "period": "24h"}, {"event_type": "skipped"},
                                    {"entity": "customer"}, {"at": "2026-01-31"}, {"period": "all"}])  # fmt: skip
def test_filters_and_search_cost_no_further_query(superuser, params):
    assert len(queries_of(superuser, **params)) < 5


@pytest.mark.postgresql
def test_a_search_that_takes_too_long_says_so_instead_of_hanging(superuser, monkeypatch):
    many_events(10)

    def slow(events, *args, **kwargs):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(5)")

    monkeypatch.setattr("scheduling.admin.monitoring.log.read_page", slow)
    assert "That search took too long" in text_of(superuser, q="due", period="all")


def test_a_viewer_pays_two_more_queries_for_permissions_only(viewer):
    many_events(60)
    found = queries_of(viewer)
    assert len(found) <= 6, found
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
    assert event_type in badge(event_type) and 'aria-hidden="true"' in badge(event_type)


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


@pytest.mark.parametrize("details", [{}, [], None, "text", {"gates": []}, json.loads('{"gates": null}')])
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
