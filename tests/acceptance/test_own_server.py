"""A PostgreSQL server of the test's own, which it may stop and start as it likes while real processes work on it."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import mkdtemp
from time import sleep

import pytest

from tests.acceptance.installation import Installation, assert_each_row_once
from tests.acceptance.installation import production as installed_for_production
from tests.acceptance.test_one_minute import (
    CELERY,
    CYCLE_WORKER,
    WORKER,
    deposit_region,
    settled,
)
from tests.needs import lacking
from tests.ports import free_port

ROWS = 8_000
_OWNER = "postgres"  # the server refuses to run as root
_ELSEWHERE = "/usr/lib/postgresql/*/bin/pg_ctl"  # where Debian has it

pytestmark = pytest.mark.services


class OwnServer:
    """A cluster in a folder, at a port of its own."""

    def __init__(self, bin_folder: Path, folder: Path):
        self._bin, self._data, self._folder = bin_folder, folder / "data", folder
        self.port = free_port()
        self._run("initdb", "--username", "postgres", "--auth", "trust", "--encoding", "UTF8", "-D", str(self._data))

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''"
        log = str(self._folder / "server.log")
        self._run("pg_ctl", "start", "--wait", "-D", str(self._data), "-l", log, "-o", options)

    def stop(self, mode: str) -> None:
        """Stop it: `fast` as an administrator does, `immediate` as a crash would."""
        self._run("pg_ctl", "stop", "--wait", "-D", str(self._data), "-m", mode)

    def _run(self, program: str, *arguments: str) -> None:
        user = _OWNER if os.geteuid() == 0 else None
        command = [str(self._bin / program), *arguments]
        done = subprocess.run(command, user=user, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0, done.stderr


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnServer]:
    """A server that runs, which DATABASE_URL names."""
    found = shutil.which("pg_ctl") or next((str(path) for path in sorted(Path("/").glob(_ELSEWHERE[1:]))), None)
    if found is None:
        lacking("PostgreSQL's own programs (apt install postgresql)")
    folder = Path(mkdtemp(prefix="own-server-"))
    if os.geteuid() == 0:
        shutil.chown(folder, _OWNER, _OWNER)
    own = OwnServer(Path(found).parent, folder)
    own.start()
    monkeypatch.setenv("DATABASE_URL", f"postgres://postgres@127.0.0.1:{own.port}/postgres")
    try:
        yield own
    finally:
        own.stop("immediate")
        shutil.rmtree(folder)


@pytest.fixture
def production(server: OwnServer, tmp_path: Path) -> Iterator[Installation]:
    """A production installation on that server, where what is committed lasts."""
    with installed_for_production(tmp_path, {"MERGE_CHUNK_ROWS": "500"}) as installation:
        (name,) = installation.sql("SELECT quote_ident(current_database())")[0]
        installation.sql(f"ALTER DATABASE {name} RESET synchronous_commit")
        yield installation


def test_a_server_that_is_stopped_and_one_that_crashes_cost_no_row_and_end_no_process(
    server: OwnServer, production: Installation
) -> None:
    memory = str(production.folder / "beat")
    processes = [production.start(*CELERY, "beat", "--schedule", memory), production.start(*CYCLE_WORKER)]
    processes.append(production.start(*WORKER))
    deposit_region(production)
    for number, mode in enumerate(("fast", "immediate")):
        merged = production.number("SELECT count(*) FROM mdm_branch")
        production.deposit_branches(ROWS, first=number * ROWS)
        production.wait_until(_some_more_than(merged, production), "the batch is under way")
        server.stop(mode)
        sleep(5)  # longer than ZOMBIE_TIMEOUT_MINUTES is here
        server.start()
        deposited = (number + 1) * ROWS
        done = lambda rows=deposited: settled(production, rows)  # noqa: E731
        production.wait_until(done, f"all branches have an outcome after a stop ({mode})")
        assert_each_row_once(production, deposited)
    assert [process.poll() for process in processes] == [None] * len(processes)
    assert production.command("status")["workers"] == 1  # and the worker of cycles, which is part of the scheduler


def _some_more_than(merged: int, production: Installation) -> Callable[[], bool]:
    """Return what tells whether a batch after so many members is in the middle of its chunks."""
    return lambda: merged < production.number("SELECT count(*) FROM mdm_branch") < merged + ROWS * 0.8
