"""ETag and If-Match: nobody overwrites what somebody else changed meanwhile, and hears what it was.

An ETag holds a short digest of every key of the document, so that it can be told which of them changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from rest_framework.response import Response

from staging.api.kit.problems import ApiProblem
from staging.transactions import in_transaction
from staging.wording import say

_WHOLE, _PART = 20, 6  # characters of the digest of everything, and of one key


def etag_of(document: Mapping[str, Any]) -> str:
    """Return the ETag of a document of configuration."""
    parts = ".".join(f"{_digest(key)[:_PART]}{_digest(value)[:_PART]}" for key, value in document.items())
    return f'"{_digest(document)[:_WHOLE]}.{parts}"'


def conditional(
    request: HttpRequest | Any,
    document: Mapping[str, Any],
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return a document with its ETag; nothing but that when the client says that it has it already."""
    tag = etag_of(document)
    given = request.headers.get("If-None-Match")
    if given is not None and request.method in ("GET", "HEAD") and matches(tag, given):
        return Response(status=304, headers={"ETag": tag})
    return Response(document, status, headers={"ETag": tag, **(headers or {})})


def matches(tag: str, given: str) -> bool:
    """Return whether a header names this ETag, or any; a proxy that packs answers marks it as weak."""
    return given.strip() == "*" or tag in (each.strip().removeprefix("W/") for each in given.split(","))


@in_transaction
def insist_unchanged(request: HttpRequest | Any, document: Mapping[str, Any], *, is_free: bool = False) -> None:
    """Raise the problem of a missing precondition, unless it is free, or of one that fails: what changed since then.

    What is written then is locked by now.
    """
    given = request.headers.get("If-Match")
    if given is None and is_free:
        return
    if given is None:
        text = say("Send If-Match with the ETag that you read, so that nobody else's change is overwritten.")
        raise ApiProblem(428, text)
    if matches(etag_of(document), given):
        return
    errors = {
        key: [say("This was changed since: it is {value} now.", value=_shown(document[key]))]
        for key in changed_keys(given, document)
    }
    text = say("It was changed since you read it; read it again.")
    raise ApiProblem(412, text, errors, {"ETag": etag_of(document)})


def changed_keys(given: str, document: Mapping[str, Any]) -> list[str]:
    """Return the keys of a document that are not as an ETag had them; those that went cannot be named."""
    parts = given.strip().removeprefix("W/").strip('"').split(".")[1:]
    before = {part[:_PART]: part[_PART:] for part in parts if len(part) == 2 * _PART}
    if not before:
        return []
    return [key for key, value in document.items() if before.get(_digest(key)[:_PART]) != _digest(value)[:_PART]]


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else f"{text[:200]}…"
