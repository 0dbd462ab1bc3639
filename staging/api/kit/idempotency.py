"""What carries an Idempotency-Key happens once: the same request again gets the first answer.

A key belongs to its caller and to the address with its parameters; it is kept for a day, and remembers successes only.
TOGETHER: the answer is stored in the transaction of what was done, so that neither is there without the other,
whenever a process dies; a twin waits at the unique key for the end of that transaction. APART, for what takes long or
commits in pieces: the first claims the key before it begins and gives signs of life; a claim that is silent is taken
over. What commits in pieces keeps with each how far it came, and whoever takes over goes on there; two that believe to
hold one claim come to its row, and only the first of them moves it.
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
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext_noop
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder

from staging.api.kit.bodies import CheckedStream, body_stream
from staging.api.kit.callers import Caller
from staging.api.kit.doors import TOGETHER, Door, RawBody
from staging.api.kit.problems import ApiProblem
from staging.entities.values import is_storable
from staging.errors import gave_up_waiting
from staging.models import KeptAnswer
from staging.models.answer import KEPT_FOR
from staging.sql.compose import FixedQuery
from staging.sql.dialect import dialect
from staging.wording import say

LONGEST_KEY = 255
WAIT_SECONDS = 10
SILENT_AFTER = timedelta(seconds=60)
_LOOK_EACH_SECONDS = 0.1
_SIGN_EACH_SECONDS = 5
OTHER_BODY = gettext_noop("This key was used with another body; a new request needs a new key.")


def once(resource: Any, key: str, declared: Door, act: Callable[[], Response]) -> Response:
    """Return the first answer to this key, or act and remember the answer."""
    if not key or len(key) > LONGEST_KEY or not key.isprintable() or not is_storable(key):
        text = say("An Idempotency-Key has 1 to {longest} printable characters.", longest=LONGEST_KEY)
        raise ApiProblem(400, text)
    request = resource.request
    claim = KeptAnswer(caller=resource.caller.key, address=_address(request), key=key)
    known = _known_today(claim)
    caller = resource.caller
    caller.demands.clear()  # what the door itself demands is asked of every request
    if getattr(resource, "keyed", declared.keyed) == TOGETHER:
        body_hash = _digest(resource.sent)
        if known is not None and known.status is not None:
            return _repeated(known, body_hash, caller)
        return _together(claim, body_hash, act, caller)
    if isinstance(declared.body, RawBody):
        resource.signed_stream = stream = SignedStream(request, claim)
        resource.kept = kept = Kept(claim, stream.digest, caller)
        return _apart(kept, act)
    return _apart(Kept(claim, lambda: _digest(resource.sent), caller), act)


class Kept:
    """What a keyed request keeps in the transactions of its work, so that sending it again goes on behind them.

    `digest` reads what is left of the body.
    """

    def __init__(self, claim: KeptAnswer, digest: Callable[[], str], caller: Caller):
        self.claim, self.digest, self.caller, self.is_finished = claim, digest, caller, False

    @property
    def document(self) -> dict[str, Any] | None:
        """Return what an earlier sending kept last."""
        return self.claim.answer["kept"] if self.claim.answer else None

    def keep(self, document: dict[str, Any]) -> None:
        """Keep how far the work came. Raises a problem when another request with this key went on meanwhile."""
        turn = self.claim.answer["turn"] if self.claim.answer else 0
        answer = {"turn": turn + 1, "kept": document}
        mine = self.claim.unanswered()
        mine = mine.filter(answer__turn=turn) if turn else mine.filter(answer__isnull=True)
        if not mine.update(answer=answer, seen_at=Now()):
            self.claim.pk = None  # it is another's now, and not ours to give back
            raise _at_work()
        self.claim.answer = answer

    def finish(self, response: Response) -> None:
        """Remember the answer. Raises a problem when another request with this key was first."""
        _remember(self.claim, response, self.digest(), self.caller)
        self.is_finished = True

    def give_back(self) -> None:
        """Let the next request with this key take over at once, and go on behind what is kept, if anything is."""
        self.claim.unanswered().filter(answer__isnull=True).delete()
        self.claim.unanswered().update(seen_at=Now() - SILENT_AFTER)


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


def _together(claim: KeptAnswer, body_hash: str, act: Callable[[], Response], caller: Caller) -> Response:
    """Act in the transaction that remembers the answer; a failure undoes both."""
    claim.body_hash = body_hash
    is_mine = False
    try:
        with dialect().begin_within(WAIT_SECONDS):
            claim.save(force_insert=True)
            is_mine = True
            dialect().wait_as_usual()
            response = act()
            _remember(claim, response, body_hash, caller)
            return response
    except IntegrityError as error:
        if is_mine:
            raise
        first = _find(claim)
        if first is None or first.status is None:
            raise _at_work() from error
        return _repeated(first, body_hash, caller)
    except OperationalError as error:
        if not is_mine and gave_up_waiting(error):
            raise _at_work() from error
        raise


def _apart(kept: Kept, act: Callable[[], Response]) -> Response:
    """Claim the key, act, and remember the answer; a failure gives the key back."""
    first = _claim(kept.claim)
    if first is not None:
        return _repeated(first, kept.digest(), kept.caller)
    try:
        response = act()
        if response.status_code < 400:
            if not kept.is_finished:
                kept.finish(response)
            return response
    except BaseException as error:
        with suppress(Exception):
            kept.give_back()
        raise error from None
    kept.give_back()
    return response


def _claim(claim: KeptAnswer) -> KeptAnswer | None:
    """Take the key and return None, or return the answer that another request left, waiting for it a while."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        if _took_over(claim):
            return None
        try:
            with transaction.atomic():
                claim.save(force_insert=True)
            return None
        except IntegrityError:
            first = _find(claim)
        if first is not None and first.status is not None:
            return first
        if time.monotonic() >= until:
            raise _at_work()
        time.sleep(_LOOK_EACH_SECONDS)


