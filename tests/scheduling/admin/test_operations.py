"""Promises of queues, retention and signs of life in the admin."""

import pytest
from django.contrib.admin.models import LogEntry

from scheduling import clock
from scheduling.models import Heartbeat, Queue, RetentionPolicy
from scheduling.runs.start import start_batch_now
from tests.scheduling.admin.conftest import make_configuration

pytestmark = pytest.mark.django_db


def test_an_administrator_changes_how_many_tasks_of_a_queue_run(administrator):
    queue = Queue.objects.get_or_create(name="default")[0]
    url = f"/admin/scheduling/queue/{queue.pk}/change/"
    assert administrator.post(url, {"max_running": "0"}).status_code == 200
    assert administrator.post(url, {"max_running": "9"}).status_code == 302
    queue.refresh_from_db()
    assert queue.max_running == 9 and LogEntry.objects.count() == 1


def test_the_queue_list_counts_what_waits(viewer):
    start_batch_now(make_configuration("customer"), started_by="x", now=clock.now())
    page = viewer.get("/admin/scheduling/queue/").content.decode()
    assert 'field-waiting">1<' in page and 'field-running">0<' in page


def test_the_retention_list_leads_to_its_one_form_which_saves(administrator):
    response = administrator.get("/admin/scheduling/retentionpolicy/", follow=True)
    assert response.redirect_chain[-1][0] == "/admin/scheduling/retentionpolicy/1/change/"
    assert 'value="30"' in response.content.decode()
    values = {"log_days": "14", "processed_rows_days": "3", "runs_days": "60"}
    assert administrator.post("/admin/scheduling/retentionpolicy/1/change/", values).status_code == 302
    assert RetentionPolicy.current().log_days == 14 and RetentionPolicy.objects.count() == 1
    values["log_days"] = "0"
    assert administrator.post("/admin/scheduling/retentionpolicy/1/change/", values).status_code == 200
    assert RetentionPolicy.current().log_days == 14


def test_signs_of_life_are_listed_with_their_age(viewer):
    Heartbeat.objects.create(name="worker-1", kind="worker", started_at=clock.now(), seen_at=clock.now())
    page = viewer.get("/admin/scheduling/heartbeat/").content.decode()
    assert "worker-1" in page and "s ago" in page
