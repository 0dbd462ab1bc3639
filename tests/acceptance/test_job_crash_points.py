"""Killed at any point of a job's minute, and started again: each slot runs once to its end, and nothing is stuck."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.acceptance.installation import ROOT, Installation

JOBS = """
import os
from scheduling.jobs.declare import every, job, retry

@job("Work")
@every(10, catch_up=9)
@retry(attempts=4, interval_seconds=0)
def work(context):
    context.progress(1, 2, "half")
    context.logger.info("slot %s", context.scheduled_for)
    with open(os.environ["EFFECTS"], "a") as file:
        file.write(f"{context.scheduled_for}\\n")
    return "done"
"""

# One minute in one process: what a process does on its start, a cycle, then all queued work. The named function kills
# the process when it is called.
MINUTE = """
import django, os, pkgutil, signal, sys
from datetime import datetime
django.setup()
from scheduling import clock
from scheduling.dispatch.cycle import run_cycle
from scheduling.jobs.reconcile import sync_jobs
from scheduling.queues.claim import claim_next
from scheduling.runs.execute import run_attempt
if sys.argv[2]:
    owner, name = sys.argv[2].rsplit(".", 1)
    setattr(pkgutil.resolve_name(owner), name, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
time = clock.starting_at(datetime.fromisoformat(sys.argv[1]))
sync_jobs(time(), also=["killed_jobs"])
run_cycle(time())
while attempt := claim_next(worker="test", now=time()):
    run_attempt(attempt, time=time)
"""

CRASH_POINTS = [
    "scheduling.jobs.reconcile._Reconciliation.schedules",
    "scheduling.runs.start_jobs.start_run",
    "scheduling.runs.start_jobs.take_guard",
    "scheduling.runs.start_jobs.hold_schedules",
    "scheduling.queues.claim.begin_attempt",
    "scheduling.workloads.job._find",
    "scheduling.workloads.job._call",
    "scheduling.workloads.job_watch.JobWatch._store",
    "scheduling.runs.finish.end_attempt",
    "scheduling.runs.advance.end_run",
    "scheduling.lifecycle.attempts.release_of_run",
    "scheduling.runs.finish.wake_line",
]
START = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)
MINUTES = timedelta(minutes=1)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of an installation that knows the job, before its first slot."""
    folder = tmp_path_factory.mktemp("jobs")
    (folder / "killed_jobs.py").write_text(JOBS)
    installation = _installation(folder)
    installation.manage("migrate", "--verbosity", "0")
    assert _minute(installation, START) == 0
    return folder


@pytest.fixture
def installation(prepared: Path, tmp_path: Path) -> Installation:
    """A copy of the prepared installation."""
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    return _installation(tmp_path)


def _installation(folder: Path) -> Installation:
    path = folder / "scheduler.sqlite3"
    environment = {
        "DATABASE_URL": f"sqlite:///{path}",
        "HEARTBEAT_SECONDS": "10",
        "ZOMBIE_TIMEOUT_MINUTES": "30",
        "PYTHONPATH": str(folder),
        "EFFECTS": str(folder / "effects.txt"),
    }
    return Installation(folder, environment, lambda: sqlite3.connect(path, timeout=20))


@pytest.mark.parametrize("point", CRASH_POINTS)
def test_killed_at_this_point_every_slot_runs_once_to_its_end(installation: Installation, point: str) -> None:
    # The slot of 06:10 meets the crash; then once at once, as a supervisor would restart it, and after the time-out.
    assert _minute(installation, START + 10 * MINUTES, point) == -signal.SIGKILL, "the point was not reached"
    for minute in (11, 50, 51):
        assert _minute(installation, START + minute * MINUTES) == 0
    runs = installation.sql("SELECT scheduled_for, status FROM scheduling_run WHERE title = 'Work' ORDER BY 1")
    slots = [str(slot)[11:16] for slot, _ in runs]
    assert len(slots) == len(set(slots)) and slots[0] == "06:10"
    assert {status for _, status in runs} == {"completed"}, runs
    live = "SELECT count(*) FROM scheduling_attempt WHERE outcome = 'running'"
    held = "SELECT count(*) FROM scheduling_jobschedule WHERE is_running"
    done = "SELECT task_id FROM scheduling_attempt WHERE outcome = 'completed' GROUP BY 1 HAVING count(*) > 1"
    twice = f"SELECT count(*) FROM ({done})"
    assert [installation.number(statement) for statement in (live, held, twice)] == [0, 0, 0]
    effects = (installation.folder / "effects.txt").read_text().split("\n")
    assert sum("06:10" in line for line in effects) in (1, 2)  # the attempt that was killed may have done it, too


def _minute(installation: Installation, at: datetime, crash_point: str = "") -> int:
    """Run one minute in a process of its own; return its exit code."""
    done = subprocess.run(
        [sys.executable, "-c", MINUTE, at.isoformat(), crash_point],
        cwd=ROOT,
        env={**os.environ, **installation.environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode
