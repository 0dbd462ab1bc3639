"""Promise: a run of a plan that failed is tried again, once each time, by a linked run of what failed; nothing else."""

from datetime import timedelta
from itertools import count

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from scheduling.api.runs import told as told_by_api
from scheduling.dispatch import attempts
from scheduling.dispatch.attempts import try_runs_again
from scheduling.dispatch.cycle import run_cycle
from scheduling.dispatch.recover import attempts_due
from scheduling.errors import FatalJobError, InvalidPlan
from scheduling.housekeeping.cleanup import cleanup
from scheduling.lifecycle.guard import release_unheld
from scheduling.model_files.dump import dump
from scheduling.model_files.load import load
from scheduling.models import Plan, PlanAfter, RetentionPolicy, Run, SchedulerLog
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.queues import claim_next
from scheduling.runs import restart
from scheduling.runs.advance import finish
from scheduling.runs.backfill import start_backfill
from scheduling.runs.by_hand import run_document, start_plans_now
from scheduling.runs.cancel import cancel_run, time_out_run
from scheduling.runs.foresee import Range
from scheduling.runs.restart import try_again
from scheduling.schedules.change import set_enabled
from scheduling.schedules.deadlines import late_runs, late_since
from scheduling.schedules.pause import pause_everything, resume_everything
from scheduling.states import Overlap, TaskStatus
from scheduling.workloads.outcome import Outcome
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step
from tests.scheduling.runs.attempts import DAILY, MINUTE, at, begun, ends, newest, plan, told, tried_again
from tests.scheduling.runs.auditor import audit

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def promises():
    yield
    assert audit() == []


def test_what_failed_is_tried_again_after_each_wait_until_it_completes():
    tried_again(run_retry_backoff=True)
    first = begun()
    assert (first.status, first.next_attempt_at, first.goes_on) == ("failed", at(5), True)
    assert plan().is_running and plan().running_run == first and plan().last_result == ""
    next_one = "It was attempt 1 of 3; the next begins at 2026-03-02 06:05:00 UTC."
    assert told("error") == [] and told("retried")[0].endswith(next_one)
    assert try_runs_again(attempts_due(at(4.9)), at(4.9)) == ([], []) and not Run.objects.still_failed().exists()
    report = run_cycle(at(5))
    second = newest()
    assert report.fired == ["plan P"] and second.restart_of == first and second.started_by == "anna"
    assert [task.key for task in second.tasks.all()] == ["script B"] and second.attempt_number == 2
    first.refresh_from_db()
    assert first.next_attempt_at is None and plan().running_run == second
    ends(at(6), "B")
    second.refresh_from_db()
    assert second.next_attempt_at == at(16)  # twice the wait before
    run_cycle(at(16))
    ends(at(17))
    first.refresh_from_db()
    assert newest().status == "completed" and first.made_good_by == newest() and Run.objects.count() == 3
    assert (plan().last_result, plan().is_running, plan().last_whole_at) == ("completed", False, at(17))


def test_the_last_failure_is_the_one_that_is_told():
    tried_again(run_attempts=2)
    begun()
    try_runs_again(attempts_due(at(5)), at(5))
    ends(at(6), "B")
    last = newest()
    assert (last.status, last.next_attempt_at, last.goes_on) == ("failed", None, False)
    assert told("error") == [f"Plan P failed: {last.error} It was attempt 2 of 2."]
    assert (plan().last_result, plan().consecutive_failures, plan().is_running) == ("failed", 1, False)
    assert list(Run.objects.still_failed()) == [last]
    assert try_runs_again(attempts_due(at(60)), at(60))[0] == []


def test_a_plan_that_says_nothing_is_tried_once_and_so_is_a_cancelled_run_and_one_of_the_version_before():
    tried_again(run_attempts=1)
    assert not begun().goes_on
    Plan.objects.update(run_attempts=3)
    run = start_plans_now(["P"], started_by="anna", now=at(60))
    cancel_run(run, by="anna", now=at(60))
    assert not newest().goes_on and newest().status == "cancelled"


