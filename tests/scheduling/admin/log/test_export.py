"""Promises of the log as a file: what the filter shows, whole, guarded, and told by the log itself."""

import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils.translation import override

from scheduling import clock
from scheduling.admin.log import export
from scheduling.lifecycle import events
from scheduling.models import SchedulerLog
from tests.scheduling.admin.conftest import client_of, make_configuration, make_event, make_limited

pytestmark = pytest.mark.django_db
EXPORT = "admin:scheduling_schedulerlog_export"


def rows_of(client, **params) -> list[dict[str, str]]:
    response = client.post(reverse(EXPORT, query=params))
    assert response.status_code == 200 and response.headers["Content-Type"].startswith("text/csv")
    text = b"".join(response.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def test_the_file_holds_every_event_of_the_filter_newest_first_over_many_pages(operator, monkeypatch):
    monkeypatch.setattr(export, "_ROWS_AT_ONCE", 7)
    now = clock.now()
    made = [make_event(event_time=now - timedelta(minutes=age), event_type="skipped") for age in range(40)]
    make_event(event_time=now, event_type="fired")
    make_event(event_time=now - timedelta(days=8), event_type="skipped")
    found = rows_of(operator, event_type="skipped")
    assert [int(row["event"]) for row in found] == [event.pk for event in made]


def test_formulas_are_guarded(operator):
    make_event(event_time=clock.now(), message='=HYPERLINK("http://evil")', trigger_source="+1+1")
    (row,) = rows_of(operator)
    assert row["message"] == '\'=HYPERLINK("http://evil")' and row["started by"] == "'+1+1"


def test_the_log_tells_who_took_what(operator):
    rows_of(operator, reason="overlap", period="30d")
    told = SchedulerLog.objects.get(event_type="exported")
    assert told.starter == "person" and told.trigger_source == "operator"
    assert told.message == (
        "The log was downloaded by operator: Period: last 30 days, Held back because: the run before has not ended."
    )
    with override("nl"):
        events.say_again([told])
    assert "Periode: laatste 30 dagen" in told.message, "whoever reads it in Dutch"


def test_a_person_of_some_entities_takes_away_only_what_is_theirs():
    for code in ("customer", "branch"):
        make_event(event_time=clock.now(), entity=make_configuration(code).entity, message=f"Of {code}.")
    make_event(event_time=clock.now(), message="Of nobody.")
    client = client_of(make_limited("Operator", "customer"))
    assert [row["message"] for row in rows_of(client)] == ["Of customer."]


def test_viewers_are_not_offered_the_file(viewer, operator):
    page = reverse("admin:scheduling_schedulerlog_changelist")
    assert "Download as CSV" not in viewer.get(page).content.decode()
    assert "Download as CSV" in operator.get(page).content.decode()
    assert viewer.post(reverse(EXPORT)).status_code == 403
    assert operator.get(reverse(EXPORT)).status_code == 405
