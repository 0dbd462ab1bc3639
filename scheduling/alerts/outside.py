"""What is outside: to which network addresses alerts may go, and a guard for libraries that connect by themselves."""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from django.conf import settings

from staging.wording import one_line, say

_NAT64 = ipaddress.ip_network("64:ff9b::/96")  # an IPv4 address stands in its last 32 bits, as in the next
_COMPATIBLE = ipaddress.ip_network("::/96")
_is_guarded: ContextVar[bool] = ContextVar("is_guarded", default=False)


class CannotSend(Exception):
    """A message did not leave; its text says why, to people. `is_away`: nobody answered, whatever is sent there."""

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


def allowed_addresses(host: str, port: int) -> list[str]:
    """Return the network addresses of a host outside, the preferred first; to connect, use these and ask no more.

    Raises CannotSend when one of them is inside, unless settings allow it.
    """
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        found = list(dict.fromkeys(str(each[4][0]) for each in answers))
    except (OSError, UnicodeError) as error:
        text = say("{host} is not known: {error}", host=host, error=one_line(error))
        raise CannotSend(text, is_away=True) from error
    inside = sorted(each for each in found if not is_outside(each))
    if inside and not settings.ALERTS_INTERNAL_ADDRESSES:
        text = say(
            "{host} is an address inside ({address}). ALERTS_INTERNAL_ADDRESSES allows these.",
            host=host,
            address=inside[0],
        )
        raise CannotSend(text)
    return found


def connected(host: str, port: int, seconds: float) -> socket.socket:
    """Return a connection to the first address of a host outside that takes it. Raises CannotSend or OSError."""
    refused: OSError | None = None
    for address in allowed_addresses(host, port):
        try:
            return socket.create_connection((address, port), timeout=seconds)
        except OSError as error:
            refused = error
    raise refused or OSError(say("it has no address"))


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
