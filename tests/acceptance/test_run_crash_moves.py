"""Killed, or cut off from the database, while a run is retried, given up, cancelled or restarted: steps count once."""

import os
import signal
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.acceptance.installation import ROOT, Installation

# One minute in one process: a wish, a cycle, then all queued work. At the named function the process dies, or its
# connection to the database does: once, as a dropped connection is followed by a new one.
MINUTE = """
import django, os, pkgutil, signal, sys
from contextlib import suppress
from datetime import datetime
django.setup()
from django.db import OperationalError, connection
from scheduling import clock
from scheduling.dag.manifest import ManifestTask
from scheduling.dispatch.cycle import run_cycle
from scheduling.errors import SchedulingError
from scheduling.models import Run, SqlScript
from scheduling.queues.claim import claim_next
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt
from scheduling.runs.restart import restart_run
from scheduling.runs.start_run import start_run
at, wish, point, action = sys.argv[1:]
if point:
    module, name = point.rsplit(".", 1)
    owner = pkgutil.resolve_name(module)
    real = getattr(owner, name)
    def strike(*given, **named):
        if action == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        setattr(owner, name, real)
        print("struck")
        raise OperationalError("the connection is gone")
    setattr(owner, name, strike)
time = clock.starting_at(datetime.fromisoformat(at))
def step(key, after, attempts):
    fields = {"depends_on": frozenset(after.split()), "arguments": {"step": key}, "attempts": attempts}
    return ManifestTask(key, "script", SqlScript.objects.get().pk, retry_interval_seconds=30, **fields)
def start(attempts):
    items = (step(key, after, attempts) for key, after in (("a", ""), ("b", "a"), ("c", "a"), ("join", "b c")))
    head = {"kind": "plan", "title": "Test", "trigger_source": "Manual", "started_by": "ann", "fire_key": "once"}
    start_run(tuple(items), **head, now=time())
wishes = {
    "": lambda: None,
    "start": lambda: start(1),
    "start with retries": lambda: start(3),
    "cancel": lambda: cancel_run(Run.objects.get(), by="ann", now=time()),
    "restart": lambda: Run.objects.count() > 1 or restart_run(
        Run.objects.get(), only_failed=True, started_by="ann", now=time()),
}
with suppress(SchedulingError, OperationalError):
    wishes[wish]()
with suppress(OperationalError):
    run_cycle(time())
while attempt := claim_next(worker="test", now=time()):
    if wish.startswith("start") and attempt.task.key == os.environ.get("DIES_IN"):
        os.kill(os.getpid(), signal.SIGKILL)
    with suppress(OperationalError):
        run_attempt(attempt, time=time)
"""

RETRY = ["finish.put_off", "retry.wait", "finish._record", "finish.end_attempt"]
FAIL = ["finish.end_task", "advance._block_behind", "advance.block", "advance.end_run", "advance._tell"]
RESTART = ["restart.without_completed", "restart.start_run", "create.add_tasks", "start_run.wake_lines_after_commit"]
CANCEL = ["cancel.cancel_unstarted", "cancel.settle", "advance.end_run", "cancel.wake_lines_after_commit"]
GIVE_UP = [
    "scheduling.recovery.silent.lock_run",
    "scheduling.recovery.silent.lose_attempt",
    "scheduling.recovery.silent.conclude",
    "scheduling.recovery.silent.wake_freed",
]
MINUTES = timedelta(minutes=1)
ACTIONS = pytest.mark.parametrize("action", ["kill", "drop"])


