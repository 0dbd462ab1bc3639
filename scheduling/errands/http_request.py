"""The job *HTTP request*: asks an address that the installation allows, once; its answer is the result.

Off until HTTP_STEPS names what may be asked. No redirect is followed, no address inside is called unless settings allow
it, and a secret is named in the plan and stands in the environment of the workers.
"""

from __future__ import annotations

import http.client
import json as json_module
import os
import re
import socket
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Literal
from urllib.parse import SplitResult, quote, unquote, urlencode, urlsplit

from django.conf import settings

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
LONGEST_TEXT = 10_000  # characters of an answer that is no JSON, or too long for it
LARGEST_JSON = 48 * 1024  # bytes, so that with the headers it fits into the result of a job
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
            text = text.replace(secret, _HIDDEN)
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
    request = _Request(
        _allowed(_address(url, query or {})),
        method,
        {**_headers(context, method, headers or {}), **(secrets := _secrets(secret_headers or {}))}
        | ({"Content-Type": "application/json"} if json is not None and not _names(headers, "content-type") else {}),
        _body(json, body),
        tuple(sorted(filter(None, secrets.values()), key=len, reverse=True)),
        method in _MAY_REPEAT if may_repeat is None else may_repeat,
        _limit(limit_seconds),
    )
    context.logger.info("%s", request.told)
    answer = _asked(request, context)
    context.logger.info("%s", say("It answered {status} {reason}, {size:,} bytes.", **_facts(answer, request)))
    if answer.status not in expected if expected else not 200 <= answer.status < 300:
        raise _unexpected(answer, request, context.now)
    return _result(answer, request)


def allows(entry: str, url: SplitResult) -> bool:
    """Return whether an entry of HTTP_STEPS allows an address: the same scheme, host and port, and its path or below.

    Raises ValueError for an entry that is no address.
    """
    allowed = urlsplit(entry)
    if allowed.scheme not in ("http", "https") or not allowed.hostname or allowed.query or allowed.username:
        raise ValueError(say("{entry} is no beginning of an address, like https://api.example.com/v1.", entry=entry))
    above = allowed.path.rstrip("/")
    return _place(allowed) == _place(url) and (url.path == above or url.path.startswith(f"{above}/") or not above)


def _place(url: SplitResult) -> tuple[str, str, int]:
    return url.scheme, (url.hostname or "").rstrip("."), url.port or (443 if url.scheme == "https" else 80)


def _address(text: str, query: Mapping[str, Value]) -> SplitResult:
    """Return an address with its query; only what every server understands alike passes."""
    try:
        if re.search(r"[\x00-\x20\x7f\\]", text):
            raise ValueError
        url = urlsplit(text)
        _place(url)
    except ValueError:
        raise RequestFailed(say("There is something in the URL that no URL may have.")) from None
    if url.username is not None or url.password is not None:
        raise RequestFailed(say("A URL with a password in it is not asked: name a secret header."))
    if _climbs(url.path):
        raise RequestFailed(say("The path of the URL may not climb: write it without . and .. in it."))
    more = urlencode([(name, _as_text(value)) for name, value in query.items() if value is not None])
    return url._replace(
        netloc=url.netloc.encode("idna").decode() if not url.netloc.isascii() else url.netloc,
        path=quote(url.path, safe="/%:@!$&'()*+,;=~"),
        query="&".join(filter(None, [quote(url.query, safe="/%:@!$&'()*+,;=~?"), more])),
        fragment="",
    )


def _climbs(path: str) -> bool:
    """Return whether a server might read a way up out of a path, however often it decodes it."""
    for _ in range(4):
        parts = re.split(r"[/\\]", path)
        if any(part.partition(";")[0] in (".", "..") for part in parts):
            return True
        path = unquote(path)
    return False


def _allowed(url: SplitResult) -> SplitResult:
    """Return the address when a setting allows it."""
    if off := switched_off(f"{__name__}.http_request"):
        raise FatalJobError(off)
    if not any(allows(entry, url) for entry in settings.HTTP_STEPS):
        host = f"{url.scheme}://{url.netloc}{url.path}"
        raise RequestFailed(say("{url} is not allowed: the setting HTTP_STEPS names what is.", url=host))
    return url


