"""Promises of the page of workers: who is alive, who is silent, and which attempt belongs to whom."""

import os
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling import clock, conf, tasks
from scheduling.models import Attempt, Heartbeat
from scheduling.queues import claim_next
from tests.scheduling.runs.pieces import item, start

pytestmark = pytest.mark.django_db
PAGE = "/admin/scheduling/heartbeat/"


def beat(name, kind="worker", ago=timedelta()):
    now = clock.now()
    return Heartbeat.objects.create(name=name, kind=kind, started_at=now - timedelta(days=1), seen_at=now - ago)


def found(client) -> dict[str, tuple[bool, list[str]]]:
    """Return for each worker whether it is alive and what it runs."""
    workers = client.get(PAGE).context["workers"]
    return {each.heartbeat.name: (each.is_alive, [one.task.key for one in each.attempts]) for each in workers}


def test_signs_of_life_are_listed_with_their_age(viewer):
    beat("worker-1")
    page = viewer.get(PAGE).content.decode()
    assert "worker-1" in page and "s ago" in page and "1 worker alive" in page


def test_silence_is_told(viewer):
    beat("old", ago=conf.worker_silence() + timedelta(seconds=5))
    beat("dispatcher", "dispatcher", conf.dispatch_interval() * 2)
    assert found(viewer) == {"dispatcher": (True, []), "old": (False, [])}
    assert "No worker gives signs of life" in viewer.get(PAGE).content.decode()
    Heartbeat.objects.update(seen_at=clock.now() - conf.dispatch_interval() * 4)
    assert found(viewer)["dispatcher"] == (False, [])


def test_each_attempt_stands_with_its_own_process(viewer):
    now = clock.now()
    start(*(item(key) for key in "abcd"), now=now)
    for name in ("local@h:1", "celery@h:20", "celery@h:2"):
        beat(name)
    for worker in ("local@h:1", "h:2:31", "h:20", "command"):
        claim_next(worker=worker, now=now)
    by_worker = {attempt.worker: attempt.task.key for attempt in Attempt.objects.select_related("task")}
    assert found(viewer) == {
        "local@h:1": (True, [by_worker["local@h:1"]]),
        "celery@h:2": (True, [by_worker["h:2:31"]]),
        "celery@h:20": (True, [by_worker["h:20"]]),
    }
    page = viewer.get(PAGE)
    assert [attempt.worker for attempt in page.context["others"]] == ["command"]
    Attempt.objects.update(heartbeat_at=now - timedelta(minutes=20))
    assert viewer.get(PAGE).content.decode().count("silent") == 4


def test_the_page_costs_the_same_for_many(viewer):
    counts = []
    for number in range(2):
        start(*(item(f"{key}{number}") for key in "ab"), key=f"k{number}", now=clock.now())
        for name in "xyz":
            beat(f"{name}{number}")
            claim_next(worker=f"{name}{number}", now=clock.now())
        with CaptureQueriesContext(connection) as caught:
            viewer.get(PAGE)
        counts.append(len(caught))
    assert counts[0] == counts[1] <= 7


def test_a_child_of_a_pool_names_its_parent_too(monkeypatch):
    own = tasks.worker_name()
    assert own.endswith(f":{os.getpid()}") and own.count(":") == 1
    monkeypatch.setitem(tasks._child_of, "pid", 4711)
    assert tasks.worker_name() == f"{own.partition(':')[0]}:4711:{os.getpid()}"
