"""Rows that arrive all the time, and doors by which people and programs come in, some of which may be shut."""

import http.client
import json
import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from time import monotonic, sleep
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

from tests.acceptance.installation import Installation
from tests.ports import free_port

ROWS_AT_ONCE = 100
PASSWORD = "a long one for ann"
PEOPLE = f"""
import django; django.setup()
from django.contrib.auth.models import Group, User
User.objects.create_superuser("ann", password={PASSWORD!r}).groups.add(Group.objects.get(name="Administrator"))
"""
_PATIENCE = 60
_UNREACHABLE = (OSError, http.client.HTTPException)


class Door:
    """A web server of an installation, on a port of its own."""

    def __init__(self, name: str, *, seconds: float = 20):
        self.name, self._seconds = name, seconds
        self.port = free_port()
        self._people = build_opener(HTTPCookieProcessor())

    def ask(self, method: str, address: str, body: Any = None, **headers: str) -> int:
        """Send a request; return the status, 0 when nobody answers in time."""
        told = {name.replace("_", "-"): text for name, text in headers.items()}
        with suppress(*_UNREACHABLE), self._connected() as connection:
            connection.request(method, address, body, told)
            return connection.getresponse().status
        return 0

    def sign_in(self) -> None:
        """Sign in to the admin as people do."""
        (csrf,) = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', self.page("login/"))[:1]
        form = urlencode({"username": "ann", "password": PASSWORD, "csrfmiddlewaretoken": csrf})
        self._people.open(f"http://127.0.0.1:{self.port}/admin/login/", form.encode(), timeout=self._seconds)

    def page(self, address: str) -> str:
        """Return a page of the admin for whoever is signed in; empty when it does not come, or with an error."""
        place = f"http://127.0.0.1:{self.port}/admin/{address}"
        with suppress(*_UNREACHABLE, HTTPError), self._people.open(place, timeout=self._seconds) as answer:
            return str(answer.read().decode())
        return ""

    @contextmanager
    def _connected(self) -> Iterator[http.client.HTTPConnection]:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=self._seconds)) as connection:
            yield connection


class Arrivals:
    """Branches that arrive all the time, by SQL and by the API through whichever door answers."""

    def __init__(self, installation: Installation, doors: list[Door]):
        self.doors, self.rows, self.lost = doors, 0, list[str]()
        self._installation, self._over = installation, threading.Event()
        told = installation.manage("create_token", "ann", "--scope", "deposit", "--json")
        self._token = json.loads(told)["token"]

    @contextmanager
    def arriving(self, *, every: float = 0.2) -> Iterator[None]:
        """Let rows arrive until the end of the block."""
        thread = threading.Thread(target=self._arrive, args=(every,))
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()

    def _arrive(self, every: float) -> None:
        turn = 0
        while not self._over.wait(every):
            turn += 1
            if turn % 2:
                self._installation.deposit_branches(ROWS_AT_ONCE, first=self.rows)
            elif not self._by_a_door(turn // 2):
                self.lost.append(f"delivery {turn} was taken by no door")
                return
            self.rows += ROWS_AT_ONCE

    def _by_a_door(self, turn: int) -> bool:
        """Deposit as a program does that keeps trying: with one key, at the next door when one does not answer."""
        key, body = f"turn {turn}", json.dumps([_branch(self.rows + number) for number in range(ROWS_AT_ONCE)])
        headers = {"Authorization": f"Bearer {self._token}", "Content_Type": "application/json"}
        until = monotonic() + _PATIENCE
        while monotonic() < until:
            door = self.doors[turn % len(self.doors)]
            if door.ask("POST", "/api/v1/entities/branch/rows", body, Idempotency_Key=key, **headers) == 200:
                return True
            turn += len(self.doors) > 1
            sleep(0.1)
        return False


def _branch(number: int) -> dict[str, str]:
    region = "nowhere" if number % 100 == 0 else "north"
    return {"code": f"b{number}", "name": f"Branch {number}", "region": region, "staff": "5"}
