"""A run that waits, struck at any point of a look: it waits on, what comes after it runs once, nothing is stuck."""

import pytest

from tests.acceptance.crash.matrix import struck_at
from tests.acceptance.crash.site import Site

LOOK = [
    "workloads.waits.pending_statistics",
    "workloads.script.answer_confined",
    "workloads.waits._not_yet",
    "runs.execute.look_again",
    "runs.execute.lock_run",
    "runs.execute.wait_on",
    "lifecycle.tasks.both",
    "runs.execute.wake_freed",
]
END = [
    "queues.take_place",
    "queues.begin_attempt",
    "workloads.waits.pending_statistics",
    "workloads.script.answer_confined",
    "runs.execute.finish_and_go_on",
    "runs.advance.end_attempt",
    "runs.advance.end_task",
    "runs.advance.advance",
    "queues.queue_waiting",
]
TIME_OUT = ["workloads.waits._not_yet", "runs.advance.end_task", "runs.advance._block_behind", "runs.advance.end_run"]
CANCEL = ["cancel.cancel_unstarted", "cancel.settle_run", "advance.end_run"]
LAND = "INSERT INTO stg_region (code, name) VALUES ('north', 'North')"


@pytest.fixture(autouse=True)
def by_hand(site: Site) -> None:
    """Let nothing process the rows that are waited for."""
    site.sql("UPDATE scheduling_schedulerconfiguration SET processing_mode = 'manual', next_scheduled_run = NULL")


def _steps(site: Site) -> list[str]:
    """Return the steps that took effect, in their order, when the auditor has nothing to say."""
    assert site.audit() == [], site.log()
    return [step for (step,) in site.sql("SELECT label FROM mdm_audit_effect ORDER BY id")]


@struck_at(*LOOK, package="scheduling")
def test_while_it_looks_and_is_put_back(site: Site, point: str, fault: str) -> None:
    site.strike(point, fault, 1, "wait")
    site.pass_time(1, "wait", mend=LAND)
    assert _steps(site) == ["a", "join"]
    assert site.sql("SELECT status FROM scheduling_run") == [("completed",)]


@struck_at(*END, package="scheduling")
def test_while_its_end_lets_the_run_go_on(site: Site, point: str, fault: str) -> None:
    site.minute(1, "wait")
    assert site.sql("SELECT count(*) FROM scheduling_attempt WHERE outcome <> 'completed'") == [(0,)]
    site.sql(LAND)
    site.strike(point, fault, 3)
    site.pass_time(3)
    assert _steps(site) == ["a", "join"]
    assert site.sql("SELECT status FROM scheduling_run") == [("completed",)]


@struck_at(*TIME_OUT, package="scheduling")
def test_while_its_time_is_up(site: Site, point: str, fault: str) -> None:
    site.minute(1, "wait a minute")
    site.strike(point, fault, 3)
    site.pass_time(3)
    assert _steps(site) == ["a"]
    assert site.sql("SELECT status FROM scheduling_run") == [("failed",)]
    assert site.sql("SELECT key, status FROM scheduling_task ORDER BY key") == [
        ("a", "completed"), ("join", "blocked"), ("minutes", "completed"), ("query", "failed"), ("rows", "failed"),
    ]  # fmt: skip


@struck_at(*CANCEL, package="scheduling.runs")
def test_while_it_is_cancelled(site: Site, point: str, fault: str) -> None:
    site.minute(1, "wait")
    site.strike(point, fault, 2, "cancel")
    site.pass_time(2, "cancel")
    assert _steps(site) == ["a"]
    assert site.sql("SELECT status FROM scheduling_run") == [("cancelled",)]
