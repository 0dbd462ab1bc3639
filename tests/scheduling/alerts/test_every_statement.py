"""Promise: a process that dies before any statement of a round loses nothing; twice comes only what it was sending."""

import json
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import OperationalError, connection

from scheduling.alerts import outbox
from scheduling.alerts.watch import deliver, look, put_together
from scheduling.models import Alert, AlertChannel, AlertDelivery, AlertNotice, AlertRule, SchedulerConfiguration
from tests.depth import some
from tests.scheduling.admin.conftest import make_configuration
from tests.scheduling.alerts.conftest import NOW, rule_of, without_times
from tests.staging.specification.test_every_statement import Died, Stop

pytestmark = pytest.mark.django_db(transaction=True)
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def entities(own_rules: None) -> None:
    """Make two entities."""
    for code in ("customer", "branch"):
        make_configuration(code)


def test_dead_before_any_statement_the_next_process_tells_what_was_not_told() -> None:
    """By turns the process is dead, or the database gives up this one statement, or the connection breaks for good."""
    number = len(_statements())
    assert number > 30
    for passes in some(range(number), one_in=6):
        _die_and_go_on(passes, OperationalError("connection lost") if passes % 2 else Died())


def test_killed_in_the_midst_of_a_sending_the_message_comes_again_with_its_own_number(monkeypatch: Any) -> None:
    real = outbox.send

    def send_and_die(*arguments: Any) -> str:
        real(*arguments)
        raise Died

    _begin()
    with monkeypatch.context() as patched, suppress(Died):
        patched.setattr(outbox, "send", send_and_die)
        _round(0)
    _finish(0, twice=True)


def _die_and_go_on(passes: int, error: BaseException) -> None:
    _begin()
    stop = Stop(passes, error, once=not isinstance(error, Died))
    with suppress(type(error)), connection.execute_wrapper(stop):
        _round(0)
    connection.close()
    _finish(passes, twice=len(mail.outbox) > AlertDelivery.objects.filter(status="sent").count())


def _begin() -> None:
    for model in (AlertNotice, AlertDelivery, Alert, AlertRule, AlertChannel):
        model.objects.all().delete()
    SchedulerConfiguration.objects.update(last_result="failed", consecutive_failures=1)
    night = AlertChannel.objects.create(name="Night", addresses="night@example.com\nlist@example.com")
    rule_of("failed", night, AlertChannel.objects.create(name="Chief", addresses="chief@example.com"))
    mail.outbox.clear()


def _round(minute: int) -> None:
    """Go a round that is not forgiven anything: each step may die."""
    for step in (look, put_together, deliver):
        step(NOW + minute * MINUTE)


def _finish(passes: int, *, twice: bool) -> None:
    """Let the next process go on, and be told that it is over."""
    for minute in range(1, 5):
        _round(minute)
    SchedulerConfiguration.objects.update(last_result="completed", consecutive_failures=0)
    for minute in range(5, 8):
        _round(minute)
    told: dict[tuple[str, str], list[str]] = {}
    for message in mail.outbox:
        number = str(message.extra_headers["Message-ID"])
        told.setdefault((message.to[0], without_times(message.subject)), []).append(number)
    every = [f"{name}@example.com" for name in ("chief", "list", "night")]
    lines = ("Customer failed. And 1 more.", "Over: Customer failed. And 1 more.")
    text = f"stopped after {passes} statements: {json.dumps({' '.join(key): value for key, value in told.items()})}"
    # Rules look at entities together, so both stand in one message; nothing is lost, nothing stands in two messages.
    assert sorted(told) == sorted((to, line) for to in every for line in lines), text
    assert all(len(set(numbers)) == 1 for numbers in told.values()), text
    assert sum(map(len, told.values())) == len(told) + twice, text
    assert not AlertNotice.objects.exists() and not AlertDelivery.objects.exclude(status="sent").exists(), text


def _statements() -> list[str]:
    _begin()
    sent: list[str] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        sent.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        _round(0)
    return sent
