"""Promise: what code enqueues belongs to its transaction, is checked before it is kept, and gets what it was given."""

import threading
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext

from scheduling import broker, conf
from scheduling.dispatch.recover import wake_due
from scheduling.errors import AlreadyRunning, InvalidArguments, InvalidManifest
from scheduling.jobs.declare import every
from scheduling.models import JobSchedule, Queue, Run, SchedulerLog, Task
from scheduling.queues import claim_next
from scheduling.runs.by_hand import start_job_now
from scheduling.runs.cancel import cancel_run
from scheduling.runs.enqueue import enqueue, enqueue_many, given
from scheduling.runs.execute import run_attempt
from scheduling.runs.restart import restart_run
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)


@pytest.fixture
def told() -> list[Any]:
    """What the job was given, call by call."""
    return []


@pytest.fixture
def letter(make_job: Any, told: list[Any]) -> Callable[..., Any]:
    """A job that takes arguments and notes them."""

    def body(context, member: int, day: date | None = None):
        """Note what it was given."""
        told.append((member, day, dict(context.arguments)))

    make_job("Letter", body=body)
    return make_job.function("Letter")


def test_it_runs_with_what_it_was_given_as_its_types(letter, told):
    run = enqueue(letter, {"member": 5, "day": date(2026, 3, 1)}, by="shop", now=NOW)
    task = run.tasks.get()
    assert task.arguments == {"member": 5, "day": "2026-03-01"}
    assert (run.title, run.trigger_source, run.started_by, task.key) == ("Letter", "Enqueued", "shop", "job Letter")
    assert work_off(NOW) == 1
    assert told == [(5, date(2026, 3, 1), {"member": 5, "day": date(2026, 3, 1)})]
    run.refresh_from_db()
    assert run.status == "completed"
    fired = SchedulerLog.objects.get(event_type="fired")
    assert (fired.message, fired.starter, fired.job.name) == ("Job Letter enqueued by shop.", "code", "Letter")


def test_written_as_a_call_it_is_the_same(letter, told):
    enqueue(given(letter, 5, day=date(2026, 3, 1)), now=NOW)
    enqueue(given(letter, 6).when(priority=3), now=NOW)
    work_off(NOW)
    assert [member for member, *_ in told] == [6, 5]


def test_a_rollback_takes_it_back_and_a_commit_wakes_a_worker(letter, monkeypatch):
    woken: list[list[int]] = []
    monkeypatch.setattr(conf, "is_embedded", lambda: False)
    monkeypatch.setattr(broker, "wake", lambda ids, queue="": woken.append(ids) or len(ids))
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        enqueue(letter, {"member": 5}, now=NOW)
        assert Run.objects.count() == 1
        raise ZeroDivisionError
    assert not Run.objects.exists() and not SchedulerLog.objects.exists() and woken == []
    with transaction.atomic():
        run = enqueue(letter, {"member": 5}, now=NOW)
        assert woken == []
    assert woken == [[run.tasks.get().pk]]


def test_what_does_not_fit_is_refused_and_nothing_is_kept(letter, make_job):
    with pytest.raises(InvalidArguments, match="member is 'five'; it must be a whole number"):
        enqueue(letter, {"member": "five"}, now=NOW)
    with pytest.raises(InvalidArguments, match="member"):
        given(letter)
    with pytest.raises(InvalidArguments) as refused:
        enqueue_many([given(letter, 1), given(letter, "two")], now=NOW)
    assert list(refused.value.errors) == ["2.member"]
    with pytest.raises(InvalidManifest, match="no declared job here"):
        enqueue(lambda context: None, now=NOW)
    with pytest.raises(InvalidManifest, match="no queue named 'nowhere'"):
        enqueue(letter, {"member": 1}, queue="nowhere", now=NOW)
    assert not Run.objects.exists() and not SchedulerLog.objects.exists()


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"at": NOW.replace(tzinfo=None)}, "at"),
        ({"at": "2026-03-01"}, "at"),
        ({"after": -MINUTE}, "after"),
        ({"after": 5}, "after"),
        ({"at": NOW, "after": MINUTE}, "after"),
        ({"after": timedelta.max}, "at"),
        ({"key": ""}, "key"),
        ({"key": "x" * 201}, "key"),
        ({"key": 5}, "key"),
        ({"key": "a\x00b"}, "key"),
        ({"overlap": "maybe"}, "overlap"),
        ({"queue": "a\x00b"}, "queue"),
        ({"queue": 5}, "queue"),
        ({"priority": 32_768}, "priority"),
        ({"priority": True}, "priority"),
    ],
)
def test_options_that_cannot_be_understood_are_refused_by_their_name(letter, options, fault):
    with pytest.raises(InvalidArguments) as refused:
        enqueue(letter, {"member": 1}, now=NOW, **options)
    assert list(refused.value.errors) == [fault] and not Run.objects.exists()


