"""Promises of order: nothing starts before what it depends on, a failure blocks only what is behind it."""

import threading

import pytest
from django.db import connections, transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.dispatch.recover import advance_stuck_runs
from scheduling.errors import FiredBefore, InvalidManifest
from scheduling.lifecycle.tasks import lock_run
from scheduling.models import Attempt, Queue, Run, SchedulerLog, Task
from scheduling.queues import claim
from scheduling.runs import advance as advancing
from scheduling.runs.execute import run_attempt
from tests.depth import examples
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import FAILING, RAN, item, of, start, states, status, work

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_chain_runs_in_its_order_without_waiting_for_a_cycle():
    run = start(item("c", "b"), item("a"), item("b", "a"))
    assert states(run) == {"a": "queued", "b": "waiting", "c": "waiting"}
    assert work() == ["a", "b", "c"]
    assert status(run) == "completed"


def test_a_join_waits_for_all_before_it():
    run = start(item("a"), item("b"), item("join", "a b"))
    assert work(most=1) == ["a"]
    assert states(run)["join"] == "waiting"
    assert work() == ["b", "join"]


def test_a_failure_blocks_what_is_behind_it_and_nothing_else():
    FAILING.add("b")
    run = start(item("a"), item("b"), item("after_b", "b"), item("far", "after_b"), item("after_a", "a"))
    assert set(work()) == {"a", "b", "after_a"}
    assert states(run) == {
        "a": "completed", "after_a": "completed", "b": "failed", "after_b": "blocked", "far": "blocked",
    }  # fmt: skip
    for key in ("after_b", "far"):
        assert of(run, key).blocked_by.key == "b" and of(run, key).message == "Blocked: b failed."
    run.refresh_from_db()
    assert run.status == "failed"
    assert run.error == "b failed: ValueError: b is broken. Blocked behind it: 2."


def test_a_failure_that_may_be_passed_lets_what_is_behind_it_run_and_still_fails_the_run():
    FAILING.add("a")
    run = start(item("a", continue_on_failure=True), item("b", "a"))
    assert work() == ["a", "b"]
    assert states(run) == {"a": "failed", "b": "completed"} and status(run) == "failed"


def test_a_tolerant_and_an_intolerant_sibling_are_not_confused():
    FAILING.update(["a", "b"])
    run = start(item("a", continue_on_failure=True), item("b"), item("both", "a b"), item("only a", "a"))
    work()
    assert states(run)["both"] == "blocked" and of(run, "both").blocked_by.key == "b"
    assert states(run)["only a"] == "completed"


def test_a_blocked_task_that_may_be_passed_blocks_what_is_behind_it_all_the_same():
    FAILING.add("a")
    run = start(item("a"), item("b", "a", continue_on_failure=True), item("c", "b"))
    work()
    assert states(run) == {"a": "failed", "b": "blocked", "c": "blocked"}


def test_the_log_tells_start_each_task_and_end():
    run = start(item("a"))
    work()
    told = list(SchedulerLog.objects.filter(run_id=run.pk).order_by("id").values_list("event_type", "message"))
    assert told == [
        ("fired", "Test started by ann."), ("completed", "a: a done"), ("completed", "Test completed: 1 tasks."),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ((), "nothing to run"),
        ((item("a"), item("a")), "Named twice: a"),
        ((item("a", "x"),), "a depends on what is not there: x"),
        ((item("a", "b"), item("b", "a")), "a > b > a"),
        ((item("a", queue="nowhere"),), "no queue named 'nowhere'"),
    ],
)
def test_what_has_no_order_is_refused_and_nothing_is_stored(items, text):
    with pytest.raises(InvalidManifest, match=text):
        start(*items)
    assert not Run.objects.exists() and not Task.objects.exists()


def test_the_same_fire_starts_once():
    start(item("a"))
    with pytest.raises(FiredBefore):
        start(item("a"))
    assert Task.objects.count() == 1


def test_two_parents_that_end_at_the_same_instant_release_their_child_once():
    Queue.objects.get_or_create(name="default", defaults={"max_running": 50})
    Queue.objects.update(max_running=50)
    for round_number in range(20):
        run = start(item("a"), item("b"), item("join", "a b"), key=f"round {round_number}")
        attempts = [claim(of(run, key).pk, worker=key, now=NOW) for key in "ab"]
        barrier = threading.Barrier(2)

        def end(attempt, barrier=barrier):
            barrier.wait()
            try:
                run_attempt(attempt, time=lambda: NOW)
            finally:
                connections.close_all()

        crowd = [threading.Thread(target=end, args=[attempt]) for attempt in attempts]
        for thread in crowd:
            thread.start()
        for thread in crowd:
            thread.join()
        assert states(run)["join"] == "queued", f"round {round_number}"
    work()
    assert RAN.count("join") == 20 == Attempt.objects.filter(task__key="join").count()


def test_a_run_that_nobody_advanced_is_advanced_by_recovery(monkeypatch):
    run = start(item("a"), item("b", "a"))
    monkeypatch.setattr(advancing, "line_up", lambda *_: {})
    work()
    assert states(run) == {"a": "completed", "b": "waiting"}
    monkeypatch.undo()
    assert advance_stuck_runs(NOW) == 1
    work()
    assert status(run) == "completed"
    with transaction.atomic():
        assert not lock_run(run.pk), "an ended run moves no more"


@st.composite
def graphs(draw):
    """Draw up to seven tasks in random order, what fails, what may be passed, and when each runs."""
    number = draw(st.integers(1, 7))
    before = [draw(st.sets(st.integers(0, n - 1), max_size=3)) if n else set() for n in range(number)]
    failing = draw(st.sets(st.integers(0, number - 1), max_size=3))
    tolerant = draw(st.sets(st.integers(0, number - 1), max_size=3))
    asks = [draw(st.sampled_from(["all_succeeded", "any_failed", "always"])) if p else "all_succeeded" for p in before]
    return before, failing, tolerant, asks


def expected(before, failing, tolerant, asks) -> list[str]:
    """The rule, told slowly: what each task becomes."""
    ends: list[str] = []
    for number, priors in enumerate(before):
        stops = any(ends[p] == "blocked" or (ends[p] == "failed" and p not in tolerant) for p in priors)
        if asks[number] == "all_succeeded" and stops:
            ends.append("blocked")
        elif asks[number] == "any_failed" and not any(ends[p] in ("failed", "blocked") for p in priors):
            ends.append("skipped")
        else:
            ends.append("failed" if number in failing else "completed")
    return ends


@settings(max_examples=examples(20), deadline=None)
@given(graph=graphs(), numbers=st.randoms(use_true_random=False))
def test_any_graph_ends_as_the_rule_says(graph, numbers):
    before, failing, tolerant, asks = graph
    FAILING.clear()
    RAN.clear()
    FAILING.update(f"t{n}" for n in failing)
    items = [
        item(f"t{n}", " ".join(f"t{p}" for p in priors), continue_on_failure=n in tolerant, run_if=asks[n])
        for n, priors in enumerate(before)
    ]
    numbers.shuffle(items)
    run = start(*items, key=f"graph {Run.objects.count()}")
    work()
    ends = expected(*graph)
    assert states(run) == {f"t{n}": end for n, end in enumerate(ends)}
    assert status(run) == ("failed" if {"failed", "blocked"} & set(ends) else "completed")
    place = {key: number for number, key in enumerate(RAN)}
    for n, priors in enumerate(before):
        ran = [f"t{p}" for p in priors if f"t{p}" in place]
        assert all(f"t{n}" not in place or place[prior] < place[f"t{n}"] for prior in ran)
    Run.objects.all().delete()
