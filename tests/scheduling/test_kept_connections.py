"""Promise: whatever works outside a request or a task goes on after one lost database connection."""

import threading
import types

import pytest
from django.db import connection, connections

from scheduling import tasks
from scheduling.dispatch import local
from scheduling.housekeeping import start
from scheduling.models import Heartbeat
from scheduling.workloads.job import JobWatch
from scheduling.workloads.pulse import Pulse

pytestmark = pytest.mark.django_db(transaction=True)


def in_a_thread(work):
    """Do this in a thread with connections of its own, as a loop would have; return what it returns."""
    found = []

    def body():
        try:
            found.append(work())
        finally:
            connections.close_all()

    thread = threading.Thread(target=body)
    thread.start()
    thread.join(20)
    return found[0]


def lose_the_connection():
    """Break the connection of this thread as a restart of the database does: Django does not know yet."""
    if connection.connection is not None:
        connection.connection.close()


def test_a_worker_shows_signs_of_life_after_a_lost_connection():
    woken = []

    def note():
        tasks._last_note["at"] = float("-inf")
        tasks._note_worker()

    def outage():
        note()
        lose_the_connection()
        note()
        Heartbeat.objects.update(kind="old")
        lose_the_connection()
        note()
        return connection.connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "wake_due", _noting(woken))
        kept = in_a_thread(outage)
    assert kept is None, "the worker's main process keeps a connection between two signs of life"
    assert len(woken) == 3
    seen = Heartbeat.objects.get(name=f"celery@{tasks.worker_name()}")
    assert seen.seen_at >= woken[1]


def _noting(woken):
    def wake_due(now):
        Heartbeat.objects.count()  # needs a connection that works
        woken.append(now)

    return wake_due


def test_a_failed_sign_of_life_does_not_keep_tasks_from_being_woken(monkeypatch, caplog):
    woken = []
    monkeypatch.setattr(tasks, "wake_due", _noting(woken))
    monkeypatch.setattr(Heartbeat, "note", lambda *_: 1 / 0)
    monkeypatch.setitem(tasks._last_note, "at", float("-inf"))
    in_a_thread(tasks._note_worker)
    assert len(woken) == 1


def test_a_start_brings_the_jobs_in_line_after_a_lost_connection(monkeypatch):
    turns = []

    def bring(now):
        turns.append(now)
        if len(turns) == 1:
            lose_the_connection()
        Heartbeat.objects.count()

    monkeypatch.setattr(start, "_bring_in_line", bring)

    def begin():
        Heartbeat.objects.count()
        return start.at_start(None)

    assert in_a_thread(begin) or connection.vendor == "sqlite"  # a closed SQLite file says so by another error


@pytest.mark.parametrize("loop", ["_beat_once", "_safely"])
def test_the_threads_beside_an_attempt_go_on_after_a_lost_connection(loop, monkeypatch):
    beside = {"_beat_once": Pulse.__new__(Pulse), "_safely": JobWatch.__new__(JobWatch)}[loop]
    monkeypatch.setattr(type(beside), "_progress", (0, None), raising=False)
    monkeypatch.setattr(type(beside), "_task_id", 1, raising=False)
    monkeypatch.setattr(type(beside), "_attempt", types.SimpleNamespace(task_id=1), raising=False)

    def work():
        Heartbeat.objects.count()
        lose_the_connection()
        getattr(beside, loop)()  # fails: what it lacks here, or the lost connection
        Heartbeat.objects.count()
        return True

    assert in_a_thread(work)


def test_the_local_runner_claims_after_a_lost_connection(monkeypatch):
    runner = local.LocalRunner(threads=1)
    claims = []

    def claim_one():
        Heartbeat.objects.count()
        claims.append(1)

    monkeypatch.setattr(runner, "_claim_one", claim_one)

    def poll():
        for _ in range(3):
            runner._free = threading.Semaphore(1)
            runner._claim_what_fits(None)
            lose_the_connection()
        return len(claims)

    assert in_a_thread(poll) >= 2


def test_a_loop_of_the_local_runner_keeps_its_connection_until_it_is_lost(monkeypatch):
    runner = local.LocalRunner(threads=1)
    used, waits = [], iter([False] * 8 + [True])  # two before each of four times
    monkeypatch.setattr(runner._stop, "wait", lambda seconds: next(waits))

    def step():
        Heartbeat.objects.count()
        used.append(connection.connection)
        if len(used) == 2 and connection.vendor == "postgresql":  # one in memory would be lost for good
            lose_the_connection()

    in_a_thread(lambda: runner._repeat(step))
    assert len(used) == 4 and used[0] is used[1] and used[2] is used[3]
    assert (used[1] is used[2]) == (connection.vendor == "sqlite")