@pytest.mark.parametrize("options", [{"at": NOW + MINUTE}, {"after": MINUTE}])
def test_until_its_time_it_holds_no_worker_then_it_runs(letter, told, options):
    enqueue(letter, {"member": 1}, now=NOW, **options)
    task = Task.objects.get()
    assert (task.status, task.next_attempt_at, task.queued_at) == ("queued", NOW + MINUTE, NOW + MINUTE)
    assert work_off(NOW + MINUTE * 0.99) == 0
    assert wake_due(NOW + MINUTE) == 1, "workers are woken for it"
    assert work_off(NOW + MINUTE) == 1 and told


def test_a_moment_that_has_passed_is_now(letter):
    enqueue(letter, {"member": 1}, at=NOW - MINUTE, now=NOW)
    assert Task.objects.get().next_attempt_at is None and work_off(NOW) == 1


def test_waiting_for_its_time_makes_it_no_more_urgent(letter, told):
    enqueue(letter, {"member": 1}, at=NOW + 1000 * MINUTE, now=NOW)
    enqueue(letter, {"member": 2}, priority=1, now=NOW + 999 * MINUTE)
    work_off(NOW + 1000 * MINUTE)
    assert [member for member, *_ in told] == [2, 1]


def test_it_runs_beside_others_of_its_job_and_keeps_none_of_them_waiting(make_job):
    job = make_job("Letter", every("10m"))
    letter = make_job.function("Letter")
    enqueue_many([given(letter)] * 3, now=NOW)
    assert JobSchedule.objects.get().running_run is None
    by_hand = start_job_now(job, started_by="ann", now=NOW)
    attempts = [claim_next(worker="a", now=NOW) for _ in range(4)]
    assert all(attempts), "none waits for another"
    assert JobSchedule.objects.get().running_run == by_hand
    with pytest.raises(AlreadyRunning, match=f"run {by_hand.pk}"):
        start_job_now(job, started_by="ann", now=NOW)
    for attempt in attempts:
        run_attempt(attempt, time=lambda: NOW)
    assert set(Run.objects.values_list("status", flat=True)) == {"completed"}


def test_queue_and_priority_of_its_own(letter):
    Queue.objects.create(name="mail")
    task = enqueue(letter, {"member": 1}, queue="mail", priority=7, now=NOW).tasks.get()
    assert (task.queue.name, task.priority) == ("mail", 7)


def test_one_that_waits_can_be_cancelled_and_one_that_ended_runs_again_with_its_arguments(letter, told):
    later = enqueue(letter, {"member": 1}, after=MINUTE, now=NOW)
    assert cancel_run(later, by="ann", now=NOW)
    later.refresh_from_db()
    assert later.status == "cancelled" and work_off(NOW + MINUTE) == 0
    again = restart_run(later, only_failed=False, started_by="ann", now=NOW)
    beside = enqueue(letter, {"member": 2}, now=NOW)
    assert again.tasks.get().side_by_side and beside.tasks.get().side_by_side
    assert work_off(NOW) == 2
    assert sorted(member for member, *_ in told) == [1, 2]


def test_arguments_that_the_code_takes_no_more_fail_for_good_and_say_why(letter, make_job):
    run = enqueue(letter, {"member": 5}, now=NOW)
    make_job("Letter", body=lambda context: None)
    work_off(NOW)
    task = run.tasks.get()
    assert task.status == "failed" and "takes other arguments by now" in task.message and "'member'" in task.message


def test_many_are_enqueued_in_few_statements(letter):
    with CaptureQueriesContext(connection) as queries:
        runs = enqueue_many((given(letter, number) for number in range(1_000)), now=NOW)
    assert list(Task.objects.order_by("pk").values_list("arguments__member", flat=True)) == list(range(1_000))
    assert [run.pk for run in runs] == list(Run.objects.order_by("pk").values_list("pk", flat=True))
    inserts = [query for query in queries if query["sql"].startswith("INSERT")]
    assert len(queries) - len(inserts) < 30
    assert len(inserts) < (20 if connection.vendor == "postgresql" else 90)  # SQLite takes 999 values at once


# --- by its key ---------------------------------------------------------------------------------------------------


def claimed() -> Any:
    attempt = claim_next(worker="a", now=NOW)
    assert attempt is not None
    return attempt


