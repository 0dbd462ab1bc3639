"""Promises of a queue: urgent first, nothing starves, runs take turns, a paused or full one hides no other."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling import broker
from scheduling.models import Queue, Task
from scheduling.queues import AGEING, claim, claim_next, claim_of, pause_queue, resume_queue, wake_line
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import SECOND, item, start

pytestmark = pytest.mark.django_db(transaction=True)


def many(name: str, number: int, **fields):
    now = fields.pop("now", NOW)
    return start(*(item(f"{name}{n:03}", **fields) for n in range(number)), key=name, now=now)


def claimed(number: int, now=NOW) -> list[str]:
    """Claim so many tasks, in a queue that has room for all; return their keys."""
    Queue.objects.update(max_running=1000)
    attempts = [claim_next(worker="w", now=now) for _ in range(number)]
    return [attempt.task.key for attempt in attempts if attempt]


def test_a_run_that_comes_later_gets_its_turn_between_the_tasks_of_a_long_one():
    many("long", 100)
    first = claimed(40)
    many("late", 3, now=NOW + 1000 * SECOND)
    assert first == [f"long{n:03}" for n in range(40)]
    following = claimed(8, NOW + 1000 * SECOND)
    assert [key for key in following if key.startswith("late")] == ["late000", "late001", "late002"]
    assert following[:2] in (["long040", "late000"], ["late000", "long040"])


def test_the_higher_priority_goes_first():
    many("low", 3, priority=-1)
    many("high", 3, priority=5)
    assert claimed(4) == ["high000", "high001", "high002", "low000"]


def test_waiting_makes_up_for_priority_so_that_nothing_starves():
    many("low", 1, priority=0)
    many("high", 2, priority=3, now=NOW + 3 * AGEING + SECOND)
    assert claimed(2, NOW + 3 * AGEING + SECOND) == ["low000", "high000"]


def test_under_a_flood_of_urgent_work_the_least_urgent_task_is_still_reached():
    Queue.objects.get_or_create(name="default", defaults={"max_running": 1000})
    many("low", 1, priority=-2)
    served, now = [], NOW
    for number in range(200):
        now = NOW + number * timedelta(minutes=1)
        many(f"urgent{number}-", 2, priority=2, now=now)  # twice what can be done
        served += claimed(1, now)
    assert "low000" in served


def test_the_maximum_holds_and_a_full_queue_hides_no_other():
    Queue.objects.create(name="full", max_running=1)
    many("f", 5, queue="full", priority=9)
    many("d", 1)
    keys = {claim_next(worker="w", now=NOW).task.key for _ in range(2)}
    assert keys == {"f000", "d000"} and claim_next(worker="w", now=NOW) is None


def test_queues_take_turns():
    for name in ("one", "two"):
        Queue.objects.create(name=name, max_running=100)
        many(name, 5, queue=name)
    keys = [claim_next(worker="w", now=NOW + n * SECOND).task.key[:3] for n in range(6)]
    assert keys.count("one") == keys.count("two") == 3


def test_a_paused_queue_starts_nothing_until_it_is_resumed():
    many("a", 2)
    queue = Queue.objects.get()
    assert pause_queue(queue, by="ann", reason="disk full", now=NOW)
    assert not pause_queue(queue, by="bob", now=NOW)
    task = Task.objects.first()
    assert claim_next(worker="w", now=NOW) is None and claim(task.pk, worker="w", now=NOW) is None
    queue.refresh_from_db()
    assert queue.is_paused and (queue.paused_by, queue.pause_reason) == ("ann", "disk full")
    assert resume_queue(queue, by="bob", now=NOW) and not resume_queue(queue, by="bob", now=NOW)
    assert claim_next(worker="w", now=NOW)


def test_wake_ups_go_to_the_lane_of_the_queue_and_only_as_many_as_it_has_room_for(settings, monkeypatch):
    sent: list[tuple[list[int], str]] = []
    Queue.objects.create(name="gpu", max_running=2, celery_queue="big-hosts")
    many("g", 5, queue="gpu")
    settings.CELERY_BROKER_URL = "redis://nowhere"
    monkeypatch.setattr(broker, "wake", lambda ids, celery_queue="": sent.append((ids, celery_queue)) or len(ids))
    queue = Queue.objects.get(name="gpu")
    assert wake_line(queue.pk, NOW) == 2
    first = list(Task.objects.order_by("turn").values_list("id", flat=True))[:2]
    assert sent == [(first, "big-hosts")]


def test_a_claim_costs_as_many_statements_whatever_the_backlog():
    Queue.objects.get_or_create(name="default", defaults={"max_running": 1000})
    counts = []
    for number in (5, 500):
        many(f"n{number}-", number)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert claim_of(Queue.objects.get().pk, worker="w", now=NOW)
        counts.append(len(queries))
    assert counts[1] <= counts[0] <= 14
