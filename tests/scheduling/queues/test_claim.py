"""Promises of a claim: one worker gets a task, the queue's maximum holds, a full queue hides nobody else's work."""

import threading

import pytest
from django.db import connections

from scheduling.models import Attempt, Queue, Task
from scheduling.queues import claim, claim_next, default_queue, next_in_line
from scheduling.runs.by_hand import start_batch_now
from tests.scheduling.conftest import NOW

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def tasks(make_entity) -> list[Task]:
    """Six queued tasks of six entities."""
    return [start_batch_now(make_entity(f"e{n}"), started_by="ann", now=NOW).task for n in range(6)]


def test_a_task_is_claimed_once(tasks):
    assert claim(tasks[0].pk, worker="one", now=NOW)
    assert claim(tasks[0].pk, worker="two", now=NOW) is None
    assert Attempt.objects.count() == 1


def test_the_maximum_of_a_queue_holds(tasks):
    Queue.objects.update(max_running=2)
    assert claim_next(worker="one", now=NOW) and claim_next(worker="two", now=NOW)
    assert claim_next(worker="three", now=NOW) is None
    assert claim(tasks[5].pk, worker="three", now=NOW) is None
    assert next_in_line(default_queue().pk, NOW) == []


def test_the_maximum_holds_when_many_claim_at_once(tasks):
    Queue.objects.update(max_running=2)
    barrier = threading.Barrier(6)

    def work(task_id):
        barrier.wait()
        try:
            claim(task_id, worker="crowd", now=NOW)
        finally:
            connections.close_all()

    crowd = [threading.Thread(target=work, args=[task.pk]) for task in tasks]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    assert Task.objects.filter(status="running").count() == Attempt.objects.count() == 2


def test_a_full_queue_hides_no_task_of_another(tasks):
    Queue.objects.update(max_running=1)
    other = Queue.objects.create(name="zebra")
    Task.objects.filter(pk=tasks[5].pk).update(queue=other)
    assert claim_next(worker="one", now=NOW).task_id == tasks[0].pk
    assert claim_next(worker="two", now=NOW).task_id == tasks[5].pk


def test_higher_priority_goes_first_then_the_older(tasks):
    Task.objects.filter(pk=tasks[3].pk).update(priority=5)
    order = [claim_next(worker="one", now=NOW).task_id for _ in range(3)]
    assert order == [tasks[3].pk, tasks[0].pk, tasks[1].pk]
