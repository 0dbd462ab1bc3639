"""Promise: people end the wait for the next attempt of a plan, or take its place, and nothing is done or told twice."""

import pytest

from scheduling.dispatch.attempts import try_runs_again
from scheduling.dispatch.cycle import run_cycle
from scheduling.dispatch.recover import attempts_due
from scheduling.errors import AlreadyRunning
from scheduling.models import Plan, Run
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.queues import claim_next
from scheduling.runs import cancel
from scheduling.runs.advance import finish
from scheduling.runs.by_hand import start_plans_now
from scheduling.runs.cancel import cancel_everything, cancel_run, time_out_run
from scheduling.runs.restart import RunPart, restart_run
from scheduling.states import TaskStatus
from scheduling.workloads.outcome import Outcome
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.attempts import DAILY, at, begun, ends, newest, plan, told, tried_again
from tests.scheduling.runs.auditor import audit

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def promises():
    yield
    assert audit() == []


def test_a_restart_by_hand_takes_the_place_of_the_attempt_and_nothing_else_begins_meanwhile():
    tried_again()
    first = begun()
    with pytest.raises(AlreadyRunning):
        start_plans_now(["P"], started_by="anna", now=at(1))
    second = restart_run(first, only_failed=True, part=RunPart(only="script B"), started_by="bob", now=at(2))
    assert second.attempt_number == 2 and plan().running_run == second
    assert try_runs_again(attempts_due(at(9)), at(9))[0] == [] and Run.objects.count() == 2
    ends(at(10), "B")
    second.refresh_from_db()
    assert second.next_attempt_at == at(15)
    third = restart_run(first, only_failed=True, started_by="bob", now=at(11))  # of the run before, whose restart waits
    second.refresh_from_db()
    assert (third.attempt_number, second.next_attempt_at) == (3, None)
    ends(at(12), "B")
    assert not newest().goes_on and plan().last_result == "failed"
    assert third.restart_of == second and list(Run.objects.still_failed()) == [third]
    again = restart_run(third, only_failed=True, started_by="bob", now=at(13))
    assert (again.attempt_number, again.attempts_allowed) == (1, 3)  # a start of its own


def test_a_restart_of_an_earlier_attempt_makes_all_of_them_good():
    tried_again()
    first = begun()
    try_runs_again(attempts_due(at(5)), at(5))
    ends(at(6), "B")
    restart_run(first, only_failed=True, started_by="bob", now=at(7))  # the second attempt waits for the third one
    ends(at(8))
    assert not Run.objects.filter(status="failed", made_good_by=None).exists()


def test_attempts_of_a_part_make_the_part_good_and_are_not_all_of_the_plan():
    tried_again()
    first = begun(NOW, "A", "B")
    part = restart_run(first, only_failed=True, part=RunPart(only="script B"), started_by="bob", now=at(1))
    ends(at(2), "B")
    assert Run.objects.waiting().get() == part and part.is_partial
    assert try_runs_again(attempts_due(at(7)), at(7)) == (["plan P"], [])
    ends(at(8))
    part.refresh_from_db()
    assert part.made_good_by == newest() and list(Run.objects.still_failed()) == [first]
    assert (plan().last_result, plan().last_whole_at) == ("completed", None)


@pytest.mark.parametrize("is_enabled", [True, False])
def test_a_plan_that_is_cancelled_while_its_run_fails_keeps_no_wait(is_enabled):
    tried_again(schedule=DAILY)
    run_cycle(at(60))
    ends(at(61), "B")
    Plan.objects.update(is_cancelled=True, is_enabled=is_enabled)  # as who ended the run had not seen yet
    run_cycle(at(70))
    assert not Run.objects.waiting().exists() and not plan().is_running and Run.objects.count() == 1


@pytest.mark.parametrize("way", ["run", "everything"])
def test_a_cancel_of_a_run_whose_time_is_up_lets_no_attempt_come(way):
    tried_again(run_timeout_seconds=60)
    run = start_plans_now(["P"], started_by="anna", now=NOW)
    attempt = claim_next(worker="w", now=NOW)
    assert time_out_run(run, at(2))
    assert cancel_run(run, by="anna", now=at(3)) if way == "run" else cancel_everything(by="anna", now=at(3))
    finish(attempt, attempt.task, Outcome(TaskStatus.CANCELLED, "stopped"), now=at(4))
    run.refresh_from_db()
    assert (run.status, run.goes_on, plan().is_running) == ("failed", False, False)


@pytest.mark.parametrize("way", ["run", "everything", "plan"])
def test_a_cancel_ends_the_wait_for_good(way):
    made = tried_again()
    first = begun()
    if way == "run":
        assert cancel_run(first, by="anna", now=at(1)) and not cancel_run(first, by="anna", now=at(1))
    elif way == "everything":
        assert cancel_everything(by="anna", now=at(1)) == [first.pk]
    else:
        made = plan()
        made.is_cancelled = True
        save_plan(PlanDraft.of(made), now=at(1))
        made.is_cancelled = False
        save_plan(PlanDraft.of(made), now=at(2))
    assert try_runs_again(attempts_due(at(9)), at(9))[0] == [] and not Run.objects.waiting().exists()
    assert (plan().last_result, plan().is_running, plan().backoff_until) == ("failed", False, None)
    assert len(told("cancelled")) == 1 and f"Run {first.pk} of Plan P is not tried again." in told("cancelled")[0]


def test_an_attempt_that_begins_while_everything_is_cancelled_is_cancelled_too(monkeypatch):
    tried_again()
    first, cancel_one = begun(), cancel.cancel_run

    def after_a_cycle(run, **how):
        if run == first:
            try_runs_again(attempts_due(at(5)), at(5))
        return cancel_one(run, **how)

    monkeypatch.setattr(cancel, "cancel_run", after_a_cycle)
    assert cancel_everything(by="anna", now=at(5)) == [newest().pk] != [first.pk]
    assert newest().status == "cancelled" and not Run.objects.going_on().exists()
