"""What a task costs beside its work: few statements, no message along a chain, no thread before the first beat."""

import threading

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling import broker
from scheduling.models import Queue, Run, Task
from scheduling.runs.enqueue import enqueue_many, given
from scheduling.runs.execute import work_off_line
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import item, start, states

pytestmark = pytest.mark.django_db(transaction=True)


def cost(*items, key: str) -> int:
    """Work a run off as one worker; return the statements it took."""
    run = start(*items, key=key)
    first = Task.objects.filter(run=run).order_by("id")[0]
    with CaptureQueriesContext(connection) as queries:
        assert work_off_line(first.pk, worker="w", time=lambda: NOW) == len(items)
    assert set(states(run).values()) == {"completed"}
    return len(queries)


def chain(number: int) -> list:
    return [item(f"t{n}", f"t{n - 1}" if n else "") for n in range(number)]


def fan(number: int) -> list:
    return [*(item(f"t{n}") for n in range(number)), item("join", " ".join(f"t{n}" for n in range(number)))]


@pytest.mark.parametrize(("shape", "most"), [(chain, 14), (fan, 15)])
def test_each_task_more_costs_so_many_statements(shape, most):
    cost(*shape(2), key="warm")
    Queue.objects.update(max_running=8)
    assert (cost(*shape(30), key="long") - cost(*shape(10), key="short")) / 20 <= most


def test_each_enqueued_job_costs_so_many_statements(make_job):
    """With the run that each has for itself, which ends with it."""
    make_job("Tiny", body=lambda context: None)
    Queue.objects.update(max_running=8)

    def cost_of(number: int) -> int:
        runs = enqueue_many([given(make_job.function("Tiny"))] * number, now=NOW)
        with CaptureQueriesContext(connection) as queries:
            assert work_off_line(runs[0].tasks.get().pk, worker="w", time=lambda: NOW) == number
        assert set(Run.objects.values_list("status", flat=True)) == {"completed"}
        return len(queries)

    cost_of(2)  # what is built once
    assert (cost_of(30) - cost_of(10)) / 20 <= 22


def test_along_a_chain_no_message_is_sent_and_no_thread_is_started(settings, monkeypatch):
    sent: list[int] = []
    settings.CELERY_BROKER_URL = "redis://nowhere"
    monkeypatch.setattr(broker, "wake", lambda ids, celery_queue="": sent.extend(ids) or len(ids))
    began: list[str] = []
    real = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", lambda thread: (began.append(thread.name), real(thread)))
    cost(*chain(10), key="chain")
    assert len(sent) == 1 and [name for name in began if name.startswith("pulse")] == []
