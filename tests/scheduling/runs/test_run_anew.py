"""Hands on a live run: a step runs now, whatever stands before it, alone or with all that comes after it."""

from datetime import timedelta
from itertools import product

import pytest
from django.contrib.auth.models import Group, User
from django.db import transaction

from scheduling.dag.conditions import parsed
from scheduling.dag.manifest import ManifestTask
from scheduling.dispatch.recover import recover
from scheduling.errors import AlreadyRunning, CannotIntervene, NotAllowed
from scheduling.lifecycle import anew
from scheduling.models import SchedulerConfiguration, SchedulerLog, Task
from scheduling.queues import claim
from scheduling.runs.advance import hand_back
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt
from scheduling.runs.intervene import complete_step, hold_step, let_step_go_on, retry_now, run_from, run_only, skip_step
from scheduling.runs.restart import RunPart, manifest_of, restart_run
from scheduling.runs.spent import path_of
from scheduling.states import RunIf, RunKind, TaskStatus
from scheduling.workloads.batch import open_for
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.auditor import audit
from tests.scheduling.runs.pieces import FAILING, SECOND, item, of, start, states, status, work

pytestmark = pytest.mark.django_db(transaction=True)

AFTER_FAILURE, ALWAYS = {"run_if": RunIf.ANY_FAILED.value}, {"run_if": RunIf.ALWAYS.value}
BY = {"by": "ann", "now": NOW}
either = pytest.mark.parametrize("verb", [run_only, run_from])


def told() -> list[str]:
    return list(SchedulerLog.objects.filter(event_type="changed").order_by("id").values_list("message", flat=True))


def refused(run, verb, key):
    before = list(run.tasks.order_by("id").values())
    with pytest.raises(CannotIntervene) as refusal:
        verb(of(run, key), **BY)
    assert list(run.tasks.order_by("id").values()) == before
    return str(refusal.value)


# --- only this step --------------------------------------------------------------------------------------------------


def test_a_waiting_step_runs_now_and_what_comes_after_it_keeps_its_order():
    run = start(item("a"), item("b", "a"), item("c", "b"), item("d", "a b"))
    run_only(of(run, "b"), **BY)
    assert states(run) == {"a": "queued", "b": "queued", "c": "waiting", "d": "waiting"}
    assert of(run, "b").message == "Run now by ann, whatever stands before it." and audit() == []
    assert told() == ["b run now by ann, whatever stands before it."]
    assert claim(of(run, "b").pk, worker="w", now=NOW) is not None and audit() == []
    assert work() == ["a"] and states(run)["d"] == "waiting"


@pytest.mark.parametrize("end", [skip_step, complete_step, None])
def test_what_ended_well_runs_once_more_and_what_ended_after_it_stays(end):
    run = start(item("a"), item("b", "a"), item("c", "b"), item("long", priority=-1))
    if end is not None:
        end(of(run, "a"), **BY)
    work(most=2 if end is None else 1)
    run_only(of(run, "a"), **BY)
    assert states(run) == {"a": "queued", "b": "completed", "c": "queued", "long": "queued"} and audit() == []
    assert sorted(work()) == ["a", "c", "long"] and status(run) == "completed" and audit() == []
    assert of(run, "a").attempts.count() == (2 if end is None else 1)


def test_what_is_queued_after_it_and_has_not_begun_waits_for_it():
    run = start(item("a"), item("b", "a"), item("c", "a", **ALWAYS))
    work(most=1)
    run_only(of(run, "a"), **BY)
    assert states(run) == {"a": "queued", "b": "waiting", "c": "waiting"}
    assert work() == ["a", "b", "c"] and status(run) == "completed" and audit() == []


def test_what_a_failed_step_blocked_waits_for_it():
    FAILING.add("a")
    run = start(item("a"), item("b", "a"), item("c", "b"), item("long", priority=-1))
    work(most=1)
    FAILING.clear()
    run_only(of(run, "a"), **BY)
    assert states(run) == {"a": "queued", "b": "waiting", "c": "waiting", "long": "queued"}
    assert work() == ["a", "b", "c", "long"] and status(run) == "completed"


