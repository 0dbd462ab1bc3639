"""Promise: a message leaves at least once, whatever the other side does; a webhook is signed, and stays outside."""

import base64
import hashlib
import hmac
import json
import logging
import socket
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core import mail

from scheduling.alerts import message, outbox, transports
from scheduling.alerts.addresses import naming_people
from scheduling.alerts.broken import broken_channels
from scheduling.alerts.outbox import ATTEMPTS, CLAIMED_FOR, deliver, put_test_message
from scheduling.alerts.watch import go_round
from scheduling.lifecycle.alerts import claim_delivery
from scheduling.models import Alert, AlertChannel, AlertDelivery, Job, JobSchedule, Plan
from scheduling.outside import calls as outside
from scheduling.states import AlertCondition, AlertNews
from staging.models import Entity
from tests.scheduling.alerts.conftest import NOW, rule_of

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def test_a_webhook_gets_documented_json_signed_with_its_time(webhook, receiver, customer):
    rule = rule_of("failed", webhook)
    go_round(NOW)
    ((headers, body),) = receiver.got
    document = json.loads(body)
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    wanted = base64.b64encode(hmac.new(b"s3cret", signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{wanted}" and headers["webhook-id"] == document["id"]
    assert document["text"] == "Customer failed. (2026-11-20 12:00:00 UTC)" and not document["test"]
    (alert,) = document["alerts"]
    assert (alert["news"], alert["rule"], alert["entity"], alert["opened_at"]) == (
        "opened", rule.name, "customer", "2026-11-20T12:00:00Z",
    )  # fmt: skip
    assert alert["url"].endswith(f"/admin/scheduling/schedulerconfiguration/{customer.pk}/why-not/")
    assert AlertDelivery.objects.get().answer == "200 thanks"


def test_the_json_is_the_one_of_the_document(webhook, receiver, customer):
    """Each key, and each condition and each kind of news by its name."""
    text = Path("docs/alerts.md").read_text()
    example = json.loads(text.partition("```json")[2].partition("```")[0])
    rule_of("failed", webhook)
    go_round(NOW)
    put_test_message(webhook, now=NOW)
    deliver(NOW)
    news, test = (json.loads(body) for _, body in receiver.got)
    assert list(news) == list(example) == list(test) and list(news["alerts"][0]) == list(example["alerts"][0])
    assert {name for name in [*AlertCondition.values, *AlertNews.values] if f"`{name}`" not in text} == set()


def test_many_alerts_are_one_short_message_that_says_how_many_there_are_besides(webhook, receiver, channel, customer):
    rule, number = rule_of("failed", webhook, channel), message._MOST + 7
    alerts = Alert.objects.bulk_create(
        Alert(rule=rule, subject=f"entity:{key}", said={"say": "Wrong."}, opened_at=NOW) for key in range(number)
    )
    news = [[alert.pk, "opened"] for alert in alerts]
    for each in (webhook, channel):
        AlertDelivery.objects.create(channel=each, address=each.url or "night@example.com", news=news, created_at=NOW,
                                     next_attempt_at=NOW)  # fmt: skip
    assert deliver(NOW) == 2
    document = json.loads(receiver.got[0][1])
    assert len(document["alerts"]) == message._MOST and document["more"] == 7
    assert mail.outbox[0].body.count("Since ") == message._MOST and "And 7 more." in mail.outbox[0].body


@pytest.mark.parametrize("whose", ["entity", "plan", "job"])
def test_a_message_brings_what_people_wrote_about_the_thing(webhook, receiver, channel, customer, whose):
    written = "Comes by night.\nSee https://wiki.example.com/runbook"
    job = Job.objects.create(name="Sync", path="a.b", source="a.py:1", description=written)
    failed = {"last_result": "failed", "consecutive_failures": 1}
    {"entity": lambda: Entity.objects.update(description=written),
     "plan": lambda: Plan.objects.create(name="Nightly", description=written, **failed),
     "job": lambda: JobSchedule.objects.create(job=job, name="Hourly", **failed)}[whose]()  # fmt: skip
    rule_of("failed", webhook, channel)
    go_round(NOW)
    assert "  Comes by night.\n  See https://wiki.example.com/runbook\n" in mail.outbox[0].body
    assert written in {alert["description"] for alert in json.loads(receiver.got[0][1])["alerts"]}


@pytest.mark.parametrize(("status", "headers"), [(500, {}), (429, {}), (302, {"Location": "http://127.0.0.1:1/"})])
def test_what_is_not_taken_comes_again_with_the_same_id_later_and_later(webhook, receiver, customer, status, headers):
    rule_of("failed", webhook)
    receiver.status, receiver.headers = status, headers
    for minute in range(9):
        go_round(NOW + minute * MINUTE)
    assert len(receiver.got) == 4  # at once, and after 1, 2 and 4 minutes
    receiver.status = 204
    go_round(NOW + 16 * MINUTE)
    assert AlertDelivery.objects.get().status == "sent"
    assert len({got[0]["webhook-id"] for got in receiver.got}) == 1


def test_a_channel_that_is_mended_sends_what_waits_to_its_new_address(webhook, receiver, customer):
    """A wrong address is corrected because news did not arrive; they must not go on to the wrong one."""
    rule_of("failed", webhook)
    AlertChannel.objects.filter(pk=webhook.pk).update(url=receiver.url.replace("/hook", "/old"), secret="older")
    receiver.status = 500
    go_round(NOW)
    AlertChannel.objects.filter(pk=webhook.pk).update(url=receiver.url, secret="s3cret")
    receiver.status = 200
    go_round(NOW + MINUTE)
    assert [path.partition("?")[0] for path in receiver.paths] == ["/old", "/hook"]
    delivery = AlertDelivery.objects.get()
    assert (delivery.status, delivery.address) == ("sent", receiver.url)  # the log tells where it went


@pytest.mark.parametrize("whose", ["person", "address"])
def test_mail_that_waits_goes_where_its_reader_is_by_now(mailbox, customer, whose):
    ann = User.objects.create_user("ann", email="ann@example.com", is_superuser=True)
    channel = AlertChannel.objects.create(name="Mail", addresses="" if whose == "person" else "old@example.com")
    if whose == "person":
        channel.people.add(ann)
    rule_of("failed", channel)
    mailbox.refuses = True
    go_round(NOW)
    mailbox.refuses = False
    User.objects.update(email="anna@example.com")
    AlertChannel.objects.filter(addresses="old@example.com").update(addresses="new@example.com")
    go_round(NOW + MINUTE)
    if whose == "person":
        assert [to for to, _ in mailbox.messages] == [["anna@example.com"]]
    else:
        assert mailbox.messages == []
        assert AlertDelivery.objects.get().answer == "The channel sends nothing to this address any more."
    assert not broken_channels(NOW + MINUTE, naming_people()).exists()


def test_who_was_deleted_gets_nothing_that_waits(mailbox, customer):
    ann = User.objects.create_user("ann", email="ann@example.com", is_superuser=True)
    channel = AlertChannel.objects.create(name="Mail")
    channel.people.add(ann)
    rule_of("failed", channel)
    mailbox.refuses = True
    go_round(NOW)
    mailbox.refuses = False
    ann.delete()
    go_round(NOW + MINUTE)
    assert mailbox.messages == [] and AlertDelivery.objects.get().status == "given_up"


@pytest.mark.parametrize("digest", ["at_once", "hourly"])
def test_a_channel_that_is_switched_off_sends_nothing_until_it_is_switched_on(webhook, receiver, customer, digest):
    """News that waited, as messages or to be gathered, leave then; what came up meanwhile is told by no channel."""
    rule_of("failed", webhook)
    receiver.status = 500
    AlertChannel.objects.filter(pk=webhook.pk).update(digest=digest)
    go_round(NOW + MINUTE)
    AlertChannel.objects.filter(pk=webhook.pk).update(is_enabled=False)
    receiver.status, before = 200, len(receiver.got)
    for minute in range(2, 65):
        go_round(NOW + minute * MINUTE)
    assert len(receiver.got) == before
    AlertChannel.objects.filter(pk=webhook.pk).update(is_enabled=True)
    go_round(NOW + 65 * MINUTE)
    assert len(receiver.got) == before + 1 and AlertDelivery.objects.get().status == "sent"


def test_a_channel_that_is_switched_off_can_still_be_tried(webhook, receiver):
    AlertChannel.objects.update(is_enabled=False)
    put_test_message(webhook, now=NOW)
    assert deliver(NOW) == 1 and len(receiver.got) == 1


def test_after_so_many_attempts_a_message_is_given_up_and_says_why(channel, customer):
    AlertChannel.objects.filter(pk=channel.pk).update(kind="webhook", url="https://nowhere.invalid/")
    rule_of("failed", channel)
    for hour in range(ATTEMPTS + 2):
        go_round(NOW + hour * timedelta(hours=1))
    delivery = AlertDelivery.objects.get()
    assert (delivery.status, delivery.attempts) == ("given_up", ATTEMPTS)
    assert "nowhere.invalid is not known" in delivery.answer


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "[::1]", "169.254.169.254", "10.1.2.3", "0.0.0.0", "2130706433", "0x7f.1", "0177.0.0.1",
     "127.1", "[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[64:ff9b::7f00:1]", "[2002:a9fe:a9fe::]", "[::]",
     "[fe80::1]", "[fec0::1]", "[fd00::1]", "[ff0e::1]", "[::127.0.0.1]", "224.0.0.1", "100.64.0.1", "255.255.255.255"],
)  # fmt: skip
def test_no_webhook_calls_an_address_inside(settings, host):
    settings.ALERTS_INTERNAL_ADDRESSES = False
    with pytest.raises(transports.CannotSend, match=r"address inside|not known"):
        transports._answer(transports.urlsplit(f"http://{host}:9/"), "POST", b"", {})


