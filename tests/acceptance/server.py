"""A real server process of the API on an installation of its own, and requests to it as any program sends them."""

import http.client
import json
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.acceptance.installation import Installation, embedded, production
from tests.ports import free_port

ROWS = "/api/v1/entities/city/rows"
CHANGES = "/api/v1/entities/city/changes"
MEMBERS = "/api/v1/entities/city/members"
LINES = "application/x-ndjson"
MODEL = """
version: 1
entities:
  - code: city
    name: City
    keep_history: true
    duplicates: last_wins
    attributes:
      - {name: country, type: text}
      - {name: people, type: integer}
"""
# Runs batches of an entity one after the other until a file is there, then one more.
BATCHES = """
import sys, time, pathlib, django
django.setup()
from django.db.models.functions import Now
from staging.models import Entity
from staging.batches.context import NoFence
from staging.batches.pipeline import process
from staging.batches.record import open_batch
city, stop = Entity.objects.get(code="city"), pathlib.Path(sys.argv[1])
is_last = False
pathlib.Path(sys.argv[1] + ".ready").touch()
while not is_last:
    is_last = stop.exists()
    now = Entity.objects.annotate(now=Now()).values_list("now", flat=True)[0]
    process(open_batch(city, now=now), fence=NoFence(), now=now)
    time.sleep(0.05)
"""


class Server:
    """A server process, and requests to it as any program sends them."""

    def __init__(self, installation: Installation, port: int, token: str):
        self.installation, self.port, self.token = installation, port, token

    def ask(self, method: str, address: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Send a request on a connection of its own; return the status and the document."""
        sent = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)) as connection:
            connection.request(method, address, body, sent, encode_chunked=hasattr(body, "__next__"))
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    @property
    def head(self) -> bytes:
        """Return the beginning of a deposit as it goes over the wire."""
        return f"POST {ROWS} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.token}\r\n".encode()

    def raw(self, rest: bytes) -> bytes:
        """Send the rest of a deposit and say that nothing follows; return the answer as it comes."""
        with closing(socket.create_connection(("127.0.0.1", self.port))) as connection:
            connection.sendall(self.head + rest)
            connection.shutdown(socket.SHUT_WR)
            return connection.recv(1 << 16)

    def memory(self) -> int:
        """Return the most memory that a process of the server ever had, in megabytes."""
        peaks = [
            int(line.split()[1])
            for pid in (self.installation.processes[0].pid, *self._workers())
            for line in Path(f"/proc/{pid}/status").read_text().splitlines()
            if line.startswith("VmHWM")
        ]
        return max(peaks) // 1024

    def worked(self) -> float:
        """Return how many seconds of processor the processes of the server have used."""
        stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in self._workers()]
        return sum(int(ticks) for each in stats for ticks in each[11:13]) / os.sysconf("SC_CLK_TCK")

    def kill_workers(self) -> None:
        """Kill the processes that answer requests; the server starts new ones."""
        for pid in self._workers():
            os.kill(pid, signal.SIGKILL)

    def _workers(self) -> list[int]:
        pid = self.installation.processes[0].pid
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """Serve an installation on the database that DATABASE_URL chooses, SQLite without it, with one entity: city."""
    with _installation(folder) as installation:
        installation.python(
            "import django; django.setup()\n"
            "from django.contrib.auth.models import Group, User\n"
            "User.objects.create_user('loader').groups.add(Group.objects.get(name='Administrator'))"
        )
        scopes = [part for scope in ("read", "deposit", "operate", "configure") for part in ("--scope", scope)]
        token = installation.command("create_token", "loader", *scopes)["token"]
        port = free_port()
        bind = ("--bind", f"127.0.0.1:{port}", "--workers", "2", "--threads", "4", "--no-control-socket")
        installation.start("-m", "gunicorn", "scheduler_project.wsgi", *bind, "--log-level", "warning")
        installation.wait_until(lambda: _listens(port), "the server listens")
        yield Server(installation, port, token)


@contextmanager
def _installation(folder: Path) -> Iterator[Installation]:
    if os.environ.get("DATABASE_URL", "").startswith("postgres"):
        with production(folder, {}) as made:
            made.load(MODEL)
            yield made
    else:
        with embedded(folder, {}, model=MODEL) as made:
            yield made


def _listens(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
