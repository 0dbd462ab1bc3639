"""A rule, channels, the servers that they lead to, and what they told."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core import mail

from scheduling.models import AlertChannel, AlertRule, SchedulerConfiguration
from tests.scheduling.admin.conftest import make_configuration
from tests.scheduling.alerts.receiver import Mailbox, Receiver

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def own_rules(request: pytest.FixtureRequest, settings: Any) -> None:
    """Take the rules away that every installation begins with; a mail server takes everything."""
    settings.EMAIL_HOST = "mail.example.com"
    if request.node.get_closest_marker("django_db"):
        request.getfixturevalue("db")
        AlertRule.objects.all().delete()


@pytest.fixture
def channel(own_rules: None) -> AlertChannel:
    """E-mail to one address, at once."""
    return AlertChannel.objects.create(name="Night watch", addresses="night@example.com")


@pytest.fixture
def customer(own_rules: None) -> SchedulerConfiguration:
    """An entity that failed once."""
    return make_configuration("customer", last_result="failed", consecutive_failures=1)


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    """A web server on this machine, which settings allow to call."""
    settings.ALERTS_INTERNAL_ADDRESSES = True
    made = Receiver()
    yield made
    made.close()


@pytest.fixture
def webhook(receiver: Receiver) -> AlertChannel:
    """A webhook that leads to it."""
    return AlertChannel.objects.create(name="Hook", kind="webhook", url=receiver.url, secret="s3cret")


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Mailbox]:
    """A mail server on this machine, by which mail leaves."""
    made = Mailbox()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", made.port
    yield made
    made.close()


def rule_of(condition: str, *channels: AlertChannel, **settings: Any) -> AlertRule:
    """Return a new rule that tells these channels."""
    rule = AlertRule.objects.create(name=settings.pop("name", condition), condition=condition, **settings)
    rule.channels.set(channels)
    return rule


def told() -> list[str]:
    """Return the first lines of the e-mails that were sent, and forget them."""
    lines = [without_times(message.subject) for message in mail.outbox]
    mail.outbox.clear()
    return lines


def without_times(line: str) -> str:
    """Return a first line without the times in it, for those who ask when it came and not what it says of that."""
    return re.sub(r" \((since |until )?\d{4}-\d\d-\d\d [^)]*\)", "", line)
