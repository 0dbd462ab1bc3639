"""Promises of where the time of a run went, as it is read from the tables: two statements, however many steps."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling.dag.path import PathPiece
from scheduling.models import Attempt, Run
from scheduling.queues import claim_next
from scheduling.runs.execute import run_attempt
from scheduling.runs.intervene import hold_step, let_step_go_on
from scheduling.runs.restart import restart_run
from scheduling.runs.spent import path_document, path_of
from scheduling.states import RunKind
from tests.scheduling.conftest import NOW
from tests.scheduling.runs import pieces as pieces_of_work
from tests.scheduling.runs.pieces import FAILING, item, of, start, status, work

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def after(minutes):
    return NOW + minutes * MINUTE


def one(begin, end):
    """Claim a task at a minute and end it at another."""
    attempt = claim_next(worker="test", now=after(begin))
    run_attempt(attempt, time=lambda: after(end))


def told(pieces: tuple[PathPiece, ...]):
    return [(piece.step, str(piece.what), piece.took / MINUTE) for piece in pieces]


def fresh(run):
    return Run.objects.get(pk=run.pk)


def test_queue_hold_and_work_of_a_chain_add_up_to_the_run():
    run = start(item("a"), item("b", "a"))
    one(1, 4)
    hold_step(of(run, "b"), by="ann", now=after(5))
    assert told(path_of(fresh(run), after(8))) == [
        ("a", "queued", 1), ("a", "worked", 3), ("b", "queued", 1), ("b", "held", 3),
    ]  # fmt: skip
    let_step_go_on(of(run, "b"), by="ann", now=after(9))
    one(11, 16)
    assert status(run) == "completed"
    expected = [("a", "queued", 1), ("a", "worked", 3), ("b", "held", 5), ("b", "queued", 2), ("b", "worked", 5)]
    assert told(path_of(fresh(run), after(99))) == expected
    assert path_document(fresh(run), after(99)) == {"critical_path": [
        {"task": "a", "queued_ms": 60_000, "worked_ms": 180_000},
        {"task": "b", "queued_ms": 120_000, "held_ms": 300_000, "worked_ms": 300_000},
    ]}  # fmt: skip


def test_a_step_that_waits_for_its_next_try_says_so():
    FAILING.add("a")
    run = start(item("a", attempts=2, retry_interval_seconds=240))
    one(0, 1)
    assert told(path_of(fresh(run), after(3))) == [("a", "worked", 1), ("a", "retry", 2)]
    FAILING.clear()
    one(5, 7)
    assert told(path_of(fresh(run), after(9))) == [("a", "worked", 1), ("a", "retry", 4), ("a", "worked", 2)]


def test_ordered_work_goes_by_its_numbers():
    run = start(item("a", step_index=1), item("b", step_index=1), item("c", step_index=2), kind=RunKind.ORDERED)
    one(0, 2)
    one(0, 6)
    one(7, 8)
    assert told(path_of(fresh(run), after(9))) == [("b", "worked", 6), ("c", "queued", 1), ("c", "worked", 1)]


def test_a_restart_tells_only_of_what_ran_in_it():
    FAILING.add("b")
    run = start(item("a"), item("b", "a"))
    one(0, 2)
    one(2, 3)
    FAILING.clear()
    again = restart_run(fresh(run), only_failed=True, started_by="ann", now=after(10))
    one(10, 14)
    assert told(path_of(fresh(again), after(20))) == [("b", "worked", 4)]


def test_a_run_of_one_thing_has_none():
    run = start(item("a"), kind=RunKind.CALL)
    assert path_of(run, NOW) == () and path_document(run, NOW) == {}


def test_two_statements_for_few_steps_and_for_a_thousand(monkeypatch):
    few = start(item("a"), item("b", "a"), key="few")
    chain = [item("s0"), *(item(f"s{number}", f"s{number - 1}") for number in range(1, 1000))]
    many = start(*chain, key="many")
    for run in (few, many):
        with CaptureQueriesContext(connection) as caught:
            assert path_of(run, after(1))
        assert len(caught) == 2
    assert path_of(many, after(1))[0].step == "s0"
    monkeypatch.setattr("scheduling.runs.spent.MOST_STEPS", 999)
    assert path_of(many, after(1)) == ()


def test_every_attempt_of_a_run_that_was_worked_off_is_inside_it():
    run = start(item("a"), item("b", "a"), item("c", "a"), item("d", "b c"))
    work(after(3))
    pieces = path_of(fresh(run), after(5))
    assert pieces[0].start == fresh(run).created_at and pieces[-1].end == fresh(run).finished_at
    assert Attempt.objects.count() == 4 and pieces_of_work.RAN == ["a", "b", "c", "d"]
