"""Promises of a restart: only what is asked for, in its order, as a run of its own; and of a release by a person."""

import pytest

from scheduling.errors import AlreadyRunning, CannotRestart, UnknownStep
from scheduling.jobs.declare import daily
from scheduling.models import JobSchedule, Queue, Run, SchedulerLog
from scheduling.runs import restart
from scheduling.runs.by_hand import start_batch_now, start_job_now
from scheduling.runs.cancel import cancel_run
from scheduling.runs.intervene import hold_step, let_step_go_on, retry_now
from scheduling.runs.restart import RunPart, differences, manifest_of, restart_run, without_completed
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.runs.pieces import FAILING, item, of, start, states, status, work

pytestmark = pytest.mark.django_db(transaction=True)


def test_only_what_failed_or_never_ran_runs_again_in_the_same_order():
    FAILING.add("b")
    run = start(item("a"), item("b", "a"), item("c", "b"))
    work()
    FAILING.clear()
    again = restart_run(run, only_failed=True, started_by="bob", now=NOW)
    assert again.restart_of == run and again.title == "Test"
    assert work() == ["b", "c"]
    assert (status(run), status(again)) == ("failed", "completed")
    assert SchedulerLog.objects.filter(event_type="fired").first().message.startswith("Test started again by bob")


def test_an_order_through_what_completed_is_kept():
    FAILING.add("a")
    run = start(item("a", continue_on_failure=True), item("b", "a"), item("c", "b"))
    work()
    again = restart_run(run, only_failed=False, started_by="bob", now=NOW)
    FAILING.add("c")
    work()
    last = restart_run(again, only_failed=True, started_by="bob", now=NOW)
    assert states(last) == {"a": "queued", "c": "waiting"}


def test_the_manifest_survives_a_restart_in_every_part():
    Queue.objects.create(name="night")
    whole = item(
        "a", queue="night", priority=3, attempts=4, retry_interval_seconds=5, retry_backoff=True,
        retry_on=("ValueError",), timeout_seconds=9, continue_on_failure=True, step_index=2,
    )  # fmt: skip
    run = start(whole, item("b", "a", step_index=3))
    assert manifest_of(run) == (whole, item("b", "a", step_index=3))
    cancel_run(run, by="bob", now=NOW)
    again = restart_run(run, only_failed=True, started_by="bob", now=NOW)
    assert manifest_of(again) == manifest_of(run)


def test_a_cancelled_run_restarts_with_what_never_ran():
    run = start(item("a"), item("b", "a"))
    work(most=1)
    cancel_run(run, by="bob", now=NOW)
    restart_run(run, only_failed=True, started_by="bob", now=NOW)
    assert work() == ["b"]


def test_it_may_follow_what_is_planned_now_and_tells_the_difference():
    FAILING.add("b")
    run = start(item("a"), item("b", "a"), item("old"))
    work()
    now = (item("a"), item("b", "a", priority=2), item("new"))
    assert differences(manifest_of(run), now) == ["added: new", "taken out: old", "changed: b (priority)"]
    FAILING.clear()
    restart_run(run, only_failed=True, manifest=now, started_by="bob", now=NOW)
    assert sorted(work()) == ["b", "new"]


def test_nothing_is_restarted_twice_at_once():
    FAILING.add("a")
    run = start(item("a"))
    with pytest.raises(AlreadyRunning, match="has not ended"):
        restart_run(run, only_failed=True, started_by="bob", now=NOW)
    work()
    run.refresh_from_db()
    restart_run(run, only_failed=True, started_by="bob", now=NOW)
    with pytest.raises(AlreadyRunning, match="being run again"):
        restart_run(run, only_failed=True, started_by="bob", now=NOW)
    work()
    assert restart_run(run, only_failed=True, started_by="bob", now=NOW).pk


def test_what_a_restart_completed_is_not_repeated_by_another_restart_of_the_same_run():
    FAILING.update("bc")
    run = start(item("a"), item("b"), item("c"))
    work()
    FAILING.discard("b")
    first = restart_run(run, only_failed=True, started_by="bob", now=NOW)
    assert sorted(work()) == ["b", "c"] and status(first) == "failed"
    FAILING.clear()
    second = restart_run(run, only_failed=True, started_by="bob", now=NOW)
    assert work() == ["c"] and status(second) == "completed"
    for only_failed in (True, False):
        with pytest.raises(CannotRestart, match=f"Run {run.pk} was made good by run {second.pk}"):
            restart_run(run, only_failed=only_failed, started_by="bob", now=NOW)