def test_a_blocked_step_runs_and_what_waits_for_the_failure_besides_stays_blocked():
    FAILING.add("a")
    run = start(item("a"), item("b", "a"), item("c", "b"), item("d", "a b"), item("long", priority=-1))
    work(most=1)
    run_only(of(run, "b"), **BY)
    assert states(run) == {"a": "failed", "b": "queued", "c": "waiting", "d": "blocked", "long": "queued"}
    assert of(run, "b").blocked_by is None and of(run, "d").blocked_by == of(run, "a") and audit() == []
    assert work() == ["b", "c", "long"] and status(run) == "failed" and audit() == []


@pytest.mark.parametrize("before", ["waiting", "skipped"])
def test_it_asks_nothing_about_others(before):
    conditions = {"only_when": (parsed("a: is empty"),)}
    run = start(item("a"), item("tell", "a", **AFTER_FAILURE, **conditions), item("long", priority=-1))
    if before == "skipped":
        work(most=1)
    assert states(run)["tell"] == before
    run_only(of(run, "tell"), **BY)
    assert states(run)["tell"] == "queued"
    assert "tell" in work() and states(run)["tell"] == "completed" and audit() == []


def test_the_failure_of_another_does_not_make_it_wait_again():
    FAILING.add("a")
    run = start(item("a"), item("tell", "a", **AFTER_FAILURE), item("long", priority=-1))
    run_only(of(run, "tell"), **BY)
    work(most=1)
    retry_now(of(run, "a"), **BY)
    assert states(run) == {"a": "queued", "tell": "queued", "long": "queued"}


def test_it_gets_a_new_round_of_attempts_whose_pauses_begin_anew():
    FAILING.add("a")
    run = start(item("a", attempts=2, retry_interval_seconds=10, retry_backoff=True), item("long", priority=-1))
    for number in range(2):
        work(NOW + number * timedelta(hours=1), most=1)
    assert states(run)["a"] == "failed"
    run_only(of(run, "a"), **BY)
    assert (of(run, "a").attempts_made, of(run, "a").attempts_allowed) == (2, 4)
    work(most=1)
    assert of(run, "a").status == "queued" and of(run, "a").next_attempt_at <= NOW + timedelta(seconds=12)
    assert {each.key: each.attempts for each in manifest_of(run)} == {"a": 2, "long": 1}
    run_only(of(run, "a"), **BY)
    assert (of(run, "a").attempts_allowed, of(run, "a").next_attempt_at) == (5, None), "also while it is put off"


def test_a_restart_gives_as_many_attempts_as_were_ordered_however_often_it_was_retried():
    FAILING.add("a")
    run = start(item("a"), item("long", priority=-1))
    for _ in range(3):
        work(most=1)
        retry_now(of(run, "a"), **BY)
    work()
    assert {each.key: each.attempts for each in manifest_of(run)} == {"a": 1, "long": 1}


def test_a_held_one_keeps_that_it_runs_whatever_stands_before_it():
    FAILING.add("a")
    run = start(item("a"), item("b", "a"), item("tell", "a", **AFTER_FAILURE), item("long", priority=-1))
    for key in ("b", "tell"):
        run_only(of(run, key), **BY)
        hold_step(of(run, key), **BY)
    work(most=1)
    assert states(run)["b"] == "waiting" and audit() == []
    for key in ("b", "tell"):
        let_step_go_on(of(run, key), **BY)
    assert states(run) == {"a": "failed", "b": "queued", "tell": "queued", "long": "queued"}


def test_of_ordered_work_a_later_order_begins_and_the_rest_keeps_its_order():
    run = start(*(item(f"t{n}", step_index=n) for n in (1, 2, 3)), kind=RunKind.ORDERED)
    run_only(of(run, "t2"), **BY)
    assert states(run) == {"t1": "queued", "t2": "queued", "t3": "waiting"}
    hold_step(of(run, "t2"), **BY)
    let_step_go_on(of(run, "t2"), **BY)
    assert states(run)["t2"] == "queued"
    work(most=2)
    run_from(of(run, "t1"), **BY)
    assert states(run) == {"t1": "queued", "t2": "waiting", "t3": "waiting"} and audit() == []
    assert work() == ["t1", "t2", "t3"] and status(run) == "completed"


