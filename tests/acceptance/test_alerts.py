"""Alerts reach people through real processes: one that is killed while it sends, and a scheduler that fell silent."""

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.acceptance.installation import Installation
from tests.acceptance.installation import embedded as installed_on_sqlite
from tests.acceptance.installation import production as installed_for_production
from tests.acceptance.test_one_minute import MANAGE, WORKER
from tests.scheduling.alerts.receiver import Receiver

LONG_AGO = "2026-01-01 00:00:00"
INSIDE = {"ALERTS_INTERNAL_ADDRESSES": "1"}
_CHANNEL = """
from django import setup
setup()
import sys
from scheduling.models import AlertChannel, AlertRule
channel = AlertChannel.objects.create(name="Hook", kind="webhook", url=sys.argv[1], secret="x")
for rule in AlertRule.objects.all():
    rule.channels.add(channel)
"""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver of webhooks."""
    made = Receiver()
    yield made
    made.close()


@pytest.mark.embedded
def test_a_runner_that_is_killed_while_it_sends_leaves_the_message_to_the_next(
    tmp_path: Path, receiver: Receiver
) -> None:
    with installed_on_sqlite(tmp_path, INSIDE) as embedded:
        embedded.python(_CHANNEL, receiver.url)
        embedded.sql("UPDATE scheduling_schedulerconfiguration SET last_result = 'failed', consecutive_failures = 1")
        receiver.answers.clear()
        runner = embedded.start(MANAGE, "run_local")
        embedded.wait_until(lambda: len(receiver.got) == 1, "the message is on its way")
        embedded.kill(runner)
        receiver.answers.set()
        assert embedded.sql("SELECT status, attempts FROM scheduling_alertdelivery") == [("waiting", 1)]
        embedded.sql("UPDATE scheduling_alertdelivery SET next_attempt_at = ?", [LONG_AGO])  # its claim is over
        embedded.start(MANAGE, "run_local")
        embedded.wait_until(lambda: len(receiver.got) == 2, "the next one sends it")
        sent = lambda: embedded.sql("SELECT status FROM scheduling_alertdelivery") == [("sent",)]  # noqa: E731
        embedded.wait_until(sent, "it is noted as sent")
        assert len({headers["webhook-id"] for headers, _ in receiver.got}) == 1


class Cable:
    """A way to the broker that can be cut."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._to = (parts.hostname or "127.0.0.1", parts.port or 6379)
        self._ends: list[socket.socket] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = parts._replace(netloc=f"127.0.0.1:{self._server.getsockname()[1]}").geturl()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """End every connection, and let none begin."""
        for end in (self._server, *self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, far = self._server.accept()[0], socket.create_connection(self._to)
                self._ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=_pass_on, args=(one, other), daemon=True).start()
        self.cut()  # also what was accepted while the others were cut


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while part := one.recv(65536):
            other.sendall(part)
        other.shutdown(socket.SHUT_WR)


_SILENT = (
    "INSERT INTO scheduling_heartbeat (name, kind, started_at, seen_at, trouble)"
    " VALUES ('dispatcher', 'dispatcher', %s, %s, '')"
)


@pytest.mark.services
@pytest.mark.parametrize("when", ["before it starts", "while it waits"])
def test_a_worker_without_its_broker_tells_that_both_are_silent(tmp_path: Path, receiver: Receiver, when: str) -> None:
    cable = Cable(os.environ["CELERY_BROKER_URL"])
    settings = {**INSIDE, "CELERY_BROKER_URL": cable.url, "DISPATCH_INTERVAL_SECONDS": "5"}
    with installed_for_production(tmp_path, settings) as production:
        production.python(_CHANNEL, receiver.url)
        if when == "before it starts":
            cable.cut()
        production.start(*WORKER)
        if when == "while it waits":
            alive = lambda: production.number("SELECT count(*) FROM scheduling_heartbeat") > 0  # noqa: E731
            production.wait_until(alive, "the worker lives")
            cable.cut()
        production.sql(_SILENT, [LONG_AGO, LONG_AGO])
        production.wait_until(lambda: len(receiver.got) >= 1, "the worker tells it")
        told = receiver.got[0][1].decode()
        assert "The scheduler is silent since 2026-01-01" in told and "The broker does not answer" in told


_TWO_CYCLES = """
from django import setup
setup()
from scheduling.models import AlertRule
from scheduling.tasks import dispatch
dispatch()
AlertRule.objects.update(looked_at=None)  # or rules would look no earlier than a minute after the last time
dispatch()
"""


def _a_web_server_alone(installation: Installation, receiver: Receiver) -> None:
    """Let nobody live but two processes of a web server that nobody visits; then let a cycle run."""
    installation.python(_CHANNEL, receiver.url)
    installation.sql(
        "INSERT INTO scheduling_heartbeat (name, kind, started_at, seen_at, trouble) VALUES"
        f" ('dispatcher', 'dispatcher', '{LONG_AGO}', '{LONG_AGO}', ''),"
        f" ('w1', 'worker', '{LONG_AGO}', '{LONG_AGO}', '')"
    )
    bind = ("--bind", "127.0.0.1:0", "--workers", "2", "--no-control-socket")
    installation.start("-m", "gunicorn", "scheduler_project.wsgi", *bind)
    installation.wait_until(lambda: len(receiver.got) >= 1, "a process of the web tells it")
    assert _news(receiver, 0) == {("scheduler", "opened"), ("workers", "opened")}
    installation.python(_TWO_CYCLES)
    installation.wait_until(lambda: len(receiver.got) >= 2, "it is told that it is over")
    assert _news(receiver, 1) == {("scheduler", "ended")}


def _news(receiver: Receiver, number: int) -> set[tuple[str, str]]:
    """Return what a message told, of what."""
    return {(one["subject"], one["news"]) for one in json.loads(receiver.got[number][1])["alerts"]}


@pytest.mark.embedded
def test_a_web_server_alone_tells_that_the_scheduler_and_all_workers_are_silent(
    tmp_path: Path, receiver: Receiver
) -> None:
    with installed_on_sqlite(tmp_path, INSIDE) as embedded:
        _a_web_server_alone(embedded, receiver)


@pytest.mark.services
def test_a_web_server_beside_a_broker_that_nobody_asks_tells_it_too(tmp_path: Path, receiver: Receiver) -> None:
    with installed_for_production(tmp_path, INSIDE) as production:
        _a_web_server_alone(production, receiver)
