"""Hands on a live run: a step is skipped, marked as succeeded, held and let go on; what comes after it knows."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User

from scheduling.dag.manifest import ManifestTask
from scheduling.decisions.decide import decide
from scheduling.dispatch.recover import advance_stuck_runs, recover, stuck_runs
from scheduling.errors import CannotIntervene, CannotRestart, NotAllowed
from scheduling.figures.count import ended_tasks
from scheduling.kinds import measured
from scheduling.models import Job, Run, SchedulerConfiguration, SchedulerLog, Task
from scheduling.queues import claim, claim_next
from scheduling.runs.by_hand import run_document, start_batch_now
from scheduling.runs.cancel import cancel_run
from scheduling.runs.intervene import complete_step, hold_step, let_step_go_on, retry_now, skip_step
from scheduling.runs.ordered import append
from scheduling.runs.restart import RunPart, restart_run
from scheduling.states import RunIf, RunKind
from scheduling.workloads.job import _last_completed_at
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import FAILING, SECOND, item, of, start, states, status, work

pytestmark = pytest.mark.django_db(transaction=True)

AFTER_FAILURE, ALWAYS = {"run_if": RunIf.ANY_FAILED.value}, {"run_if": RunIf.ALWAYS.value}
VERBS = {"skipped": skip_step, "completed": complete_step}
both = pytest.mark.parametrize("end", VERBS)


def told() -> list[str]:
    return list(SchedulerLog.objects.filter(event_type="changed").order_by("id").values_list("message", flat=True))


# --- skipped, or marked as succeeded ---------------------------------------------------------------------------------


@both
def test_a_queued_step_ends_and_what_comes_after_it_goes_on(end):
    run = start(item("a"), item("b", "a"), item("c", "b"))
    VERBS[end](of(run, "a"), by="ann", now=NOW)
    assert states(run) == {"a": end, "b": "queued", "c": "waiting"}
    assert claim(of(run, "a").pk, worker="w", now=NOW) is None
    assert work() == ["b", "c"] and status(run) == "completed"


@both
def test_a_waiting_step_ends_before_what_it_waits_for_and_counts_as_done(end):
    run = start(item("a"), item("b", "a"), item("c", "b"), item("d", "a b"))
    VERBS[end](of(run, "b"), by="ann", now=NOW)
    assert states(run) == {"a": "queued", "b": end, "c": "queued", "d": "waiting"}
    FAILING.add("a")
    work()
    assert states(run) == {"a": "failed", "b": end, "c": "completed", "d": "blocked"}


def test_it_says_who_did_it_and_when():
    run = start(item("a"), item("b"), item("c"))
    skip_step(of(run, "a"), by="ann", now=NOW)
    complete_step(of(run, "b"), by="bob", now=NOW + SECOND)
    assert (of(run, "a").message, of(run, "b").message) == ("Skipped by ann.", "Marked as succeeded by bob.")
    assert of(run, "b").finished_at == NOW + SECOND and of(run, "b").started_at is None
    assert told() == ["a skipped by ann.", "b marked as succeeded by bob."]
    assert set(SchedulerLog.objects.filter(event_type="changed").values_list("starter", "run_id")) == {
        ("person", run.pk)
    }


@both
def test_the_last_step_ends_its_run(end):
    run = start(item("a"))
    VERBS[end](of(run, "a"), by="ann", now=NOW)
    assert status(run) == "completed"
    with pytest.raises(CannotIntervene, match="has ended; restart it"):
        VERBS[end](of(run, "a"), by="ann", now=NOW)


@both
def test_a_failed_step_is_no_failure_any_more_and_what_it_blocked_runs(end):
    FAILING.add("a")
    run = start(item("a"), item("b", "a"), item("c", "b"), item("long"))
    assert work(most=1) == ["a"]
    assert states(run)["c"] == "blocked"
    VERBS[end](of(run, "a"), by="ann", now=NOW)
    assert states(run) == {"a": end, "b": "queued", "c": "waiting", "long": "queued"}
    work()
    assert status(run) == "completed" and Run.objects.get(pk=run.pk).error == ""


def test_another_failure_still_blocks():
    FAILING.update(["a", "b"])
    run = start(item("a"), item("b"), item("c", "a b"), item("long"))
    assert work(most=2) == ["a", "b"]
    skip_step(of(run, "a"), by="ann", now=NOW)
    assert states(run)["c"] == "blocked" and of(run, "c").blocked_by == of(run, "b")
    skip_step(of(run, "b"), by="ann", now=NOW)
    assert states(run)["c"] == "queued"


@both
def test_what_asks_about_failures_finds_none(end):
    FAILING.add("a")
    run = start(item("a"), item("b", "a"), item("tell", "a b", **AFTER_FAILURE), item("clean", "b", **ALWAYS))
    assert work(most=1) == ["a"]
    assert states(run) == {"a": "failed", "b": "blocked", "tell": "queued", "clean": "queued"}
    VERBS[end](of(run, "a"), by="ann", now=NOW)
    assert states(run) == {"a": end, "b": "queued", "tell": "waiting", "clean": "waiting"}
    assert work() == ["b", "clean"]
    assert states(run)["tell"] == "skipped" and status(run) == "completed"


def test_what_was_queued_because_of_a_failure_that_is_none_is_skipped_at_once():
    FAILING.add("a")
    run = start(item("a"), item("tell", "a", **AFTER_FAILURE))
    work(most=1)
    complete_step(of(run, "a"), by="ann", now=NOW)
    assert states(run) == {"a": "completed", "tell": "skipped"} and status(run) == "completed"


@both
def test_a_step_with_a_condition_ends_by_hand_as_any_other(end):
    run = start(item("a"), item("tell", "a", **AFTER_FAILURE), item("z", "a tell"))
    VERBS[end](of(run, "tell"), by="ann", now=NOW)
    FAILING.add("a")
    work()
    assert states(run) == {"a": "failed", "tell": end, "z": "blocked"}


@both
def test_a_step_that_waits_for_its_next_attempt_is_not_tried_again(end):
    FAILING.add("a")
    run = start(item("a", attempts=3), item("b", "a"))
    work()
    assert of(run, "a").next_attempt_at is not None
    VERBS[end](of(run, "a"), by="ann", now=NOW)
    assert of(run, "a").next_attempt_at is None
    assert work(NOW + timedelta(days=1)) == ["b"] and status(run) == "completed"


@both
def test_orders_of_ordered_work_go_on(end):
    run = start(*(item(f"t{n}", step_index=n) for n in (1, 2, 3)), kind=RunKind.ORDERED)
    VERBS[end](of(run, "t2"), by="ann", now=NOW)
    assert states(run) == {"t1": "queued", "t2": end, "t3": "waiting"}
    VERBS[end](of(run, "t1"), by="ann", now=NOW)
    assert states(run)["t3"] == "queued"
    assert work() == ["t3"] and status(run) == "completed"


@both
def test_what_runs_has_ended_or_is_blocked_is_refused_in_words(end):
    FAILING.add("a")
    run = start(item("a"), item("b", "a"), item("c"), item("d"))
    work(most=2)
    claim(of(run, "d").pk, worker="w", now=NOW)
    for key, state in (("b", "blocked"), ("c", "completed"), ("d", "running")):
        with pytest.raises(CannotIntervene, match=f"{key} is {state}: only a step that waits, or failed"):
            VERBS[end](of(run, key), by="ann", now=NOW)
    assert told() == []


@both
def test_a_restart_of_what_failed_does_not_repeat_it(end):
    FAILING.add("b")
    run = start(item("a"), item("b"), item("c", "a"))
    VERBS[end](of(run, "a"), by="ann", now=NOW)
    work()
    again = restart_run(run, only_failed=True, started_by="bob", now=NOW)
    assert states(again) == {"b": "queued"}


def test_a_batch_of_its_own_frees_its_entity_and_ends_its_batch(make_entity, deposit):
    configuration = make_entity()
    deposit(rows=2)
    for verb, end in ((skip_step, "skipped"), (complete_step, "completed")):
        started = start_batch_now(configuration, started_by="ann", now=NOW)
        verb(started.task, by="ann", now=NOW)
        started.batch.refresh_from_db()
        configuration.refresh_from_db()
        assert (started.batch.status, states(started.run), status(started.run)) == (
            "cancelled", {"branch": end}, "completed",
        )  # fmt: skip
        assert not configuration.is_running and configuration.running_task is None
        assert configuration.last_completed_at is None and configuration.consecutive_failures == 0


@both
def test_a_batch_that_failed_leaves_nothing_claimed(make_entity, end):
    configuration = make_entity()
    run = start(ManifestTask("branch", RunKind.BATCH, configuration.entity.pk), item("long"), item("z", "branch"))
    attempt = claim(of(run, "branch").pk, worker="w", now=NOW)
    recover(NOW + timedelta(minutes=31))
    assert attempt is not None and states(run)["branch"] == "failed"
    VERBS[end](of(run, "branch"), by="ann", now=NOW)
    assert states(run)["z"] == "queued"
    assert not SchedulerConfiguration.objects.get().is_running
    assert not of(run, "branch").entity.batches.exclude(status__in=["failed", "cancelled"]).exists()


def test_a_job_that_waits_for_the_same_job_is_called_back(make_job):
    job = make_job("Report")
    entry = ManifestTask("Report", RunKind.JOB, job.pk)
    first, second = start(entry, key="one"), start(entry, key="two")
    claim(of(first, "Report").pk, worker="w", now=NOW)
    claim(of(second, "Report").pk, worker="w", now=NOW)
    assert of(second, "Report").waits_for_entity
    skip_step(of(second, "Report"), by="ann", now=NOW)
    assert not of(second, "Report").waits_for_entity and status(second) == "completed"
    assert Job.objects.get().schedules.filter(is_running=True).count() == 0


def test_what_nobody_worked_on_has_no_duration_and_is_no_figure(make_job):
    job = make_job("Report")
    entry = ManifestTask("Report", RunKind.JOB, job.pk)
    run = start(entry, item("other"))
    claim(of(run, "Report").pk, worker="w", now=NOW)
    recover(NOW + timedelta(minutes=31))
    assert states(run)["Report"] == "failed" and ended_tasks().count() == 1
    complete_step(of(run, "Report"), by="ann", now=NOW + timedelta(hours=9))
    assert ended_tasks().count() == 0 and of(run, "Report").attempts.count() == 1
    assert Task.objects.usual_durations([(RunKind.JOB.value, job.pk)]) == {}
    again = start(entry, key="again")
    assert _last_completed_at(of(again, "Report")) is None


@pytest.mark.parametrize("verb", [skip_step, complete_step, hold_step, let_step_go_on])
def test_whoever_may_not_start_such_work_is_refused(make_entity, verb):
    configuration = make_entity()
    run = start(ManifestTask("branch", RunKind.BATCH, configuration.entity.pk))
    viewer = User.objects.create_user("viewer")
    viewer.groups.set(Group.objects.filter(name="Viewer"))
    with pytest.raises(NotAllowed):
        verb(of(run, "branch"), by="viewer", person=viewer, now=NOW)
    assert states(run) == {"branch": "queued"} and not of(run, "branch").is_held


# --- held, and let go on ---------------------------------------------------------------------------------------------


def test_nobody_claims_what_is_held_and_the_run_stays_alive():
    run = start(item("a"), item("b", "a"))
    hold_step(of(run, "a"), by="ann", now=NOW)
    task = of(run, "a")
    assert (task.status, task.held_by, task.held_at, task.shown_status) == ("waiting", "ann", NOW, "held")
    assert claim_next(worker="w", now=NOW) is None and claim(task.pk, worker="w", now=NOW) is None
    later = NOW + timedelta(days=2)
    recover(later)
    assert claim_next(worker="w", now=later) is None and status(run) == "pending"
    assert not stuck_runs().exists() and advance_stuck_runs(later) == 0
    let_step_go_on(of(run, "a"), by="bob", now=later)
    assert (of(run, "a").status, of(run, "a").held_by, of(run, "a").held_at) == ("queued", "", None)
    assert work(later) == ["a", "b"] and status(run) == "completed"
    assert told() == ["a held by ann.", "a let go on by bob."]


def test_a_waiting_step_is_held_beyond_what_it_waits_for():
    run = start(item("a"), item("b", "a"), item("c", "b"), item("d", "a"))
    hold_step(of(run, "b"), by="ann", now=NOW)
    assert work() == ["a", "d"]
    assert states(run) == {"a": "completed", "b": "waiting", "c": "waiting", "d": "completed"}
    let_step_go_on(of(run, "b"), by="ann", now=NOW)
    assert work() == ["b", "c"]


def test_what_waits_for_others_still_waits_when_it_is_let_go():
    run = start(item("a"), item("b", "a"))
    hold_step(of(run, "b"), by="ann", now=NOW)
    let_step_go_on(of(run, "b"), by="ann", now=NOW)
    assert states(run) == {"a": "queued", "b": "waiting"}
    assert work() == ["a", "b"]


def test_a_hold_outlives_a_failure_before_it():
    FAILING.add("a")
    run = start(item("a"), item("b", "a"), item("long"))
    hold_step(of(run, "b"), by="ann", now=NOW)
    work(most=1)
    assert states(run)["b"] == "blocked" and of(run, "b").shown_status == "blocked"
    FAILING.clear()
    retry_now(of(run, "a"), by="ann", now=NOW)
    work()
    assert states(run)["b"] == "waiting" and of(run, "b").is_held


def test_a_held_one_that_was_blocked_may_be_let_go_and_stays_blocked():
    FAILING.add("a")
    run = start(item("a"), item("b", "a"), item("long"))
    hold_step(of(run, "b"), by="ann", now=NOW)
    work(most=1)
    let_step_go_on(of(run, "b"), by="ann", now=NOW)
    assert states(run)["b"] == "blocked" and of(run, "b").held_at is None


@pytest.mark.parametrize("condition", [AFTER_FAILURE, ALWAYS])
def test_a_condition_is_looked_at_when_the_step_is_let_go(condition):
    run = start(item("a"), item("tell", "a", **condition))
    hold_step(of(run, "tell"), by="ann", now=NOW)
    assert work() == ["a"] and states(run)["tell"] == "waiting" and status(run) == "running"
    let_step_go_on(of(run, "tell"), by="ann", now=NOW)
    work()
    assert states(run)["tell"] == ("skipped" if condition is AFTER_FAILURE else "completed")
    assert status(run) == "completed"


def test_an_order_waits_for_what_is_held_of_the_one_before_it():
    items = [item("a", step_index=1), item("b", step_index=1), item("c", step_index=2)]
    run = start(*items, kind=RunKind.ORDERED)
    hold_step(of(run, "a"), by="ann", now=NOW)
    assert work() == ["b"]
    assert states(run) == {"a": "waiting", "b": "completed", "c": "waiting"} and not stuck_runs().exists()
    append(run, [(1, item("d"))], now=NOW)
    assert states(run)["d"] == "queued"
    let_step_go_on(of(run, "a"), by="ann", now=NOW)
    assert states(run)["a"] == "queued", "beside the others of its order"
    assert work() in (["a", "d", "c"], ["d", "a", "c"])


def test_an_attempt_to_come_keeps_its_time():
    FAILING.add("a")
    run = start(item("a", attempts=3, retry_interval_seconds=600))
    work()
    due = of(run, "a").next_attempt_at
    hold_step(of(run, "a"), by="ann", now=NOW)
    let_step_go_on(of(run, "a"), by="ann", now=NOW)
    assert of(run, "a").next_attempt_at == due and work() == []
    hold_step(of(run, "a"), by="ann", now=NOW)
    later = NOW + timedelta(hours=1)
    let_step_go_on(of(run, "a"), by="ann", now=later)
    assert of(run, "a").next_attempt_at is None and work(later) == ["a"]


def test_a_held_step_is_skipped_marked_or_cancelled_like_any_other():
    run = start(item("a"), item("b"), item("c"))
    for key in "abc":
        hold_step(of(run, key), by="ann", now=NOW)
    skip_step(of(run, "a"), by="bob", now=NOW)
    complete_step(of(run, "b"), by="bob", now=NOW)
    assert cancel_run(run, by="bob", now=NOW)
    assert states(run) == {"a": "skipped", "b": "completed", "c": "cancelled"}
    assert not Task.objects.filter(held_at__isnull=False).exists() and status(run) == "cancelled"


def test_who_is_late_is_told():
    FAILING.add("d")
    run = start(item("d"), item("a"), item("b"), item("c"))
    work(most=2)
    claim(of(run, "b").pk, worker="w", now=NOW)
    hold_step(of(run, "c"), by="ann", now=NOW)
    for key, words in (
        ("a", "a is completed: only a step that waits can be held"),
        ("b", "b is running: only a step that waits can be held"),
        ("d", "d is failed: only a step that waits can be held"),
        ("c", "c is held already, by ann"),
    ):
        with pytest.raises(CannotIntervene, match=words):
            hold_step(of(run, key), by="bob", now=NOW)
    with pytest.raises(CannotIntervene, match="Nobody holds a"):
        let_step_go_on(of(run, "a"), by="bob", now=NOW)


def test_the_entity_of_a_held_batch_stays_its_own_and_says_why(make_entity):
    configuration = make_entity(processing_mode="triggered", trigger_row_threshold=1)
    started = start_batch_now(configuration, started_by="ann", now=NOW)
    hold_step(started.task, by="ann", now=NOW)
    later = NOW + timedelta(days=1)
    recover(later)
    configuration.refresh_from_db()
    assert configuration.is_running
    gate = decide(configuration, measured(configuration, later), later).gate("overlap")
    assert not gate.passed and "ann holds it back" in str(gate.text)


def test_the_document_of_a_run_tells_who_holds_what():
    run = start(item("a"), item("b"))
    hold_step(of(run, "a"), by="ann", now=NOW)
    a, b = run_document(run)["tasks"]
    assert (a["status"], a["held_by"], a["held_at"]) == ("waiting", "ann", NOW.isoformat()) and "held_by" not in b


def test_in_a_run_that_is_being_cancelled_nothing_starts_by_it():
    FAILING.add("a")
    run = start(item("a"), item("b", "a"), item("long"))
    work(most=1)
    claim(of(run, "long").pk, worker="w", now=NOW)
    cancel_run(run, by="bob", now=NOW)
    assert states(run) == {"a": "failed", "b": "blocked", "long": "running"}
    for verb in (skip_step, complete_step, retry_now):
        with pytest.raises((CannotIntervene, CannotRestart), match="is being cancelled"):
            verb(of(run, "a"), by="ann", now=NOW)
    assert states(run) == {"a": "failed", "b": "blocked", "long": "running"}


def test_a_restart_holds_nothing():
    run = start(item("a"), item("b"))
    hold_step(of(run, "a"), by="ann", now=NOW)
    cancel_run(run, by="ann", now=NOW)
    again = restart_run(run, only_failed=False, part=RunPart(), started_by="ann", now=NOW)
    assert states(again) == {"a": "queued", "b": "queued"}