@pytest.mark.parametrize("address", ["8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::808:808", "2606:4700::1111"])
def test_what_is_outside_is_called(address):
    assert outside.is_outside(address)


def test_a_name_is_asked_once_and_each_of_its_addresses_is_tried(monkeypatch, receiver, settings):
    port = receiver.server.server_port
    answers = [[("127.0.0.9", port), ("127.0.0.1", port)], [("169.254.169.254", port)]]
    asked = iter(answers)
    real = socket.getaddrinfo

    def answer(host: str, *args: Any, **kwargs: Any) -> list[Any]:
        if host != "changes.example.com":
            return real(host, *args, **kwargs)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", to) for to in next(asked)]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    url = f"http://changes.example.com:{port}/x"
    assert transports._answer(transports.urlsplit(url), "POST", b"{}", {}) == "200 thanks"
    ((headers, _),) = receiver.got
    assert headers["host"] == f"changes.example.com:{port}"
    settings.ALERTS_INTERNAL_ADDRESSES = False
    with pytest.raises(transports.CannotSend, match="address inside"):
        transports._answer(transports.urlsplit(url), "POST", b"{}", {})


def test_who_answers_a_byte_now_and_then_is_given_up(webhook, receiver, monkeypatch):
    monkeypatch.setattr(transports, "LIMIT", 0.2)
    receiver.answers.clear()
    put_test_message(webhook, now=NOW)
    assert deliver(NOW) == 0
    assert AlertDelivery.objects.get().answer.startswith("It took longer than")