def _points(names: list[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("point", [f"scheduling.runs.{name}" for name in names])


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a script that notes its step in a ledger, and fails while the step is listed as broken."""
    folder = tmp_path_factory.mktemp("prepared")
    installation = _installation(folder)
    installation.prepare()
    installation.sql("CREATE TABLE ledger (id INTEGER PRIMARY KEY, step TEXT NOT NULL)")
    installation.sql("CREATE TABLE broken (step TEXT)")
    statement = (
        "INSERT INTO ledger (step) VALUES (CASE WHEN %(step)s IN (SELECT step FROM broken) THEN NULL ELSE %(step)s END)"
    )
    installation.sql(
        "INSERT INTO scheduling_sqlscript (name, description, sql, parameters, timeout_seconds, is_cancelled) "
        "VALUES ('note', '', ?, '{\"step\": \"text\"}', 60, 0)",
        [statement],
    )
    return folder


@pytest.fixture
def site(prepared: Path, tmp_path: Path) -> Installation:
    """A copy of it for one test."""
    for file in prepared.glob("scheduler.sqlite3*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return _installation(tmp_path)


def _installation(folder: Path) -> Installation:
    path = folder / "scheduler.sqlite3"
    environment = {"DATABASE_URL": f"sqlite:///{path}", "HEARTBEAT_SECONDS": "10", "ZOMBIE_TIMEOUT_MINUTES": "30"}
    return Installation(folder, environment, lambda: sqlite3.connect(path, timeout=20))


def _minute(site: Installation, minute: int, wish: str = "", point: str = "", action: str = "kill", **env: str) -> None:
    """Run one minute in a process of its own; it must come to the named point."""
    at = datetime.now(UTC).replace(microsecond=0) + minute * MINUTES
    done = subprocess.run(
        [sys.executable, "-c", MINUTE, at.isoformat(), wish, point, action],
        cwd=ROOT,
        env={**os.environ, **site.environment, **env},
        capture_output=True,
        text=True,
    )
    dies = (point and action == "kill") or "DIES_IN" in env
    assert done.returncode == (-signal.SIGKILL if dies else 0), f"{done.returncode}\n{done.stderr[-3000:]}"
    assert action == "kill" or not point or "struck" in done.stdout, "the point was not reached"


def _steps(site: Installation) -> list[str]:
    """Return the ledger, after asserting that nothing is left open."""
    for table in ("scheduling_run", "scheduling_task", "scheduling_attempt"):
        assert site.sql(f"SELECT * FROM {table} WHERE finished_at IS NULL") == [], table
    steps = [step for (step,) in site.sql("SELECT step FROM ledger ORDER BY id")]
    assert len(steps) == len(set(steps)), f"doubled: {steps}"
    return steps


@ACTIONS
@_points(RETRY)
def test_while_an_attempt_is_put_off(site: Installation, point: str, action: str) -> None:
    site.sql("INSERT INTO broken VALUES ('b')")
    _minute(site, 1, "start with retries", point, action)
    site.sql("DELETE FROM broken")
    for later in (2, 3, 40, 42):
        _minute(site, later)
    steps = _steps(site)
    assert sorted(steps) == ["a", "b", "c", "join"] and (steps[0], steps[-1]) == ("a", "join")
    assert site.sql("SELECT status FROM scheduling_run") == [("completed",)]


@ACTIONS
@_points(FAIL)
def test_while_a_failure_blocks_and_ends_the_run(site: Installation, point: str, action: str) -> None:
    site.sql("INSERT INTO broken VALUES ('b')")
    _minute(site, 1, "start", point, action)
    for later in (2, 40, 41):
        _minute(site, later)
    assert {"a", "c"} >= set(_steps(site))
    assert site.sql("SELECT status FROM scheduling_run") == [("failed",)]
    assert site.sql("SELECT status FROM scheduling_task WHERE key = 'join'") == [("blocked",)]


@ACTIONS
@_points(RESTART)
def test_while_what_failed_is_restarted(site: Installation, point: str, action: str) -> None:
    site.sql("INSERT INTO broken VALUES ('b')")
    _minute(site, 1, "start")
    site.sql("DELETE FROM broken")
    _minute(site, 2, "restart", point, action)
    _minute(site, 3, "restart")
    _minute(site, 40)
    assert _steps(site) == ["a", "c", "b", "join"]
    assert site.sql("SELECT status FROM scheduling_run ORDER BY id") == [("failed",), ("completed",)]


@ACTIONS
@_points(CANCEL)
def test_while_a_run_is_cancelled(site: Installation, point: str, action: str) -> None:
    site.sql("INSERT INTO broken VALUES ('b')")
    _minute(site, 1, "start with retries")
    _minute(site, 2, "cancel", point, action)
    _minute(site, 3, "cancel")
    _minute(site, 40)
    assert _steps(site) == ["a", "c"]
    assert site.sql("SELECT status FROM scheduling_run") == [("cancelled",)]
    assert site.sql("SELECT status FROM scheduling_task WHERE key IN ('b', 'join')") == [("cancelled",)] * 2


@ACTIONS
@pytest.mark.parametrize("point", GIVE_UP)
def test_while_a_dead_worker_is_given_up(site: Installation, point: str, action: str) -> None:
    _minute(site, 1, "start with retries", DIES_IN="b")
    _minute(site, 40, "", point, action)
    for later in (41, 80, 82):
        _minute(site, later)
    steps = _steps(site)
    assert sorted(steps) == ["a", "b", "c", "join"] and steps[-1] == "join"
