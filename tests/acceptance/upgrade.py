"""Two versions of the program beside each other on one database: the one before, out of the history, and this one."""

import http.client
import io
import json
import re
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from copy import copy
from pathlib import Path
from socket import socket
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

from tests.acceptance.installation import ROOT, Installation, fresh_database

VERSION_BEFORE = (ROOT / "tests" / "acceptance" / "version_before.txt").read_text().strip()
_CELERY = ("-m", "celery", "-A", "scheduler_project.celery")
_QUIET = ("--without-gossip", "--without-mingle", "--loglevel", "INFO")


def files_before() -> bytes | None:
    """Return the program of the version before as an archive; None where its commit is not in the history here."""
    parts = ("manage.py", "scheduler_project", "scheduling", "staging", "templates")
    done = subprocess.run(["git", "archive", "--format=tar", VERSION_BEFORE, *parts], cwd=ROOT, capture_output=True)
    return done.stdout if done.returncode == 0 else None


class Version:
    """The processes of one version of the program, with names and a port of their own."""

    def __init__(self, beside: Installation, home: Path, name: str):
        self.installation = copy(beside)
        self.installation.home, self.installation.processes = home, []
        self.installation.folder = beside.folder / f"of-{name}"
        self.installation.folder.mkdir()
        self.name = name
        with closing(socket()) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        """Start web, worker, cycle worker and beat."""
        memory = str(self.installation.folder / "beat")
        web = ("-m", "gunicorn", "scheduler_project.wsgi", "--bind", f"127.0.0.1:{self.port}", "--threads", "2")
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

    def is_ready(self) -> bool:
        """Return whether this version's pages, database, broker and cycles answer."""
        try:
            return self.ask("GET", "/readyz") == 200
        except OSError:
            return False

    def ask(self, method: str, address: str, body: Any = None, **headers: str) -> int:
        """Send a request; return the status."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)) as connection:
            connection.request(method, address, body, headers)
            return connection.getresponse().status

    def sign_in(self, person: str, password: str) -> None:
        """Sign in to the admin of this version as people do."""
        self.pages = build_opener(HTTPCookieProcessor())
        page = self.page("login/")
        (csrf,) = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[:1]
        form = urlencode({"username": person, "password": password, "csrfmiddlewaretoken": csrf})
        self.pages.open(f"http://127.0.0.1:{self.port}/admin/login/", form.encode(), timeout=20)

    def page(self, address: str) -> str:
        """Return a page of the admin, whoever is signed in; an error of the server is raised."""
        with self.pages.open(f"http://127.0.0.1:{self.port}/admin/{address}", timeout=20) as answer:
            return str(answer.read().decode())

    def deposit(self, token: str, rows: list[dict[str, Any]]) -> int:
        """Deposit branches by the API of this version; return the status."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        return self.ask("POST", "/api/v1/entities/branch/rows", json.dumps(rows), **headers)

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