@pytest.mark.parametrize("overlap", ["skip", "replace", "queue_one"])
def test_of_a_key_one_waits(letter, told, overlap):
    first = enqueue(letter, {"member": 1}, key="EU", overlap=overlap, now=NOW)
    second = enqueue(letter, {"member": 2}, key="EU", overlap=overlap, now=NOW)
    other = enqueue(letter, {"member": 3}, key="US", overlap=overlap, now=NOW)
    assert second.pk == first.pk != other.pk
    work_off(NOW)
    assert sorted(member for member, *_ in told) == ([2, 3] if overlap == "replace" else [1, 3])
    assert enqueue(letter, {"member": 4}, key="EU", overlap=overlap, now=NOW).pk != first.pk, "it has ended"


@pytest.mark.parametrize(("overlap", "runs"), [("skip", [1]), ("replace", [1, 3]), ("queue_one", [1, 2])])
def test_behind_what_runs_one_waits_or_none(letter, told, overlap, runs):
    enqueue(letter, {"member": 1}, key="EU", now=NOW)
    first = claimed()
    for member in (2, 3):
        enqueue(letter, {"member": member}, key="EU", overlap=overlap, now=NOW)
    assert claim_next(worker="b", now=NOW) is None, "never two of a key at once"
    run_attempt(first, time=lambda: NOW)
    work_off(NOW)
    assert [member for member, *_ in told] == runs


def test_what_waits_becomes_the_one_and_another_may_wait_behind_it(letter, told):
    enqueue(letter, {"member": 1}, key="EU", now=NOW)
    first = claimed()
    enqueue(letter, {"member": 2}, key="EU", overlap="queue_one", now=NOW)
    run_attempt(first, time=lambda: NOW)
    second = claimed()
    enqueue(letter, {"member": 3}, key="EU", overlap="queue_one", now=NOW)
    assert claim_next(worker="b", now=NOW) is None
    run_attempt(second, time=lambda: NOW)
    work_off(NOW)
    assert [member for member, *_ in told] == [1, 2, 3]


def test_replacing_also_moves_its_time_so_that_the_last_of_many_changes_counts(letter, told):
    for minute in range(5):
        now = NOW + minute * MINUTE
        enqueue(letter, {"member": minute}, key="EU", overlap="replace", after=2 * MINUTE, now=now)
        assert work_off(now) == 0
    assert Run.objects.count() == 1
    assert work_off(NOW + 6 * MINUTE) == 1 and [member for member, *_ in told] == [4]


def test_one_key_in_one_call_is_one_after_the_other(letter):
    first, second, third = enqueue_many(
        [given(letter, 1).when(key="EU"), given(letter, 2).when(key="EU", overlap="replace"), given(letter, 3)], now=NOW
    )
    assert first.pk == second.pk != third.pk
    assert Task.objects.get(unique_key="EU").arguments == {"member": 2}


def in_threads(number: int, work: Callable[[int], object]) -> None:
    barrier, errors = threading.Barrier(number), []

    def run(place: int) -> None:
        try:
            barrier.wait()
            work(place)
        except Exception as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


@pytest.mark.parametrize("overlap", ["skip", "replace", "queue_one"])
def test_of_many_at_once_one_lives_and_nobody_fails(letter, overlap):
    found: list[int] = []
    in_threads(6, lambda place: found.append(enqueue(letter, {"member": place}, key="EU", overlap=overlap, now=NOW).pk))
    assert len(set(found)) == 1 == Task.objects.count()


@pytest.mark.parametrize("overlap", ["skip", "replace", "queue_one"])
def test_however_enqueuers_and_workers_race_never_two_of_a_key_work_at_once(letter, make_job, overlap):
    at_work, most, done = [], [], []

    def body(context, member: int):
        """Note how many of its key work at this moment."""
        at_work.append(member)
        most.append(len(at_work))
        at_work.remove(member)
        done.append(member)

    make_job("Letter", body=body)
    function = make_job.function("Letter")

    def race(place: int) -> None:
        for number in range(5):
            if place % 2:
                work_off(NOW, worker=f"w{place}")
            else:
                enqueue(function, {"member": 10 * place + number}, key="EU", overlap=overlap, now=NOW)

    in_threads(6, race)
    work_off(NOW + MINUTE)
    assert done and set(most) == {1}
    assert not Task.objects.exclude(status="completed").exists()
    assert Task.objects.count() == len(done)


def test_bulks_with_the_same_keys_in_other_orders_wait_for_each_other_and_none_fails(letter):
    keys = [str(number) for number in range(40)]

    def bulk(place: int) -> None:
        mine = keys[::-1] if place % 2 else keys
        enqueue_many([given(letter, place).when(key=key) for key in mine], now=NOW)

    in_threads(4, bulk)
    assert Task.objects.count() == 40 == Task.objects.values("unique_key").distinct().count()