def _headers(context: JobContext, method: str, given: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a request; one key for all attempts lets the other side know a request again."""
    sent = {"User-Agent": "Staging-Scheduler"}
    if method not in _MAY_REPEAT and not _names(given, "idempotency-key"):
        sent["Idempotency-Key"] = f"staging-scheduler-{context.task.pk}"
    return sent | {_header(name): _header_value(name, value) for name, value in given.items()}


def _names(headers: Mapping[str, str] | None, name: str) -> bool:
    return any(each.lower() == name for each in headers or ())


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
                return _Answer(response.status, response.reason, response.headers, content[:MOST_BYTES], is_whole)

    def end(self) -> None:
        """Let the thread wait for nothing any more."""
        with self._lock:
            self._is_over = True
            if self._raw is not None:
                with suppress(OSError):
                    self._raw.shutdown(socket.SHUT_RDWR)


def _asked(request: _Request, context: JobContext) -> _Answer:
    """Return the answer. While it is awaited a cancel, a time-out and the end of the worker are heard."""
    exchange = _Exchange(request)
    try:
        return in_time(exchange, request.limit_seconds, look=context.check_cancelled, name="http request")
    except CannotSend as error:
        exchange.end()
        raise _silent(request, str(error), is_fatal=not error.is_away, is_sent=exchange.may_be_sent) from error
    except (OSError, http.client.HTTPException) as error:
        text = say("{host} did not answer: {error}", host=request.url.hostname or "", error=one_line(error))
        raise _silent(request, text, is_sent=exchange.may_be_sent) from error
    except ValueError as error:
        raise RequestFailed(say("There is something in the URL that no URL may have.")) from error
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
               status=str(answer.status), reason=request.hide(answer.reason))  # fmt: skip
    if 300 <= answer.status < 400:
        location = request.hide(answer.headers.get("Location", "-"))[:_LONGEST_HEADER]
        text = say("{request} was answered {status}: it has moved to {location}. No redirect is followed.",
                   request=request.told, status=str(answer.status), location=location)  # fmt: skip
    if answer.status in _NOT_DONE or (answer.status >= 500 and request.may_repeat):
        return TryLater(text, _retry_after(answer.headers.get("Retry-After", ""), now))
    return RequestFailed(text)


def _retry_after(text: str, now: datetime) -> timedelta:
    """Return how long the other side asks to wait, in seconds or until a date; nothing when that cannot be read."""
    if re.fullmatch(r"\d{1,9}", text.strip(), re.ASCII):
        return timedelta(seconds=int(text))
    with suppress(ValueError, TypeError):
        until = parsedate_to_datetime(text)
        return max((until if until.tzinfo else until.replace(tzinfo=UTC)) - now, timedelta())
    return timedelta()


def _facts(answer: _Answer, request: _Request) -> dict[str, Any]:
    return {"status": str(answer.status), "reason": request.hide(answer.reason), "size": len(answer.content)}


def _result(answer: _Answer, request: _Request) -> dict[str, Any]:
    """Return what later steps may ask about; JSON where it is that and not too long, else the beginning as text."""
    text, is_whole = _text(answer, request), answer.is_whole
    found: Any = text
    with suppress(ValueError, RecursionError):
        found = json_module.loads(text, parse_constant=_no_number) if is_whole else text
    if isinstance(found, str) or len(json_module.dumps(found).encode()) > LARGEST_JSON:
        found, is_whole = text[:LONGEST_TEXT], is_whole and len(text) <= LONGEST_TEXT
    headers = {
        name.lower(): request.hide(answer.headers[name])[:_LONGEST_HEADER]
        for name in _TOLD_HEADERS
        if name in answer.headers
    }
    return {"status": answer.status, "headers": headers, "body": found, "is_whole": is_whole}


def _text(answer: _Answer, request: _Request) -> str:
    """Return an answer as text that any database stores, without secrets."""
    charset = answer.headers.get_content_charset("utf-8")
    try:
        text = answer.content.decode(charset, "replace")
    except LookupError:
        text = answer.content.decode("utf-8", "replace")
    return request.hide(storable(text))


def _no_number(name: str) -> None:
    raise ValueError(name)
