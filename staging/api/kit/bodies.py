"""Reads a body within bounds: how large, of which type, how deep; every mistake is a problem, never a crash."""

from __future__ import annotations

import json
from typing import Any, Protocol

from django.http.request import UnreadablePostError
from django.utils.translation import gettext_noop

from staging.api.kit.problems import ApiProblem, invalid
from staging.model_files.read import load_json
from staging.wording import said_together, say

JSON = "application/json"
BROKEN = gettext_noop("The connection broke before the whole body was read.")
_DEEPEST = 30
_PIECE = 1 << 20  # the web server copies what is left of what it received for each piece that is asked for


class ByteStream(Protocol):
    """What bytes are read from."""

    def read(self, size: int = -1) -> bytes:
        """Return at most so many bytes; none at the end."""
        ...


def media_type(request: Any) -> str:
    """Return the type of the body without its parameters."""
    return str(request.META.get("CONTENT_TYPE", "")).partition(";")[0].strip().lower()


def insist_on_type(request: Any, *accepted: str) -> str:
    """Return the type of the body. Raises a problem when it is none of these, or the body is packed."""
    found = media_type(request)
    if found not in accepted:
        raise ApiProblem(
            415,
            say(
                "Send {accepted}, not {found}.",
                accepted=said_together(*accepted, by=say(" or ")),
                found=found or say("a body without Content-Type"),
            ),
        )
    charset = str(request.META.get("CONTENT_TYPE", "")).lower().partition("charset=")[2].partition(";")[0].strip(' "')
    if charset not in ("", "utf-8", "utf8"):
        raise ApiProblem(415, say("Send UTF-8, not {charset}.", charset=charset))
    if request.META.get("HTTP_CONTENT_ENCODING", "identity").strip().lower() != "identity":
        raise ApiProblem(415, say("Send the body as it is, without Content-Encoding."))
    return found


def announced(request: Any) -> int | None:
    """Return how many bytes the request says it has; None when it does not."""
    length = str(request.META.get("CONTENT_LENGTH") or "")
    return int(length) if length.isascii() and length.isdigit() and len(length) <= 18 else None


def body_stream(request: Any) -> ByteStream:
    """Return what the body is read from, also when it comes in chunks without a length.

    Django reads nothing without a length; a server that marks the end of its input lets us read until there.
    """
    plain = getattr(request, "_request", request)
    if announced(plain) is None and plain.META.get("wsgi.input_terminated"):
        return plain.META["wsgi.input"]
    return plain


class CheckedStream:
    """A body as it comes: counted against the limit, and its broken connection told as a problem."""

    def __init__(self, source: ByteStream, most: int):
        self._source, self._left, self._most = source, most, most

    def read(self, size: int = -1) -> bytes:
        """Return at most so many bytes; without a size a piece."""
        try:
            piece = self._source.read(size if 0 <= size <= _PIECE else _PIECE)
        except (UnreadablePostError, OSError):
            raise ApiProblem(400, say(BROKEN)) from None
        self._left -= len(piece)
        if self._left < 0:
            raise too_large(self._most)
        return piece


def too_large(most: int) -> ApiProblem:
    """Return the problem of a body over the limit."""
    return ApiProblem(413, say("The body is larger than {most:,} bytes; send it in several requests.", most=most))


def read_bytes(request: Any, most: int) -> bytes:
    """Return the whole body. Raises a problem when it is larger than so many bytes, or broke off."""
    if (length := announced(request)) is not None and length > most:
        raise too_large(most)
    stream, pieces = CheckedStream(body_stream(request), most), []
    while piece := stream.read():
        pieces.append(piece)
    body = b"".join(pieces)
    if length is not None and len(body) < length:
        raise ApiProblem(400, say(BROKEN))
    return body


def read_json(body: bytes) -> Any:
    """Return a JSON document as plain data, fractions as Decimal. Raises a problem for what is none, or too deep."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise invalid({"": [say("The body is not UTF-8 text.")]}) from None
    try:
        document = load_json(text)
    except json.JSONDecodeError as error:
        told = say(
            "The body is not JSON, line {line}, column {column}: {problem}.",
            line=error.lineno,
            column=error.colno,
            problem=error.msg,
        )
        raise invalid({"": [told]}) from None
    except (ValueError, RecursionError) as error:
        raise invalid({"": [say("The body is not JSON: {error}.", error=error)]}) from None
    if _is_deep(document):
        raise invalid({"": [say("The body is nested deeper than {levels} levels.", levels=_DEEPEST)]})
    return document


def _is_deep(document: Any) -> bool:
    level = [document]
    for _ in range(_DEEPEST):
        level = [
            item
            for value in level
            for item in (value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
            if isinstance(item, dict | list)
        ]
        if not level:
            return False
    return True
