"""Promises of ordered work: the same order together, the next after it, more while it runs, nobody interferes."""

import pytest

from scheduling.errors import CannotAppend, InvalidManifest
from scheduling.models import Run, SqlScript, Task
from scheduling.runs.cancel import cancel_run
from scheduling.runs.ordered import append, batch, call, script, submit
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import FAILING, item, states, status, work

pytestmark = pytest.mark.django_db(transaction=True)


def hand_over(*pairs, **fields) -> Run:
    return submit([(order, item(key)) for order, key in pairs], submitted_by="ann", now=NOW, **fields)


def test_orders_run_one_after_the_other_whatever_the_order_of_submission():
    run = hand_over((20, "c"), (10, "a"), (30, "d"), (10, "b"))
    assert states(run) == {"a": "queued", "b": "queued", "c": "waiting", "d": "waiting"}
    assert work(most=1) == ["a"]
    assert states(run)["c"] == "waiting", "its order is not over"
    assert work() == ["b", "c", "d"] and status(run) == "completed"


def test_two_submitters_never_interfere():
    one, other = hand_over((10, "a"), (20, "b")), hand_over((10, "x"), (20, "y"))
    assert work() == ["a", "x", "b", "y"]
    assert status(one) == status(other) == "completed"


def test_a_failure_stops_the_orders_behind_it_unless_told_otherwise():
    FAILING.add("a")
    stopped, tolerant = hand_over((1, "a"), (2, "b")), hand_over((1, "a"), (2, "b"), continue_on_failure=True)
    work()
    assert states(stopped) == {"a": "failed", "b": "blocked"}
    assert states(tolerant) == {"a": "failed", "b": "completed"} and status(tolerant) == "failed"


def test_more_may_be_appended_while_it_runs():
    run = hand_over((10, "a"), (20, "c"))
    append(run, [(10, item("b")), (15, item("between")), (20, item("a"))], now=NOW)
    assert states(run)["b"] == "queued" and states(run)["between"] == "waiting"
    assert work() == ["a", "b", "between", "c", "a (2)"]
    assert status(run) == "completed"


def test_nothing_is_appended_to_an_order_that_was_passed_nor_to_a_run_that_ended():
    run = hand_over((10, "a"), (20, "b"))
    work(most=1)
    with pytest.raises(CannotAppend, match="Order 10 was passed; order 20 is at work"):
        append(run, [(30, item("z")), (10, item("late"))], now=NOW)
    assert Task.objects.count() == 2, "all or none"
    work()
    with pytest.raises(CannotAppend, match="takes no more"):
        append(run, [(30, item("late"))], now=NOW)


def test_nothing_is_appended_to_what_is_cancelled():
    run = hand_over((10, "a"))
    cancel_run(run, by="bob", now=NOW)
    with pytest.raises(CannotAppend):
        append(run, [(10, item("b"))], now=NOW)


@pytest.mark.parametrize("order", [-1, True, "10", None, 2**31])
def test_an_order_is_a_whole_number(order):
    with pytest.raises(InvalidManifest, match="An order is"):
        submit([(order, item("a"))], submitted_by="ann", now=NOW)
    assert not Run.objects.exists()


def test_only_what_is_declared_can_be_submitted(make_entity):
    make_entity()
    assert call("test piece", day="monday").arguments == {"call": "test piece", "arguments": {"day": "monday"}}
    assert batch("branch", tag="x").arguments == {"tag": "x"}
    for wrong in (lambda: call("os.system"), lambda: batch("nothing"), lambda: script("nothing")):
        with pytest.raises(InvalidManifest, match="There is no"):
            wrong()


def test_the_values_of_a_script_are_checked_before_anything_starts():
    SqlScript.objects.create(name="Sum", sql="SELECT %(year)s", parameters={"year": "integer"})
    assert script("Sum", year=2026).arguments == {"year": 2026}
    for wrong in ({}, {"year": "2026"}, {"year": 2026, "month": 3}):
        with pytest.raises(InvalidManifest, match="SQL script Sum: "):
            script("Sum", **wrong)


def test_the_same_work_twice_gets_a_number():
    run = hand_over((1, "a"), (1, "a"), (2, "a"))
    assert sorted(states(run)) == ["a", "a (2)", "a (3)"]