def test_the_restart_of_a_restart_makes_good_all_that_led_to_it():
    FAILING.add("a")
    run = start(item("a"))
    work()
    again = restart_run(run, only_failed=True, started_by="bob", now=NOW)
    work()
    FAILING.clear()
    good = restart_run(again, only_failed=False, started_by="bob", now=NOW)
    work()
    assert list(Run.objects.order_by("pk").values_list("made_good_by", flat=True)) == [good.pk, good.pk, None]
    restart_run(good, only_failed=False, started_by="bob", now=NOW)  # a completed run may be repeated
    work()
    assert Run.objects.get(pk=good.pk).made_good_by is None


def test_a_restart_that_was_late_starts_nothing_that_another_ran_meanwhile(monkeypatch):
    """Its process froze after it had looked at the run, say; the restart it did not see has come to its end."""
    FAILING.add("a")
    run = start(item("a"))
    work()
    FAILING.clear()
    faster: list[Run] = []

    def look_and_freeze(items, of_run):
        if not faster:
            faster.append(run)
            faster[:] = [restart_run(run, only_failed=True, started_by="bob", now=NOW)]
            work()
        return without_completed(items, of_run)

    monkeypatch.setattr(restart, "without_completed", look_and_freeze)
    with pytest.raises(AlreadyRunning, match="started again meanwhile: run"):
        restart_run(run, only_failed=True, started_by="ann", now=NOW)
    assert Run.objects.count() == 2 and status(faster[0]) == "completed"


def test_a_run_in_which_all_completed_has_nothing_that_failed():
    run = start(item("a"))
    work()
    run.refresh_from_db()
    with pytest.raises(CannotRestart, match="nothing to restart"):
        restart_run(run, only_failed=True, started_by="bob", now=NOW)
    restart_run(run, only_failed=False, started_by="bob", now=NOW)
    assert work() == ["a"]


def test_a_batch_is_restarted_under_the_guard_of_its_entity(make_entity, deposit, staged):
    started = start_batch_now(make_entity(), tag="monday", started_by="ann", now=NOW)
    cancel_run(started.run, by="bob", now=NOW)
    started.run.refresh_from_db()
    again = restart_run(started.run, only_failed=True, started_by="bob", now=NOW)
    assert again.restart_of == started.run and again.tasks.get().arguments == {"tag": "monday"}
    assert work_off(NOW) == 1 and status(again) == "completed"


def test_a_run_of_a_job_is_restarted_under_the_guard_of_the_job(make_job):
    job = make_job("Report", daily("07:00"))
    run = start_job_now(job, started_by="ann", now=NOW)
    cancel_run(run, by="bob", now=NOW)
    other = start_job_now(job, started_by="ann", now=NOW)
    run.refresh_from_db()
    with pytest.raises(AlreadyRunning, match=rf"Job Report is already running \(run {other.pk}\)"):
        restart_run(run, only_failed=False, started_by="bob", now=NOW)
    work_off(NOW)
    again = restart_run(run, only_failed=False, started_by="bob", now=NOW)
    assert JobSchedule.objects.get().running_run == again
    assert work_off(NOW) == 1 and status(again) == "completed" and not JobSchedule.objects.get().is_running


def test_a_mended_task_of_a_live_run_is_released_again_with_what_it_blocked():
    FAILING.add("a")
    run = start(item("a"), item("b", "a"), item("c", "b"), item("long"))
    Queue.objects.update(max_running=1)
    assert work(most=1) == ["a"]
    assert states(run) == {"a": "failed", "b": "blocked", "c": "blocked", "long": "queued"}
    FAILING.clear()
    retry_now(of(run, "a"), by="bob", now=NOW)
    assert states(run) == {"a": "queued", "b": "waiting", "c": "waiting", "long": "queued"}
    work()
    assert status(run) == "completed" and of(run, "a").attempts_made == 2


def test_what_another_failure_blocks_stays_blocked():
    FAILING.update(["a", "x"])
    run = start(item("a"), item("x"), item("y", "x"), item("both", "a y"), item("long"))
    work(most=2)
    assert states(run)["both"] == "blocked"
    retry_now(of(run, "a"), by="bob", now=NOW)
    assert states(run)["both"] == "blocked" and of(run, "both").blocked_by.key == "x"
    FAILING.clear()
    work()
    assert states(run) == {"a": "completed", "x": "failed", "y": "blocked", "both": "blocked", "long": "completed"}


