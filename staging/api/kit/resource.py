"""The base of every address: who calls, what they may, what came in; then the method, and its answer or its problem."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

from django.conf import settings
from django.http import Http404
from django.utils.cache import patch_vary_headers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.views import APIView

from staging.api.kit.bodies import (
    JSON,
    ByteStream,
    CheckedStream,
    body_stream,
    insist_on_type,
    media_type,
    read_bytes,
    read_json,
)
from staging.api.kit.callers import BearerAuthentication, BrowserAuthentication, Caller
from staging.api.kit.doors import Body, Door, RawBody, door_of
from staging.api.kit.idempotency import once
from staging.api.kit.openapi import DoorSchema
from staging.api.kit.parameters import read_parameters
from staging.api.kit.problems import ApiProblem, invalid, problem_answer
from staging.api.kit.throttle import CallerThrottle
from staging.entities.values import is_storable
from staging.identifiers import CODE_PATTERN
from staging.model_files.read import MAX_BYTES
from staging.model_files.shape import Problems, known_keys
from staging.models import Entity
from staging.sql.compose import FixedQuery
from staging.states import DoorKind
from staging.versions.audit import note_reading
from staging.versions.doers import Author, done_by
from staging.versions.reasons import HEADER, is_required, reason_in_header
from staging.wording import say

_LONGEST_METHOD = 20
_ENTITY: FixedQuery[Entity] = FixedQuery(lambda code: Entity.objects.filter(code=code), str)


class Json(JSONRenderer):
    """Writes an answer; half a surrogate pair, which an answer may tell of, is written as the escape it came as."""

    def render(self, *args: Any, **kwargs: Any) -> bytes:
        """Return the bytes of the answer; no encoding has any for half a pair."""
        try:
            return bytes(super().render(*args, **kwargs))
        except UnicodeEncodeError:
            self.ensure_ascii = True
            return bytes(super().render(*args, **kwargs))


class Resource(APIView):
    """An address of the API. Its methods stand behind `@door`; a method without one does not exist.

    An address with `code` in it is about that entity: who may do this for others only is refused before anything is
    looked up.
    """

    authentication_classes = [BearerAuthentication, BrowserAuthentication]
    permission_classes: list[Any] = []
    parser_classes: list[Any] = []
    renderer_classes = [Json]
    throttle_classes = [CallerThrottle]
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]
    schema = DoorSchema()
    query: dict[str, Any]
    body: Any

    def get_exception_handler(self) -> Any:
        """Tell every exception as a problem."""
        return problem_answer

    def http_method_not_allowed(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Tell which methods there are."""
        text = say(
            "{method} does nothing here; use {methods}.",
            method=str(request.method)[:_LONGEST_METHOD],
            methods=", ".join(self.allowed_methods),
        )
        raise ApiProblem(405, text)

    def throttled(self, request: Any, wait: float | None) -> None:
        """Tell how many requests there may be, and when the next one is taken."""
        seconds = int(wait or 0) + 1
        text = say(
            "There were more than {most:,} requests in a minute; the next one is taken in {seconds} s.",
            most=settings.API_REQUESTS_PER_MINUTE,
            seconds=seconds,
        )
        raise ApiProblem(429, text, headers={"Retry-After": str(seconds)})

    @cached_property
    def caller(self) -> Caller:
        """Return whoever makes this request, with what the method may touch for them."""
        declared = door_of(self, self.request.method)
        return Caller.of(self.request.user, self.request.auth, declared.needs if declared else ())

    @cached_property
    def entity(self) -> Entity:
        """Return the entity that the address names; an unknown one is a 404."""
        code = self.kwargs["code"]
        entity = _ENTITY.first(code) if re.match(CODE_PATTERN, code) else None
        if entity is None:
            raise Http404(say("There is no entity with the code {code!r}.", code=code))
        return entity

    @property
    def sent(self) -> bytes:
        """Return the whole body, read once and within bounds."""
        if not hasattr(self, "_sent"):
            self._sent = read_bytes(self.request, self._most)
        return self._sent

    @property
    def stream(self) -> ByteStream:
        """Return the body piece by piece, for what is too long to be held; only once, and only without `sent`."""
        if not hasattr(self, "signed_stream"):
            self.signed_stream: ByteStream = CheckedStream(body_stream(self.request), settings.API_MAX_STREAM_BYTES)
        return self.signed_stream

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Let nobody between us and the caller keep an answer: it is for this caller."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        answer.headers.setdefault("Cache-Control", "private, no-cache")
        patch_vary_headers(answer, ["Authorization", "Cookie"])
        return answer

    def check_permissions(self, request: Any) -> None:
        """Refuse who is not signed in, lacks the scope or a right, or is not for this entity."""
        declared = door_of(self, request.method)
        if not all(is_storable(part) for part in self.kwargs.values() if isinstance(part, str)):
            raise Http404(say("There is nothing at this address."))
        if not request.user or not request.user.is_authenticated:
            raise NotAuthenticated(say("Sign in, or send Authorization: Bearer TOKEN."))
        if declared is None:
            return
        self.caller.insist_on_scope(declared.scope)
        self.caller.insist_on_rights(*declared.needs)
        self.caller.insist_on_code(self.kwargs.get("code"))

    @property
    def _most(self) -> int:
        """Return how large a body may be: one that is read whole as JSON no larger than a model file."""
        declared = door_of(self, self.request.method)
        is_raw = declared is not None and isinstance(declared.body, RawBody)
        return int(settings.API_MAX_BODY_BYTES if is_raw else min(settings.API_MAX_BODY_BYTES, MAX_BYTES))

    def enter(self, declared: Door, view: Callable[[], Any]) -> Response:
        """Read what came in as the door declares it, then do what the method does, once where a key says so."""
        self.query = read_parameters(declared.query, self.request.query_params, others=bool(declared.other_parameters))
        if not isinstance(declared.body, RawBody):
            self.body = self._read_body(declared.body)
        self._insist_on_a_reason(declared)
        key = self.request.headers.get("Idempotency-Key")
        with done_by(self._doer):
            if key is None or not declared.keyed:
                return as_response(view())
            return once(self, key, declared, lambda: as_response(view()))

    def takes_away(self, what: str) -> None:
        """Let the audit tell that the caller has read this data; every address that gives rows or the model says so."""
        token = self.caller.token
        about = say("{what}, through the API", what=what)
        if token is not None:
            about = say("{what}, through the API with the token {token}", what=what, token=token.name)
        note_reading(self.request, self.caller.person.get_username(), about)

    def _doer(self) -> Author:
        """Return who is at work, as versions tell it."""
        caller = self.caller
        token = caller.token.name if caller.token is not None else ""
        return Author(caller.person.get_username(), DoorKind.API, token, reason_in_header(self.request))

    def _insist_on_a_reason(self, declared: Door) -> None:
        """Refuse a change of what is defined without the reason that this installation asks for."""
        is_change = declared.changes_definitions(self.request.method) and not self.query.get("dry_run")
        if is_change and is_required() and not reason_in_header(self.request):
            raise invalid({HEADER: [say("Say why you change this: it stands in the history.")]})

    def _read_body(self, declared: Body | None) -> Any:
        """Return the keys of a JSON body; a method without one takes none."""
        if not self.sent.strip():
            if declared is not None and declared.required:
                raise invalid({key: [say("This is required.")] for key in declared.required})
            return {}
        if declared is None:
            if self.request.method in ("GET", "HEAD"):
                return {}
            if media_type(self.request) == JSON and read_json(self.sent) == {}:
                return {}
            raise invalid({"": [say("This takes no body.")]})
        insist_on_type(self.request, JSON)
        if not declared.checked:
            return read_json(self.sent)
        problems = Problems()
        found = known_keys(read_json(self.sent), "", declared.kinds, problems, declared.required)
        if problems.errors:
            raise invalid({"" if path == "file" else path: texts for path, texts in problems.errors.items()})
        return found


def as_response(answer: Any) -> Response:
    """Return what a method returned as a response: a document, a document and a status, or one already."""
    if isinstance(answer, Response):
        return answer
    document, status = answer if isinstance(answer, tuple) else (answer, 200)
    return Response(document, status)


class Nowhere(APIView):
    """Every address of the API that does not exist."""

    authentication_classes: list[Any] = []
    permission_classes: list[Any] = []
    http_method_names: list[str] = []
    renderer_classes = [Json]
    schema = None

    def get_exception_handler(self) -> Any:
        """Tell it as a problem."""
        return problem_answer

    def http_method_not_allowed(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Answer that there is nothing."""
        raise Http404(say("There is nothing at this address; addresses have no slash at their end."))
