"""Promise: a server that is slow, killed or refuses costs no message, nor keeps the messages of others waiting."""

import smtplib
from datetime import timedelta

import pytest

from scheduling.alerts import transports
from scheduling.alerts.watch import go_round
from scheduling.models import AlertChannel, AlertDelivery
from tests.scheduling.alerts.conftest import NOW, rule_of
from tests.scheduling.alerts.receiver import Mailbox, Receiver

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture
def two(customer, mailbox) -> AlertChannel:
    """A channel of mail to two addresses, told of a failure."""
    channel = AlertChannel.objects.create(name="Mail", addresses="ann@example.com\nben@example.com")
    rule_of("failed", channel)
    return channel


def taken(mailbox: Mailbox) -> list[str]:
    """Return who got mail, in its order."""
    return [to for (to,), _ in mailbox.messages]


def ids(mailbox: Mailbox) -> set[str]:
    """Return the numbers of the messages."""
    return {message["Message-ID"] for _, message in mailbox.messages}


def test_a_mail_server_that_was_killed_gets_everything_when_it_lives_again(two, mailbox):
    mailbox.close()
    go_round(NOW)
    first, second = AlertDelivery.objects.order_by("attempts", "pk")
    assert (first.attempts, second.attempts) == (0, 1)  # what is away is asked once in a round
    assert "Connection refused" in second.answer
    mailbox.open()
    go_round(NOW + MINUTE)
    assert sorted(taken(mailbox)) == ["ann@example.com", "ben@example.com"]
    go_round(NOW + 10 * MINUTE)
    assert len(mailbox.messages) == 2


def test_a_slow_mail_server_is_given_up_and_keeps_no_webhook_waiting(two, mailbox, webhook, receiver, settings):
    AlertChannel.rules.through.objects.create(alertrule=two.rules.get(), alertchannel=webhook)
    settings.EMAIL_TIMEOUT, mailbox.waits = 0.2, 1.0
    go_round(NOW)
    assert len(receiver.got) == 1
    mail = AlertDelivery.objects.filter(channel=two).order_by("-attempts")
    assert [one.attempts for one in mail] == [1, 0] and "timed out" in mail[0].answer
    mailbox.waits = 0.0
    for minute in (1, 2):
        go_round(NOW + minute * MINUTE)
    assert set(taken(mailbox)) == {"ann@example.com", "ben@example.com"}
    assert not AlertDelivery.objects.exclude(status="sent").exists()


def test_a_mail_server_that_never_ends_its_answer_is_given_up_too(two, mailbox, monkeypatch):
    monkeypatch.setattr(transports, "LIMIT", 0.3)
    mailbox.waits = 2.0
    go_round(NOW)
    assert AlertDelivery.objects.get(attempts=1).answer.startswith("It took longer than")


def test_a_mail_server_that_dies_after_it_took_a_message_gets_it_again_with_its_own_number(two, mailbox):
    mailbox.hangs_up = True
    go_round(NOW)
    assert len(mailbox.messages) == 1 and not AlertDelivery.objects.filter(status="sent").exists()
    mailbox.hangs_up = False
    go_round(NOW + MINUTE)
    assert len(mailbox.messages) == 3 and len(ids(mailbox)) == 2


def test_a_reader_whom_the_server_does_not_know_costs_the_others_nothing(two, mailbox):
    mailbox.unknown = {"ann@example.com"}
    go_round(NOW)
    assert taken(mailbox) == ["ben@example.com"]
    refused = AlertDelivery.objects.get(status="waiting")
    assert (refused.address, refused.attempts) == ("ann@example.com", 1) and "no such person" in refused.answer
    mailbox.unknown = set()
    go_round(NOW + MINUTE)
    assert taken(mailbox) == ["ben@example.com", "ann@example.com"]


def test_a_web_server_that_was_killed_gets_everything_when_it_lives_again(webhook, receiver, customer):
    rule_of("failed", webhook)
    receiver.close()
    for minute in range(4):
        go_round(NOW + minute * MINUTE)
    delivery = AlertDelivery.objects.get()
    assert (delivery.status, delivery.attempts) == ("waiting", 3) and "did not answer" in delivery.answer
    receiver.open()
    go_round(NOW + 7 * MINUTE)
    assert len(receiver.got) == 1 and AlertDelivery.objects.get().status == "sent"


def test_a_web_server_that_is_away_is_asked_once_in_a_round_and_another_one_at_once(webhook, receiver, customer):
    """Two rules and a message from before wait for the one that is away; the other channel is not behind them."""
    other = Receiver()
    try:
        beside = AlertChannel.objects.create(name="Other", kind="webhook", url=other.url)
        receiver.close()
        for _ in range(3):
            AlertDelivery.objects.create(channel=webhook, address=webhook.url, created_at=NOW, next_attempt_at=NOW)
        rule_of("failed", webhook, beside)
        go_round(NOW)
        assert len(other.got) == 1
        assert sorted(AlertDelivery.objects.filter(channel=webhook).values_list("attempts", flat=True)) == [0, 0, 0, 1]
        go_round(NOW + MINUTE)  # what was not asked comes first
        assert sorted(AlertDelivery.objects.filter(channel=webhook).values_list("attempts", flat=True)) == [0, 0, 1, 1]
        receiver.open()
        for minute in range(2, 5):
            go_round(NOW + minute * MINUTE)
        assert len(receiver.got) == 4 and not AlertDelivery.objects.exclude(status="sent").exists()
    finally:
        other.close()


@pytest.mark.parametrize("answer", ["450 4.3.0 Try again", "550-5.1.1 Nobody\r\n550 of this name"])
def test_what_a_mail_server_answers_is_told_as_it_said_it(two, mailbox, answer):
    mailbox.unknown, mailbox.refusal = {"ann@example.com"}, answer
    go_round(NOW)
    told = AlertDelivery.objects.get(status="waiting").answer
    code, words = answer[:3], answer.replace("\r\n550 ", " ")[4:]
    assert told == f"The mail server did not take it: {code} {words}"


@pytest.mark.parametrize("kind", ["mail", "webhook"])
def test_why_nobody_answers_is_told_without_a_number_of_the_system(two, mailbox, webhook, receiver, kind):
    AlertChannel.rules.through.objects.create(alertrule=two.rules.get(), alertchannel=webhook)
    mailbox.close()
    receiver.close()
    go_round(NOW)
    mailbox.open()
    receiver.open()
    told = AlertDelivery.objects.get(channel={"mail": two, "webhook": webhook}[kind], attempts=1).answer
    assert told.endswith(": Connection refused")


def test_a_server_that_refuses_the_sender_is_quoted_too():
    error = smtplib.SMTPSenderRefused(553, b"Not you", "scheduler@example.com")
    assert transports._words_of(error) == "553 Not you"
    assert transports._words_of(smtplib.SMTPServerDisconnected("Connection closed")) == "Connection closed"
