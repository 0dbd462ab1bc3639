"""An installation made as docs/operations.md tells for systemd: its commands, in its order, a supervisor's signals."""

import os
import re
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.acceptance.installation import ROOT, Installation
from tests.house.test_systemd import HOME, NAMES, started
from tests.ports import free_port

_CODE = ("scheduler_project", "scheduling", "staging", "templates", "manage.py", "requirements.txt")
_SECTION = "### With systemd"
# What the guide leaves to the reader, who has a host for it alone.
_OURS = {"CELERY_KEY_PREFIX": "{name}:", "SCRIPT_ROLE": "{name}_scripts"}


def blocks(language: str) -> list[str]:
    """Return the blocks of the guide's section in this language, without what indents them."""
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8").split(f"\n{_SECTION}\n")[1].split("\n## ")[0]
    found = re.findall(rf"^ *```{language}\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return ["\n".join(line.strip() for line in block.splitlines()) for block in found]


def lay_down(home: Path) -> None:
    """Put the files of the release into a folder."""
    for name in _CODE:
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, home / name)


class Guided:
    """What the reader of the guide has in the end; `home` stands for /opt/staging-scheduler."""

    def __init__(self, folder: Path, server: str):
        self.name = f"guide_{uuid.uuid4().hex[:12]}"
        self.home, self.server = folder / "staging-scheduler", server
        self.port = free_port()
        self.installation = Installation(folder, self._settings(), lambda: psycopg.connect(f"{server}/{self.name}"))
        # The processes find their settings in the file alone, as those of a service do.
        known = (*self._settings(), "DJANGO_SETTINGS_MODULE", "SECRET_KEY", "DISPATCH_INTERVAL_SECONDS")
        ours = ("HEARTBEAT_SECONDS", "ZOMBIE_TIMEOUT_MINUTES", "RESEND_AFTER_SECONDS")
        self.environment = {name: text for name, text in os.environ.items() if name not in (*known, *ours)}

    def lay_down(self) -> None:
        """Put the files of the release in their place, and the libraries: those that are installed here."""
        self.home.mkdir()
        lay_down(self.home)
        (self.home / ".venv").symlink_to(sys.prefix)
        text = "".join(f"{name}={value}\n" for name, value in self._settings().items())
        (self.home / ".env").write_text(text)
        (self.home / ".env").chmod(0o600)

    def administer(self, statements: str) -> None:
        """Run statements as database administrator, one after the other, for a database of this test's name."""
        with psycopg.connect(f"{self.server}/postgres", autocommit=True) as admin:
            for statement in statements.replace(" scheduler", f" {self.name}").split(";"):
                if statement.strip():
                    admin.execute(statement)

    def run(self, line: str, **environment: str) -> str:
        """Run a line of the guide in the installation's folder; return what it printed."""
        done = subprocess.run(
            shlex.split(line.replace(HOME, str(self.home))),
            cwd=self.home,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{line}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def start(self, name: str) -> subprocess.Popen[bytes]:
        """Start what a unit starts, on a port and with a /tmp of this test."""
        line = started(name).replace("127.0.0.1:8000", f"127.0.0.1:{self.port}").replace("/tmp/", f"{self.home}/")
        program, *arguments = shlex.split(line)
        log = (self.installation.folder / f"process-{name}.log").open("wb")
        process = subprocess.Popen(
            [str(self.home / ".venv" / "bin" / program), *arguments],
            cwd=self.home,
            env=self.environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        log.close()
        self.installation.processes.append(process)
        return process

    def follow(self, first_entity: str) -> dict[str, subprocess.Popen[bytes]]:
        """Do all that the guide tells, in its order; return the four processes by their names."""
        self.administer("".join(blocks("sql")))
        self.lay_down()
        lines = [line for line in "\n".join(blocks("sh")).splitlines() if "manage.py" in line]
        for line in lines:
            printed = self.run(line + " --no-input" * line.endswith("createsuperuser"), **ACCOUNT)
            if "--print" in line:
                self.administer(printed)
        (self.home / "model.yaml").write_text(first_entity)
        self.run(".venv/bin/python manage.py load_model model.yaml")
        return {name: self.start(name) for name in NAMES}

    def stop(self, process: subprocess.Popen[bytes], seconds: float) -> int | None:
        """Tell the main process to end, as systemd does; return its exit code, None when the time was not enough."""
        os.kill(process.pid, signal.SIGTERM)
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None

    def _settings(self) -> dict[str, str]:
        """Return the guide's `.env`, filled in."""
        (block,) = blocks("ini")
        told = dict(line.split("=", 1) for line in block.splitlines())
        told["SECRET_KEY"] = secrets.token_urlsafe(50)
        place = told["DATABASE_URL"].replace("127.0.0.1:5432", self.server.rpartition("@")[2])
        told["DATABASE_URL"] = place.replace("scheduler", self.name)
        told["CELERY_BROKER_URL"] = os.environ["CELERY_BROKER_URL"]
        return {**told, **{setting: text.format(name=self.name) for setting, text in _OURS.items()}}


ACCOUNT = {
    "DJANGO_SUPERUSER_USERNAME": "ann",
    "DJANGO_SUPERUSER_EMAIL": "ann@example.com",
    "DJANGO_SUPERUSER_PASSWORD": "a long one for ann",
}


@contextmanager
def guided(folder: Path) -> Iterator[Guided]:
    """Yield an installation that is still to be made by `follow`; nothing of it stays."""
    made = Guided(folder, os.environ["DATABASE_URL"].rsplit("/", 1)[0])
    try:
        yield made
    finally:
        made.installation.stop()
        with psycopg.connect(f"{made.server}/postgres", autocommit=True) as admin:
            admin.execute(f"DROP DATABASE IF EXISTS {made.name} WITH (FORCE)")
            for role in (made.name, f"{made.name}_scripts"):
                admin.execute(f"DROP ROLE IF EXISTS {role}")
