"""Promises of a step that runs for each item: what people do to it, restarts, and lists that are odd."""

from typing import Any

import pytest

from scheduling.admin.runs.state import run_state
from scheduling.errors import CannotRestart
from scheduling.models import Run, SqlScript, Task
from scheduling.queues import claim_next
from scheduling.runs.advance import hand_back
from scheduling.runs.by_hand import run_document
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt
from scheduling.runs.intervene import complete_step, hold_step, let_step_go_on, retry_now, skip_step
from scheduling.runs.restart import restart_run
from scheduling.workloads import items
from scheduling.workloads.given import given_in
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.auditor import audit
from tests.scheduling.runs.pieces import FAILING, RAN, forget, item, of, start, states, status, work
from tests.scheduling.runs.test_items import listed, pieces, spread

pytestmark = pytest.mark.django_db(transaction=True)


def start_with(*values: Any) -> Run:
    """Start a run whose step takes its items from what the step before gave, which is these."""
    run = start(item("give"), spread({"result": {"step": "give", "path": "list"}}, after="give"))
    give(run, *values)
    return run


def give(run: Run, *values: Any) -> None:
    work(most=1)
    Task.objects.filter(run=run, key="give").update(result={"list": list(values)})


def again(run: Run, *, only_failed: bool) -> Run:
    return restart_run(Run.objects.get(pk=run.pk), only_failed=only_failed, started_by="ann", now=NOW)


def test_a_restart_of_a_step_all_of_whose_items_were_done_ends_at_once():
    run = start(listed("a", "b"), item("after", "load"))
    work(most=3)
    assert states(run)["load"] == "queued"  # its last look is still to come
    cancel_run(run, by="ann", now=NOW)
    restarted = again(run, only_failed=True)
    assert work(most=10) == ["after"] and status(restarted) == "completed" and audit() == []
    assert of(restarted, "load").message == "2 items. 2 of them in an earlier run."
    assert [one["value"] for one in given_in(restarted.pk, ["load"])["load"]] == ["a", "b"]


def test_an_item_of_another_list_is_not_done_because_one_of_its_number_was():
    FAILING.add("load [3]")
    run = start_with("a", "b", "c")
    work()
    second = again(run, only_failed=False)
    give(second, "x", "y", "z")
    FAILING.update({"load [1]", "load [2]"})
    work()
    forget()
    third = again(second, only_failed=True)
    assert work() == ["load [1]", "load [2]", "load [3]"] and status(third) == "completed"
    assert [one["value"] for one in given_in(third.pk, ["load"])["load"]] == ["x", "y", "z"]


def test_restart_after_restart_goes_on_with_what_is_left():
    FAILING.update({"load [2]", "load [3]"})
    run = start(listed("a", "b", "c"))
    work()
    FAILING.discard("load [2]")
    second = again(run, only_failed=True)
    work()
    forget()
    third = again(second, only_failed=True)
    assert work() == ["load [3]"] and status(third) == "completed" and audit() == []
    assert [one["value"] for one in given_in(third.pk, ["load"])["load"]] == ["a", "b", "c"]


def test_an_item_that_is_released_again_waits_for_room():
    FAILING.add("load [1]")
    run = start(listed("a", "b", "c", side_by_side=1))
    work(most=2)
    FAILING.clear()
    retry_now(of(run, "load [1]"), by="ann", now=NOW)
    assert list(pieces(run).values()).count("queued") == 1
    work()
    assert status(run) == "completed" and RAN.count("load [1]") == 2 and audit() == []


def test_an_item_that_is_held_makes_room():
    run = start(listed("a", "b", "c", side_by_side=1))
    work(most=1)
    hold_step(of(run, "load [1]"), by="ann", now=NOW)
    assert work() == ["load [2]", "load [3]"] and states(run)["load"] == "waiting"
    let_step_go_on(of(run, "load [1]"), by="ann", now=NOW)
    assert work() == ["load [1]"] and status(run) == "completed" and audit() == []


@pytest.mark.parametrize("most", [None, 1])
def test_no_item_of_a_held_step_starts(most):
    run = start(listed("a", "b", "c", side_by_side=most), item("after", "load"))
    work(most=1)
    running = claim_next(worker="w", now=NOW)
    assert running is not None
    hold_step(of(run, "load"), by="ann", now=NOW)
    run_attempt(running, time=lambda: NOW)
    assert work() == [] and pieces(run) == {1: "completed", 2: "waiting", 3: "waiting"}
    let_step_go_on(of(run, "load"), by="ann", now=NOW)
    assert work() == ["load [2]", "load [3]", "after"] and status(run) == "completed" and audit() == []


