"""The job *HTTP request*: asks an address that the installation allows, once; its answer is the result.

Off until HTTP_STEPS names what may be asked. No redirect is followed, no address inside is called unless settings allow
it, and a secret is named in the plan and stands in the environment of the workers.
"""

from __future__ import annotations

import base64
import codecs
import hashlib
import http.client
import json as json_module
import os
import re
import socket
import threading
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Literal
from urllib.parse import SplitResult, urlencode

from django.conf import settings

from scheduling.errands.addresses import allows, climbs, parts_of
from scheduling.errands.values import beginning, json_of
from scheduling.errors import FatalJobError, SchedulingError, TryLater
from scheduling.jobs.context import JobContext
from scheduling.jobs.declare import job, retry
from scheduling.jobs.discover import switched_off
from scheduling.outside.calls import OF_STEPS, CannotSend, in_time, web_connection
from staging.wording import one_line, say, storable

Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
Value = str | int | float | bool | None

SECRETS = "HTTP_SECRET_"  # how the variables begin that a plan may name: no other leaves this host
MOST_BYTES = 1_048_576  # of an answer that are read
_LONGEST_TOLD = 300
_LONGEST_LIMIT = 3600
_LATER = 5  # seconds: the whole is given up before a single wait is
_LONGEST_HEADER = 200
_TOLD_HEADERS = ("Content-Type", "ETag", "Last-Modified", "Location", "Retry-After", "X-Request-Id")
_MAY_REPEAT = ("GET", "HEAD", "PUT", "DELETE")
_NOT_DONE = (429, 503)  # the other side says that it did nothing
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
_OURS = ("host", "content-length", "transfer-encoding", "connection", "accept-encoding", "upgrade", "te", "trailer")
_HIDDEN = "•••"
_SHORTEST_PART = 4  # characters of a part of a secret that is hidden alone: less would hide half of any text
# Whatever is called otherwise is read as UTF-8: of the codecs of Python some never end, or read something else.
_CHARSETS = re.compile(r"ascii|utf-?(8|16|32).*|iso8859-.*|cp\d+|koi8.*|gb.*|big5.*|shift_jis.*|euc.*|iso2022.*|mac.*")


class RequestFailed(SchedulingError):
    """A request was refused, or answered otherwise than expected; the text says how, without secrets."""


@dataclass(frozen=True)
class _Request:
    """What is asked; `told` is the address without its query, which may hold what nobody is to read."""

    url: SplitResult
    method: str
    headers: Mapping[str, str]
    body: bytes | None
    secrets: tuple[str, ...]
    may_repeat: bool
    limit_seconds: int

    @property
    def told(self) -> str:
        return f"{self.method} {self.url.scheme}://{self.url.netloc}{self.url.path}"

    @property
    def target(self) -> str:
        return f"{self.url.path or '/'}?{self.url.query}" if self.url.query else self.url.path or "/"

    def hide(self, text: str) -> str:
        """Return a text of the other side without the secrets that it was told."""
        for secret in self.secrets:
            # Each character as it is, or as JSON or a URL escapes it.
            forms = (
                rf"(?:{re.escape(each)}|\\{re.escape(each)}|\\u{ord(each):04x}|%{ord(each):02x})" for each in secret
            )
            text = re.sub("".join(forms), _HIDDEN, text, flags=re.IGNORECASE)
        return text


@dataclass(frozen=True)
class _Answer:
    status: int
    reason: str
    headers: http.client.HTTPMessage
    content: bytes
    is_whole: bool


@job("HTTP request", category="Steps", description="Asks an address that HTTP_STEPS allows; the answer is its result.")
@retry(attempts=3, interval_seconds=30, backoff=True, on=TryLater)
def http_request(
    context: JobContext,
    url: str,
    method: Method = "GET",
    query: dict[str, Value] | None = None,
    headers: dict[str, str] | None = None,
    secret_headers: dict[str, str] | None = None,
    json: Any = None,
    body: str | None = None,
    expected: list[int] | None = None,
    may_repeat: bool | None = None,
    limit_seconds: int = 60,
) -> dict[str, Any]:
    """Ask once and return status, some headers and the body. Raises RequestFailed, or TryLater for another attempt.

    `query` is added to the address. `secret_headers` name variables of the environment. `json` or `body` is sent.
    `expected` are the statuses that are well (any 2xx when left out). `may_repeat`: a request that may have been
    carried out may be sent again; left out, all but POST and PATCH may.
    """
    secrets = _secrets(secret_headers or {})
    request = _Request(
        _allowed(_address(url, query or {})),
        method,
        _headers(context, method, json is not None, {**(headers or {}), **secrets}),
        _body(json, body),
        _written(secrets.values()),
        method in _MAY_REPEAT if may_repeat is None else may_repeat,
        _limit(limit_seconds),
    )
    context.logger.info("%s", request.told)
    answer = _asked(request, context)
    context.logger.info("%s", say("It answered {status} {reason}, {size:,} bytes.", **_facts(answer, request)))
    if answer.status not in expected if expected else not 200 <= answer.status < 300:
        raise _unexpected(answer, request, context.now)
    return _result(answer, request)


