"""A worker of real processes that is told to stop, by itself or with its group, hands its work back and ends."""

import os
import signal
import time

import pytest

from tests.acceptance.installation import assert_each_row_once
from tests.acceptance.installation import embedded as installed_on_sqlite
from tests.acceptance.installation import production as installed_for_production
from tests.acceptance.test_one_minute import MANAGE, WORKER, settled

ROWS, BIG = 20_000, 16_000
DEAF = """
import runpy, sys, time
import django
django.setup()
from scheduling import clock
from scheduling.runs.ordered import call, submit
from scheduling.workloads.call import task

@task("deaf")
def deaf(context):
    time.sleep(600)

"""
SUBMIT = 'submit([(1, call("deaf"))], title="Deaf", submitted_by="ann", now=clock.now())'
SETTINGS = {"MERGE_CHUNK_ROWS": "100", "ZOMBIE_TIMEOUT_MINUTES": "5", "STOP_GRACE_SECONDS": "15", "BATCH_LANES": "1"}


@pytest.fixture(
    params=[
        pytest.param("embedded", marks=pytest.mark.embedded),
        pytest.param("production", marks=pytest.mark.services),
    ]
)
def stopped(request, tmp_path):
    """Yield an installation and the command of its worker."""
    if request.param == "production":
        with installed_for_production(tmp_path, SETTINGS) as installation:
            yield installation, (*WORKER, "--pool", "prefork")
        return
    with installed_on_sqlite(tmp_path, {"DISPATCH_INTERVAL_SECONDS": "600", **SETTINGS}) as installation:
        yield installation, (MANAGE, "run_local")


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
    installation.wait_until(lambda: settled(installation, ROWS), "all branches have an outcome")
    assert_each_row_once(installation, ROWS)
    kinds = {event for event, _ in installation.log()}
    assert "interrupted" in kinds and kinds.isdisjoint({"zombie", "error"})


def test_what_does_not_listen_is_handed_back_after_the_grace_and_ended(stopped):
    """The worker waited for it without a limit, and was killed at last: the work was a zombie's for half an hour."""
    installation, command = stopped
    installation.environment["STOP_GRACE_SECONDS"] = "2"
    installation.python(DEAF + SUBMIT)
    module, arguments = (command[1], command[2:]) if command[0] == "-m" else ("", command[1:])
    run = (
        f"runpy.run_module({module!r}, run_name='__main__')"
        if module
        else f"runpy.run_path({MANAGE!r}, run_name='__main__')"
    )
    worker = installation.start("-c", f"{DEAF}sys.argv[0] = {module or MANAGE!r}\n{run}", *arguments)
    begun = lambda: installation.number("SELECT count(*) FROM scheduling_attempt") == 1  # noqa: E731
    installation.wait_until(begun, "the function is at work")
    os.kill(worker.pid, signal.SIGTERM)
    worker.wait(timeout=20)
    last = installation.sql(
        "SELECT a.outcome, t.status, t.attempts_allowed - t.attempts_made FROM scheduling_attempt a "
        "JOIN scheduling_task t ON t.id = a.task_id"
    )
    assert last == [("interrupted", "queued", 1)], installation.logs()


@pytest.mark.services
def test_a_big_batch_goes_on_behind_every_stop(tmp_path):
    """It works in two lanes, and is stopped while rows are judged, in its first chunks, and behind its middle."""
    several = {**SETTINGS, "BATCH_LANES": "2"}
    with installed_for_production(tmp_path, several) as installation:
        installation.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
        installation.manage("process_batch", "region", "--inline")
        installation.deposit_branches(BIG)
        installation.manage("process_batch", "branch")
        merged = lambda: installation.number("SELECT count(*) FROM mdm_branch")  # noqa: E731
        running = "SELECT count(*) FROM scheduling_attempt WHERE outcome = 'running'"
        after_stops = []
        for share in (0, 0.1, 0.6):
            worker = installation.start(*WORKER, "--pool", "prefork")
            there = lambda: installation.number(running) == 1 and merged() >= share * BIG  # noqa: B023, E731
            installation.wait_until(there, f"the batch is behind {share:.0%} of its rows")
            os.kill(worker.pid, signal.SIGTERM)
            assert worker.wait(timeout=float(SETTINGS["STOP_GRACE_SECONDS"]) + 5) == 0, installation.logs()
            after_stops.append(merged())
            assert installation.number(running) == 0, "the attempt was handed back"
        assert after_stops == sorted(after_stops) and after_stops[-1] < BIG * 0.99, after_stops
        installation.start(*WORKER, "--pool", "prefork")
        installation.wait_until(lambda: settled(installation, BIG), "all branches have an outcome")
        assert_each_row_once(installation, BIG)
        ends = installation.sql("SELECT outcome FROM scheduling_attempt ORDER BY id")
        assert [end for (end,) in ends][-4:] == ["interrupted"] * 3 + ["completed"], ends
        batches = installation.number("SELECT count(*) FROM staging_batch")
        assert batches == 2, "the batch went on: no other was made beside it"