@pytest.mark.parametrize(("hand", "ran"), [(retry_now, 2), (skip_step, 1)])
def test_a_step_ends_by_what_a_person_did_to_an_item_while_it_looked(monkeypatch, hand, ran):
    FAILING.add("load [1]")
    run = start(listed("a"), item("slow"), item("after", "load"))
    hold_step(of(run, "slow"), by="ann", now=NOW)
    work(most=2)
    look = claim_next(worker="w", now=NOW)
    assert look is not None and look.task.key == "load"
    FAILING.clear()
    execute = items.execute

    def looked(*given):
        found = execute(*given)
        hand(of(run, "load [1]"), by="ann", now=NOW)
        return found

    with monkeypatch.context() as patched:
        patched.setattr(items, "execute", looked)
        run_attempt(look, time=lambda: NOW)
    work()
    assert states(run)["load"] == states(run)["after"] == "completed"
    assert RAN.count("load [1]") == ran and audit() == []


def test_a_step_whose_items_have_ended_is_in_line_and_awaits_nothing():
    run = start(listed("a"))
    work(most=2)
    step = of(run, "load")
    assert step.status == step.shown_status == "queued" and not Task.objects.awaiting().exists()
    assert run_state(run, {}, NOW).counts["queued"] == 1
    (told,) = run_document(run)["tasks"]
    assert told["items"] == {"total": 1, "completed": 1} and "waits_since" not in told


def test_a_step_that_a_person_marked_gave_nothing_though_some_of_its_items_were_done():
    run = start(listed("a", "b", side_by_side=1), item("after", "load"))
    work(most=2)
    complete_step(of(run, "load"), by="ann", now=NOW)
    assert pieces(run) == {1: "completed", 2: "skipped"} and given_in(run.pk, ["load"]) == {}


def test_a_failed_item_that_is_skipped_counts_as_such_when_its_step_is_released():
    FAILING.add("load [1]")
    run = start(listed("a", "b"), item("after", "load"), item("slow"))
    hold_step(of(run, "slow"), by="ann", now=NOW)
    work()
    with pytest.raises(CannotRestart):
        retry_now(of(run, "load [1]"), by="ann", now=NOW)
    skip_step(of(run, "load [1]"), by="ann", now=NOW)
    assert states(run)["load"] == "failed"
    retry_now(of(run, "load"), by="ann", now=NOW)
    assert work() == ["after"] and states(run)["load"] == "completed" and audit() == []


def test_an_empty_list_gives_an_empty_list():
    run = start(listed(), item("after", "load"))
    work()
    assert given_in(run.pk, ["load"]) == {"load": []}


def test_a_step_may_be_released_any_number_of_times():
    FAILING.add("load [1]")
    run = start(listed("a"), item("slow"))
    hold_step(of(run, "slow"), by="ann", now=NOW)
    for _ in range(7):
        work()
        retry_now(of(run, "load"), by="ann", now=NOW)
    assert audit() == []


def test_a_step_that_runs_again_because_of_what_it_asks_about_runs_for_all_its_items():
    FAILING.add("bad")
    run = start(item("bad"), listed("a", "b", after="bad", run_if="always"))
    work()
    FAILING.clear()
    again(run, only_failed=True)
    assert work() == ["bad", "load [1]", "load [2]"] and audit() == []


def test_an_item_that_a_worker_had_when_its_step_was_skipped_is_held_and_let_go_as_any():
    run = start(listed("a", "b", side_by_side=1))
    work(most=1)
    running = claim_next(worker="w", now=NOW)
    assert running is not None
    skip_step(of(run, "load"), by="ann", now=NOW)
    hand_back(running, running.task, now=NOW)
    hold_step(of(run, "load [1]"), by="ann", now=NOW)
    let_step_go_on(of(run, "load [1]"), by="ann", now=NOW)
    assert work() == ["load [1]"] and status(run) == "completed" and audit() == []


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (float("inf"), "no finite number"),
        ({"a": [float("nan")]}, "no finite number"),
        ("a\x00b", "no database keeps"),
        ("\\\x00", "no database keeps"),
        ("\ud800", "no database keeps"),
    ],
)
def test_what_no_database_keeps_fails_it_and_says_so(monkeypatch, bad, says):
    run = start_with("a")
    monkeypatch.setattr(items, "given_in", lambda *_: {"give": {"list": ["a", bad]}})
    assert work() == [] and status(run) == "failed"
    assert says in of(run, "load").message and of(run, "load").attempts_made == 1


@pytest.mark.parametrize("sql", ["SELECT * FROM stg_nope", "SELEC 1", "DELETE FROM stg_nope"])
def test_a_query_that_is_wrong_by_itself_fails_it_at_once(sql):
    script = SqlScript.objects.create(name="Regions", sql=sql, parameters={})
    run = start(spread({"query": script.pk, "values": {}}))
    assert work() == [] and status(run) == "failed"
    assert "ProgrammingError" in of(run, "load").message and of(run, "load").attempts_made == 1


@pytest.mark.parametrize("odd", ["\\u0000", "{{item}}", {"a": ["{{x}}"]}, None, [], 10**30, "é€😀"])
def test_any_other_value_is_an_item_as_it_is(odd):
    run = start_with(odd)
    work()
    assert status(run) == "completed" and of(run, "load").items == [odd]
    assert given_in(run.pk, ["load"])["load"][0] == {"value": odd, "item": odd, "number": 1}
