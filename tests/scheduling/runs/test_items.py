"""Promises of a step that runs for each item: every item once, so many side by side, and the step as a whole."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.dag.manifest import ManifestTask
from scheduling.dispatch.recover import advance_stuck_runs, release
from scheduling.errors import CannotRestart
from scheduling.models import Attempt, Run, Task
from scheduling.queues import claim_next
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt
from scheduling.runs.intervene import complete_step, hold_step, let_step_go_on, retry_now, skip_step
from scheduling.runs.restart import restart_run
from scheduling.states import RunKind
from scheduling.workloads.call import task
from scheduling.workloads.given import given_in
from tests.depth import examples, some
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.auditor import audit
from tests.scheduling.runs.pieces import FAILING, RAN, forget, item, of, start, states, status, work

pytestmark = pytest.mark.django_db(transaction=True)


@task("test each")
def each(context: Any, value: Any) -> Any:
    """Return what it was given, and note the call; fail when told so."""
    RAN.append(context.task.key)
    if context.task.key in FAILING:
        raise ValueError(f"{context.task.key} is broken")
    return {"value": value, "item": context.item, "number": context.item_number}


def spread(source: dict[str, Any], after: str = "", side_by_side: int | None = None, **fields: Any) -> ManifestTask:
    """Return a step that runs for each item, as a plan makes it."""
    work = {
        "workload": "call", "target_id": None, "attempts": fields.pop("attempts", 1), "retry_interval_seconds": 0,
        "retry_backoff": False, "retry_on": [], "timeout_seconds": None,
        "arguments": {"call": "test each", "arguments": {"value": "{{item}}"}},
    }  # fmt: skip
    told = {**source, "side_by_side": side_by_side, "work": work}
    before = frozenset(after.split())
    return ManifestTask("load", RunKind.MAP, None, depends_on=before, arguments=told, attempts=5, **fields)


def listed(*items: Any, **fields: Any) -> ManifestTask:
    return spread({"list": list(items)}, **fields)


def pieces(run: Run) -> dict[int, str]:
    """Return the state of each item."""
    return dict(run.tasks.filter(mapped_by__isnull=False).values_list("item_number", "status"))


def test_each_item_is_a_task_and_the_step_completes_with_all_of_them():
    run = start(item("before"), listed("a", "b", {"c": 1}, after="before"), item("after", "load"))
    assert work() == ["before", "load [1]", "load [2]", "load [3]", "after"]
    assert status(run) == "completed" and audit() == []
    assert of(run, "load").message == "3 items."
    assert of(run, "load").attempts.count() == 1 and of(run, "load [2]").attempts.count() == 1
    given = given_in(run.pk, ["load"])["load"]
    assert given == [
        {"value": "a", "item": "a", "number": 1},
        {"value": "b", "item": "b", "number": 2},
        {"value": {"c": 1}, "item": {"c": 1}, "number": 3},
    ]


def test_while_its_items_work_it_holds_no_worker_and_nothing_behind_it_starts():
    run = start(listed("a", "b"), item("after", "load"))
    work(most=2)
    assert states(run) == {"load": "waiting", "load [1]": "completed", "load [2]": "queued", "after": "waiting"}
    assert of(run, "load").items == ["a", "b"] and not of(run, "load").attempts.exists() and audit() == []


def test_an_empty_list_completes_it_and_says_so():
    run = start(listed(), item("after", "load"))
    assert work() == ["after"] and status(run) == "completed"
    assert of(run, "load").message == "The list is empty: there are no items."


def test_a_failed_item_fails_the_step_after_all_have_ended_and_blocks_what_is_behind():
    FAILING.add("load [2]")
    run = start(listed("a", "b", "c"), item("after", "load"), item("tell", "load", run_if="any_failed"))
    assert work() == ["load [1]", "load [2]", "load [3]", "tell"]
    assert (states(run)["load"], states(run)["after"], status(run)) == ("failed", "blocked", "failed")
    assert of(run, "load").message == ("1 of 3 items failed, the first is number 2: ValueError: load [2] is broken")
    run.refresh_from_db()
    assert "load failed: 1 of 3 items failed" in run.error and audit() == []


def test_items_have_attempts_of_their_own():
    FAILING.add("load [1]")
    run = start(listed("a", "b", attempts=2))
    work()
    assert (of(run, "load [1]").attempts_made, of(run, "load [2]").attempts_made) == (2, 1)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_more_than_so_many_work_side_by_side(most):
    run, seen = start(listed(*range(7), side_by_side=most)), []
    work(most=1)
    attempts = []
    while True:
        while attempt := claim_next(worker="w", now=NOW):
            attempts.append(attempt)
        seen.append(len(attempts))
        if not attempts:
            break
        run_attempt(attempts.pop(0), time=lambda: NOW)  # any one that ends frees one place
        if len(attempts) == 0 and states(run)["load"] == "completed":
            break
    assert max(seen) == most and status(run) == "completed" and audit() == []


def test_too_many_items_fail_it_before_any_runs(settings):
    settings.MOST_ITEMS_OF_A_STEP = 2
    run = start(listed(1, 2, 3))
    assert work() == [] and status(run) == "failed"
    assert "more than 2 items" in of(run, "load").message and of(run, "load").attempts_made == 1


@pytest.mark.parametrize(
    ("value", "says"), [("text", "this is none"), ({"a": 1}, "this is none"), (None, "gave no list")]
)
def test_what_is_no_list_fails_it(value, says):
    run = start(item("give"), spread({"result": {"step": "give", "path": "list"}}, after="give"))
    work(most=1)
    Task.objects.filter(run=run, key="give").update(result={"list": value})
    work()
    assert states(run)["load"] == "failed" and says in of(run, "load").message


def test_the_items_are_what_an_earlier_step_gave():
    run = start(item("give"), spread({"result": {"step": "give", "path": "list"}}, after="give"))
    work(most=1)
    Task.objects.filter(run=run, key="give").update(result={"list": ["x", "y"]})
    assert work() == ["load [1]", "load [2]"] and of(run, "load").items == ["x", "y"]


def test_a_restart_runs_the_items_that_did_not_complete_with_the_list_of_before():
    FAILING.update({"load [2]", "load [4]"})
    run = start(listed("a", "b", "c", "d"), item("after", "load"))
    work()
    FAILING.clear()
    run.refresh_from_db()
    again = restart_run(run, only_failed=True, started_by="ann", now=NOW)
    assert work() == ["load [2]", "load [4]", "after"] and status(again) == "completed" and audit() == []
    assert of(again, "load").message == "4 items. 2 of them in an earlier run."
    assert [one["value"] for one in given_in(again.pk, ["load"])["load"]] == ["a", "b", "c", "d"]


def test_a_restart_of_all_decides_anew_and_runs_every_item():
    run = start(listed("a", "b"))
    work()
    run.refresh_from_db()
    again = restart_run(run, only_failed=False, started_by="ann", now=NOW)
    assert work() == ["load [1]", "load [2]"] and status(again) == "completed"
    with pytest.raises(CannotRestart):
        restart_run(Run.objects.get(pk=again.pk), only_failed=True, started_by="ann", now=NOW)


def test_a_cancel_ends_all_of_it():
    run = start(listed("a", "b", "c", side_by_side=2), item("after", "load"))
    work(most=1)
    running = claim_next(worker="w", now=NOW)
    assert running is not None
    cancel_run(run, by="ann", now=NOW)
    run_attempt(running, time=lambda: NOW)
    assert status(run) == "cancelled" and set(states(run).values()) <= {"cancelled", "completed"} and audit() == []
    assert work() == []


def test_hands_on_the_step():
    FAILING.add("load [1]")
    run = start(listed("a", "b", side_by_side=1), item("after", "load"), item("other"))
    work(most=2)  # the step, and the other or the first item
    while states(run)["load [1]"] != "failed":
        work(most=1)
    hold_step(of(run, "load [2]"), by="ann", now=NOW)
    assert work() == [] or states(run)["load [2]"] == "waiting"
    let_step_go_on(of(run, "load [2]"), by="ann", now=NOW)
    FAILING.clear()
    retry_now(of(run, "load [1]"), by="ann", now=NOW)
    work()
    assert status(run) == "completed" and audit() == []


def test_a_failed_step_that_is_released_runs_its_failed_items_once_more():
    FAILING.add("load [2]")
    run = start(listed("a", "b", "c"), item("after", "load"), item("slow"))
    hold_step(of(run, "slow"), by="ann", now=NOW)
    work()
    assert (states(run)["load"], states(run)["after"]) == ("failed", "blocked")
    FAILING.clear()
    retry_now(of(run, "load"), by="ann", now=NOW)
    assert work() == ["load [2]", "after"] and audit() == []
    assert states(run)["load"] == "completed"


@pytest.mark.parametrize("end", [skip_step, complete_step])
def test_a_step_that_is_ended_by_hand_leaves_no_item_behind(end):
    run = start(listed("a", "b", "c", side_by_side=1), item("after", "load"))
    work(most=1)
    end(of(run, "load"), by="ann", now=NOW)
    assert work() == ["after"] and pieces(run) == {1: "skipped", 2: "skipped", 3: "skipped"}
    assert status(run) == "completed" and audit() == []


class Killed(BaseException):
    """The process dies."""


@contextmanager
def dying_at(number: int) -> Iterator[list[int]]:
    """Let the process die before the statement of this number."""
    seen = [0]

    def count(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        seen[0] += 1
        if seen[0] == number:
            raise Killed
        return execute(sql, params, many, context)

    with connection.execute_wrapper(count):
        yield seen


def recover_from_death() -> None:
    """Release what a worker that died had, and move on what it left."""
    for attempt in Attempt.objects.filter(outcome="running").select_related("task__run", "task__entity"):
        with transaction.atomic():
            release(attempt, "The process has ended.", NOW)
    advance_stuck_runs(NOW)


def statements_of_a_whole_run(number: int) -> tuple[Run, int]:
    """Work a run off whose worker dies before this statement; recovery releases what it held, and another goes on."""
    forget()
    FAILING.add("load [2]")
    run = start(listed("a", "b", "c", side_by_side=2), item("after", "load", run_if="always"), key=f"kill {number}")
    with dying_at(number) as seen, suppress(Killed):
        work()
    recover_from_death()
    work(NOW + timedelta(hours=1))
    return run, seen[0]


def test_a_worker_that_dies_before_any_statement_leaves_every_item_run_once():
    _, whole = statements_of_a_whole_run(0)
    assert whole > 50
    for number in some(range(1, whole + 1), one_in=14):
        run, _ = statements_of_a_whole_run(number)
        where = f"killed before statement {number} of {whole}"
        assert run.tasks.filter(mapped_by__isnull=False).count() == 3, where
        assert audit() == [], where
        assert states(run)["load"] == "failed" and states(run)["after"] in ("completed", "failed"), where
        for piece in run.tasks.filter(mapped_by__isnull=False):
            ran, lost = RAN.count(piece.key), piece.attempts.filter(outcome="lost").count()
            # Each ran once, or its worker died meanwhile and it failed for that.
            assert ran == 1 or (ran == 0 and lost == 1), (where, piece.key, ran, lost)
            assert piece.attempts.count() == 1, where


@given(
    bad=st.sets(st.integers(1, 6)), number=st.integers(0, 6), most=st.sampled_from([None, 1, 2, 5]),
    tolerant=st.booleans(),
)  # fmt: skip
@settings(max_examples=examples(12), deadline=None)
def test_it_ends_as_plain_python_says(bad, number, most, tolerant):
    forget()
    Run.objects.all().delete()
    FAILING.update(f"load [{each}]" for each in bad)
    step = listed(*range(number), side_by_side=most, continue_on_failure=tolerant)
    run = start(step, item("after", "load"), item("tell", "load", run_if="any_failed"))
    work()
    fails = {each for each in bad if each <= number}
    wanted = {each: "failed" if each in fails else "completed" for each in range(1, number + 1)}
    assert pieces(run) == wanted and len(RAN) == len(set(RAN))
    found = states(run)
    assert found["load"] == ("failed" if fails else "completed")
    assert found["after"] == ("blocked" if fails and not tolerant else "completed")
    assert found["tell"] == ("completed" if fails else "skipped")
    assert status(run) == ("failed" if fails else "completed") and audit() == []
    if fails:
        FAILING.clear()
        again = restart_run(Run.objects.get(pk=run.pk), only_failed=True, started_by="ann", now=NOW)
        RAN.clear()
        work()
        assert {key for key in RAN if key.startswith("load")} == {f"load [{each}]" for each in fails}
        assert status(again) == "completed"