def _took_over(claim: KeptAnswer) -> bool:
    """Take the claim of a request that is silent, with what it kept; of several that try one does."""
    silent = _same(claim).filter(status=None, seen_at__lte=Now() - SILENT_AFTER)
    if not silent.update(seen_at=Now()) or (found := _find(claim)) is None:
        return False
    claim.pk, claim.answer = found.pk, found.answer
    return True


def _remember(claim: KeptAnswer, response: Response, body_hash: str, caller: Caller) -> None:
    """Store an answer; only successes are remembered. Raises a problem when another request stored one."""
    if response.status_code >= 400:
        transaction.set_rollback(True)
        return
    answer = json.loads(json.dumps(response.data, cls=JSONEncoder))
    headers = {name: str(value) for name, value in response.headers.items() if name in ("Location", "ETag")}
    if not claim.answered(response.status_code, body_hash, answer, headers, caller.demands):
        raise _at_work()


def _at_work() -> ApiProblem:
    text = say(
        "A request with this key did not end within {seconds} seconds; ask again with the same key.",
        seconds=WAIT_SECONDS,
    )
    return ApiProblem(409, text)


def _repeated(first: KeptAnswer, body_hash: str, caller: Caller) -> Response:
    """Return the first answer again. Raises a problem when it was to another body, or the caller may no longer ask."""
    caller.insist_again(list(first.demands or ()))
    if first.body_hash != body_hash:
        raise ApiProblem(422, say(OTHER_BODY))
    return Response(first.answer, first.status, headers={**first.headers, "Idempotency-Replayed": "true"})


def _find(claim: KeptAnswer) -> KeptAnswer | None:
    return _KNOWN.first(claim.caller, claim.address, claim.key)


def _same(claim: KeptAnswer) -> QuerySet[KeptAnswer]:
    return _used_for(claim.caller, claim.address, claim.key)


def _used_for(caller: str, address: str, key: str) -> QuerySet[KeptAnswer]:
    return KeptAnswer.objects.filter(caller=caller, address=address, key=key)


_KNOWN: FixedQuery[KeptAnswer] = FixedQuery(
    lambda *used: _used_for(*used).annotate(is_old=Q(started_at__lt=Now() - KEPT_FOR)), str, str, str
)


def _known_today(claim: KeptAnswer) -> KeptAnswer | None:
    """Return what this key was used for; that of a day ago is deleted, should housekeeping not have been there."""
    known = _find(claim)
    if known is not None and known.is_old:  # type: ignore[attr-defined]
        known.delete()
        return None
    return known


def _address(request: Any) -> str:
    pairs = sorted((name, value) for name, values in request.query_params.lists() for value in values)
    return _digest(json.dumps([request.method, request.path, pairs]).encode())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