def test_what_it_gave_before_is_forgotten(make_job):
    give = {"value": {"n": 1}}
    job = make_job("Give", body=lambda context: give["value"])
    asks = {"only_when": (parsed("Give: n >= 1"),)}
    run = start(ManifestTask("Give", RunKind.JOB, job.pk), item("b", "Give", **asks), item("long", priority=-1))
    work(most=1)
    assert states(run)["b"] == "queued"
    give["value"] = None
    run_only(of(run, "Give"), **BY)
    assert of(run, "Give").result is None and states(run)["b"] == "waiting"
    work(most=1)
    assert of(run, "Give").result is None and states(run)["b"] == "skipped"


def test_the_way_of_the_time_is_told_of_a_step_that_ended_before_what_it_waits_for():
    run = start(item("a"), item("b", "a"), item("c", "a b"))
    run_only(of(run, "b"), **BY)
    for key, second in (("b", 1), ("a", 2), ("c", 3)):
        attempt = claim(of(run, key).pk, worker="w", now=NOW + second * SECOND)
        assert attempt is not None
        run_attempt(attempt, time=lambda at=NOW + second * SECOND: at)
    run.refresh_from_db()
    assert [piece.step for piece in path_of(run, NOW + 3 * SECOND)][-1] == "c"


# --- from this step on -----------------------------------------------------------------------------------------------


def test_all_that_comes_after_it_runs_again_in_its_order():
    run = start(item("a"), item("b", "a"), item("c", "b"), item("side", "a"), item("long", priority=-1))
    work(most=4)
    run_from(of(run, "b"), **BY)
    assert states(run) == {"a": "completed", "b": "queued", "c": "waiting", "side": "completed", "long": "queued"}
    assert told() == ["b run now by ann, and all that comes after it (1)."]
    assert work() == ["b", "c", "long"] and status(run) == "completed" and audit() == []
    assert of(run, "c").attempts.count() == 2 and of(run, "c").attempts_allowed == 2


def test_conditions_are_asked_anew():
    FAILING.add("a")
    run = start(
        item("a", continue_on_failure=True), item("tell", "a", **AFTER_FAILURE), item("c", "tell"),
        item("long", priority=-1),
    )  # fmt: skip
    work(most=3)
    assert states(run) == {"a": "failed", "tell": "completed", "c": "completed", "long": "queued"}
    FAILING.clear()
    run_from(of(run, "a"), **BY)
    assert work() == ["a", "c", "long"]
    assert states(run)["tell"] == "skipped" and status(run) == "completed" and audit() == []


def test_a_mark_further_on_is_taken_back_and_a_hold_stays():
    run = start(item("a"), item("b", "a"), item("c", "b"), item("d", "b"))
    run_only(of(run, "c"), **BY)
    hold_step(of(run, "d"), **BY)
    work(most=1)
    run_from(of(run, "a"), **BY)
    assert states(run) == {"a": "queued", "b": "waiting", "c": "waiting", "d": "waiting"}
    assert work() == ["a", "b", "c"] and of(run, "d").is_held and audit() == []


def test_something_after_it_that_is_at_work_refuses_it_by_name():
    run = start(item("a"), item("b", "a"), item("c", "b"), item("d", "a"))
    work(most=1)
    claim(of(run, "d").pk, worker="w", now=NOW)
    assert refused(run, run_from, "a") == "d is at work: wait for its end, or cancel the run."
    run_only(of(run, "a"), **BY)
    assert states(run) == {"a": "queued", "b": "waiting", "c": "waiting", "d": "running"} and audit() == []


IN_LINE: list = []
HELD = [(hold_step, "branch")]
LET_GO = [*HELD, (run_only, "a"), (let_step_go_on, "branch")]  # it waits for what runs anew


@pytest.mark.parametrize(
    ("before", "verb", "key"),
    [(IN_LINE, run_from, "a"), (HELD, run_from, "a"), (LET_GO, run_only, "branch"), (LET_GO, run_from, "branch")],
)
def test_a_batch_that_an_interrupted_worker_left_frees_its_entity(make_entity, deposit, before, verb, key):
    entity = make_entity().entity
    deposit(rows=1)
    run = start(item("a"), ManifestTask("branch", RunKind.BATCH, entity.pk, depends_on=frozenset("a")))
    work(most=1)
    task = of(run, "branch")
    attempt = claim(task.pk, worker="w", now=NOW)
    with transaction.atomic():
        open_for([task], NOW)
    assert hand_back(attempt, task, now=NOW) and SchedulerConfiguration.objects.get().is_running
    for hand, step in before:
        hand(of(run, step), **BY)
    verb(of(run, key), **BY)
    assert not SchedulerConfiguration.objects.get().is_running
    assert list(entity.batches.values_list("status", flat=True)) == ["cancelled"]
    if of(run, "branch").is_held:
        let_step_go_on(of(run, "branch"), **BY)
    deposit(rows=1, prefix="c")
    work()
    assert status(run) == "completed" and audit() == []
    assert list(entity.batches.order_by("id").values_list("status", "inserted")) == [("cancelled", 0), ("completed", 2)]


