"""How a message leaves: by e-mail, as a signed webhook, or by a service that apprise knows.

A webhook is signed as the Standard Webhooks specification says (https://www.standardwebhooks.com): the headers
webhook-id, webhook-timestamp and webhook-signature; the id stays the same when a message has to be sent again.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import smtplib
from contextlib import closing
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.core.mail import EmailMessage

from scheduling import clock
from scheduling.alerts.message import Message
from scheduling.models import AlertDelivery
from scheduling.outside.calls import CannotSend, in_time, outside_only, web_connection
from scheduling.states import ChannelKind
from staging.wording import one_line, say

SECONDS = 10.0  # for each answer of the other side
LIMIT = 25.0  # for all of it
_OF_STANDARD = "whsec_"  # how secrets begin that the libraries of Standard Webhooks make
_READ = 500  # bytes of an answer that are kept
# Of what apprise speaks, what is this machine itself or an address of one's own choice: that is what a webhook is for.
NOT_OUTSIDE = frozenset(
    [
        *("json", "jsons", "xml", "xmls", "form", "forms", "http", "https", "apprise", "apprises", "file"),
        *("syslog", "dbus", "gnome", "glib", "kde", "qt", "windows", "macosx"),
    ]
)


def send(delivery: AlertDelivery, message: Message) -> str:
    """Send one message and return what was answered. Raises CannotSend, and does so after LIMIT at the latest."""
    way = {
        ChannelKind.EMAIL: _mail,
        ChannelKind.WEBHOOK: _call,
        ChannelKind.SERVICE: _notify,
    }[ChannelKind(delivery.channel.kind)]
    return in_time(lambda: way(delivery, message), LIMIT, name="alert message")


def ping(url: str) -> None:
    """Tell an outside watchman that we live. Raises CannotSend."""
    in_time(lambda: _answer(urlsplit(url), "GET", b"", {}), LIMIT, name="alert message")


def _mail(delivery: AlertDelivery, message: Message) -> str:
    if not settings.EMAIL_HOST:
        raise CannotSend(say("No mail server is set: EMAIL_URL is empty."))
    domain = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].strip(">") or "localhost"
    headers = {"Message-ID": f"<alert-{delivery.pk}@{domain}>", "Auto-Submitted": "auto-generated"}
    try:
        EmailMessage(" ".join(message.subject.split()), message.body, to=[delivery.address], headers=headers).send()
    except (OSError, smtplib.SMTPException) as error:
        # A server that refuses one person may take the next; any other trouble is the server's own.
        is_away = not isinstance(error, smtplib.SMTPRecipientsRefused | smtplib.SMTPDataError)
        text = say("The mail server did not take it: {error}", error=_words_of(error))
        raise CannotSend(text, is_away=is_away) from error
    return say("Taken by the mail server.")


def _words_of(error: OSError) -> str:
    """Return what a mail server answered, or why there is none; smtplib tells answers as Python writes values."""
    answers: list[tuple[int, bytes | str]] = []
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        answers = list(error.recipients.values())
    elif isinstance(error, smtplib.SMTPResponseException):
        answers = [(error.smtp_code, error.smtp_error)]
    lines = (f"{code} {_text(words)}" for code, words in answers)
    return " ".join(" ".join(lines).split()) or _reason(error)


def _text(words: bytes | str) -> str:
    return words.decode("utf-8", "replace") if isinstance(words, bytes) else words


def _reason(error: Exception) -> str:
    """Return why nobody answers, without the number that the system has for it."""
    if isinstance(error, OSError) and error.errno and error.strerror:
        return str(error.strerror)
    return one_line(error)


def _call(delivery: AlertDelivery, message: Message) -> str:
    body = json.dumps(message.document, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json", "User-Agent": "Staging-Scheduler"}
    headers |= signature(str(delivery.pk), int(clock.now().timestamp()), body, delivery.channel.secret)
    return _answer(urlsplit(delivery.address), "POST", body, headers)


def signature(number: str, timestamp: int, body: bytes, secret: str) -> dict[str, str]:
    """Return the headers that say who sent a webhook and when; without a secret it is not signed."""
    headers = {"webhook-id": number, "webhook-timestamp": str(timestamp)}
    if secret:
        signed = hmac.new(_key(secret), f"{number}.{timestamp}.".encode() + body, hashlib.sha256).digest()
        headers["webhook-signature"] = f"v1,{base64.b64encode(signed).decode()}"
    return headers


def _key(secret: str) -> bytes:
    """Return the key in a secret: its bytes, or what stands behind the beginning of a secret of Standard Webhooks."""
    if secret.startswith(_OF_STANDARD):
        try:
            return base64.b64decode(secret.removeprefix(_OF_STANDARD), validate=True)
        except ValueError:
            return secret.encode()
    return secret.encode()


def _answer(url: SplitResult, method: str, body: bytes, headers: dict[str, str]) -> str:
    """Ask an address once, following no redirect; return the first line of what it says. Raises CannotSend."""
    target = url._replace(scheme="", netloc="", fragment="").geturl() or "/"
    try:
        with closing(web_connection(url, seconds=SECONDS)) as connection:
            connection.request(method, target, body, {"Host": url.netloc.rpartition("@")[2], **headers})
            with closing(connection.getresponse()) as response:
                said = response.read(_READ).decode("utf-8", "replace").strip()
    except OSError as error:
        raise _silent(url, error) from error
    except (http.client.InvalidURL, ValueError) as error:  # their text has parts of the URL, which may be a password
        raise CannotSend(say("There is something in the URL that no URL may have.")) from error
    except http.client.HTTPException as error:
        raise _silent(url, error) from error
    if not 200 <= response.status < 300:
        raise CannotSend(say("It answered {status}: {text}", status=str(response.status), text=said))
    return f"{response.status} {said}".strip()


def _silent(url: SplitResult, error: Exception) -> CannotSend:
    text = say("{host} did not answer: {error}", host=url.hostname or "", error=_reason(error))
    return CannotSend(text, is_away=True)


def _notify(delivery: AlertDelivery, message: Message) -> str:
    from apprise import Apprise  # a second to import, which only this kind of channel pays

    service = Apprise()
    if not service.add(delivery.address):
        raise CannotSend(say("No service is known by this URL."))
    known = list(service)
    if len(known) != 1:
        raise CannotSend(say("This is more than one URL; make a channel for each."))
    if scheme := is_no_service(known[0]):
        raise CannotSend(say("{scheme}:// is no service outside; choose a webhook.", scheme=scheme))
    with outside_only():
        is_taken = service.notify(title=message.subject, body=message.body)
    if not is_taken:
        raise CannotSend(say("The service did not take it: it is away, or does not know what the URL names."))
    return say("Taken by the service.")


def is_no_service(known: Any) -> str:
    """Return the first word of the URLs of what apprise speaks, where it is no service outside; else nothing."""
    words: set[str] = set()
    for named in (known.protocol, known.secure_protocol):
        words |= {named} if isinstance(named, str) else set(named or ())
    return min(words & NOT_OUTSIDE, default="")
