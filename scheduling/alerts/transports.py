"""How a message leaves: by e-mail, as a signed webhook, or by a service that apprise knows.

A webhook is signed as the Standard Webhooks specification says (https://www.standardwebhooks.com): the headers
webhook-id, webhook-timestamp and webhook-signature; the id stays the same when a message has to be sent again.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import ipaddress
import json
import smtplib
import socket
import ssl
from contextlib import closing
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.core.mail import EmailMessage

from scheduling import clock
from scheduling.alerts.message import Message
from scheduling.models import AlertDelivery
from scheduling.states import ChannelKind
from staging.wording import one_line, say

SECONDS = 10.0
_READ = 500  # bytes of an answer that are kept
# Of what apprise speaks, what is this machine itself or an address of one's own choice: that is what a webhook is for.
NOT_OUTSIDE = frozenset(
    [
        *("json", "jsons", "xml", "xmls", "form", "forms", "http", "https", "apprise", "apprises", "file"),
        *("syslog", "dbus", "gnome", "glib", "kde", "qt", "windows", "macosx"),
    ]
)


class CannotSend(Exception):
    """A message did not leave; its text says why, to people."""


def send(delivery: AlertDelivery, message: Message) -> str:
    """Send one message and return what was answered. Raises CannotSend; waits at most some seconds."""
    return {
        ChannelKind.EMAIL: _mail,
        ChannelKind.WEBHOOK: _call,
        ChannelKind.SERVICE: _notify,
    }[ChannelKind(delivery.channel.kind)](delivery, message)


def ping(url: str) -> None:
    """Tell an outside watchman that we live. Raises CannotSend."""
    _answer(urlsplit(url), "GET", b"", {})


def _mail(delivery: AlertDelivery, message: Message) -> str:
    if not settings.EMAIL_HOST:
        raise CannotSend(say("No mail server is set: EMAIL_URL is empty."))
    domain = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].strip(">") or "localhost"
    headers = {"Message-ID": f"<alert-{delivery.pk}@{domain}>", "Auto-Submitted": "auto-generated"}
    try:
        EmailMessage(" ".join(message.subject.split()), message.body, to=[delivery.address], headers=headers).send()
    except (OSError, smtplib.SMTPException) as error:
        raise CannotSend(say("The mail server did not take it: {error}", error=one_line(error))) from error
    return say("Taken by the mail server.")


def _call(delivery: AlertDelivery, message: Message) -> str:
    body = json.dumps(message.document, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json", "User-Agent": "Staging-Scheduler"}
    headers |= signature(str(delivery.pk), int(clock.now().timestamp()), body, delivery.channel.secret)
    return _answer(urlsplit(delivery.address), "POST", body, headers)


def signature(number: str, timestamp: int, body: bytes, secret: str) -> dict[str, str]:
    """Return the headers that say who sent a webhook and when; without a secret it is not signed."""
    headers = {"webhook-id": number, "webhook-timestamp": str(timestamp)}
    if secret:
        signed = hmac.new(secret.encode(), f"{number}.{timestamp}.".encode() + body, hashlib.sha256).digest()
        headers["webhook-signature"] = f"v1,{base64.b64encode(signed).decode()}"
    return headers


def _answer(url: SplitResult, method: str, body: bytes, headers: dict[str, str]) -> str:
    """Ask an address once, following no redirect; return the first line of what it says. Raises CannotSend."""
    target = url._replace(scheme="", netloc="", fragment="").geturl() or "/"
    try:
        with closing(_connected(url)) as connection:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            said = response.read(_READ).decode("utf-8", "replace").strip()
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise CannotSend(
            say("{host} did not answer: {error}", host=url.hostname or "", error=one_line(error))
        ) from error
    if not 200 <= response.status < 300:
        raise CannotSend(say("It answered {status}: {text}", status=str(response.status), text=said))
    return f"{response.status} {said}".strip()


def _connected(url: SplitResult) -> http.client.HTTPConnection:
    """Return a connection to an address that was looked at: what a name leads to is asked once, and that is used."""
    if url.scheme not in ("http", "https") or not url.hostname:
        raise CannotSend(say("{url} is no address of the web.", url=url.geturl()))
    port = url.port or {"http": 80, "https": 443}[url.scheme]
    address = allowed_address(url.hostname, port)
    raw = socket.create_connection((address, port), timeout=SECONDS)
    connection = http.client.HTTPConnection(url.hostname, port, timeout=SECONDS)
    connection.sock = (
        ssl.create_default_context().wrap_socket(raw, server_hostname=url.hostname) if url.scheme == "https" else raw
    )
    return connection


def allowed_address(host: str, port: int) -> str:
    """Return the network address of a host outside. Raises CannotSend for one inside, unless settings allow it."""
    try:
        found = {str(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    except OSError as error:
        raise CannotSend(say("{host} is not known: {error}", host=host, error=one_line(error))) from error
    inside = sorted(each for each in found if not ipaddress.ip_address(each.partition("%")[0]).is_global)
    if inside and not settings.ALERTS_INTERNAL_ADDRESSES:
        raise CannotSend(
            say(
                "{host} is an address inside ({address}). ALERTS_INTERNAL_ADDRESSES allows these.",
                host=host,
                address=inside[0],
            )
        )
    return sorted(found)[0]


def _notify(delivery: AlertDelivery, message: Message) -> str:
    from apprise import Apprise  # a second to import, which only this kind of channel pays

    if (scheme := delivery.address.partition("://")[0].lower()) in NOT_OUTSIDE:
        raise CannotSend(say("{scheme}:// is no service outside; choose a webhook.", scheme=scheme))
    service = Apprise()
    if not service.add(delivery.address):
        raise CannotSend(say("No service is known by this URL."))
    if not service.notify(title=message.subject, body=message.body):
        raise CannotSend(say("The service did not take it; the log of the process says why."))
    return say("Taken by the service.")
