"""What carries an Idempotency-Key happens once: the same request again gets the first answer.

A key belongs to its caller and to the address with its parameters; it is kept for a day, and remembers successes only.
TOGETHER: the answer is stored in the transaction of what was done, so that neither is there without the other,
whenever a process dies; a twin waits at the unique key for the end of that transaction. APART, for what commits in
pieces: the first claims the key before it begins and gives signs of life; a claim that is silent is taken over.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, OperationalError, transaction
from django.db.models.functions import Now
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder

from staging.api.kit.bodies import CheckedStream, body_stream
from staging.api.kit.doors import TOGETHER, Door, RawBody
from staging.api.kit.problems import ApiProblem
from staging.entities.values import is_storable
from staging.models import KeptAnswer
from staging.models.answer import KEPT_FOR
from staging.sql.dialect import dialect
from staging.tables.columns import gave_up_waiting

LONGEST_KEY = 255
WAIT_SECONDS = 10
SILENT_AFTER = timedelta(seconds=60)
_LOOK_EACH_SECONDS = 0.1
_SIGN_EACH_SECONDS = 5
_OTHER_BODY = "This key was used with another body; a new request needs a new key."
_AT_WORK = f"A request with this key did not end within {WAIT_SECONDS} seconds; ask again with the same key."


def once(resource: Any, key: str, declared: Door, act: Callable[[], Response]) -> Response:
    """Return the first answer to this key, or act and remember the answer."""
    if not key or len(key) > LONGEST_KEY or not key.isprintable() or not is_storable(key):
        raise ApiProblem(400, f"An Idempotency-Key has 1 to {LONGEST_KEY} printable characters.")
    request = resource.request
    claim = KeptAnswer(caller=resource.caller.key, address=_address(request), key=key)
    _forget_if_old(claim)
    if getattr(resource, "keyed", declared.keyed) == TOGETHER:
        return _together(claim, _digest(resource.sent), act)
    if isinstance(declared.body, RawBody):
        resource.signed_stream = stream = SignedStream(request, claim)
        return _apart(claim, stream.digest, act)
    return _apart(claim, lambda: _digest(resource.sent), act)


class SignedStream:
    """The body of a keyed request as its view reads it: digested on its way, with a sign of life now and then."""

    def __init__(self, request: Any, claim: KeptAnswer):
        self._stream, self._claim = CheckedStream(body_stream(request), settings.API_MAX_STREAM_BYTES), claim
        self._sha, self._signed_at = hashlib.sha256(), time.monotonic()

    def read(self, size: int = -1) -> bytes:
        """Return the next piece."""
        piece = self._stream.read(size)
        self._sha.update(piece)
        if time.monotonic() - self._signed_at > _SIGN_EACH_SECONDS:
            self._signed_at = time.monotonic()
            KeptAnswer.objects.filter(pk=self._claim.pk).update(seen_at=Now())
        return piece

    def digest(self) -> str:
        """Read what is left, and return the digest of the whole body."""
        while self.read():
            pass
        return self._sha.hexdigest()


def _together(claim: KeptAnswer, body_hash: str, act: Callable[[], Response]) -> Response:
    """Act in the transaction that remembers the answer; a failure undoes both."""
    claim.body_hash = body_hash
    known = _find(claim)
    if known is not None and known.status is not None:
        return _repeated(known, body_hash)
    is_mine = False
    try:
        with dialect().begin_within(WAIT_SECONDS):
            claim.save(force_insert=True)
            is_mine = True
            dialect().wait_as_usual()
            response = act()
            _remember(claim, response, body_hash)
            return response
    except IntegrityError as error:
        if is_mine:
            raise
        first = _find(claim)
        if first is None or first.status is None:
            raise ApiProblem(409, _AT_WORK) from error
        return _repeated(first, body_hash)
    except OperationalError as error:
        if not is_mine and gave_up_waiting(error):
            raise ApiProblem(409, _AT_WORK) from error
        raise


def _apart(claim: KeptAnswer, digest: Callable[[], str], act: Callable[[], Response]) -> Response:
    """Claim the key, act, and remember the answer; a failure gives the key back. `digest` reads what is left."""
    first = _claim(claim)
    if first is not None:
        return _repeated(first, digest())
    try:
        response = act()
        if response.status_code < 400:
            _remember(claim, response, digest())
            return response
    except BaseException as error:
        with suppress(Exception):
            claim.delete()
        raise error from None
    claim.delete()
    return response


def _claim(claim: KeptAnswer) -> KeptAnswer | None:
    """Insert the claim and return None, or return the answer that another request left, waiting for it a while."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        KeptAnswer.objects.filter(
            caller=claim.caller, address=claim.address, key=claim.key, status=None, seen_at__lt=Now() - SILENT_AFTER
        ).delete()
        try:
            with transaction.atomic():
                claim.save(force_insert=True)
            return None
        except IntegrityError:
            first = _find(claim)
        if first is not None and first.status is not None:
            return first
        if time.monotonic() >= until:
            raise ApiProblem(409, _AT_WORK)
        time.sleep(_LOOK_EACH_SECONDS)


def _remember(claim: KeptAnswer, response: Response, body_hash: str) -> None:
    """Store an answer; only successes are remembered."""
    if response.status_code >= 400:
        transaction.set_rollback(True)
        return
    claim.status, claim.body_hash = response.status_code, body_hash
    claim.answer = json.loads(json.dumps(response.data, cls=JSONEncoder))
    claim.headers = {name: str(value) for name, value in response.headers.items() if name in ("Location", "ETag")}
    claim.save(update_fields=["status", "body_hash", "answer", "headers"])


def _repeated(first: KeptAnswer, body_hash: str) -> Response:
    """Return the first answer again. Raises a problem when it was to another body."""
    if first.body_hash != body_hash:
        raise ApiProblem(422, _OTHER_BODY)
    return Response(first.answer, first.status, headers={**first.headers, "Idempotency-Replayed": "true"})


def _find(claim: KeptAnswer) -> KeptAnswer | None:
    return KeptAnswer.objects.filter(caller=claim.caller, address=claim.address, key=claim.key).first()


def _forget_if_old(claim: KeptAnswer) -> None:
    """Delete what this key was used for a day ago, should housekeeping not have been there."""
    old = KeptAnswer.objects.filter(caller=claim.caller, address=claim.address, key=claim.key)
    if old.filter(started_at__lt=Now() - KEPT_FOR).exists():
        old.filter(started_at__lt=Now() - KEPT_FOR).delete()


def _address(request: Any) -> str:
    pairs = sorted((name, value) for name, values in request.query_params.lists() for value in values)
    return _digest(json.dumps([request.method, request.path, pairs]).encode())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