def test_a_batch_that_completed_processes_what_came_since(make_entity, deposit):
    entity = make_entity().entity
    run = start(ManifestTask("branch", RunKind.BATCH, entity.pk), item("long", priority=-1))
    deposit(rows=1)
    work(most=1)
    deposit(rows=1, prefix="c")
    run_only(of(run, "branch"), **BY)
    work()
    assert status(run) == "completed" and audit() == []
    assert list(entity.batches.order_by("id").values_list("status", flat=True)) == ["completed", "completed"]


@pytest.mark.parametrize("state", TaskStatus.values)
def test_a_page_offers_it_for_what_the_database_would_take(state):
    run = start(item("a"), item("long"))
    ended = {"finished_at": NOW if state in TaskStatus.final() else None}
    for held, put_off, awaits, items in product([None, NOW], [None, NOW], [None, NOW], [None, [1]]):
        columns = {"held_at": held, "next_attempt_at": put_off, "waits_since": awaits, "items": items}
        run.tasks.filter(key="a").update(status=state, **ended, **columns)
        taken = Task.objects.filter(anew._MAY_RUN, pk=of(run, "a").pk).exists()
        assert anew.may_run_anew(of(run, "a")) == taken, columns


# --- what is refused -------------------------------------------------------------------------------------------------


@either
def test_what_is_at_work_queued_or_held_is_refused_in_words(verb):
    run = start(item("a"), item("b"), item("c"))
    claim(of(run, "a").pk, worker="w", now=NOW)
    hold_step(of(run, "c"), **BY)
    assert refused(run, verb, "a") == "a is at work: wait for its end, or cancel the run."
    assert refused(run, verb, "b") == "b is queued already: it starts as soon as a worker is free."
    assert refused(run, verb, "c") == "c is held, by ann: let it go on first."


@either
def test_of_a_run_that_ended_a_part_is_restarted_and_of_a_live_one_its_step_is_run(verb):
    run = start(item("a"), item("b", "a"))
    with pytest.raises(AlreadyRunning, match=r"has not ended: run step a in it \(run_task\)"):
        part = RunPart(only="a") if verb is run_only else RunPart(start_at="a")
        restart_run(run, only_failed=False, part=part, started_by="ann", now=NOW)
    work()
    assert "has ended: restart it from this step on, or this step alone" in refused(run, verb, "a")


@either
def test_in_a_run_that_is_being_cancelled_nothing_runs_by_it(verb):
    run = start(item("a"), item("long"))
    work(most=1)
    claim(of(run, "long").pk, worker="w", now=NOW)
    cancel_run(run, **BY)
    assert "is being cancelled" in refused(run, verb, "a")


@either
def test_whoever_may_not_start_such_work_is_refused(make_entity, verb):
    run = start(item("a"), ManifestTask("branch", RunKind.BATCH, make_entity().entity.pk, depends_on=frozenset("a")))
    viewer = User.objects.create_user("viewer")
    viewer.groups.set(Group.objects.filter(name="Viewer"))
    with pytest.raises(NotAllowed):
        verb(of(run, "branch"), by="viewer", person=viewer, now=NOW)
    if verb is run_from:
        work(most=1)
        with pytest.raises(NotAllowed):
            verb(of(run, "a"), by="viewer", person=viewer, now=NOW)
    assert not Task.objects.filter(runs_anyway=True).exists()


def test_recovery_finds_nothing_to_mend_in_between():
    run = start(item("a"), item("b", "a"), item("c", "b"))
    work(most=2)
    run_from(of(run, "a"), **BY)
    recover(NOW + timedelta(minutes=5))
    assert states(run) == {"a": "queued", "b": "waiting", "c": "waiting"} and audit() == []
