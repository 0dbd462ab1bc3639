"""A run killed at any point, and its workers started again: every step counts once, in its order, nothing is stuck."""

import os
import signal
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.acceptance.installation import ROOT, Installation

# One minute in one process: start the run unless it was, a cycle, then all queued work. The named function kills.
MINUTE = """
import django, os, pkgutil, signal, sys
from datetime import datetime
django.setup()
if sys.argv[2]:
    module, name = sys.argv[2].rsplit(".", 1)
    setattr(pkgutil.resolve_name(module), name, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
from scheduling import clock
from scheduling.dag.manifest import ManifestTask
from scheduling.dispatch.cycle import run_cycle
from scheduling.errors import FiredBefore
from scheduling.models import SqlScript
from scheduling.queues.claim import claim_next
from scheduling.runs.execute import run_attempt
from scheduling.runs.start_run import start_run
time = clock.starting_at(datetime.fromisoformat(sys.argv[1]))
script = SqlScript.objects.get()
def step(key, after=""):
    fields = {"depends_on": frozenset(after.split()), "arguments": {"step": key}, "attempts": 3}
    return ManifestTask(key, "script", script.pk, retry_interval_seconds=0, **fields)
try:
    start_run(
        (step("a"), step("b", "a"), step("c", "a"), step("join", "b c")),
        kind="plan", title="Test", trigger_source="Manual", started_by="ann", fire_key="once", now=time(),
    )
except FiredBefore:
    pass
run_cycle(time())
while attempt := claim_next(worker="test", now=time()):
    run_attempt(attempt, time=time)
"""

CRASH_POINTS = [
    "scheduling.runs.create.add_tasks",
    "scheduling.runs.create.add_dependencies",
    "scheduling.runs.start_run.wake_lines_after_commit",
    "scheduling.queues.claim.begin_run",
    "scheduling.queues.claim.take_place",
    "scheduling.queues.claim.begin_attempt",
    "scheduling.runs.execute.Pulse",
    "scheduling.workloads.script._limited",
    "scheduling.runs.execute.finish_and_go_on",
    "scheduling.runs.finish.lock_run",
    "scheduling.runs.finish.end_attempt",
    "scheduling.runs.finish.end_task",
    "scheduling.runs.finish.advance",
    "scheduling.runs.advance.next_turns",
    "scheduling.runs.advance.queue_waiting",
    "scheduling.runs.advance.settle",
    "scheduling.runs.advance.end_run",
    "scheduling.runs.finish.wake_freed",
    "scheduling.runs.finish.wake_line",
]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of an installation with a script that notes each step in a ledger of its own."""
    folder = tmp_path_factory.mktemp("prepared")
    installation = _installation(folder)
    installation.prepare()
    installation.sql("CREATE TABLE ledger (id INTEGER PRIMARY KEY, step TEXT)")
    installation.sql(
        "INSERT INTO scheduling_sqlscript (name, description, sql, parameters, timeout_seconds, is_cancelled) "
        "VALUES ('note', '', 'INSERT INTO ledger (step) VALUES (%(step)s)', '{\"step\": \"text\"}', 60, 0)"
    )
    return folder


def _installation(folder: Path) -> Installation:
    path = folder / "scheduler.sqlite3"
    environment = {"DATABASE_URL": f"sqlite:///{path}", "HEARTBEAT_SECONDS": "10", "ZOMBIE_TIMEOUT_MINUTES": "30"}
    return Installation(folder, environment, lambda: sqlite3.connect(path, timeout=20))


@pytest.mark.parametrize("point", CRASH_POINTS)
def test_killed_at_this_point_every_step_counts_once(prepared: Path, tmp_path: Path, point: str) -> None:
    for file in prepared.glob("scheduler.sqlite3*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    installation = _installation(tmp_path)
    start = datetime.now(UTC) + timedelta(minutes=1)
    assert _minute(installation, start, point) == -signal.SIGKILL, "the point was not reached"
    # Once at once, as a supervisor would restart it, and once after the time-out of what died.
    assert _minute(installation, start + timedelta(minutes=1)) == 0
    assert _minute(installation, start + timedelta(minutes=40)) == 0
    steps = [step for (step,) in installation.sql("SELECT step FROM ledger ORDER BY id")]
    assert sorted(steps) == ["a", "b", "c", "join"] and (steps[0], steps[-1]) == ("a", "join")
    assert installation.sql("SELECT status FROM scheduling_run") == [("completed",)]
    assert installation.sql("SELECT DISTINCT status FROM scheduling_task") == [("completed",)]
    assert installation.number("SELECT count(*) FROM scheduling_attempt WHERE finished_at IS NULL") == 0


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
