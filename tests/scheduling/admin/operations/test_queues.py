"""Promises of the pages of queues: what runs and waits, the maximum changed alone, the pause with its reason."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling import clock
from scheduling.admin.operations import queues
from scheduling.models import Queue, SchedulerLog, Task
from scheduling.queues import claim_next
from scheduling.runs.by_hand import start_batch_now
from tests.scheduling.admin.conftest import make_configuration
from tests.scheduling.runs.pieces import item, start

pytestmark = pytest.mark.django_db
LIST = "/admin/scheduling/queue/"


@pytest.fixture
def queue():
    """The default queue: one task runs, one waits for a worker, one for its next attempt."""
    now = clock.now()
    run = start(item("first"), item("second"), item("later"), now=now - timedelta(minutes=5))
    Task.objects.filter(run=run, key="later").update(next_attempt_at=now + timedelta(hours=1))
    claim_next(worker="host:7", now=now)
    return Queue.objects.get()


def url(queue, page="change") -> str:
    return f"{LIST}{queue.pk}/{page}/"


def test_the_list_counts_what_waits(viewer):
    start_batch_now(make_configuration("customer"), started_by="x", now=clock.now())
    page = viewer.get(LIST).content.decode()
    assert '"Waiting" class="number">1<' in page and '"Running" class="number">0 of 4<' in page and "open" in page


def test_the_list_tells_the_oldest_wait_and_the_pause_and_costs_the_same_for_many(viewer, queue):
    with CaptureQueriesContext(connection) as one:
        assert "5 min ago" in viewer.get(LIST).content.decode()
    for number in range(5):
        Queue.objects.create(name=f"q{number}", paused_at=clock.now(), paused_by="ann", pause_reason="Audit <1>")
    with CaptureQueriesContext(connection) as many:
        page = viewer.get(LIST).content.decode()
    assert len(one) == len(many) <= 9 and page.count("Audit &lt;1&gt;") == 5


def test_the_page_shows_what_runs_and_what_is_in_line(viewer, queue):
    page = viewer.get(url(queue)).content.decode()
    for expected in ("1 of 4", "host:7", 'id="running"', 'id="line"', "5 min ago"):
        assert expected in page
    assert page.index("first") < page.index("second") and ">later<" not in page
    assert viewer.get(url(queue)).context["counts"]["put_off"] == 1
    assert "Waiting for their next attempt or look" in page, "a wait that looks later is counted there, too"


def test_an_administrator_changes_how_many_tasks_of_a_queue_run(administrator):
    queue = Queue.objects.get_or_create(name="default")[0]
    assert administrator.post(url(queue), {"max_running": "0"}).status_code == 200
    assert administrator.post(url(queue), {"max_running": "9"}).status_code == 302
    queue.refresh_from_db()
    assert queue.max_running == 9 and LogEntry.objects.count() == 1


def test_changing_the_maximum_writes_over_nothing_that_happened_meanwhile_and_wakes_workers(
    administrator, queue, monkeypatch
):
    woken = []
    monkeypatch.setattr(queues, "wake_lines_after_commit", lambda queued, now: woken.append(queued))
    original = queues.QueueAdmin.save_model

    def pause_first(self, request, obj, form, change):
        Queue.objects.update(turn=4711, paused_at=clock.now(), paused_by="ben")
        original(self, request, obj, form, change)

    monkeypatch.setattr(queues.QueueAdmin, "save_model", pause_first)
    administrator.post(url(queue), {"max_running": "6"})
    queue.refresh_from_db()
    assert (queue.max_running, queue.turn, queue.paused_by) == (6, 4711, "ben")
    administrator.post(url(queue), {"max_running": "2"})
    assert woken == [{queue.pk: 2}], "only new places wake workers"


def test_an_operator_pauses_with_a_reason_and_resumes(operator, queue):
    assert "Say why" in operator.post(url(queue, "pause"), {"pause_reason": " "}).content.decode()
    answer = operator.post(url(queue, "pause"), {"pause_reason": "Disk <full>"}, follow=True).content.decode()
    assert "is paused: none of its tasks starts" in answer and "Disk &lt;full&gt;" in answer
    assert claim_next(worker="w", now=clock.now()) is None
    again = operator.post(url(queue, "pause"), {"pause_reason": "Twice"}, follow=True).content.decode()
    assert "was paused already" in again
    assert "goes on" in operator.post(url(queue, "resume"), follow=True).content.decode()
    assert "was not paused" in operator.post(url(queue, "resume"), follow=True).content.decode()
    assert claim_next(worker="w", now=clock.now()) is not None
    assert set(SchedulerLog.objects.values_list("event_type", flat=True)) >= {"paused", "resumed"}
    assert LogEntry.objects.count() == 2


def test_a_viewer_sees_no_button(viewer, queue):
    page = viewer.get(url(queue)).content.decode()
    assert "/pause/" not in page and 'name="max_running"' not in page
