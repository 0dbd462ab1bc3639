"""Steps that ask how others ended: after a failure only, always, and what stands behind them."""

import pytest

from scheduling.models import Task
from scheduling.queues import claim
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt
from scheduling.runs.intervene import complete_step, hold_step, let_step_go_on, retry_now
from scheduling.runs.restart import manifest_of, restart_run
from scheduling.states import RunIf
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import FAILING, SECOND, item, of, start, states, status, work

pytestmark = pytest.mark.django_db(transaction=True)

AFTER_FAILURE, ALWAYS = {"run_if": RunIf.ANY_FAILED.value}, {"run_if": RunIf.ALWAYS.value}


def test_what_runs_after_a_failure_runs_then_and_the_run_still_fails():
    FAILING.add("load")
    run = start(item("load"), item("next", "load"), item("tell", "load next", **AFTER_FAILURE))
    assert work() == ["load", "tell"]
    assert states(run) == {"load": "failed", "next": "blocked", "tell": "completed"}
    assert status(run) == "failed"


def test_without_a_failure_it_is_skipped_says_so_and_hinders_nobody():
    run = start(item("load"), item("tell", "load", **AFTER_FAILURE), item("next", "load tell"))
    assert work() == ["load", "next"]
    assert states(run) == {"load": "completed", "tell": "skipped", "next": "completed"}
    assert of(run, "tell").message == "Skipped: nothing before it failed." and of(run, "tell").finished_at == NOW
    assert status(run) == "completed"


def test_it_waits_until_all_before_it_ended_although_one_failed():
    FAILING.add("a")
    run = start(item("a"), item("b"), item("tell", "a b", **AFTER_FAILURE), item("clean", "a b", **ALWAYS))
    assert work(most=1) == ["a"]
    assert states(run)["tell"] == states(run)["clean"] == "waiting"
    assert work() == ["b", "tell", "clean"]


def test_a_failure_that_may_be_passed_is_a_failure_to_those_who_ask():
    FAILING.add("a")
    run = start(item("a", continue_on_failure=True), item("b", "a"), item("tell", "a b", **AFTER_FAILURE))
    assert work() == ["a", "b", "tell"]
    assert status(run) == "failed"


def test_always_runs_whatever_became_of_what_is_before_it():
    for fails in (False, True):
        FAILING.clear()
        FAILING.update({"a"} if fails else ())
        run = start(item("a"), item("b", "a"), item("clean", "b", **ALWAYS), key=f"run {fails}")
        assert work() == (["a", "clean"] if fails else ["a", "b", "clean"])
        assert status(run) == ("failed" if fails else "completed")


def test_a_chain_of_skipped_ones_ends_the_run():
    run = start(
        item("a"), item("b", "a", **AFTER_FAILURE), item("c", "b", **AFTER_FAILURE), item("d", "c", **AFTER_FAILURE)
    )
    work()
    assert set(states(run).values()) == {"completed", "skipped"} and status(run) == "completed"


def test_what_fails_after_a_failure_fails_like_any_other():
    FAILING.update(["a", "tell"])
    run = start(item("a"), item("tell", "a", **AFTER_FAILURE), item("z", "tell"))
    work()
    assert states(run) == {"a": "failed", "tell": "failed", "z": "blocked"}


def test_a_cancel_leaves_nothing_to_always():
    run = start(item("a"), item("clean", "a", **ALWAYS))
    cancel_run(run, by="ann", now=NOW)
    assert states(run) == {"a": "cancelled", "clean": "cancelled"} and status(run) == "cancelled"


def test_a_restart_of_what_failed_takes_along_what_asks_about_it_and_nothing_else():
    FAILING.update(["b"])
    items = [
        item("a"), item("clean a", "a", **ALWAYS), item("tell a", "a", **AFTER_FAILURE),
        item("b", "a"), item("clean b", "b", **ALWAYS), item("tell b", "a b", **AFTER_FAILURE),
    ]  # fmt: skip
    run = start(*items)
    work()
    assert states(run)["tell a"] == "skipped" and states(run)["tell b"] == "completed"
    again = restart_run(run, only_failed=True, started_by="bob", now=NOW)
    assert states(again) == {"b": "queued", "clean b": "waiting", "tell b": "waiting"}
    FAILING.clear()
    work()
    assert states(again) == {"b": "completed", "clean b": "completed", "tell b": "skipped"}
    assert status(again) == "completed"


def test_a_restart_repeats_the_conditions():
    FAILING.add("a")
    run = start(item("a"), item("clean", "a", **ALWAYS), item("tell", "a", **AFTER_FAILURE))
    work()
    again = restart_run(run, only_failed=False, started_by="bob", now=NOW)
    assert manifest_of(again) == manifest_of(run)


def test_a_released_failure_is_waited_for_by_what_has_not_begun_and_not_told_twice():
    FAILING.add("a")
    run = start(
        item("a"), item("other"), item("b", "a"), item("clean", "b", **ALWAYS), item("tell", "a b", **AFTER_FAILURE)
    )
    assert work(most=1) == ["a"]
    assert states(run)["clean"] == states(run)["tell"] == "queued"
    FAILING.clear()
    run_attempt(claim(of(run, "tell").pk, worker="w", now=NOW), time=lambda: NOW)
    retry_now(of(run, "a"), by="ann", now=NOW)
    assert states(run) == {"a": "queued", "other": "queued", "b": "waiting", "clean": "waiting", "tell": "completed"}
    assert Task.objects.filter(run=run, status="waiting", queued_at__isnull=False).count() == 0
    assert work() == ["other", "a", "b", "clean"]
    assert status(run) == "completed"


def test_what_has_begun_goes_on_after_a_hold_although_the_failure_is_none_any_more():
    FAILING.update({"load", "tell"})
    run = start(item("load"), item("tell", "load", attempts=2, retry_interval_seconds=60, **AFTER_FAILURE))
    assert work() == ["load", "tell"] and states(run)["tell"] == "queued", "it is tried again"
    hold_step(of(run, "tell"), by="ann", now=NOW)
    complete_step(of(run, "load"), by="ann", now=NOW)
    FAILING.clear()
    let_step_go_on(of(run, "tell"), by="ann", now=NOW + 60 * SECOND)
    assert states(run)["tell"] == "queued", "it had begun"
    assert work(NOW + 60 * SECOND) == ["tell"] and status(run) == "completed"