def test_a_secret_of_standard_webhooks_signs_as_their_libraries_do():
    key = base64.b64encode(b"key").decode()
    wanted = base64.b64encode(hmac.new(b"key", b"7.9.{}", hashlib.sha256).digest()).decode()
    assert transports.signature("7", 9, b"{}", f"whsec_{key}")["webhook-signature"] == f"v1,{wanted}"


def test_an_address_that_is_none_of_the_web_is_refused():
    for url in ("ftp://example.com/", "http:///x", "javascript:1", "http://a b/"):
        with pytest.raises(transports.CannotSend):
            transports._answer(transports.urlsplit(url), "POST", b"", {})


def test_each_person_gets_one_mail_and_a_server_that_refuses_is_asked_again(mailbox, customer):
    group = Group.objects.create(name="Night")
    ann = User.objects.create_user("ann", email="ann@example.com", is_superuser=True)
    ann.groups.add(group)
    gone = User.objects.create_user("gone", email="gone@example.com", is_active=False)
    gone.groups.add(group)
    channel = AlertChannel.objects.create(name="Mail", addresses="ANN@example.com\nlist@example.com")
    channel.groups.add(group)
    channel.people.add(ann)
    rule_of("failed", channel)
    mailbox.refuses = True
    go_round(NOW)
    assert mailbox.messages == []
    mailbox.refuses = False
    go_round(NOW + MINUTE)
    assert sorted(to for to, _ in mailbox.messages) == [["ann@example.com"], ["list@example.com"]]
    message = mailbox.messages[0][1]
    assert (
        message["Subject"] == "Customer failed. (2026-11-20 12:00:00 UTC)"
        and message["Auto-Submitted"] == "auto-generated"
    )
    assert "What is wrong now: http" in message.get_payload(decode=True).decode()


def test_without_a_mail_server_it_is_said_so(settings, channel):
    settings.EMAIL_HOST = ""
    assert put_test_message(channel, now=NOW) == 1
    deliver(NOW)
    assert "No mail server is set" in AlertDelivery.objects.get().answer


@pytest.mark.parametrize(
    "url", ["json://127.0.0.1:9", " JSON://127.0.0.1:9", "syslog://", "file:///etc/passwd", "nonsense",
            "slack://a/b/c, json://127.0.0.1:9"],
)  # fmt: skip
def test_a_service_is_outside(channel, url):
    AlertChannel.objects.filter(pk=channel.pk).update(kind="service", url=url)
    channel.refresh_from_db()
    put_test_message(channel, now=NOW)
    assert deliver(NOW) == 0
    answer = AlertDelivery.objects.get().answer
    assert any(words in answer for words in ("no service outside", "No service is known", "more than one URL"))