@pytest.mark.django_db(transaction=True)
def test_killed_at_any_statement_it_still_waits_and_of_two_that_start_it_one_does(monkeypatch):
    tried_again()
    first, before = begun(), SchedulerLog.objects.count()
    left = [0]

    def killed(execute, *statement):
        left[0] -= 1
        if left[0] == -1:  # once, so that what had been done is taken back
            raise KeyboardInterrupt
        return execute(*statement)

    for statements in count():
        left[0] = statements
        stale = Run.objects.get(pk=first.pk)
        try:
            with connection.execute_wrapper(killed):
                assert try_runs_again(attempts_due(at(5)), at(5)) == (["plan P"], [])
            break
        except KeyboardInterrupt:
            if Run.objects.count() == 2:  # after the commit, while it woke workers
                break
            assert Run.objects.waiting().get() == first
            assert plan().running_run == first and SchedulerLog.objects.count() == before
    assert statements > 10 and Run.objects.count() == 2
    monkeypatch.setattr(restart, "_refuse_a_second", lambda *_: 0)  # as the slower one of two had seen it before
    assert try_again(stale, now=at(5)) is None and try_runs_again(attempts_due(at(5)), at(5)) == ([], [])
    assert Run.objects.count() == 2


def test_what_a_schedule_began_waits_on_while_its_plan_is_off_or_all_is_paused():
    made = tried_again(schedule=DAILY)
    run_cycle(at(60))
    ends(at(61), "B")
    first = newest()
    assert first.next_attempt_at == at(66) and first.scheduled_for == at(60)
    set_enabled(made, False, now=at(62))
    assert run_cycle(at(70)).fired == [] and release_unheld(at(400)) == 0
    set_enabled(made, True, now=at(71))
    pause_everything(by="anna", reason="Move", until=None, now=at(72))
    assert run_cycle(at(73)).fired == [] and Run.objects.waiting().get() == first
    resume_everything(by="anna", now=at(74))
    assert run_cycle(at(75)).fired == ["plan P"]
    second = newest()
    assert (second.scheduled_for, second.started_by, second.attempt_number) == (at(60), "scheduler", 2)
    ends(at(76), "B")
    run_cycle(at(81))
    assert newest().fire_key == f"{first.fire_key}:attempt:3"


@pytest.mark.parametrize("overlap", Overlap.values)
def test_a_slot_that_comes_meanwhile_meets_the_overlap_policy(overlap):
    tried_again(schedule={"schedule_type": "interval", "interval_minutes": 3, "timezone": "UTC"}, overlap=overlap)
    run_cycle(NOW)
    ends(NOW, "B")
    first = newest()
    run_cycle(at(3))
    assert Run.objects.count() == 1
    run_cycle(at(4))
    run_cycle(at(5))
    last = newest()
    if overlap == Overlap.CANCEL_RUNNING:
        assert last.scheduled_for == at(3) and last.restart_of is None and last.attempt_number == 1
        ends(at(5))
        assert run_cycle(at(5.5)).fired == []
    else:
        assert last.restart_of == first and last.scheduled_for == NOW
        ends(at(5))
        run_cycle(at(5.5))
        assert (newest().scheduled_for == at(3)) == (overlap == Overlap.QUEUE_ONE)
    ends(at(5.5))


def test_completions_that_began_a_run_begin_its_attempts_and_no_other_one_is_used_up(make_entity):
    source = save_plan(PlanDraft(Plan(name="S"), {}, [step(make_entity("region").entity)]), now=NOW - MINUTE)
    other = save_plan(PlanDraft(Plan(name="O"), {}, [step(make_entity("branch").entity)]), now=NOW - MINUTE)
    tried_again(after=[source, other])
    Plan.objects.filter(name__in="SO").update(last_whole_at=NOW)
    run_cycle(at(1))
    ends(at(1), "B")
    Plan.objects.filter(name="S").update(last_whole_at=at(3))
    assert run_cycle(at(6)).fired == ["plan P"]
    assert set(PlanAfter.objects.values_list("used_at", flat=True)) == {NOW}
    ends(at(7))
    Plan.objects.filter(name="O").update(last_whole_at=at(8))
    assert run_cycle(at(9)).fired == ["plan P"] and newest().restart_of is None