def test_waiting_for_the_next_attempt_can_be_cut_short():
    FAILING.add("a")
    run = start(item("a", attempts=2))
    work()
    FAILING.clear()
    retry_now(of(run, "a"), by="bob", now=NOW)
    assert work() == ["a"] and status(run) == "completed"


def test_an_ended_run_and_a_task_that_did_not_fail_are_not_released():
    run = start(item("a"), item("b", "a"))
    with pytest.raises(CannotRestart, match="a is queued"):
        retry_now(of(run, "a"), by="bob", now=NOW)
    work()
    with pytest.raises(CannotRestart, match="has ended"):
        retry_now(of(run, "a"), by="bob", now=NOW)


# --- a part of a run -------------------------------------------------------------------------------------------------


@pytest.fixture
def broken():
    """A run of a, then b and c, then d, in which b failed; `tell` runs after a failure only."""
    FAILING.add("b")
    items = [
        item("a"), item("b", "a"), item("c", "a"), item("d", "b c"), item("tell", "a b c", run_if="any_failed"),
    ]  # fmt: skip
    run = start(*items)
    work()
    FAILING.clear()
    return run


def again(run, **part):
    only_failed = part.pop("only_failed", False)
    return restart_run(run, only_failed=only_failed, part=RunPart(**part), started_by="bob", now=NOW)


@pytest.mark.parametrize(
    ("part", "runs", "is_partial"),
    [
        ({}, {"a": "queued", "b": "waiting", "c": "waiting", "d": "waiting", "tell": "waiting"}, False),
        ({"start_at": "b"}, {"b": "queued", "d": "waiting", "tell": "waiting"}, False),
        ({"start_at": "d"}, {"d": "queued"}, True),
        ({"start_at": "c"}, {"c": "queued", "d": "waiting", "tell": "waiting"}, True),
        ({"only": "b"}, {"b": "queued"}, True),
        ({"only": "tell"}, {"tell": "queued"}, True),
        ({"only_failed": True, "without": ["b"]}, {"d": "queued"}, False),
        ({"start_at": "a", "without": ["a", "b", "c"]}, {"d": "queued"}, False),
    ],
)
def test_a_part_is_a_step_and_what_comes_after_it_or_a_step_alone_or_all_but_some(broken, part, runs, is_partial):
    new = again(broken, **part)
    assert states(new) == runs and new.is_partial == is_partial and new.restart_of == broken


@pytest.mark.parametrize("part", [{"start_at": "x"}, {"only": "bb"}, {"without": ["a", "y"]}])
def test_a_step_that_is_not_there_is_refused_with_the_likely_one(broken, part):
    with pytest.raises(UnknownStep, match="There is no step"):
        again(broken, **part)
    with pytest.raises(UnknownStep, match="There is no step 'a' to run again"):
        again(broken, only_failed=True, without=["a"])
    assert Run.objects.count() == 1


def test_nothing_left_is_nothing_to_restart(broken):
    with pytest.raises(CannotRestart):
        again(broken, only="b", without=["b"])


def good(run):
    return Run.objects.get(pk=run.pk).made_good_by_id


def test_a_part_makes_a_run_good_when_nothing_that_did_not_complete_is_left_out(broken):
    part = again(broken, only="b")
    work()
    assert status(part) == "completed" and good(broken) is None
    rest = again(broken, only_failed=True)
    assert states(rest) == {"d": "queued"}
    work()
    assert good(broken) == rest.pk


def test_what_a_person_leaves_out_counts_as_done(broken):
    without = again(broken, only_failed=True, without=["b"])
    work()
    assert good(broken) == without.pk


def test_a_part_that_is_mended_is_good_and_the_whole_is_not(broken):
    FAILING.add("b")
    part = again(broken, only="b")
    work()
    FAILING.clear()
    mended = again(part, only_failed=True)
    work()
    assert good(part) == mended.pk and good(broken) is None


def test_a_step_that_a_person_names_runs_after_a_hold_too(broken):
    one = again(broken, only="tell")
    hold_step(of(one, "tell"), by="ann", now=NOW)
    let_step_go_on(of(one, "tell"), by="ann", now=NOW)
    assert states(one) == {"tell": "queued"} and work() == ["tell"], "it was skipped: nothing before it failed"


@pytest.mark.parametrize("only_failed", [True, False])
def test_a_step_that_a_person_named_and_that_failed_can_be_restarted(broken, only_failed):
    FAILING.add("tell")
    one = again(broken, only="tell")
    work()
    assert status(one) == "failed"
    assert states(again(one, only_failed=only_failed)) == {"tell": "queued"}