def _address(text: str, query: Mapping[str, Value]) -> SplitResult:
    """Return an address with its query; only what every server understands alike passes."""
    try:
        url = parts_of(text)
        more = urlencode([(name, _as_text(value)) for name, value in query.items() if value is not None])
    except ValueError:
        raise RequestFailed(say("There is something in the URL that no URL may have.")) from None
    if url.username is not None or url.password is not None:
        raise RequestFailed(say("A URL with a password in it is not asked: name a secret header."))
    if climbs(url.path):
        raise RequestFailed(say("The path of the URL may not climb: write it without . and .. in it."))
    return url._replace(query="&".join(filter(None, [url.query, more])), fragment="")


def _allowed(url: SplitResult) -> SplitResult:
    """Return the address when a setting allows it."""
    if off := switched_off(f"{__name__}.http_request"):
        raise FatalJobError(off)
    if not any(allows(entry, url) for entry in settings.HTTP_STEPS):
        host = f"{url.scheme}://{url.netloc}{url.path}"
        raise RequestFailed(say("{url} is not allowed: the setting HTTP_STEPS names what is.", url=host))
    return url


def _headers(context: JobContext, method: str, has_json: bool, given: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a request; one key for all attempts lets the other side know a request again."""
    ours = {"User-Agent": "Staging-Scheduler"}
    if has_json:
        ours["Content-Type"] = "application/json"
    if method not in _MAY_REPEAT:
        ours["Idempotency-Key"] = _key(context)
    theirs = {_header(name).lower(): name for name in given}
    if len(theirs) < len(given):
        raise RequestFailed(say("A request has each header once, in capitals or not."))
    kept = {name: value for name, value in ours.items() if name.lower() not in theirs}
    return kept | {name: _header_value(name, value) for name, value in given.items()}


def _key(context: JobContext) -> str:
    """Return what no other request has, of this installation or of another: numbers of tasks begin at 1 in each."""
    run = context.run
    whole = f"{run.fire_key} {run.created_at} {context.task.key} {context.task.pk}"
    return f"staging-scheduler-{hashlib.sha256(whole.encode()).hexdigest()[:32]}"


def _header(name: str) -> str:
    if not _HEADER.fullmatch(name) or name.lower() in _OURS:
        raise RequestFailed(say("A request cannot have the header {name!r}.", name=name))
    return name


def _header_value(name: str, value: str) -> str:
    if not value.isascii() or not value.isprintable():
        raise RequestFailed(say("The header {name} may have printable characters of ASCII only.", name=name))
    return value


def _secrets(named: Mapping[str, str]) -> dict[str, str]:
    """Return headers with what stands in the environment."""
    found = {}
    for header, variable in named.items():
        value = os.environ.get(variable) if variable.startswith(SECRETS) else None
        if not value:
            text = say(
                "There is no secret {variable!r} here: it is a variable of the workers that begins with {beginning}.",
                variable=variable, beginning=SECRETS,
            )  # fmt: skip
            raise RequestFailed(text)
        found[_header(header)] = _header_value(header, value)
    return found


def _written(secrets: Iterable[str]) -> tuple[str, ...]:
    """Return secrets as an answer may say them: whole, without "Bearer", and as user and password."""
    found = set()
    for secret in secrets:
        word = secret.partition(" ")[2].strip()
        with suppress(ValueError):
            pair = base64.b64decode(word, validate=True).decode()
            found |= {part for part in (pair, pair.partition(":")[2]) if len(part) >= _SHORTEST_PART}
        found |= {secret, *([word] if len(word) >= _SHORTEST_PART else [])}
    return tuple(sorted(found, key=len, reverse=True))


def _body(json: Any, body: str | None) -> bytes | None:
    if json is not None and body is not None:
        raise RequestFailed(say("A request has json or a body, not both."))
    if json is not None:
        return json_module.dumps(json, ensure_ascii=False).encode()
    return None if body is None else body.encode()


def _limit(seconds: int) -> int:
    if not 1 <= seconds <= _LONGEST_LIMIT:
        raise RequestFailed(say("limit_seconds is from 1 to {most:,}.", most=_LONGEST_LIMIT))
    return seconds


def _as_text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class _Exchange:
    """One request and its answer, in a thread of its own; what is given up before it is sent is never sent."""

    def __init__(self, request: _Request) -> None:
        self._request, self._lock, self._is_over = request, threading.Lock(), False
        self._raw: socket.socket | None = None

    @property
    def may_be_sent(self) -> bool:
        """Return whether the other side may have got the request."""
        return self._raw is not None

    def __call__(self) -> _Answer:
        """Ask, and return the answer. Raises CannotSend, OSError, HTTPException, and ValueError for a wrong URL."""
        request = self._request
        with closing(
            web_connection(request.url, seconds=request.limit_seconds + _LATER, setting=OF_STEPS)
        ) as connection:
            with self._lock:
                if self._is_over:
                    raise CannotSend(say("It was given up."))
                self._raw = connection.sock
            headers = {"Host": request.url.netloc, **request.headers}
            connection.request(request.method, request.target, request.body, headers)
            with connection.getresponse() as response:
                content = response.read(MOST_BYTES + 1)
                is_whole = len(content) <= MOST_BYTES
                if is_whole and response.length:  # the connection ended before the answer did
                    raise http.client.IncompleteRead(content, response.length)
                return _Answer(response.status, response.reason, response.headers, content[:MOST_BYTES], is_whole)

    def end(self) -> None:
        """Let the thread wait for nothing any more."""
        with self._lock:
            self._is_over = True
            if self._raw is not None:
                with suppress(OSError):
                    # Not the method of TLS, which would let a thread that writes go on in plain text for a moment.
                    socket.socket.shutdown(self._raw, socket.SHUT_RDWR)


def _asked(request: _Request, context: JobContext) -> _Answer:
    """Return the answer. While it is awaited a cancel, a time-out and the end of the worker are heard."""
    exchange = _Exchange(request)
    try:
        return in_time(exchange, request.limit_seconds, look=context.check_cancelled, name="http request")
    except CannotSend as error:
        exchange.end()
        raise _silent(request, str(error), is_fatal=not error.is_away, is_sent=exchange.may_be_sent) from None
    except (OSError, http.client.HTTPException) as error:
        text = say("{host} did not answer: {error}", host=request.url.hostname or "", error=one_line(error))
        raise _silent(request, text, is_sent=exchange.may_be_sent) from None  # its text may have a secret in it
    except ValueError:
        raise RequestFailed(say("There is something in the URL that no URL may have.")) from None
    finally:
        exchange.end()


def _silent(request: _Request, text: str, *, is_fatal: bool = False, is_sent: bool) -> SchedulingError:
    """Return the error of a request without an answer; what may have been carried out is not sent twice."""
    text = request.hide(text)
    if is_fatal:
        return RequestFailed(text)
    if is_sent and not request.may_repeat:
        return RequestFailed(say("{text} Whether it was carried out is not known, so it is not sent again.", text=text))
    return TryLater(text)


def _unexpected(answer: _Answer, request: _Request, now: datetime) -> SchedulingError:
    """Return the error of an answer that was not expected; what is worth another attempt is tried again."""
    said = " ".join(_text(answer, request).split())[:_LONGEST_TOLD]
    text = say("{request} was answered {status} {reason}: {said}", request=request.told, said=said or "-",
               status=str(answer.status), reason=_line(answer.reason, request))  # fmt: skip
    if 300 <= answer.status < 400:
        location = _line(answer.headers.get("Location", "-"), request)
        text = say("{request} was answered {status}: it has moved to {location}. No redirect is followed.",
                   request=request.told, status=str(answer.status), location=location)  # fmt: skip
    if answer.status in _NOT_DONE or (answer.status >= 500 and request.may_repeat):
        return TryLater(text, _retry_after(answer.headers.get("Retry-After", ""), now))
    return RequestFailed(text)


def _retry_after(text: str, now: datetime) -> timedelta:
    """Return how long the other side asks to wait, in seconds or until a date; nothing when that cannot be read."""
    if re.fullmatch(r"\d{1,9}", text.strip(), re.ASCII):
        return timedelta(seconds=int(text))
    with suppress(ValueError, TypeError, OverflowError):
        until = parsedate_to_datetime(text)
        return max((until if until.tzinfo else until.replace(tzinfo=UTC)) - now, timedelta())
    return timedelta()


def _facts(answer: _Answer, request: _Request) -> dict[str, Any]:
    return {"status": str(answer.status), "reason": _line(answer.reason, request), "size": len(answer.content)}


def _result(answer: _Answer, request: _Request) -> dict[str, Any]:
    """Return what later steps may ask about; JSON where it is that and not too long, else the beginning as text."""
    text = _text(answer, request)
    found: Any = beginning(text)
    is_whole = answer.is_whole and found == text
    if answer.is_whole:
        with suppress(ValueError):
            parsed = json_of(_decoded(answer), request.hide)
            if not isinstance(parsed, str):
                found, is_whole = parsed, True
    headers = {name.lower(): _line(answer.headers[name], request) for name in _TOLD_HEADERS if name in answer.headers}
    return {"status": answer.status, "headers": headers, "body": found, "is_whole": is_whole}


def _line(text: str, request: _Request) -> str:
    """Return a line of the other side without secrets, and without what would write over lines of a log."""
    printable = "".join(each if each.isprintable() else " " for each in text)
    return storable(request.hide(printable))[:_LONGEST_HEADER]


def _text(answer: _Answer, request: _Request) -> str:
    """Return an answer as text that any database stores, without secrets."""
    return request.hide(storable(_decoded(answer)))


def _decoded(answer: _Answer) -> str:
    """Return an answer as text, by the charset that it names when that is one of the web."""
    charset = answer.headers.get_content_charset("utf-8")
    with suppress(LookupError, ValueError):
        if _CHARSETS.fullmatch(codecs.lookup(charset).name):
            return answer.content.decode(charset, "replace")
    return answer.content.decode("utf-8", "replace")