def test_the_deadline_is_of_the_chain_and_the_time_out_of_each_run():
    tried_again(schedule=DAILY, due_after_minutes=10, run_timeout_seconds=60)
    run_cycle(at(60))
    claim_next(worker="w", now=at(60))
    assert time_out_run(newest(), at(62))
    ends(at(62))
    first = newest()
    attempt = first.tasks.get(status="running").attempts.get()
    finish(attempt, attempt.task, Outcome(TaskStatus.CANCELLED, "stopped"), now=at(62))
    first.refresh_from_db()
    assert (first.status, first.next_attempt_at, first.deadline_at) == ("failed", at(67), at(70))
    assert not Run.objects.filter(late_runs(at(66))).exists()
    set_enabled(plan(), False, now=at(66))
    assert Run.objects.filter(late_runs(at(71))).get() == first and late_since(first, at(71)) == at(70)
    set_enabled(plan(), True, now=at(71))
    run_cycle(at(72))
    second = newest()
    assert (second.deadline_at, second.timeout_seconds, second.timed_out_at) == (at(70), 60, None)
    assert Run.objects.filter(late_runs(at(73))).get() == second
    ends(at(73))


def test_work_that_says_trying_again_is_pointless_stops_the_attempts():
    tried_again()
    start_plans_now(["P"], started_by="anna", now=NOW)
    ends(NOW, "B", error=FatalJobError("the code takes other arguments"))
    assert not newest().goes_on and plan().last_result == "failed"


def test_retention_keeps_what_waits():
    tried_again()
    first, later = begun(), NOW + timedelta(days=3)
    RetentionPolicy.objects.update_or_create(pk=1, defaults={"runs_days": 1})
    assert cleanup(later)["runs"] == 0
    cancel_run(first, by="anna", now=later)
    assert cleanup(later)["runs"] == 1


def test_a_run_of_a_backfill_is_tried_once_and_a_slot_that_is_tried_again_is_under_way():
    made = tried_again(schedule=DAILY)
    run_cycle(at(60))
    ends(at(60), "B")
    first, day = newest(), timedelta(days=1)
    set_enabled(made, False, now=at(61))
    backfill = start_backfill(
        made, Range(at(60) - day, at(61), side_by_side=2, stops_on_failure=False), started_by="anna", now=at(62)
    )
    assert [slot.slot for slot in backfill.slots.all()] == [at(60) - day]  # that of the run which waits is left out
    ends(at(62), "B")
    assert not newest().goes_on and newest() != first and Run.objects.waiting().get() == first


def test_an_attempt_that_cannot_begin_is_given_up_and_told():
    tried_again()
    begun()
    Run.objects.filter(pk=newest().pk).update(made_good_by=newest())
    assert try_runs_again(attempts_due(at(5)), at(5))[0] == []
    assert plan().last_result == "failed" and not plan().is_running and plan().backoff_until is not None
    assert "was made good" in told("error")[0]


def test_a_cycle_takes_as_many_statements_however_many_wait():
    tried_again()
    first = begun()

    def cycle():
        with CaptureQueriesContext(connection) as seen:
            run_cycle(at(1))
        return len(seen)

    cycle()
    one = cycle()
    columns = {each.attname: getattr(first, each.attname) for each in Run._meta.concrete_fields}
    Run.objects.bulk_create(Run(**{**columns, "id": None, "fire_key": f"k{number}"}) for number in range(30))
    Run.objects.filter(pk__gt=first.pk + 15).update(next_attempt_at=NOW, started_by="scheduler")
    Plan.objects.update(is_enabled=False)
    Run.objects.filter(started_by="scheduler").update(next_attempt_at=at(2))
    assert cycle() == one


