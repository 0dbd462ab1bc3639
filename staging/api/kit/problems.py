"""Everything that goes wrong is one document, `application/problem+json`: what it is, and each fault by its path."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from django.core.exceptions import ObjectDoesNotExist, RequestDataTooBig, SuspiciousOperation
from django.core.signals import got_request_exception
from django.db import DataError, IntegrityError, OperationalError
from django.http import Http404, JsonResponse
from django.http.request import UnreadablePostError
from django.utils.translation import gettext_noop
from rest_framework import exceptions
from rest_framework.response import Response

from staging.errors import (
    ReviewRefused,
    StagingError,
    TableMismatch,
    TablesInUse,
    UndoRefused,
    WouldLoseData,
    cannot_answer,
)
from staging.members.as_of import HistoryOff
from staging.members.cursor import FeedRestarted
from staging.uploads.posted import TooMuch
from staging.wording import Said, said_together, say

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
AGAIN_AFTER_SECONDS = 10
TITLES = {
    400: ("invalid", gettext_noop("The request is not valid")),
    401: ("not-signed-in", gettext_noop("Nobody is signed in")),
    403: ("not-allowed", gettext_noop("This is not allowed")),
    404: ("not-found", gettext_noop("There is no such thing")),
    405: ("method-not-allowed", gettext_noop("This method does nothing here")),
    406: ("not-acceptable", gettext_noop("There is no such form of the answer")),
    409: ("conflict", gettext_noop("This cannot be done now")),
    410: ("gone", gettext_noop("What was asked for is not all there any more")),
    412: ("changed-meanwhile", gettext_noop("It was changed meanwhile")),
    413: ("too-large", gettext_noop("This is too large")),
    415: ("unsupported-media-type", gettext_noop("This type of content is not read here")),
    422: ("key-used-otherwise", gettext_noop("The key belongs to another request")),
    428: ("precondition-required", gettext_noop("A precondition is missing")),
    429: ("too-many-requests", gettext_noop("Too many requests")),
    500: ("fault", gettext_noop("The server failed")),
    503: ("unavailable", gettext_noop("The service cannot answer now")),
}
BUSY = gettext_noop("The database does not answer, or could not do this now. Please try again in a moment.")
_FAULT = gettext_noop("This is a fault of the server; its log tells more.")
_MEANWHILE = gettext_noop("Somebody else changed this at the same moment. Nothing was changed; please try again.")
_REQUIRED = gettext_noop("This is required.")
_TYPE = "urn:staging-scheduler:problem:"
# What the errors of the rooms are to a client; scheduling adds its own.
STATUS_OF: dict[type[Exception], int] = {
    StagingError: 400,
    WouldLoseData: 409,
    TableMismatch: 409,
    TablesInUse: 409,
    ReviewRefused: 409,
    UndoRefused: 409,
    HistoryOff: 409,
    FeedRestarted: 410,
    TooMuch: 413,
}


class ApiProblem(Exception):
    """A request that is answered with a problem; `errors` maps paths in the document sent to lists of sentences."""

    def __init__(
        self,
        status: int,
        detail: str,
        errors: Mapping[str, Iterable[str]] | None = None,
        headers: Mapping[str, str] | None = None,
    ):
        self.status, self.detail = status, detail
        self.errors = {path: list(texts) for path, texts in (errors or {}).items()}
        self.headers = dict(headers or {})
        super().__init__(detail)


def invalid(errors: Mapping[str, Iterable[str]]) -> ApiProblem:
    """Return the problem of a request in which something is wrong, each fault by its path."""
    kept = {path: list(texts) for path, texts in errors.items()}
    return ApiProblem(400, said_together(*(text for texts in kept.values() for text in texts)), kept)


def problem_document(status: int, detail: str, errors: Mapping[str, Iterable[str]] | None = None) -> dict[str, Any]:
    """Return the document of a problem."""
    slug, title = TITLES.get(status, ("problem", gettext_noop("This did not work")))
    return {
        "type": _TYPE + slug,
        "title": say(title),
        "status": status,
        "detail": detail,
        "errors": [
            {"path": path, "code": code_of(text), "text": text}
            for path, texts in (errors or {}).items()
            for text in texts
        ],
    }


def code_of(text: str) -> str:
    """Return what kind of fault a sentence tells, for programs: by what it was made from, whatever its language."""
    template = text.template if isinstance(text, Said) else text
    if template == _REQUIRED:
        return "required"
    return "unknown" if template.startswith("There is no ") else "invalid"


def problem_answer(error: Exception, context: Mapping[str, Any]) -> Response:
    """Return what an exception of a view is to the client; a fault of ours is logged and told in general words."""
    problem = as_problem(error)
    if problem is None:
        logger.exception(
            "the API failed at %s",
            getattr(context.get("request"), "path", ""),
            exc_info=error,
            extra={"event": "api_failed"},
        )
        request = getattr(context.get("request"), "_request", None)
        got_request_exception.send(sender=type(context.get("view")), request=request)
        problem = ApiProblem(500, say(_FAULT))
    document = problem_document(problem.status, problem.detail, problem.errors)
    return Response(document, problem.status, headers=problem.headers, content_type=MEDIA_TYPE)


def plain_problem(status: int, detail: str) -> JsonResponse:
    """Return a problem as a response of Django, for what fails before or beside a view."""
    headers = {"Retry-After": str(AGAIN_AFTER_SECONDS)} if status == 503 else None
    return JsonResponse(problem_document(status, detail), status=status, headers=headers, content_type=MEDIA_TYPE)


def as_problem(error: Exception) -> ApiProblem | None:
    """Return an exception as a problem; None for a fault of ours."""
    if isinstance(error, ApiProblem):
        return error
    if isinstance(error, exceptions.NotAcceptable):
        forms = said_together(*(each.media_type for each in error.available_renderers or ()), by=", ")
        return ApiProblem(406, say("The answer is {forms}, which Accept leaves out.", forms=forms))
    if isinstance(error, exceptions.APIException):
        return _of_framework(error)
    if isinstance(error, OperationalError) or cannot_answer(error):
        logger.warning("the API could not answer: %s", " ".join(str(error).split()), extra={"event": "api_unavailable"})
        return ApiProblem(503, say(BUSY), headers={"Retry-After": str(AGAIN_AFTER_SECONDS)})
    if isinstance(error, DataError):
        logger.warning(
            "the API met a value that does not fit: %s",
            " ".join(str(error).split()),
            extra={"event": "api_value_refused"},
        )
        return ApiProblem(400, say("A value does not fit where it belongs."))
    if isinstance(error, ObjectDoesNotExist):
        return ApiProblem(404, say("It was deleted meanwhile."))
    if isinstance(error, IntegrityError):
        logger.warning(
            "the API met somebody else's change: %s", " ".join(str(error).split()), extra={"event": "api_conflict"}
        )
        return ApiProblem(409, say(_MEANWHILE))
    if isinstance(error, Http404):
        return ApiProblem(404, str(error) or say("There is nothing at this address."))
    if isinstance(error, RequestDataTooBig):
        return ApiProblem(413, say("The body is larger than is taken in at once."))
    if isinstance(error, SuspiciousOperation | UnreadablePostError):
        return ApiProblem(400, say("The request could not be read."))
    status = next((STATUS_OF[kind] for kind in type(error).__mro__ if kind in STATUS_OF), None)
    return None if status is None else ApiProblem(status, str(error), getattr(error, "errors", None))


def _of_framework(error: exceptions.APIException) -> ApiProblem:
    headers = {}
    if getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = str(error.auth_header)
    if getattr(error, "wait", None):
        headers["Retry-After"] = str(int(error.wait) + 1)
    return ApiProblem(error.status_code, str(error.detail), headers=headers)
