"""Commands and requests with real workers: output while they run; neither a cancel nor a kill leaves an orphan."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.installation import Installation
from tests.acceptance.installation import embedded as installed_on_sqlite
from tests.acceptance.installation import production as installed_for_production
from tests.acceptance.test_one_minute import CELERY, CYCLE_WORKER, MANAGE, WORKER
from tests.scheduling.errands.server import Server, say

# Prints, starts a child that leaves its session, and goes on until somebody ends it.
LONG = """
echo begun
setsid sh -c 'trap "" TERM; echo $$ > {folder}/deaf; while :; do sleep 0.2; done' > /dev/null 2>&1 &
echo $$ > {folder}/shell
while :; do sleep 0.2; done
"""
MODEL = """
version: 1
plans:
  - name: Errands
    steps:
      - {{job: HTTP request, step_index: 1, arguments: {{url: "{url}/orders", method: POST, json: {{day: monday}}}}}}
      - job: Command
        step_index: 2
        arguments: {{name: short, arguments: [a, 1]}}
"""


@pytest.fixture
def server() -> Iterator[Server]:
    """A web server of the other side."""
    made = Server()
    yield made
    made.close()


@pytest.fixture(
    params=[
        pytest.param("embedded", marks=pytest.mark.embedded),
        pytest.param("production", marks=pytest.mark.services),
    ]
)
def place(
    request: pytest.FixtureRequest, tmp_path: Path, server: Server
) -> Iterator[tuple[Installation, tuple[str, ...]]]:
    """Yield an installation that allows two commands and the server, and the command of its worker."""
    shell = ["/bin/sh", "-c"]
    commands = {"short": ["/bin/echo", "exported"], "long": [*shell, LONG.format(folder=tmp_path)]}
    allowed = {
        "COMMAND_STEPS": json.dumps(commands),
        "HTTP_STEPS": server.url,
        "HTTP_STEPS_INTERNAL_ADDRESSES": "1",
    }
    installed = installed_for_production if request.param == "production" else installed_on_sqlite
    with installed(tmp_path, allowed) as installation:
        installation.manage("sync_jobs")
        if request.param == "production":
            installation.start(*CYCLE_WORKER)
            installation.start(*CELERY, "beat", "--schedule", str(installation.folder / "beat"))
        yield installation, WORKER if request.param == "production" else (MANAGE, "run_local")


def is_alive(pid: int) -> bool:
    """Return whether a process runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def begun(installation: Installation) -> list[int]:
    """Start the long command; return the ids of its processes when all of them run."""
    installation.manage("run_job", "Command", "--arguments", '{"name": "long"}')
    files = [installation.folder / name for name in ("shell", "deaf")]
    written = lambda: all(file.exists() and file.read_text().strip() for file in files)  # noqa: E731
    installation.wait_until(written, "the command is under way")
    return [int(file.read_text()) for file in files]


def test_a_plan_asks_and_runs_what_settings_allow(place: tuple[Installation, tuple[str, ...]], server: Server) -> None:
    installation, command = place
    server.paths["/orders"] = lambda asked: say(asked, 200, {"rows": 12})
    installation.load(MODEL.format(url=server.url))
    installation.start(*command)
    run = installation.command("run_plan", "Errands")["run"]
    ended = lambda: installation.command("show_run", str(run))["status"] in ("completed", "failed")  # noqa: E731
    installation.wait_until(ended, "the run has ended")
    shown = installation.command("show_run", str(run))
    assert shown["status"] == "completed", shown
    assert [json.loads(body) for _, _, _, body in server.got] == [{"day": "monday"}]
    (lines,) = installation.sql("SELECT lines FROM scheduling_attemptlog WHERE lines LIKE '%exported%'")
    assert lines[0].endswith("INFO exported a 1")


def test_a_cancel_ends_a_command_with_all_that_it_started(place: tuple[Installation, tuple[str, ...]]) -> None:
    installation, command = place
    installation.start(*command)
    pids = begun(installation)
    heard = lambda: installation.number("SELECT count(*) FROM scheduling_attemptlog WHERE lines LIKE '%begun'") == 1  # noqa: E731
    installation.wait_until(heard, "its output is there while it runs")
    installation.manage("cancel_run", str(installation.number("SELECT max(id) FROM scheduling_run")))
    gone = lambda: not any(map(is_alive, pids))  # noqa: E731
    installation.wait_until(gone, "all of its processes have ended")
    cancelled = lambda: installation.sql("SELECT status FROM scheduling_run") == [("cancelled",)]  # noqa: E731
    installation.wait_until(cancelled, "the run is cancelled")


def test_a_worker_that_is_killed_leaves_nothing_running_and_the_command_runs_again(
    place: tuple[Installation, tuple[str, ...]],
) -> None:
    installation, command = place
    worker = installation.start(*command)
    pids = begun(installation)
    assert not any(os.getpgid(pid) == worker.pid for pid in pids)  # a kill of the worker's group does not reach them
    installation.kill(worker)
    installation.wait_until(lambda: not any(map(is_alive, pids)), "all of its processes have ended")
    installation.start(*command)
    failed = lambda: installation.sql("SELECT status FROM scheduling_run") == [("failed",)]  # noqa: E731
    installation.wait_until(failed, "its one attempt is used, and is told as lost")
