"""Killed at any point of a minute, and started again: each row has one outcome, and nothing is stuck."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.acceptance.installation import ROOT, Installation, assert_each_row_once

# One minute in one process: a cycle, then all queued work. The named function kills the process when it is called.
MINUTE = """
import django, os, pkgutil, signal, sys
from datetime import datetime
django.setup()
if sys.argv[2]:
    module, name = sys.argv[2].rsplit(".", 1)
    setattr(pkgutil.resolve_name(module), name, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
from scheduling import clock
from scheduling.dispatch.cycle import run_cycle
from scheduling.queues.claim import claim_next
from scheduling.runs.execute import run_attempt
time = clock.starting_at(datetime.fromisoformat(sys.argv[1]))
run_cycle(time())
while attempt := claim_next(worker="test", now=time()):
    run_attempt(attempt, time=time)
"""

CRASH_POINTS = [
    "scheduling.dispatch.cycle.recover",
    "scheduling.dispatch.kinds.measure",
    "scheduling.dispatch.firing.decide",
    "scheduling.runs.start.take_guard",
    "scheduling.runs.start.events.record",
    "scheduling.runs.start.wake_lines_after_commit",
    "scheduling.queues.wake.conf.is_embedded",
    "scheduling.queues.claim.take_place",
    "scheduling.queues.claim.begin_attempt",
    "scheduling.workloads.batch.process",
    "staging.batches.judge.classify",
    "staging.batches.judge.cascade",
    "staging.batches.merge._mark",
    "staging.batches.merge.update",
    "staging.batches.merge.insert",
    "staging.batches.merge.record.add_counts",
    "staging.batches.pipeline.record.complete_batch",
    "scheduling.runs.finish.end_attempt",
    "scheduling.runs.finish.end_task",
    "scheduling.runs.finish.advance",
    "scheduling.runs.advance.end_run",
    "scheduling.workloads.batch.release_completed",
    "scheduling.runs.finish.wake_line",
]


# Heartbeats are slow: here, silence is a matter of the instant a minute is told.
SLOW_PULSE = {"MERGE_CHUNK_ROWS": "50", "HEARTBEAT_SECONDS": "10", "ZOMBIE_TIMEOUT_MINUTES": "30"}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of an installation in which one region was merged."""
    folder = tmp_path_factory.mktemp("prepared")
    installation = _installation(folder)
    installation.prepare()
    installation.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
    assert _minute(installation, datetime.now(UTC)) == 0
    return folder


@pytest.fixture
def installation(prepared: Path, tmp_path: Path) -> Installation:
    """A copy of the prepared installation."""
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    return _installation(tmp_path)


def _installation(folder: Path) -> Installation:
    path = folder / "scheduler.sqlite3"
    environment = {"DATABASE_URL": f"sqlite:///{path}", **SLOW_PULSE}
    return Installation(folder, environment, lambda: sqlite3.connect(path, timeout=20))


@pytest.mark.parametrize("point", CRASH_POINTS)
def test_killed_at_this_point_nothing_is_lost_doubled_or_stuck(installation: Installation, point: str) -> None:
    start = datetime.now(UTC) + timedelta(minutes=1)
    installation.deposit_branches(200)
    assert _minute(installation, start + timedelta(minutes=2), point) == -signal.SIGKILL, "the point was not reached"
    # Once at once, as a supervisor would restart it, and once after the time-out of what died.
    assert _minute(installation, start + timedelta(minutes=3)) == 0
    assert _minute(installation, start + timedelta(minutes=40)) == 0
    assert_each_row_once(installation, 200)


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
