"""Two versions of the program beside each other on one database: the one before, out of the history, and this one."""

import io
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path

from tests.acceptance.arriving import Door
from tests.acceptance.installation import ROOT, Installation, fresh_database
from tests.needs import lacking

VERSION_BEFORE = (ROOT / "tests" / "acceptance" / "version_before.txt").read_text().strip()
_CELERY = ("-m", "celery", "-A", "scheduler_project.celery")
_QUIET = ("--without-gossip", "--without-mingle", "--loglevel", "INFO")


def files_before() -> bytes:
    """Return the program of the version before as an archive; skip where its commit is not in the history here."""
    parts = ("manage.py", "scheduler_project", "scheduling", "staging", "templates")
    done = subprocess.run(["git", "archive", "--format=tar", VERSION_BEFORE, *parts], cwd=ROOT, capture_output=True)
    if done.returncode:
        lacking(f"this clone has no history: commit {VERSION_BEFORE[:12]} is not in it (git fetch --unshallow)")
    return done.stdout


class Version:
    """The processes of one version of the program, with names and a door of their own."""

    def __init__(self, beside: Installation, home: Path, name: str):
        self.installation = copy(beside)
        self.installation.home, self.installation.processes = home, []
        self.installation.folder = beside.folder / f"of-{name}"
        self.installation.folder.mkdir()
        self.name, self.door = name, Door(name)
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        """Start web, worker, cycle worker and beat."""
        memory = str(self.installation.folder / "beat")
        web = ("-m", "gunicorn", "scheduler_project.wsgi", "--bind", f"127.0.0.1:{self.door.port}", "--threads", "2")
        commands = {
            "web": (*web, "--no-control-socket"),
            "worker": (*_CELERY, "worker", "-Q", "work", "-c", "2", "-n", f"work-{self.name}@%h", *_QUIET),
            "cycle": (*_CELERY, "worker", "-Q", "dispatch", "--pool", "solo", "-n", f"cycle-{self.name}@%h", *_QUIET),
            "beat": (*_CELERY, "beat", "--schedule", memory, "--pidfile="),
        }
        self.processes = {name: self.installation.start(*command) for name, command in commands.items()}

    def attempts(self) -> int:
        """Return how many attempts this version's worker has made; its name holds the process."""
        like = f"%:{self.processes['worker'].pid}:%"
        return int(self.installation.sql("SELECT count(*) FROM scheduling_attempt WHERE worker LIKE %s", [like])[0][0])

    def stop(self) -> dict[str, int]:
        """Tell all four to end and wait for them; return their exit codes."""
        for process in self.processes.values():
            process.terminate()
        return {name: process.wait(timeout=60) for name, process in self.processes.items()}


@contextmanager
def both(folder: Path, archive: bytes, environment: dict[str, str]) -> Iterator[tuple[Version, Version]]:
    """Yield the version before, on a database of its own that it has migrated, and this one."""
    home = folder / "before"
    home.mkdir()
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(home, filter="data")
    with fresh_database(folder, environment) as installation:
        versions = Version(installation, home, "before"), Version(installation, ROOT, "now")
        try:
            versions[0].installation.manage("migrate", "--verbosity", "0")
            yield versions
        finally:
            for version in versions:
                version.installation.stop()