def test_people_and_programs_see_the_next_attempt_and_may_cancel_it(admin_client):
    made = tried_again()
    run = begun()
    address = reverse("admin:scheduling_run_change", args=[run.pk])
    page = admin_client.get(address).content.decode()
    assert "1 of 3" in page and "Next attempt" in page and "Cancel the next attempt …" in page
    assert "next attempt at" in admin_client.get(reverse("admin:scheduling_run_changelist")).content.decode()
    for status in ("tried_again", "live"):
        found = admin_client.get(reverse("admin:scheduling_run_changelist"), {"status": status})
        assert f"Run {run.pk}" in found.content.decode()
    home = admin_client.get("/admin/").context["scheduler"].home
    assert home.counts.live == 1 and [(each.pk, each.state) for each in home.live] == [(run.pk, "waiting")]
    assert (
        "next attempt at" in admin_client.get(reverse("admin:scheduling_plan_change", args=[made.pk])).content.decode()
    )
    assert "takes the place of that attempt" in admin_client.get(f"{address[:-7]}restart/").content.decode()
    document = run_document(run)
    shown = {"attempt": 1, "attempts_allowed": 3, "next_attempt_at": at(5).isoformat()}
    assert document.items() >= shown.items() <= told_by_api(run, 1, 2, at(1)).items()
    assert "Cancel the next attempt" in admin_client.get(f"{address[:-7]}cancel/").content.decode()
    admin_client.post(f"{address[:-7]}cancel/")
    assert not Run.objects.waiting().exists()
    assert "There is nothing to cancel" not in admin_client.get(address).content.decode()
    section = dump()["plans"][0]
    assert (section["run_attempts"], section["run_retry_interval_seconds"]) == (3, 300)
    assert "run_retry_backoff" not in section and load(dump(), now=NOW).changes == {}
    made.run_attempts = 0
    with pytest.raises(InvalidPlan) as refused:
        save_plan(PlanDraft.of(made), now=NOW)
    assert set(refused.value.errors) == {"run_attempts"}


def test_an_attempt_that_cannot_begin_for_an_unknown_reason_is_put_off_and_given_up_in_the_end(monkeypatch, caplog):
    tried_again()
    first = begun()
    monkeypatch.setattr(attempts, "try_again", lambda run, now: {}["nothing"])
    seen, minute = [], 5
    while newest().goes_on:
        report = run_cycle(at(minute))
        assert report.fired == [] and (report.errors == ["Plan P"]) == (minute in (5, 6, 8, 12, 20))
        seen += [minute] * bool(report.errors)
        minute += 1
        assert minute < 30, "it is tried for ever"
    first.refresh_from_db()
    assert seen == [5, 6, 8, 12, 20] and first.status == "failed"
    assert (plan().last_result, plan().is_running, plan().consecutive_failures) == ("failed", False, 1)
    assert "(1 of 5), and is begun at 2026-03-02 06:06:00 UTC: 'nothing'" in told("retried")[-2]
    assert "could not begin, 5 times in a row: 'nothing'" in told("error")[0] and len(told("error")) == 1
    assert len(told("retried")) == 1 + 4 and Run.objects.count() == 1


def test_what_keeps_an_attempt_from_beginning_for_a_while_costs_none(monkeypatch, caplog):
    tried_again()
    begun()
    with monkeypatch.context() as broken:
        broken.setattr(attempts, "try_again", lambda run, now: {}["nothing"])
        run_cycle(at(5))
    assert run_cycle(at(5.5)).fired == [] and run_cycle(at(6)).fired == ["plan P"]
    ends(at(6), "B")
    assert newest().attempt_number == 2 and newest().next_attempt_at == at(11)
    with monkeypatch.context() as broken:  # of the next attempt it counts anew
        broken.setattr(attempts, "try_again", lambda run, now: {}["nothing"])
        run_cycle(at(11))
    assert newest().next_attempt_at == at(12)


def test_of_two_that_fail_to_begin_the_same_attempt_at_once_one_counts(monkeypatch, caplog):
    tried_again()
    first = begun()

    def fails_in_both(run, now):
        if sides:
            sides.pop()
            try_runs_again(attempts_due(now), now)
        return {}["nothing"]

    monkeypatch.setattr(attempts, "try_again", fails_in_both)
    for minute in (5, 6, 8, 12):
        sides = ["another"]
        try_runs_again(attempts_due(at(minute)), at(minute))
    assert newest() == first and newest().next_attempt_at == at(20)
    assert len(told("retried")) == 1 + 4 and told("error") == []


def test_of_what_cannot_even_be_put_off_the_cycle_goes_on(monkeypatch, caplog):
    tried_again()
    begun()
    monkeypatch.setattr(attempts, "try_again", lambda run, now: {}["nothing"])
    monkeypatch.setattr(attempts, "put_off", lambda *told, now: {}["nothing"])
    report = run_cycle(at(5))
    assert report.errors == ["Plan P"] and newest().goes_on
