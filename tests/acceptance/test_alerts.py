"""Alerts reach people through real processes: one that is killed while it sends, and a scheduler that fell silent."""

from collections.abc import Iterator
from pathlib import Path

import pytest

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


@pytest.mark.services
def test_a_worker_tells_that_the_scheduler_is_silent(tmp_path: Path, receiver: Receiver) -> None:
    with installed_for_production(tmp_path, INSIDE) as production:
        production.python(_CHANNEL, receiver.url)
        production.sql(
            "INSERT INTO scheduling_heartbeat (name, kind, started_at, seen_at, trouble)"
            " VALUES ('dispatcher', 'dispatcher', %s, %s, '')",
            [LONG_AGO, LONG_AGO],
        )
        production.start(*WORKER)
        production.wait_until(lambda: len(receiver.got) == 1, "the worker tells it", seconds=90)
        assert b"The scheduler is silent since 2026-01-01" in receiver.got[0][1]
