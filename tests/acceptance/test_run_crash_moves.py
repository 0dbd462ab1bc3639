"""Struck while a run is retried, given up, cancelled or restarted: every step counts once, nothing is stuck."""

import pytest

from tests.acceptance.crash.matrix import struck_at
from tests.acceptance.crash.site import Site

RETRY = ["advance.put_off", "advance.next_attempt_at", "advance._record", "advance.end_attempt"]
FAIL = ["advance.end_task", "advance._block_behind", "advance.block", "advance.end_run", "advance._tell"]
RESTART = ["restart.without_completed", "restart.start", "start.create_runs", "start.wake_lines_after_commit"]
CANCEL = ["cancel.cancel_unstarted", "cancel.settle_run", "advance.end_run", "cancel.wake_lines_after_commit"]
TIME_OUT = ["dispatch.recover.time_out_run", "runs.cancel.note_time_out", "runs.cancel.cancel_unstarted",
            "runs.cancel.settle_run", "runs.advance.end_run"]  # fmt: skip
ASK = ["advance.skip_where_not", "conditions.given_in", "conditions.skip", "advance.line_up", "advance.end_run"]
GIVE_UP = ["lock_run", "lose_attempt", "conclude", "wake_freed"]
ANEW = ["intervene.take_out_of_line", "intervene.wait_anew", "intervene.next_turns", "intervene.run_anyway",
        "intervene.settle_run", "intervene.events.record", "intervene.wake_lines_after_commit"]  # fmt: skip
MEND = "DELETE FROM mdm_crash_broken"


@pytest.fixture
def broken(site: Site) -> Site:
    """A site in which step b fails."""
    site.sql("INSERT INTO mdm_crash_broken VALUES ('b')")
    return site


def _steps(site: Site, *, once: bool = True) -> list[str]:
    """Return the steps that took effect, in their order, when the auditor has nothing to say; each of them `once`."""
    assert site.audit() == [], site.log()
    steps = [step for (step,) in site.sql("SELECT label FROM mdm_audit_effect ORDER BY id")]
    assert not once or len(steps) == len(set(steps)), f"doubled: {steps}"
    return steps


@struck_at(*RETRY, package="scheduling.runs")
def test_while_an_attempt_is_put_off(broken: Site, point: str, fault: str) -> None:
    broken.strike(point, fault, 1, "start with retries")
    broken.pass_time(1, mend=MEND)
    steps = _steps(broken)
    assert sorted(steps) == ["a", "b", "c", "join"] and (steps[0], steps[-1]) == ("a", "join")
    assert broken.sql("SELECT status FROM scheduling_run") == [("completed",)]


@struck_at(*FAIL, package="scheduling.runs")
def test_while_a_failure_blocks_and_ends_the_run(broken: Site, point: str, fault: str) -> None:
    broken.strike(point, fault, 1, "start")
    broken.pass_time(1)
    assert {"a", "c"} >= set(_steps(broken))
    assert broken.sql("SELECT status FROM scheduling_run") == [("failed",)]
    assert broken.sql("SELECT status FROM scheduling_task WHERE key = 'join'") == [("blocked",)]


@struck_at(*RESTART, package="scheduling.runs")
def test_while_what_failed_is_restarted(broken: Site, point: str, fault: str) -> None:
    broken.minute(1, "start")
    broken.sql(MEND)
    broken.strike(point, fault, 2, "restart")
    broken.pass_time(2, "restart")
    steps = _steps(broken)
    assert (sorted(steps[:2]), steps[2:]) == (["a", "c"], ["b", "join"])
    assert broken.sql("SELECT status FROM scheduling_run ORDER BY id") == [("failed",), ("completed",)]


@struck_at(*CANCEL, package="scheduling.runs")
def test_while_a_run_is_cancelled(broken: Site, point: str, fault: str) -> None:
    broken.minute(1, "start with retries")
    broken.strike(point, fault, 2, "cancel")
    broken.pass_time(2, "cancel")
    assert sorted(_steps(broken)) == ["a", "c"]
    assert broken.sql("SELECT status FROM scheduling_run") == [("cancelled",)]
    assert broken.sql("SELECT status FROM scheduling_task WHERE key IN ('b', 'join')") == [("cancelled",)] * 2


@struck_at(*ANEW, package="scheduling.runs")
def test_while_a_person_runs_a_step_that_waits_for_another(broken: Site, point: str, fault: str) -> None:
    broken.minute(1, "start with retries")
    broken.strike(point, fault, 2, "run join")
    broken.pass_time(2, "run join", mend=MEND)
    steps = _steps(broken)
    assert (sorted(steps), steps[0]) == (["a", "b", "c", "join"], "a")
    assert broken.sql("SELECT status FROM scheduling_run") == [("completed",)]


@struck_at(*ANEW, package="scheduling.runs")
def test_while_a_person_runs_a_step_once_more_with_all_after_it(broken: Site, point: str, fault: str) -> None:
    broken.minute(1, "start with retries")
    broken.strike(point, fault, 2, "run a and all after it")
    broken.pass_time(2, "run a and all after it", mend=MEND)
    steps = _steps(broken, once=False)
    assert sorted(steps) == ["a", "a", "b", "c", "c", "join"] and (steps[0], steps[-1]) == ("a", "join")
    assert broken.sql("SELECT status FROM scheduling_run") == [("completed",)]


@struck_at(*TIME_OUT, package="scheduling")
def test_while_the_time_of_a_run_is_up(broken: Site, point: str, fault: str) -> None:
    broken.minute(1, "start with a limit")
    broken.strike(point, fault, 2)
    broken.pass_time(2)
    assert sorted(_steps(broken)) == ["a", "c"]
    assert broken.sql("SELECT status, finished_at = timed_out_at FROM scheduling_run") == [("failed", True)]
    assert broken.sql("SELECT status FROM scheduling_task WHERE key IN ('b', 'join')") == [("cancelled",)] * 2


@struck_at(*ASK, package="scheduling.runs")
def test_while_steps_ask_what_others_gave(site: Site, point: str, fault: str) -> None:
    site.strike(point, fault, 1, "start asking")
    site.pass_time(1, "start asking")
    assert _steps(site) == ["a", "b", "join"]
    assert site.sql("SELECT status FROM scheduling_run") == [("completed",)]
    told = site.sql("SELECT status, message FROM scheduling_task WHERE key = 'c'")
    assert told == [("skipped", "Skipped: rows of a was 1, not more than 5.")]


@struck_at(*GIVE_UP, package="scheduling.dispatch.recover")
def test_while_a_dead_worker_is_given_up(site: Site, point: str, fault: str) -> None:
    site.strike("scheduling.workloads.script._watched", "kill", 1, "start with retries", nth=2)
    site.strike(point, fault, 40)
    site.pass_time(40)
    steps = _steps(site)
    assert sorted(steps) == ["a", "b", "c", "join"] and steps[-1] == "join"