@pytest.mark.parametrize(
    "url", ["slack://CANARY-bad-token-xyz", "discord://CANARYID", "gotify://127.0.0.1:{port}/CANARY",
            "gotify://127.0.0.1:1/CANARY"],
)  # fmt: skip
@pytest.mark.parametrize("is_allowed", [True, False])
def test_no_token_of_a_service_gets_into_the_log_however_much_is_logged(
    receiver, channel, settings, url, caplog, is_allowed
):
    settings.ALERTS_INTERNAL_ADDRESSES = is_allowed
    receiver.status = 403
    url = url.format(port=receiver.server.server_port)
    AlertChannel.objects.filter(pk=channel.pk).update(kind="service", url=url)
    put_test_message(AlertChannel.objects.get(), now=NOW)
    with caplog.at_level(logging.DEBUG):
        for attempt in range(ATTEMPTS):
            assert deliver(NOW + attempt * timedelta(hours=1)) == 0
    answer = AlertDelivery.objects.get().answer
    assert "did not take it" in answer or "No service is known" in answer
    logged = [record.getMessage() for record in caplog.records if not record.name.startswith("django.db")]
    assert any("given up" in line for line in logged)
    assert not [line for line in logged if "canary" in line.lower()]


@pytest.mark.parametrize(
    "url", ["watch.example.com/CANARY", "ftp://example.com/CANARY", "http:///CANARY",
            "http://127.0.0.1:{port}/CANARY x", "http://127.0.0.1:1/CANARY", "http://user:CANARY@127.0.0.1:1/",
            "http://user:CAN/ARY@127.0.0.1:9/"],
)  # fmt: skip
def test_no_address_of_a_watchman_gets_into_the_log(receiver, settings, url, caplog):
    from scheduling.alerts.watch import tell_outside

    settings.ALERTS_PING_URL = url.format(port=receiver.server.server_port)
    with caplog.at_level(logging.DEBUG):
        tell_outside()
    (line,) = [record.getMessage() for record in caplog.records if record.name.startswith("scheduling.alerts")]
    assert "was not reached" in line and "CAN" not in line


@pytest.mark.parametrize("more", ["", "?timeout=5"])
def test_a_service_of_ones_own_inside_is_reached_only_where_settings_allow_it(receiver, channel, settings, more):
    url = f"gotify://127.0.0.1:{receiver.server.server_port}/token{more}"
    AlertChannel.objects.filter(pk=channel.pk).update(kind="service", url=url)
    settings.ALERTS_INTERNAL_ADDRESSES = False
    put_test_message(AlertChannel.objects.get(), now=NOW)
    assert deliver(NOW) == 0 and receiver.got == []
    settings.ALERTS_INTERNAL_ADDRESSES = True
    assert deliver(NOW + MINUTE) == 1 and len(receiver.got) == 1


def test_a_library_that_is_led_inside_does_not_connect(receiver, settings):
    settings.ALERTS_INTERNAL_ADDRESSES = False
    with outside.outside_only(), pytest.raises(outside.Inside):
        socket.create_connection(("127.0.0.1", receiver.server.server_port))
    socket.create_connection(("127.0.0.1", receiver.server.server_port)).close()


def test_a_process_that_dies_while_it_sends_leaves_the_message_to_the_next(webhook, receiver):
    put_test_message(webhook, now=NOW)
    (delivery,) = AlertDelivery.objects.all()
    assert claim_delivery(delivery, address=webhook.url, until=NOW + CLAIMED_FOR)
    assert not claim_delivery(delivery, address=webhook.url, until=NOW + CLAIMED_FOR)  # somebody else has it
    assert deliver(NOW + MINUTE) == 0 and receiver.got == []
    assert deliver(NOW + CLAIMED_FOR) == 1 and len(receiver.got) == 1


@pytest.mark.parametrize("dies_in", ["message_of", "send", "end_delivery"])
def test_killed_between_any_two_steps_nothing_is_lost(webhook, receiver, customer, monkeypatch, dies_in):
    class Killed(BaseException):
        """What no `except` of ours catches."""

    def die(*_: Any, **__: Any) -> None:
        raise Killed

    rule_of("failed", webhook)
    with monkeypatch.context() as patched:
        patched.setattr(outbox, dies_in, die)
        with pytest.raises(Killed):
            go_round(NOW)
    for minute in range(1, 6):
        go_round(NOW + minute * MINUTE)
    ids = [headers["webhook-id"] for headers, _ in receiver.got]
    assert len(set(ids)) == 1 and len(ids) == (2 if dies_in == "end_delivery" else 1)
    assert AlertDelivery.objects.get().status == "sent"


def test_the_outside_watchman_is_told(receiver, settings):
    settings.ALERTS_PING_URL = receiver.url
    from scheduling.alerts.watch import tell_outside

    tell_outside()
    receiver.status = 500
    tell_outside()
    assert len(receiver.got) == 2
