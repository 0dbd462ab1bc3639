"""What is outside: which network addresses alerts and steps may call, and a guard for libraries that connect alone.

A setting of its own says for each of the two whether addresses inside may be called.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from datetime import timedelta
from functools import cache
from typing import Any, TypeVar
from urllib.parse import SplitResult

from django.conf import settings

from scheduling import clock
from staging.wording import one_line, say

T = TypeVar("T")

_LOOKS_EVERY_SECONDS = 0.2
_NAT64 = ipaddress.ip_network("64:ff9b::/96")  # an IPv4 address stands in its last 32 bits, as in the next
_COMPATIBLE = ipaddress.ip_network("::/96")
_is_guarded: ContextVar[bool] = ContextVar("is_guarded", default=False)


# What lets alerts, and what lets steps of plans, call addresses inside.
OF_ALERTS, OF_STEPS = "ALERTS_INTERNAL_ADDRESSES", "HTTP_STEPS_INTERNAL_ADDRESSES"


class CannotSend(Exception):
    """A message or request did not leave; its text says why, to people. `is_away`: nobody answers there at all."""

    def __init__(self, text: str, *, is_away: bool = False):
        super().__init__(text)
        self.is_away = is_away


class Inside(OSError):
    """A library would connect to an address inside; it takes this for a connection that failed."""


def is_outside(address: str) -> bool:
    """Return whether a network address is one of the public internet; one that carries another counts as that."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if inner is None and (ip in _NAT64 or ip in _COMPATIBLE):
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_outside(str(inner))
        if ip.is_site_local:
            return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved)


def allowed_addresses(host: str, port: int, setting: str = OF_ALERTS) -> list[str]:
    """Return the network addresses of a host outside, the preferred first; to connect, use these and ask no more.

    Raises CannotSend when one of them is inside, unless the setting of this name allows it.
    """
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        found = list(dict.fromkeys(str(each[4][0]) for each in answers))
    except (OSError, UnicodeError) as error:
        text = say("{host} is not known: {error}", host=host, error=one_line(error))
        raise CannotSend(text, is_away=True) from error
    inside = sorted(each for each in found if not is_outside(each))
    if inside and not getattr(settings, setting):
        text = say(
            "{host} is an address inside ({address}). {setting} allows these.",
            host=host,
            address=inside[0],
            setting=setting,
        )
        raise CannotSend(text)
    return found


def web_connection(url: SplitResult, *, seconds: float, setting: str = OF_ALERTS) -> http.client.HTTPConnection:
    """Return a connection to an address that was looked at: what a name leads to is asked once, and that is used.

    `seconds` for each answer of the other side. Raises CannotSend, OSError, and ValueError for a port that is none.
    """
    if url.scheme not in ("http", "https") or not url.hostname:
        raise CannotSend(say("This is no address of the web: it has to begin with https:// and a name."))
    port = url.port or {"http": 80, "https": 443}[url.scheme]
    raw = _connected(url.hostname, port, seconds, setting)
    connection = http.client.HTTPConnection(url.hostname, port, timeout=seconds)
    try:
        connection.sock = (
            ssl.create_default_context().wrap_socket(raw, server_hostname=url.hostname)
            if url.scheme == "https"
            else raw
        )
    except BaseException:
        raw.close()
        raise
    return connection


def _connected(host: str, port: int, seconds: float, setting: str) -> socket.socket:
    """Return a connection to the first address of a host outside that takes it. Raises CannotSend or OSError."""
    refused: OSError | None = None
    for address in allowed_addresses(host, port, setting):
        try:
            return socket.create_connection((address, port), timeout=seconds)
        except OSError as error:
            refused = error
    raise refused or OSError(say("it has no address"))


def in_time(call: Callable[[], T], seconds: float, *, look: Callable[[], object] = lambda: None, name: str) -> T:
    """Return what a call returns, or give it up: who answers a byte now and then would keep its caller for ever.

    Meanwhile `look` is called a few times a second; what it raises gives the call up, too. What is given up goes on in
    a thread of its own, called `name`. Raises CannotSend after so many seconds, and whatever the call raises.
    """
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(call())
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=copy_context().run, args=(run,), name=name, daemon=True).start()
    until = clock.monotonic() + seconds
    while not wait([answer], min(_LOOKS_EVERY_SECONDS, max(until - clock.monotonic(), 0))).done:
        look()
        if clock.monotonic() >= until:
            raise CannotSend(say("It took longer than {limit}.", limit=timedelta(seconds=seconds)), is_away=True)
    return answer.result()


@contextmanager
def outside_only() -> Iterator[None]:
    """Let what is called here connect to addresses outside only, whatever library does it and wherever it is led to.

    Asked at the connection itself, so neither a redirect nor a name that answers differently the second time gets past.
    """
    if settings.ALERTS_INTERNAL_ADDRESSES:
        yield
        return
    _stand_guard()
    token = _is_guarded.set(True)
    try:
        yield
    finally:
        _is_guarded.reset(token)


@cache
def _stand_guard() -> None:
    sys.addaudithook(_look)  # once in a process, and only in one that sends by services


def _look(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in ("socket.connect", "socket.sendto") or not _is_guarded.get():
        return
    to = arguments[1]
    if isinstance(to, tuple) and not _is_seen_outside(str(to[0])):
        raise Inside(say("{address} is an address inside.", address=str(to[0])))


def _is_seen_outside(address: str) -> bool:
    """Return whether it is a number outside; a name could lead anywhere."""
    try:
        return is_outside(address)
    except ValueError:
        return False
