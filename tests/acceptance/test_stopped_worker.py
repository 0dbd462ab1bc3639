"""A worker of real processes that is told to stop, by itself or with its group, hands its work back and ends."""

import os
import signal
import sqlite3
import time

import pytest

from tests.acceptance.installation import Installation, assert_each_row_once
from tests.acceptance.installation import production as installed_for_production
from tests.acceptance.test_one_minute import MANAGE, WORKER, settled

ROWS = 50_000
SETTINGS = {"MERGE_CHUNK_ROWS": "100", "ZOMBIE_TIMEOUT_MINUTES": "5", "STOP_GRACE_SECONDS": "15", "BATCH_LANES": "1"}


@pytest.fixture(params=["embedded", pytest.param("production", marks=pytest.mark.services)])
def stopped(request, tmp_path):
    """Yield an installation and the command of its worker."""
    if request.param == "production":
        with installed_for_production(tmp_path, SETTINGS) as installation:
            yield installation, (*WORKER, "--pool", "prefork")
        return
    path = tmp_path / "scheduler.sqlite3"
    own = {"DATABASE_URL": f"sqlite:///{path}", "DISPATCH_INTERVAL_SECONDS": "600", **SETTINGS}
    installation = Installation(tmp_path, own, lambda: sqlite3.connect(path, timeout=20))
    installation.prepare()
    yield installation, (MANAGE, "run_local")
    installation.stop()


@pytest.mark.parametrize("to", ["the main process", "the group"])
def test_a_stop_in_the_middle_of_a_batch_is_an_interruption_and_no_failure(stopped, to):
    installation, command = stopped
    installation.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
    installation.manage("process_batch", "region", "--inline")
    installation.deposit_branches(ROWS)
    installation.manage("process_batch", "branch")
    worker = installation.start(*command)
    begun = lambda: installation.number("SELECT count(*) FROM mdm_branch") > 0  # noqa: E731
    installation.wait_until(begun, "the batch is under way")
    told = time.monotonic()
    (os.kill if to == "the main process" else os.killpg)(worker.pid, signal.SIGTERM)
    worker.wait(timeout=30)
    took = time.monotonic() - told
    last = installation.sql(
        "SELECT a.outcome, t.status, t.attempts_allowed - t.attempts_made FROM scheduling_attempt a "
        "JOIN scheduling_task t ON t.id = a.task_id ORDER BY a.id DESC LIMIT 1"
    )[0]
    assert last == ("interrupted", "queued", 1), (last, installation.logs())
    assert took < 12, f"it took {took:.0f} s to end"
    installation.start(*command)
    installation.wait_until(lambda: settled(installation, ROWS), "all branches have an outcome", seconds=120)
    assert_each_row_once(installation, ROWS)
    kinds = {event for event, _ in installation.log()}
    assert "interrupted" in kinds and kinds.isdisjoint({"zombie", "error"})
