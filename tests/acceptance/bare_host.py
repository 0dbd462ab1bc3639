"""A bare Debian in a container, with systemd as its first process: what a reader of the guide begins with."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.acceptance.installation import ROOT
from tests.house.test_systemd import HOME
from tests.needs import lacking

_RELEASE = "bookworm"
_MIRROR = "http://deb.debian.org/debian"
# What the guide asks of a host, and nothing else.
_PACKAGES = "systemd,systemd-sysv,dbus,ca-certificates,python3,python3-venv,postgresql,redis-server"
_FOR_ITS_PYTHON = ("async-timeout",)  # which redis asks for below Python 3.11.3; Debian's is 3.11.2
_CACHE = ROOT / "var" / "bare-host"


class BareHost:
    """The host while it runs; what is written on it is gone with it."""

    def __init__(self, leader: int):
        self._inside = ("nsenter", "--target", str(leader), "--all", "--")

    def run(self, script: str, *, account: str = "root", folder: str = "/", given: str = "", code: int = 0) -> str:
        """Run lines of a shell as an account in a folder; return what they printed. Fails with it on another code."""
        lines = f"cd {folder}\n{script}"
        done = subprocess.run(
            [*self._inside, *(["runuser", "-u", account, "--"] if account != "root" else []), "/bin/sh", "-ec", lines],
            input=given,
            capture_output=True,
            text=True,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"},
        )
        assert done.returncode == code, f"{script}: {done.returncode}\n{done.stdout}\n{done.stderr}\n{self.journal()}"
        return done.stdout

    def journal(self) -> str:
        """Return what our services told last."""
        read = ["journalctl", "--no-pager", "-n", "80", "--unit", "staging-scheduler-*"]
        return subprocess.run([*self._inside, *read], capture_output=True, text=True).stdout

    def sql(self, statements: str, database: str = "postgres") -> str:
        """Run statements as database administrator; return their rows, a line each."""
        return self.run(f"psql -X -q -A -t -v ON_ERROR_STOP=1 -d {database}", account="postgres", given=statements)

    def wait_until(self, condition: Callable[[], bool], what: str, seconds: float = 90) -> None:
        """Wait until a condition holds; fail with the journal when it does not in time."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"{what}: not within {seconds} s\n{self.journal()}"
            time.sleep(0.5)

    def put(self, name: str, text: str) -> None:
        """Write a file beside manage.py, for root only."""
        self.run(f"umask 077; cat > {name}", folder=HOME, given=text)


@contextmanager
def bare_host() -> Iterator[BareHost]:
    """Yield a host that has booted, with the files of the release in their place and nothing done to them."""
    for program in ("debootstrap", "systemd-nspawn", "nsenter"):
        if os.geteuid() or not shutil.which(program):
            lacking(f"{program}, as root (apt install debootstrap systemd-container)")
    tree, libraries = _tree(), _libraries()
    command = [
        *("systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "--volatile=overlay"),
        *(f"--bind-ro={libraries}:/libraries", f"--bind-ro={release()}:/release.tar", f"--directory={tree}", "--boot"),
    ]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as machine:
        try:
            host = BareHost(_leader_of(machine))
            host.wait_until(lambda: "running" in _state(host), "the host has booted")
            # The host has no network but its own: the libraries come from a folder.
            host.run("printf '[global]\\nno-index = true\\nfind-links = /libraries\\n' > /etc/pip.conf")
            host.run(f"mkdir -p {HOME} && tar -xf /release.tar -C {HOME}")
            yield host
        finally:
            subprocess.run(["nsenter", "--target", str(_leader_of(machine)), "--all", "systemctl", "poweroff"])
            machine.wait(timeout=120)


def _state(host: BareHost) -> str:
    return host.run("systemctl is-system-running || true")


def _leader_of(machine: subprocess.Popen[bytes]) -> int:
    """Return the process that is number one inside."""
    for _ in range(100):
        children = Path(f"/proc/{machine.pid}/task/{machine.pid}/children").read_text().split()
        if children:
            return int(children[0])
        time.sleep(0.1)
    raise AssertionError("the container has not started")


def _tree() -> Path:
    """Return the files of a bare Debian, brought once."""
    tree = _CACHE / "debian"
    if not tree.exists():
        fresh = _CACHE / "debian.new"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        bring = ["debootstrap", "--variant=minbase", f"--include={_PACKAGES}", _RELEASE, str(fresh), _MIRROR]
        subprocess.run(bring, check=True, stdout=subprocess.DEVNULL)
        for settings in fresh.glob("etc/postgresql/*/main/postgresql.conf"):  # which saw what listens on our machine
            settings.write_text(re.sub(r"(?m)^port = \d+", "port = 5432", settings.read_text()))
        fresh.rename(tree)
    return tree


def _libraries() -> Path:
    """Return a folder with all that requirements.txt names."""
    folder = _CACHE / "libraries"
    bring = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(folder), "-r", "requirements.txt"]
    subprocess.run([*bring, *_FOR_ITS_PYTHON], cwd=ROOT, check=True, stderr=subprocess.DEVNULL)
    return folder


def release() -> Path:
    """Return the files of the release, as a download of it has them."""
    _CACHE.mkdir(parents=True, exist_ok=True)
    archive = _CACHE / "release.tar"
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    with tarfile.open(archive, "w") as tar:
        for name in filter(None, files.split("\0")):
            if not name.startswith(("tests/", "docs/images/", "benchmarks/")):
                tar.add(ROOT / name, name)
    return archive
